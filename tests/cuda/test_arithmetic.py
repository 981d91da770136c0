"""Sums, products, extremes, carries and dot products of bytes."""

from __future__ import annotations

import pytest
from operands import check, signed, unsigned

REGISTER = {"16": "h", "32": "r", "64": "d"}
KINDS = ("u16", "s16", "u32", "s32", "u64", "s64")


def registers(kind: str, count: int) -> str:
    r = REGISTER[kind[1:]]
    return ", ".join(f"%{r}{k}" for k in (9, 1, 2, 3)[:count])


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("kind", KINDS)
def test_two_operands(kind):
    for name, function in BINARY.items():
        check(f"{name}.{kind} {registers(kind, 3)};", function, f"{kind} {kind} {kind}")
    check(f"mul.hi.{kind} {registers(kind, 3)};", lambda a, b: a * b >> int(kind[1:]), f"{kind} {kind} {kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_three_operands(kind):
    r, bits = registers(kind, 4), int(kind[1:])
    check(f"mad.lo.{kind} {r};", lambda a, b, c: a * b + c, " ".join([kind] * 4))
    check(f"mad.hi.{kind} {r};", lambda a, b, c: (a * b >> bits) + c, " ".join([kind] * 4))
    check(f"sad.{kind} {r};", lambda a, b, c: c + abs(a - b), " ".join([kind] * 4))


@pytest.mark.parametrize("kind", ["s16", "s32", "s64"])
def test_one_operand(kind):
    check(f"neg.{kind} {registers(kind, 2)};", lambda a: -a, f"{kind} {kind}")
    check(f"abs.{kind} {registers(kind, 2)};", abs, f"{kind} {kind}")


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32"])
def test_wide_products(kind):
    source, bits = REGISTER[kind[1:]], 2 * int(kind[1:])
    target = REGISTER[str(bits)]
    double = f"{kind[0]}{bits}"
    check(f"mul.wide.{kind} %{target}9, %{source}1, %{source}2;", lambda a, b: a * b, f"{double} {kind} {kind}")
    check(
        f"mad.wide.{kind} %{target}9, %{source}1, %{source}2, %{target}3;",
        lambda a, b, c: a * b + c,
        f"{double} {kind} {kind} {double}",
    )


@pytest.mark.parametrize("constant", [0, 1, -1, 5, 2**31 - 1, 0x123456789ABCDEF])
def test_constants_as_operands(constant):
    for name, function in BINARY.items():
        check(f"{name}.s64 %d9, %d1, {constant};", lambda a, f=function: f(a, constant), "s64 s64")
    check(f"sub.s64 %d9, {constant}, %d1;", lambda a: constant - a, "s64 s64")


def test_saturation():
    def clamp(x: int) -> int:
        return max(-(2**31), min(x, 2**31 - 1))

    check("add.sat.s32 %r9, %r1, %r2;", lambda a, b: clamp(a + b), "s32 s32 s32")
    check("sub.sat.s32 %r9, %r1, %r2;", lambda a, b: clamp(a - b), "s32 s32 s32")
    check("mad.hi.sat.s32 %r9, %r1, %r2, %r3;", lambda a, b, c: clamp((a * b >> 32) + c), "s32 s32 s32 s32")


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64"])
def test_carries(kind):
    r, bits = REGISTER[kind[1:]], int(kind[1:])
    zero = f"mov.b{bits} %{r}20, 0;"
    carry = f"{zero} add.cc.{kind} %{r}10, %{r}1, %{r}2; addc.{kind} %{r}9, %{r}20, 0;"
    check(carry, lambda a, b: a + b >> bits, f"{kind} u{bits} u{bits}")
    borrow = f"{zero} sub.cc.{kind} %{r}10, %{r}1, %{r}2; subc.{kind} %{r}9, %{r}20, 0;"
    check(borrow, lambda a, b: a - b >> bits, f"{kind} u{bits} u{bits}")
    chain = f"""
        add.cc.{kind} %{r}10, %{r}1, %{r}2; addc.cc.{kind} %{r}11, %{r}2, %{r}3; addc.cc.{kind} %{r}12, %{r}3, %{r}1;
        addc.{kind} %{r}13, 0, 0; xor.b{bits} %{r}9, %{r}10, %{r}11; xor.b{bits} %{r}9, %{r}9, %{r}12;
        add.{kind} %{r}9, %{r}9, %{r}13;
    """

    def added(a: int, b: int, c: int) -> int:
        total = (a | b << bits | c << 2 * bits) + (b | c << bits | a << 2 * bits)
        low, middle, high = (unsigned(total >> k * bits, bits) for k in range(3))
        return (low ^ middle ^ high) + (total >> 3 * bits)

    check(chain, added, " ".join([f"u{bits}"] * 4))
    product = f"""
        mad.lo.cc.{kind} %{r}10, %{r}1, %{r}2, %{r}3; madc.hi.{kind} %{r}11, %{r}1, %{r}2, 0;
        xor.b{bits} %{r}9, %{r}10, %{r}11;
    """

    def multiplied(a: int, b: int, c: int) -> int:
        if kind[0] == "s":
            low = unsigned(a * b, bits) + c
            return low ^ (signed(a, bits) * signed(b, bits) >> bits) + (low >> bits)
        total = a * b + c
        return unsigned(total, bits) ^ total >> bits

    check(product, multiplied, " ".join([f"u{bits}"] * 4))


def test_products_of_24_bits():
    for kind, read in (("u32", unsigned), ("s32", signed)):
        check(f"mul24.lo.{kind} %r9, %r1, %r2;", lambda a, b, r=read: r(a, 24) * r(b, 24), "u32 u32 u32")
        check(f"mul24.hi.{kind} %r9, %r1, %r2;", lambda a, b, r=read: r(a, 24) * r(b, 24) >> 16, "u32 u32 u32")
        check(
            f"mad24.lo.{kind} %r9, %r1, %r2, %r3;", lambda a, b, c, r=read: r(a, 24) * r(b, 24) + c, "u32 u32 u32 u32"
        )


@pytest.mark.parametrize("first", ["u32", "s32"])
@pytest.mark.parametrize("second", ["u32", "s32"])
def test_dot_products(first, second):
    def part(value: int, bits: int, k: int, kind: str) -> int:
        return (signed if kind[0] == "s" else unsigned)(value >> bits * k, bits)

    def dot(a: int, b: int, c: int, bits: int, count: int, at: int) -> int:
        return c + sum(part(a, bits, k, first) * part(b, 8, k + at, second) for k in range(count))

    kinds = "u32 u32 u32 u32"
    check(f"dp4a.{first}.{second} %r9, %r1, %r2, %r3;", lambda a, b, c: dot(a, b, c, 8, 4, 0), kinds)
    check(f"dp2a.lo.{first}.{second} %r9, %r1, %r2, %r3;", lambda a, b, c: dot(a, b, c, 16, 2, 0), kinds)
    check(f"dp2a.hi.{first}.{second} %r9, %r1, %r2, %r3;", lambda a, b, c: dot(a, b, c, 16, 2, 2), kinds)
