"""The model itself: hand-made programs inside the weights, every token and memory word checked."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import programs
from qwengpu.checkpoint.build import build_weights
from qwengpu.checkpoint.export import export_checkpoint, word
from qwengpu.checkpoint.weights import Weights
from qwengpu.engine import create
from qwengpu.machine import MachineSpec, Program
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import load
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
    assert last is None or result.arrays[-1] == last


def test_unmodified_transformers_runs_the_exported_checkpoint(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    spec = MachineSpec(registers=32, blocks=8, words=512, warps=1, stages=("mul", "load", "load", "mul", "alu"))
    export_checkpoint(build_weights(spec, None), tmp_path / "gpu")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "gpu")
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "gpu")
    image = load(spec, programs.dot(), [[1, 2, 3], [4, 5, 6], [0], 3], block=(4, 1, 1))
    prompt = tokenizer(" ".join(word(token) for token in image.prompt()), return_tensors="pt")
    output = model.generate(**prompt, max_new_tokens=100)
    written = tokenizer.decode(output[0, prompt["input_ids"].shape[1] :])
    assert written == " ".join(word(token) for token in Interpreter(image).trace())
