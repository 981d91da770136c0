"""Every operation of the ALU against Python integers, in fp32 and bf16."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from harness import inputs, new_builder, run_mlps, split, word

from qwengpu.circuits.alu import NIBBLES, Alu, Lane, address
from qwengpu.machine.interpreter import evaluate
from qwengpu.machine.isa import CONTROL_LINES, Op

EDGES = [0, 1, 2, 15, 16, 31, 32, 33, 0xFF, 0x55555555, 0xAAAAAAAA, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
ALU_OPS = [op for op in Op if "load" not in op.value]


def operands(op: Op, rng: np.random.Generator) -> np.ndarray:
    """Pairs of edge values and random ones, with small shift amounts and equal pairs among them, and a random c."""
    pairs = [*itertools.product(EDGES, EDGES), *((v, v) for v in rng.integers(0, 2**32, 40))]
    pairs += [tuple(p) for p in rng.integers(0, 2**32, (300, 2))]
    pairs += [(a, b) for a, b in zip(rng.integers(0, 2**32, 120), np.tile(np.arange(40), 3), strict=True)]
    # carries that run through all bits
    pairs += [(2**32 - 2**k, 2**k) for k in range(32)] + [(2**k - 1, 1) for k in range(32)]
    return np.array([(a, b, c) for (a, b), c in zip(pairs, rng.integers(0, 2**32, len(pairs)), strict=True)], np.uint64)


def compute(op: Op, cases: np.ndarray, multiplier: bool, dtype: str) -> np.ndarray:
    b = new_builder()
    lane = Lane(
        inputs(b, "a", 32), inputs(b, "b", 32), inputs(b, "p", 1)[0],
        inputs(b, "c", NIBBLES, 15) if multiplier else [], b.bus("r", 32),
    )  # fmt: skip
    control = dict(zip(CONTROL_LINES, inputs(b, "control", len(CONTROL_LINES)), strict=True))
    Alu(b, control, lane, "alu", multiplier, load=False)
    values = split(cases[:, 0], lane.a) | split(cases[:, 1], lane.b)
    values[lane.predicate] = (cases[:, 2] & np.uint64(1)).astype(np.float32)
    for m, wire in enumerate(lane.addend):
        values[wire] = (cases[:, 2] >> np.uint64(4 * m) & np.uint64(15)).astype(np.float32)
    for line, wire in control.items():
        values[wire] = np.full(len(cases), line in op.value, dtype=np.float32)
    return word(run_mlps(b, values, lane.result, dtype))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("multiplier", [False, True], ids=["light", "multiplier"])
@pytest.mark.parametrize("op", ALU_OPS, ids=lambda op: op.name)
def test_operation(op: Op, multiplier: bool, dtype: str) -> None:
    if op.stage_kind == "mul" and not multiplier:
        pytest.skip("only mul stages multiply")
    cases = operands(op, np.random.default_rng(1))
    got = compute(op, cases, multiplier, dtype)
    want = np.array([evaluate(op, int(a), int(b), int(c)) for a, b, c in cases], dtype=np.uint64)
    wrong = np.flatnonzero(got != want)
    assert not len(wrong), f"{op.name}{tuple(map(int, cases[wrong[0]]))} = {int(got[wrong[0]]):#x}"


@pytest.mark.parametrize("line", ["add", "lea"])
@pytest.mark.parametrize("count", [10, 14, 16])
def test_address(line: str, count: int) -> None:
    rng = np.random.default_rng(2)
    cases = np.concatenate([rng.integers(0, 2**12, (400, 2)), rng.integers(0, 2**32, (300, 2))]).astype(np.uint64)
    cases = np.concatenate([cases, [(2**k, 0) for k in range(32)], [(2**k - 1, 1) for k in range(33)]])
    cases = cases.astype(np.uint64) & np.uint64(2**32 - 1)
    b = new_builder()
    lane = Lane(inputs(b, "a", 32), inputs(b, "b", 32), inputs(b, "p", 1)[0], [], b.bus("r", 32))
    control = dict(zip(CONTROL_LINES, inputs(b, "control", len(CONTROL_LINES)), strict=True))
    Alu(b, control, lane, "alu", multiplier=False, load=True)
    found = address(b, lane, count, "alu")
    values = split(cases[:, 0], lane.a) | split(cases[:, 1], lane.b)
    values[lane.predicate] = np.zeros(len(cases), dtype=np.float32)
    for name, wire in control.items():
        values[wire] = np.full(len(cases), name in (line, "load"), dtype=np.float32)
    got = run_mlps(b, values, [*found.bits, found.beyond], "bfloat16")
    second = cases[:, 1] << np.uint64(2 if line == "lea" else 0)
    want = (cases[:, 0] + second) % 2**32
    assert (word(got[:-1]) == want % 2**count).all()
    assert ((got[-1] > 0) == (want >= 2**count)).all()
