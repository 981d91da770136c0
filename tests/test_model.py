"""The model itself: hand-made programs inside the weights, every token and memory word checked."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import programs
from qwengpu.checkpoint.build import build_weights
from qwengpu.checkpoint.export import export_checkpoint, word
from qwengpu.checkpoint.weights import Weights
from qwengpu.engine import create
from qwengpu.machine import MachineSpec, Op, Program
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import LaunchImage, load
from qwengpu.runtime.launch import launch


@pytest.mark.parametrize(
    ("program", "arguments", "grid", "block", "last"),
    [
        (programs.dot(), [[1, 2, 3], [4, 5, 6], [0], 3], 1, 4, None),
        (programs.dot(), [[-1, 2**31, 3] * 4, [7] * 12, [0], 11], 2, 6, None),
        (programs.diverge(), [[0] * 4], 1, 4, [10, 11, 40, 60]),
        (programs.loop(), [[0] * 7], 1, 7, [0, 1, 3, 6, 10, 15, 21]),
        (programs.reverse(), [list(range(10)), [0] * 10], 1, 10, list(range(9, -1, -1))),
        (programs.scatter(), [[9] * 8, 1], 4, 2, list(range(8))),
        (programs.scatter(), [[9] * 13, 4], 1, 4, [0, 9, 9, 9, 1, 9, 9, 9, 2, 9, 9, 9, 3]),
    ],
    ids=["dot", "dot-of-edges", "divergence", "loop", "barrier", "grid", "bank-conflicts"],
)
def test_the_model_writes_the_reference_trace(
    weights: Weights, program: Program, arguments: Sequence, grid: int, block: int, last: list[int] | None
) -> None:
    engine = create("numpy", weights)
    result = launch(
        program, arguments, (grid, 1, 1), (block, 1, 1), weights=weights, engine=engine, max_tokens=2000, check=True
    )
    assert last is None or result.arrays[-1].tolist() == last


def generate_with_transformers(weights: Weights, image: LaunchImage, folder: Path, dtype: str) -> None:
    """Export, load with unmodified transformers, and compare what its own greedy generate() writes."""
    transformers = pytest.importorskip("transformers")
    export_checkpoint(weights, folder, dtype)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert str(model.dtype) == f"torch.{dtype}"
    prompt = tokenizer(" ".join(word(token) for token in image.prompt()), return_tensors="pt")
    output = model.generate(**prompt, max_new_tokens=100)
    written = tokenizer.decode(output[0, prompt["input_ids"].shape[1] :])
    assert written == " ".join(word(token) for token in Interpreter(image).trace())


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_unmodified_transformers_runs_a_small_machine(tmp_path: Path, dtype: str) -> None:
    spec = MachineSpec(registers=16, blocks=8, words=512, warps=1, constants=16, stages=("mul", "load", "alu"))
    product = programs.I(Op.MUL, programs.TID_SMALL, programs.c(5))
    program = programs.each(product, literals=(0xFFFFFFF5,))
    image = load(spec, program, [[0] * 3], block=(3, 1, 1))
    generate_with_transformers(build_weights(spec), image, tmp_path / "gpu", dtype)


def test_unmodified_transformers_runs_the_default_machine(weights: Weights, tmp_path: Path) -> None:
    image = load(weights.spec, programs.dot(), [[1, 2, 3], [4, 5, 6], [0], 3], block=(4, 1, 1))
    generate_with_transformers(weights, image, tmp_path / "gpu", "bfloat16")
