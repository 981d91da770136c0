"""Comparisons and selections."""

from __future__ import annotations

import operator

import pytest
from operands import check

REGISTER = {"16": "h", "32": "r", "64": "d"}
COMPARE = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
UNSIGNED = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_setp(kind):
    r = REGISTER[kind[1:]]
    names = COMPARE | (UNSIGNED if kind[0] == "u" else {})
    for name, function in names.items():
        check(f"setp.{name}.{kind} %p9, %{r}1, %{r}2;", function, f"pred {kind} {kind}")
        for constant in (0, 1, -1, 100):
            if constant >= 0 or kind[0] == "s":
                code = f"setp.{name}.{kind} %p9, %{r}1, {constant};"
                check(code, lambda a, f=function, c=constant: f(a, c), f"pred {kind}", threads=32)


def test_equal_operands_compare_equal():
    check("mov.u64 %d2, %d1; setp.le.s64 %p9, %d1, %d2;", lambda a: True, "pred s64")
    check("mov.u64 %d2, %d1; setp.lt.u64 %p9, %d1, %d2;", lambda a: False, "pred u64")


def test_two_results_combined_with_a_predicate():
    for name, function in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
        code = f"setp.gt.u32 %p1, %r3, 100; setp.lt.{name}.s32 %p9|%p2, %r1, %r2, %p1;"
        check(code, lambda a, b, c, f=function: f(a < b, c > 100), "pred s32 s32 u32")
        code = f"setp.gt.u32 %p1, %r3, 100; setp.lt.{name}.s32 %p2|%p9, %r1, %r2, !%p1;"
        check(code, lambda a, b, c, f=function: f(not a < b, not c > 100), "pred s32 s32 u32")


def test_set():
    check("set.lt.u32.s32 %r9, %r1, %r2;", lambda a, b: -(a < b), "u32 s32 s32")
    code = "setp.eq.u32 %p1, %r3, 7; set.ge.or.s32.u64 %r9, %d1, %d2, %p1;"
    check(code, lambda a, b, c: -(a >= b or c == 7), "s32 u64 u64 u32")


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_selections(bits):
    r, kind = REGISTER[str(bits)], f"u{bits}"
    code = f"setp.lt.s32 %p1, %r3, 0; selp.b{bits} %{r}9, %{r}1, %{r}2, %p1;"
    check(code, lambda a, b, c: a if c < 0 else b, f"{kind} {kind} {kind} s32")
    code = f"slct.b{bits}.s32 %{r}9, %{r}1, %{r}2, %r3;"
    check(code, lambda a, b, c: a if c >= 0 else b, f"{kind} {kind} {kind} s32")


@pytest.mark.parametrize("kind", ["u32", "s32"])
def test_extensions_compare_as_words(kind):
    for name, function in COMPARE.items():
        code = f"cvt.{kind[0]}64.{kind} %d4, %r1; cvt.{kind[0]}64.{kind} %d5, %r2; setp.{name}.s64 %p9, %d4, %d5;"
        check(code, function, f"pred {kind} {kind}")
