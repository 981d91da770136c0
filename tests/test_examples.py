"""Every example, from its source to results read out of the model's state, with several inputs; every token checked."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from qwengpu.checkpoint.weights import Weights
from qwengpu.cuda import compile_kernel
from qwengpu.engine import create
from qwengpu.machine import MachineSpec, Program
from qwengpu.runtime.launch import launch

EXAMPLES = Path(__file__).parent.parent / "examples"
EDGES = [0, 1, -1, 2**31 - 1, -(2**31), 5, -7, 0x12345678]
Dim3 = tuple[int, int, int]


def wrap(values: Sequence[int]) -> list[int]:
    """Integers as unsigned 32-bit words."""
    return [v & 0xFFFFFFFF for v in values]


@dataclass(frozen=True)
class Case:
    """A launch: file, arguments, which one holds the result, what it must hold, and the launch shape."""

    file: str
    arguments: tuple[int | tuple[int, ...], ...]
    output: int
    expected: tuple[int, ...]
    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)


def _collatz(value: int) -> int:
    steps = 0
    while value > 1:
        value = (3 * value + 1 if value % 2 else value // 2) & 0xFFFFFFFF
        steps += 1
    return steps


def _elementwise(file: str, operation: Callable[[int, int], int], n: int, grid: int, block: int, seed: int) -> Case:
    rng = random.Random(seed)
    a, b = (tuple(rng.choice((*EDGES, rng.randrange(-(2**31), 2**31))) for _ in range(n)) for _ in range(2))
    expected = tuple(map(operation, a, b))
    return Case(file, (a, b, (0,) * n, n), 2, expected, (grid, 1, 1), (block, 1, 1))


def _dot(a: list[int], b: list[int], grid: int, block: int) -> Case:
    total = sum(x * y for x, y in zip(a, b, strict=True))
    return Case("dot.cu", (tuple(a), tuple(b), (0,), len(a)), 2, (total,), (grid, 1, 1), (block, 1, 1))


def _axpy(x: tuple[int, ...], y: tuple[int, ...], alpha: int) -> Case:
    expected = tuple(alpha * p + q for p, q in zip(x, y, strict=True))
    return Case("axpy.ptx", (x, y, alpha, len(x)), 1, expected, (2, 1, 1), (4, 1, 1))


def _matmul(n: int, seed: int) -> Case:
    rng = random.Random(seed)
    a, b = (tuple(rng.randrange(-(2**31), 2**31) for _ in range(n * n)) for _ in range(2))
    c = tuple(sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n))
    return Case("matmul.cu", (a, b, (0,) * (n * n), n), 2, c, block=(n, n, 1))


CASES = [
    _dot([1, 2, 3], [4, 5, 6], 1, 4),
    _dot([-1, 2**31 - 1, -(2**31), 7, 0], [3, 2, -1, -7, 9], 1, 8),
    _dot(list(range(9)), list(range(-4, 5)), 3, 4),
    *(_elementwise("vector_add.cu", int.__add__, n, g, b, n) for n, g, b in ((1, 1, 1), (7, 2, 4), (32, 1, 32))),
    *(_elementwise("vector_mul.cu", int.__mul__, n, g, b, n) for n, g, b in ((3, 1, 4), (8, 2, 5), (32, 1, 32))),
    *(_matmul(n, n) for n in (1, 2, 4)),
    *(Case("sum.cu", (v, (0,), len(v)), 1, (sum(v),)) for v in ((5,), (1, 2, 3), (2**31 - 1, 1, -5, 2**31 - 1))),
    *(
        Case("gcd.cu", (a, b, (0,) * len(a), len(a)), 2, tuple(map(math.gcd, a, b)), block=(4, 1, 1))
        for a, b in (((12, 35), (18, 14)), ((7, 100, 81, 1), (7, 75, 27, 30)))
    ),
    *(
        Case("collatz.cu", (v, (0,) * len(v), len(v)), 1, tuple(map(_collatz, v)), block=(t, 1, 1))
        for v, t in (((1, 2, 3, 4), 4), ((27,), 1), ((6, 7, 9, 12, 25, 1), 6))
    ),
    *(
        Case("reduce.cu", (v, (0,), len(v)), 1, (sum(v),), block=(t, 1, 1))
        for v, t in (((1, 2, 3, 4), 4), (tuple(EDGES), 8), (tuple(range(-3, 28)), 32))
    ),
    *(
        Case("max.cu", (v, (-(2**31),), len(v)), 1, (max(v),), block=(t, 1, 1))
        for v, t in (((3, -7, 99, 12, 5, -1, 98, 0), 4), (tuple(EDGES), 1), ((-5, -9), 3))
    ),
    *(_axpy(x, y, alpha) for x, y, alpha in (((1, 2, 3), (4, 5, 6), 7), (tuple(EDGES), tuple(EDGES[::-1]), -3))),
]


@cache
def compiled(file: str, compiler: str, axes: int) -> Program:
    """A program for the default machine."""
    return compile_kernel(EXAMPLES / file, compiler=compiler, spec=MachineSpec(), grid_axes=axes)


@pytest.mark.parametrize("compiler", ["zig", "nvrtc"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_example(weights: Weights, case: Case, compiler: str) -> None:
    program = compiled(case.file, compiler, 1)
    arguments = [wrap(a) if isinstance(a, tuple) else a for a in case.arguments]
    engine = create("native", weights)
    result = launch(program, arguments, case.grid, case.block, weights=weights, engine=engine, check=True)
    arrays = iter(result.arrays)
    by_argument = [next(arrays) if isinstance(a, tuple) else None for a in case.arguments]
    output = by_argument[case.output]
    assert output is not None
    assert wrap(output.tolist()) == wrap(case.expected)


@pytest.mark.parametrize("file", ["dot.cu", "matmul.cu"])
def test_example_in_numpy(weights: Weights, file: str) -> None:
    case = next(c for c in CASES if c.file == file)
    arguments = [wrap(a) if isinstance(a, tuple) else a for a in case.arguments]
    engine = create("numpy", weights)
    launch(compiled(file, "zig", 1), arguments, case.grid, case.block, weights=weights, engine=engine, check=True)


def test_the_dot_product_takes_at_most_47_tokens(weights: Weights) -> None:
    case = CASES[0]
    arguments = [wrap(a) if isinstance(a, tuple) else a for a in case.arguments]
    program = compiled(case.file, "zig", 1)
    result = launch(
        program, arguments, case.grid, case.block, weights=weights, engine=create("native", weights), check=True
    )
    assert result.arrays[2].tolist() == [32]
    assert len(result.tokens) <= 47
