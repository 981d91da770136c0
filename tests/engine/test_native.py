"""The native engine against the NumPy engine and stock transformers: traces, residual streams, recurrent states."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

import programs
from qwengpu.checkpoint.build import build_weights
from qwengpu.checkpoint.weights import Weights, read_memory
from qwengpu.engine.native_engine import NativeEngine
from qwengpu.engine.numpy_engine import NumpyEngine
from qwengpu.errors import EngineError
from qwengpu.machine import Kind, MachineSpec, Op, Token, Vocabulary
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import LaunchImage, load
from random_programs import random_program

SMALL = MachineSpec(registers=16, blocks=8, words=512, warps=1, constants=16, stages=("mul", "load", "alu"))


@pytest.fixture(scope="module")
def small() -> Weights:
    return build_weights(SMALL)


def random_image(spec: MachineSpec, seed: int) -> tuple[LaunchImage, list[Token], list[int]]:
    program, arguments, grid, block = random_program(seed)
    image = load(spec, program, arguments, (grid, 1, 1), (block, 1, 1))
    interpreter = Interpreter(image)
    return image, list(interpreter.trace()), interpreter.memory


def ids(weights: Weights, tokens: list[Token]) -> list[int]:
    vocabulary = Vocabulary(weights.spec)
    return [vocabulary.id(token) for token in tokens]


@pytest.mark.parametrize("first", range(0, 200, 10))
def test_random_programs(weights: Weights, first: int) -> None:
    for seed in range(first, first + 10):
        image, trace, memory = random_image(weights.spec, seed)
        engine = NativeEngine(weights)
        ends = Vocabulary(weights.spec).ends
        written = list(engine.generate(ids(weights, image.prompt()), ends, len(trace) + 5))
        assert written == ids(weights, trace), f"seed {seed}"
        if trace[-1].kind is Kind.HALT:
            assert read_memory(weights, engine, 0, weights.spec.words) == memory, f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_in_numpy(weights: Weights, seed: int) -> None:
    image, trace, memory = random_image(weights.spec, seed)
    engine = NumpyEngine(weights)
    ends = Vocabulary(weights.spec).ends
    assert list(engine.generate(ids(weights, image.prompt()), ends, len(trace) + 5)) == ids(weights, trace)
    assert trace[-1].kind is Kind.TRAP or read_memory(weights, engine, 0, weights.spec.words) == memory


def test_residual_stream_and_states_are_bit_identical_to_stock_transformers_in_bf16(small: Weights) -> None:
    """Token by token: stock prefill takes another path (chunks), which rounds differently from its own decoding."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from qwengpu.engine.transformers_engine import TransformersEngine

    multiply = programs.I(Op.MUL, programs.TID_SMALL, programs.c(3))
    prompt = load(SMALL, programs.each(multiply), [[0] * 4], block=(3, 1, 1)).prompt()
    stages = [t.kind for t in prompt].index(Kind.ROM0) + 1
    start = [t.kind for t in prompt].index(Kind.ROMC) + 1
    run = [Token(Kind.CTA), Token(Kind.EXEC, 0), Token(Kind.VAL, 5, 7), Token(Kind.COMMIT, 0, 3), Token(Kind.ST, 2)]
    tokens = ids(small, [*prompt[start:stages], *run])
    stock, native = TransformersEngine(small), NativeEngine(small)
    outputs: dict[int, np.ndarray] = {}

    def record(number: int) -> Callable:
        def hook(_module: object, _inputs: object, output: object) -> None:
            outputs[number] = (output[0] if isinstance(output, tuple) else output)[0, 0].float().numpy()

        return hook

    for number in range(native.layers):
        stock.model.model.layers[number].register_forward_hook(record(number))
    for position, token in enumerate(tokens):
        stock.feed([token])
        trail = native.hidden_states(token)
        for number in range(native.layers):
            assert (trail[number + 1] == outputs[number]).all(), f"token {position}, layer {number}"
    for layer, heads in enumerate(small.layout["heads"]):
        for head in range(len(heads)):
            assert (native.state(layer, head) == stock.state(layer, head)).all(), f"layer {layer}, head {head}"


def test_a_changed_weight_changes_both_engines_alike(weights: Weights) -> None:
    changed = copy.copy(weights)
    changed.tensors = dict(weights.tensors)
    rng = np.random.default_rng(0)
    late = weights.config["num_hidden_layers"] - 9  # later steps would blow up the rounding of what is no integer
    for name in (f"model.layers.{late}.linear_attn.out_proj.weight", f"model.layers.{late + 1}.mlp.gate_proj.weight"):
        tensor = weights.tensors[name].copy()
        tensor.data = np.where(rng.random(tensor.nnz) < 0.2, tensor.data * 0.75, tensor.data).astype(np.float32)
        changed.tensors[name] = tensor
    image, trace, _ = random_image(weights.spec, 3)
    tokens = ids(weights, [*image.prompt(), *trace])
    numpy_trail = NumpyEngine(changed).hidden(tokens)
    native, original = NativeEngine(changed, dtype="float32"), NativeEngine(weights, dtype="float32")
    differs = False
    for position, token in enumerate(tokens):
        trail = native.hidden_states(token)
        differs |= bool((trail != original.hidden_states(token)).any())
        for layer, stream in enumerate(numpy_trail):
            np.testing.assert_allclose(trail[layer], stream[position], atol=0.02, err_msg=f"layer {layer}")
    assert differs


def test_a_second_launch_needs_another_engine(weights: Weights) -> None:
    image, _, _ = random_image(weights.spec, 3)
    ends = Vocabulary(weights.spec).ends
    for engine in (NativeEngine(weights), NumpyEngine(weights)):
        next(engine.generate(ids(weights, image.prompt()), ends, 1))
        with pytest.raises(EngineError, match="create another"):
            next(engine.generate(ids(weights, image.prompt()), ends, 1))
