"""Division."""

from __future__ import annotations

import random

import pytest
from operands import check, read, results, unsigned

from qwengpu.cuda.divide import _A, _B, _C

KINDS = ("u16", "s16", "u32", "s32", "u64", "s64")
REGISTER = {"16": "h", "32": "r", "64": "d"}


def quotient(kind: str, a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(kind: str, a: int, b: int) -> int:
    return a if b == 0 else a - b * quotient(kind, a, b)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "function"), [("div", quotient), ("rem", remainder)])
def test_by_a_variable(name, function, kind, seed):
    r = REGISTER[kind[1:]]
    check(f"{name}.{kind} %{r}9, %{r}1, %{r}2;", lambda a, b: function(kind, a, b), f"{kind} {kind} {kind}", seed)


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 10, 641, 2**31 - 1])
@pytest.mark.parametrize("kind", KINDS[2:])
def test_by_a_constant(kind, divisor):
    r = REGISTER[kind[1:]]
    for name, function in (("div", quotient), ("rem", remainder)):
        check(f"{name}.{kind} %{r}9, %{r}1, {divisor};", lambda a, f=function: f(kind, a, divisor), f"{kind} {kind}")


def test_neighbours_of_multiples():
    rng = random.Random(3)
    triples = []
    for _ in range(85):
        d = rng.getrandbits(rng.randint(1, 32)) or 1
        q = rng.randint(0, (2**32 - 1) // d)
        triples += [(unsigned(d * q + k, 32), d, 0) for k in (-1, 0, 1)]
    got = results("div.u32 %r9, %r1, %r2;", triples)
    assert got == [read(a, "u32") // d for a, d, _ in triples]


def test_extensions_divide_as_words():
    code = "cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; div.u64 %d9, %d1, %d2;"
    check(code, lambda a, b: quotient("u64", a, b), "u64 u32 u32")
    code = "cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; rem.s64 %d9, %d1, %d2;"
    check(code, lambda a, b: remainder("u64", a, b), "u64 u32 u32")


def test_reciprocal_is_a_little_too_small_for_every_divisor():
    """The bounds that make corrections in one direction enough, over all divisors with their top bit set."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(1)
    ends = np.concatenate([np.arange(2**31, 2**31 + 4096), np.arange(2**32 - 4096, 2**32)])
    d = np.concatenate([ends, rng.integers(2**31, 2**32, 2_000_000)]).astype(np.uint64)

    def high(a, b):
        return a * b >> np.uint64(32)

    x = np.uint64(4) * (np.uint64(_A) - high(d, np.uint64(_B) - high(d, np.uint64(_C))))
    e = np.uint64(2) * (np.uint64(2**31) - high(d, x))
    x = x + high(x, e + high(e, e))
    exact = 2.0**63 / d.astype(np.float64)
    short = (exact - x.astype(np.float64)) / exact
    assert short.min() > 0
    assert short.max() < 2**-16.6
