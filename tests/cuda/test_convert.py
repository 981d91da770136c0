"""Moves and conversions."""

from __future__ import annotations

import pytest
from operands import check, read, unsigned

REGISTER = {"8": "h", "16": "h", "32": "r", "64": "d"}
KINDS = [f"{sign}{bits}" for sign in "us" for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_cvt(target, source):
    """Converting to 8 bits extends the result to its register."""
    wide = f"{target[0]}16" if target[1:] == "8" else target
    code = f"cvt.{target}.{source} %{REGISTER[target[1:]]}9, %{REGISTER[source[1:]]}1;"
    check(code, lambda a: read(a, target), f"{wide} {source}", threads=32)


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_saturating_cvt(target, source):
    bits = int(target[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if target[0] == "s" else (0, (1 << bits) - 1)
    wide = f"{target[0]}16" if target[1:] == "8" else target
    code = f"cvt.sat.{target}.{source} %{REGISTER[target[1:]]}9, %{REGISTER[source[1:]]}1;"
    check(code, lambda a: max(least, min(a, most)), f"{wide} {source}", threads=32)


def test_bytes_in_larger_registers():
    check("cvt.s32.s8 %r9, %r1;", lambda a: read(a, "s8"), "s32 u32")
    check("cvt.u64.u8 %d9, %d1;", lambda a: a & 255, "u64 u64")
    check("cvt.s8.u32 %r9, %r1;", lambda a: read(a, "s8"), "s32 u32")
    check("cvt.s16.s8 %r9, %r1;", lambda a: read(a, "s8"), "s32 u32")


def test_packing():
    check("mov.b64 %d9, {%r1, %r2};", lambda a, b: a | b << 32, "u64 u32 u32")
    check("mov.b64 {%r9, %r10}, %d1;", lambda a: a, "u32 u64")
    check("mov.b64 {_, %r9}, %d1;", lambda a: a >> 32, "u32 u64")
    check("mov.b32 %r9, {%h1, %h2};", lambda a, b: a | b << 16, "u32 u16 u16")
    check("mov.b32 {%h4, %h9}, %r1;", lambda a: a >> 16, "u16 u32")
    check("mov.b64 %d9, {%h1, %h2, %h3, %h1};", lambda a, b, c: a | b << 16 | c << 32 | a << 48, "u64 u16 u16 u16")
    check("mov.b64 {%h4, %h5, %h9, %h6}, %d1;", lambda a: unsigned(a >> 32, 16), "u16 u64")


@pytest.mark.parametrize("value", [0, -1, 5, 0x1234567890ABCDEF, -(2**40)])
def test_literals(value):
    check(f"mov.u64 %d9, {value}; xor.b64 %d9, %d9, %d1;", lambda a: a ^ value, "u64 u64", threads=8)
    check(f"mov.b32 %r9, {unsigned(value, 32)}; add.u32 %r9, %r9, %r1;", lambda a: a + value, "u32 u32", threads=8)


def test_assignments_under_a_guard():
    code = "setp.lt.u64 %p1, %d1, %d2; mov.u64 %d9, %d3; @%p1 add.s64 %d9, %d9, %d1; @!%p1 neg.s64 %d9, %d9;"
    check(code, lambda a, b, c: c + a if a < b else -c, "u64 u64 u64 u64")
