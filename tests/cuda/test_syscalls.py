"""printf and assert, through the reference interpreter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qwengpu.cuda import compile_kernel, lower, parse
from qwengpu.errors import CompileError
from qwengpu.machine import MachineSpec
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.isa import Program
from qwengpu.machine.loader import load
from qwengpu.machine.output import printed

LEVELS = [("zig", "-O0"), ("zig", "-O1"), ("zig", "-O3"), ("nvrtc", "")]
SOURCE = r"""
#include <cstdio>
struct Point { short x; long long y; };
__device__ __noinline__ int report(int i, Point p) {
    return printf("%d: (%hd, %lld) %s%c\n", i, p.x, p.y, i & 1 ? "odd" : "even", '!');
}
extern "C" __global__ void talk(int *out, long long big) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0;
    if (i % 3 != 2) out[i] = report(i, Point{(short)-i, big + i});
    if (i == 4) printf("%% %5u|%-5d|%05x|%p\n", 7u, -7, 255, (void *)4096);
    if (i == 5) printf("end\n");
}
"""


def output(program: Program, arguments: list, grid: int, block: int, words: int = 1024) -> tuple[list[int], str, int]:
    """The first array after a launch, what was printed, and the bytes of records that were lost."""
    image = load(MachineSpec(words=words), program, arguments, (grid, 1, 1), (block, 1, 1))
    interpreter = Interpreter(image)
    for count, _ in enumerate(interpreter.trace()):
        assert count < 50_000
    text, dropped = printed(program.prints, interpreter.memory, *image.output)
    return image.array(0, interpreter.memory).tolist(), text, dropped


def compiled(tmp_path: Path, source: str, compiler: str, level: str) -> Program:
    path = tmp_path / "k.cu"
    path.write_text(source)
    return compile_kernel(path, compiler=compiler, options=[level] if level else [])


@pytest.mark.parametrize(("compiler", "level"), LEVELS)
def test_printed_text(tmp_path: Path, compiler: str, level: str) -> None:
    program = compiled(tmp_path, SOURCE, compiler, level)
    array, text, dropped = output(program, [np.zeros(8, np.int32), -(1 << 40)], 2, 4)
    lines = [f"{i}: ({-i}, {i - (1 << 40)}) {'odd' if i & 1 else 'even'}!" for i in (0, 1, 3, 4, 6, 7)]
    lines += ["%     7|-7   |000ff|0x1000", "end"]
    assert sorted(text.splitlines()) == sorted(lines)
    assert (array, dropped) == ([5, 5, 0, 5, 5, 0, 5, 5], 0)
    # Formats are not part of the launch; the strings that are printed are.
    assert sum(symbol.bytes for symbol in program.symbols.values()) == 0
    assert 4 * len(program.data) <= 16


def test_records_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    source = 'extern "C" __global__ void k(int *x) { printf("%d %d %d\\n", threadIdx.x, 1, 2); x[threadIdx.x] = 1; }'
    program = compiled(tmp_path, source, "zig", "-O2")
    array, text, dropped = output(program, [np.zeros(128, np.int32)], 1, 128, words=512)
    lines = text.splitlines()
    assert array == [1] * 128
    assert len(set(lines)) == len(lines) < 128
    assert all(line.endswith(" 1 2") for line in lines)
    assert dropped == 16 * (128 - len(lines))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('printf(n ? "a\\n" : "b\\n")', r"k.cu:2: .*the format of printf must be a literal"),
        ('printf("%5.2f\\n", 1.5)', r"k.cu:2: printf cannot print '%5.2f'"),
        ('printf("100%")', r"k.cu:2: printf cannot print '%'"),
    ],
)
def test_formats_that_are_refused(tmp_path: Path, call: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compiled(tmp_path, f'extern "C" __global__ void k(int n) {{\n{call}; }}', "zig", "-O2")


def test_functions_that_are_not_there(tmp_path: Path) -> None:
    source = '__device__ int other(int);\nextern "C" __global__ void k(int *x) { *x = other(3); }'
    with pytest.raises(CompileError, match=r"k.cu:2: unsupported PTX instruction 'call.*the function is not in this"):
        compiled(tmp_path, source, "nvrtc", "-rdc=true")


def test_a_guarded_call_in_ptx() -> None:
    text = r""".version 6.4
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[] = "lane %d\n";
.entry k(.param .u64 .ptr out) {
    .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p; .local .align 8 .b8 values[8];
    .param .b64 p0; .param .b64 p1; .param .b32 result;
    mov.u32 %r1, %tid.x; setp.gt.u32 %p, %r1, 1;
    st.local.u32 [values], %r1;
    mov.u64 %d1, values; cvta.local.u64 %d1, %d1;
    mov.u64 %d2, text; cvta.global.u64 %d3, %d2;
    st.param.b64 [p0], %d3; st.param.b64 [p1], %d1;
    @%p call (result), vprintf, (p0, p1);
    ret;
}"""
    _, shown, _ = output(lower(parse(text, "k.ptx"), "k"), [np.zeros(4, np.int32)], 1, 4)
    assert shown == "lane 2\nlane 3\n"
