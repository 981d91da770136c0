"""Local variables become registers where that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_harness import run

from qwengpu.cuda import compile_kernel, lower, parse
from qwengpu.machine.isa import Program

HEAD = """.version 6.4
.target sm_75
.address_size 64
.entry k(.param .u64 out) {
    .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .local .align 8 .b8 place[32];
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    add.u32 %r2, %r1, 0x80f0;
"""


def program(body: str) -> Program:
    return lower(parse(HEAD + body + "st.global.u32 [%d1], %r3; ret; }", "k.ptx"), "k")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("st.local.u32 [place+4], %r2; mov.u64 %d3, place; ld.local.u32 %r3, [%d3+4];", lambda i: 0x80F0 + i),
        ("st.local.u8 [place], %r2; ld.local.s8 %r3, [place];", lambda i: 0xF0 + i - 256),
        ("st.local.u8 [place], %r2; ld.local.u8 %h1, [place]; cvt.u32.u16 %r3, %h1;", lambda i: 0xF0 + i),
        (
            "st.local.b16 [place+2], %r2; ld.local.s16 %d4, [place+2]; cvt.u32.u64 %r3, %d4;",
            lambda i: i - 0x7F10,
        ),
        (
            "st.local.v2.u32 [place+8], {%r1, %r2}; ld.local.u64 %d3, [place+8]; shr.u64 %d3, %d3, 36; "
            "cvt.u32.u64 %r3, %d3;",
            lambda i: 0x80F,
        ),
        (
            "cvt.u64.u32 %d3, %r2; st.local.u64 [place], %d3; cvta.local.u64 %d4, %d5; mov.u64 %d5, place; "
            "add.u64 %d6, %d5, 0; ld.local.v2.b32 {%r3, _}, [%d6];",
            lambda i: 0x80F0 + i,
        ),
        ("st.local.u32 [place], -1; st.local.u8 [place+12], 300; ld.local.u8 %r3, [place+12];", lambda i: 44),
    ],
)
def test_constant_places(body: str, expected) -> None:
    compiled = program(body)
    arrays, _ = run(compiled, [[0] * 4])
    assert compiled.local_bytes == 0
    assert np.array(arrays[0], np.uint32).view(np.int32).tolist() == [expected(i) for i in range(4)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # a place that is computed
        (
            "st.local.u32 [place+4], %r2; st.local.u32 [place+8], 5; and.b32 %r4, %r1, 1; mul.wide.u32 %d3, %r4, 4; "
            "mov.u64 %d4, place; add.u64 %d3, %d4, %d3; ld.local.u32 %r3, [%d3+4];",
            lambda i: 5 if i & 1 else 0x80F0 + i,
        ),
        # bytes of a word
        ("st.local.u32 [place], %r2; ld.local.u8 %r3, [place+1];", lambda i: 0x80),
        # an address that is stored
        (
            "mov.u64 %d3, place; st.local.u32 [place], %r2; st.local.u64 [place+8], %d3; ld.local.u64 %d4, [place+8]; "
            "ld.local.u32 %r3, [%d4];",
            lambda i: 0x80F0 + i,
        ),
    ],
)
def test_other_places_stay_in_memory(body: str, expected) -> None:
    compiled = program(body)
    arrays, _ = run(compiled, [[0] * 4])
    assert compiled.local_bytes > 0
    assert arrays[0] == [expected(i) for i in range(4)]


def test_code_without_optimisation_needs_no_memory(tmp_path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("""extern "C" __global__ void k(int *out, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) { if (i == 3) continue; sum += i * (int)threadIdx.x; }
        out[threadIdx.x] = sum;
    }""")
    compiled = compile_kernel(path, compiler="zig", options=["-O0"])
    arrays, _ = run(compiled, [[0] * 4, 6])
    assert compiled.local_bytes == 0
    assert arrays[0] == [12 * i for i in range(4)]
