"""Calls, jump tables and variables with initial values, through the reference interpreter."""

from __future__ import annotations

import pytest
from kernel_harness import run, words

from qwengpu.cuda import compile_kernel, lower, parse
from qwengpu.errors import CompileError

SOURCE = """
struct Pair { int low, high; long long wide; char tag; };
__device__ __noinline__ int triple(int x) { return 3 * x; }
__device__ __noinline__ Pair twice(Pair p) {
    Pair q = p;
    q.low = triple(p.low) + p.tag;
    q.high += q.low;
    q.wide = p.wide << 33 | q.low;
    return q;
}
__device__ __noinline__ void swap(int *a, int *b) { int t = *a; if (t < 0) return; *a = *b; *b = t; }
__constant__ int primes[4] = {2, 3, 5, 7};
__device__ unsigned char letters[5] = "abcd";
__device__ short counter = -3;
extern "C" __global__ void calls(int *x, int n) {
    int i = threadIdx.x;
    Pair p = {i, n, n + 1, (char)(i + 1)};
    if (i & 1) p = twice(p);
    p = twice(p);
    int a = p.low, b = p.high;
    swap(&a, &b);
    x[4 * i] = a;
    x[4 * i + 1] = b;
    x[4 * i + 2] = (int)(p.wide >> 32);
    x[4 * i + 3] = primes[i] * 1000 + letters[i] + counter;
}
__device__ __noinline__ int chosen(int k, int x) {
    switch (k) {
        case 0: return x + 7;
        case 1: return x * 5;
        case 2: return x ^ 99;
        case 3: return x - triple(x);
        case 4: return ~x;
        default: return -1;
    }
}
extern "C" __global__ void choose(int *x, int n) { x[threadIdx.x] = chosen(threadIdx.x, n); }
"""


def expected_calls(n: int) -> list[int]:
    found = []
    for i in range(4):
        low, high, wide, tag = i, n, n + 1, i + 1
        for _ in range(2 if i & 1 else 1):
            low = 3 * low + tag
            high += low
            wide = (wide << 33 | low) & (1 << 64) - 1
        a, b = (high, low) if low >= 0 else (low, high)
        found += [a, b, wide >> 32, (2, 3, 5, 7)[i] * 1000 + ord("abcd"[i]) - 3]
    return found


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O3"])
def test_functions_and_variables(tmp_path, level):
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    program = compile_kernel(path, "calls", "zig", options=[level])
    arrays, _ = run(program, [[0] * 16, 11], block=(4, 1, 1))
    assert arrays[0] == words(expected_calls(11))
    program = compile_kernel(path, "choose", "zig", options=[level, "-fjump-tables"])
    arrays, _ = run(program, [[0] * 7, 40], block=(7, 1, 1))
    assert arrays[0] == words([47, 200, 40 ^ 99, -80, ~40, -1, -1])


def test_nvrtc_calls(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    program = compile_kernel(path, "calls", "nvrtc")
    arrays, _ = run(program, [[0] * 16, 11], block=(4, 1, 1))
    assert arrays[0] == words(expected_calls(11))


HEAD = ".version 6.4\n.target sm_75\n.address_size 64\n"


def test_functions_with_registers_and_jump_tables():
    text = (
        HEAD
        + """
.global .u32 table[3] = {10, 20, 30};
.global .u64 pointer = table;
.func (.reg .u32 r) add(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; @!p ret; mul.lo.u32 r, r, 2; ret; .reg .pred p; }
""".replace("add.u32 r, a, b; @!p ret;", ".reg .pred p; setp.lt.u32 p, a, 2; add.u32 r, a, b; @!p ret;").replace(
            " .reg .pred p; }", " }"
        )
        + """
.entry k(.param .u64 out) {
    .reg .u32 %r<9>; .reg .u64 %d<9>; .reg .pred %p;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    setp.ne.u32 %p, %r1, 3; mov.u32 %r2, 1000;
    @%p call (%r2), add, (%r1, 5);
    targets: .branchtargets zero, one, more;
    min.u32 %r3, %r1, 2;
    brx.idx %r3, targets;
zero: add.u32 %r2, %r2, 100; bra done;
one: add.u32 %r2, %r2, 200; bra done;
more: ld.global.u64 %d3, [pointer]; ld.u32 %r4, [%d3+8]; add.u32 %r2, %r2, %r4;
done: st.global.u32 [%d1], %r2; ret;
}"""
    )
    arrays, _ = run(lower(parse(text, "k.ptx"), "k"), [[0] * 4], block=(4, 1, 1))
    assert arrays[0] == [2 * 5 + 100, 2 * 6 + 200, 7 + 30, 1000 + 30]


def test_a_function_that_calls_itself_is_refused():
    text = (
        HEAD
        + """
.func f() { call f; ret; }
.entry k() { call f; ret; }
"""
    )
    with pytest.raises(CompileError, match="calls itself"):
        lower(parse(text, "k.ptx"), "k")
