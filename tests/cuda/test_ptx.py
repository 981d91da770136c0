"""The PTX parser."""

from __future__ import annotations

import pytest

from qwengpu.cuda.ptx import Immediate, Label, Memory, Name, Pair, PtxInstruction, Vector, demangle, parse
from qwengpu.errors import CompileError

TEXT = """
// a comment
.version 8.0
.target sm_75 /* another
comment */
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.global .align 4 .u32 table[2] = {1, 2};
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry k(.param .u64 .ptr .align 1 a, .param .s32 n)
.maxntid 32, 1, 1
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>, %x;
    .shared .align 8 .b8 tile[16];
    .loc 1 7 3
    ld.param.u32 %r1, [n];
    .loc 2 99 1 // header.h:99:1 @[ k.cu:8:5 ]
    setp.lt.and.s32 %p1|%p2, %r1, -0x10, !%p1;
    .loc 2 40 1, function_name info, inlined_at 1 9 2
LOOP: @!%p1 ld.global.v2.u32 {%r2, %r3}, [%r1+-8];
    { mov.u32 %x, tile+4; }
    .pragma "nounroll";
    @%p1 bra LOOP;
    ret;
}
.file 1 "/somewhere/k.cu"
.file 2 "/somewhere/header.h"
.section .debug_loc { .b8 1 { } .b8 2 }
"""


@pytest.fixture(scope="module")
def kernel():
    return parse(TEXT, "dir/k.cu").kernels[0]


def test_declarations(kernel):
    assert [(p.type, p.name, p.bytes, p.pointer) for p in kernel.parameters] == [
        (".u64", "a", 8, True),
        (".s32", "n", 4, False),
    ]
    assert [kernel.registers[name] for name in ("%r3", "%x", "%p0")] == [".b32", ".b32", ".pred"]
    assert [(v.space, v.name, v.bytes, v.align) for v in kernel.variables] == [("shared", "tile", 16, 8)]
    module = parse(TEXT, "dir/k.cu")
    assert [(v.space, v.name, v.bytes, v.external) for v in module.variables] == [
        ("shared", "dynamic", 0, True),
        ("global", "table", 8, False),
    ]


def test_instructions(kernel):
    load, setp, label, vector, move, branch, _ = kernel.body
    assert load == PtxInstruction("ld.param.u32", (Name("%r1"), Memory("n")), line=7, ptx_line=load.ptx_line)
    assert setp.operands == (Pair("%p1", "%p2"), Name("%r1"), Immediate(-16), Name("!%p1"))
    assert setp.line == 8
    assert label == Label("LOOP")
    assert (vector.guard, vector.guard_negated, vector.line) == ("%p1", True, 9)
    assert vector.operands == (Vector((Name("%r2"), Name("%r3"))), Memory("%r1", -8))
    assert move.operands == (Name("%x"), Name("tile", 4))
    assert str(branch) == "@%p1 bra LOOP"


@pytest.mark.parametrize(
    ("name", "simple"),
    [("dot", "dot"), ("_Z3dotPKiS0_Pii", "dot"), ("_ZN2la3dotEPKi", "dot"), ("_Z4tileILi4EEvPi", "tile")],
)
def test_demangle(name, simple):
    assert demangle(name) == simple


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".entry k() { mov.u32 %r1, ; }", "k.ptx: PTX line 1: expected a name, found ';'"),
        (".entry k() {\n add.u32 %r1, %r2", "PTX line 2: expected ';', found 'the end of the file'"),
        ("int main() {}", "PTX line 1: expected a directive, found 'int'"),
        (".entry k() { mov.u32 %r1, #; }", "unexpected character '#'"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(CompileError) as caught:
        parse(text, "k.ptx")
    assert message in str(caught.value)
