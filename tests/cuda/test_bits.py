"""Logic, shifts, fields and permutations of bytes."""

from __future__ import annotations

import pytest
from operands import check, unsigned

REGISTER = {"16": "h", "32": "r", "64": "d"}
WIDTHS = (16, 32, 64)


@pytest.mark.parametrize("bits", WIDTHS)
def test_logic(bits):
    r, kind = REGISTER[str(bits)], f"u{bits}"
    for name, function in (
        ("and", lambda a, b: a & b),
        ("or", lambda a, b: a | b),
        ("xor", lambda a, b: a ^ b),
    ):
        check(f"{name}.b{bits} %{r}9, %{r}1, %{r}2;", function, f"{kind} {kind} {kind}")
        check(f"{name}.b{bits} %{r}9, %{r}1, -7;", lambda a, f=function: f(a, -7), f"{kind} {kind}")
    check(f"not.b{bits} %{r}9, %{r}1;", lambda a: ~a, f"{kind} {kind}")
    check(f"cnot.b{bits} %{r}9, %{r}1;", lambda a: a == 0, f"{kind} {kind}")


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("count", [None, 0, 1, 5, 15, 16, 31, 32, 33, 63, 64, 70])
def test_shifts(bits, count):
    r = REGISTER[str(bits)]
    amount, prepare = (str(count), "") if count is not None else ("%r10", "and.b32 %r10, %r2, 127;")

    def by(b: int) -> int:
        return count if count is not None else b & 127

    for kind, name in ((f"u{bits}", "shl.b"), (f"u{bits}", "shr.u"), (f"s{bits}", "shr.s")):

        def shift(a: int, b: int, name: str = name) -> int:
            return a << by(b) if name == "shl.b" else a >> by(b)

        check(f"{prepare} {name}{bits} %{r}9, %{r}1, {amount};", shift, f"{kind} {kind} u32")


def test_shift_by_large_counts():
    check("shl.b64 %d9, %d1, %r2;", lambda a, b: a << min(b, 64), "u64 u64 u32")
    check("shr.s64 %d9, %d1, %r2;", lambda a, b: a >> min(b, 64), "s64 s64 u32")


def test_funnel_shifts():
    for direction in "lr":

        def shift(a: int, b: int, n: int, direction: str = direction) -> int:
            both = b << 32 | a
            return both << n >> 32 if direction == "l" else both >> n

        kinds = "u32 u32 u32 u32"
        wrap, clamp = (f"shf.{direction}.{mode}.b32 %r9, %r1, %r2," for mode in ("wrap", "clamp"))
        check(f"{wrap} %r3;", lambda a, b, c, s=shift: s(a, b, c & 31), kinds)
        check(f"{clamp} %r3;", lambda a, b, c, s=shift: s(a, b, min(c, 32)), kinds)
        for n in (0, 7, 31, 32):
            check(f"{clamp} {n};", lambda a, b, s=shift, n=n: s(a, b, n), "u32 u32 u32")


@pytest.mark.parametrize("bits", [32, 64])
def test_counting(bits):
    r, kind = REGISTER[str(bits)], f"u{bits}"
    check(f"popc.b{bits} %r9, %{r}1;", int.bit_count, f"u32 {kind}")
    check(f"clz.b{bits} %r9, %{r}1;", lambda a: bits - a.bit_length(), f"u32 {kind}")
    check(f"brev.b{bits} %{r}9, %{r}1;", lambda a: int(f"{a:0{bits}b}"[::-1], 2), f"{kind} {kind}")
    for sign in "us":

        def top(a: int) -> int:
            return (a if a >= 0 else ~a).bit_length() - 1

        check(f"bfind.{sign}{bits} %r9, %{r}1;", top, f"u32 {sign}{bits}")
        check(
            f"bfind.shiftamt.{sign}{bits} %r9, %{r}1;",
            lambda a, top=top: bits - 1 - top(a) if top(a) >= 0 else -1,
            f"u32 {sign}{bits}",
        )


def extracted(a: int, at: int, size: int, bits: int, signed: bool) -> int:
    """As the PTX manual defines it, bit by bit."""
    sign = 0 if not signed or size == 0 else a >> min(at + size - 1, bits - 1) & 1
    return sum((a >> at + i & 1 if i < size and at + i <= bits - 1 else sign) << i for i in range(bits))


def inserted(a: int, b: int, at: int, size: int, bits: int) -> int:
    for i in range(size):
        if at + i < bits:
            b = b & ~(1 << at + i) | (a >> i & 1) << at + i
    return b


@pytest.mark.parametrize("bits", [32, 64])
def test_fields(bits):
    r, u = REGISTER[str(bits)], f"u{bits}"
    for sign in "us":

        def extract(a: int, b: int, c: int, sign: str = sign) -> int:
            return extracted(a, b & 127, c & 127, bits, sign == "s")

        prepare = "and.b32 %r10, %r2, 127; and.b32 %r11, %r3, 127;"
        check(f"{prepare} bfe.{sign}{bits} %{r}9, %{r}1, %r10, %r11;", extract, f"{u} {u} u32 u32")
        for at, size in ((0, 8), (8, 8), (16, 16), (3, 5), (0, 1), (31, 1), (20, 30), (5, 0), (0, 32), (256, 3)):
            check(
                f"bfe.{sign}{bits} %{r}9, %{r}1, {at}, {size};",
                lambda a, at=at, size=size, sign=sign: extracted(a, at & 255, size, bits, sign == "s"),
                f"{u} {u}",
                threads=16,
            )
    for at, size in ((0, 8), (3, 5), (31, 1), (20, 30), (5, 0), (0, 32)):
        check(
            f"bfi.b{bits} %{r}9, %{r}1, %{r}2, {at}, {size};",
            lambda a, b, at=at, size=size: inserted(a, b, at, size, bits),
            f"{u} {u} {u}",
            threads=16,
        )
    prepare = "and.b32 %r10, %r3, 63; shr.u32 %r11, %r3, 26;"
    check(
        f"{prepare} bfi.b{bits} %{r}9, %{r}1, %{r}2, %r10, %r11;",
        lambda a, b, c: inserted(a, b, c & 63, c >> 26, bits),
        f"{u} {u} {u} u32",
    )


def test_masks_and_extensions_of_fields():
    check("bmsk.clamp.b32 %r9, %r1, %r2;", lambda a, b: ((1 << min(b, 32)) - 1) << min(a, 32), "u32 u32 u32")
    check("bmsk.wrap.b32 %r9, %r1, %r2;", lambda a, b: ((1 << (b & 31)) - 1) << (a & 31), "u32 u32 u32")
    for sign in "us":
        for mode in ("clamp", "wrap"):

            def extend(a: int, b: int, sign: str = sign, mode: str = mode) -> int:
                size = min(b, 32) if mode == "clamp" else b & 31
                return extracted(a, 0, size, 32, sign == "s")

            check(f"szext.{mode}.{sign}32 %r9, %r1, %r2;", extend, "u32 u32 u32")


@pytest.mark.parametrize("table", [0, 0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x3C, 0x6A, 0xF8, 0x1D, 0x40, 0xFF])
def test_lop3(table):
    def logic(a: int, b: int, c: int) -> int:
        return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))

    check(f"lop3.b32 %r9, %r1, %r2, %r3, {table};", logic, "u32 u32 u32 u32")


def permuted(a: int, b: int, selector: int) -> int:
    source = (b << 32 | a).to_bytes(8, "little")
    result = []
    for k in range(4):
        chosen = selector >> 4 * k & 15
        byte = source[chosen & 7]
        result.append((0xFF if byte & 0x80 else 0) if chosen & 8 else byte)
    return int.from_bytes(result, "little")


@pytest.mark.parametrize("selector", [0x3210, 0x0123, 0x7654, 0x5410, 0x4444, 0x6420, 0xBA98, 0x3021])
def test_permutation_by_a_constant(selector):
    check(f"prmt.b32 %r9, %r1, %r2, {selector};", lambda a, b: permuted(a, b, selector), "u32 u32 u32")


def test_permutation_by_a_variable():
    check("prmt.b32 %r9, %r1, %r2, %r3;", permuted, "u32 u32 u32 u32")
    modes = {
        "f4e": [0x3210, 0x4321, 0x5432, 0x6543],
        "b4e": [0x5670, 0x6701, 0x7012, 0x0123],
        "rc8": [0x0000, 0x1111, 0x2222, 0x3333],
        "ecl": [0x3210, 0x3211, 0x3222, 0x3333],
        "ecr": [0x0000, 0x1110, 0x2210, 0x3210],
        "rc16": [0x1010, 0x3232, 0x1010, 0x3232],
    }
    for mode, selectors in modes.items():
        check(
            f"prmt.b32.{mode} %r9, %r1, %r2, %r3;",
            lambda a, b, c, s=selectors: permuted(a, b, s[c & 3]),
            "u32 u32 u32 u32",
        )
        check(f"prmt.b32.{mode} %r9, %r1, %r2, 2;", lambda a, b, s=selectors: permuted(a, b, s[2]), "u32 u32 u32")


def test_predicates():
    code = "setp.lt.u32 %p1, %r1, %r2; setp.gt.s32 %p2, %r2, %r3;"
    for name, function in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):

        def logic(a: int, b: int, c: int, f=function) -> int:
            def s(x: int) -> int:
                return x - 2**32 if x >> 31 else x

            return f(a < b, s(b) > s(c))

        check(f"{code} {name}.pred %p9, %p1, %p2;", logic, "pred u32 u32 u32")
    check("setp.lt.u32 %p1, %r1, %r2; not.pred %p9, %p1;", lambda a, b: not a < b, "pred u32 u32")
    check("setp.lt.u32 %p1, %r1, %r2; mov.pred %p9, %p1;", lambda a, b: a < b, "pred u32 u32")


def test_registers_of_16_bits_stay_clean():
    code = "mul.lo.u16 %h4, %h1, %h2; shl.b16 %h5, %h4, 3; cvt.u32.u16 %r9, %h5;"
    check(code, lambda a, b: unsigned(a * b << 3, 16), "u32 u16 u16")
