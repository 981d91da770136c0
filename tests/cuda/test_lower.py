"""Lowering of PTX: every operation, control flow, memory, messages; random kernels against a plain PTX interpreter."""

from __future__ import annotations

import random

import pytest
from kernel_harness import DEFAULT, EDGES, SMALL, run, words
from ptx_reference import Thread

from qwengpu.cuda.lower import lower
from qwengpu.cuda.ptx import Module, parse
from qwengpu.errors import CapacityError, CompileError
from qwengpu.machine import MachineSpec
from qwengpu.machine.loader import FIRST_ADDRESS

LAST_LOAD = MachineSpec(stages=("mul", "alu", "load", "mul"), words=1024)
SPECS = {"default": DEFAULT, "small": SMALL, "late load": LAST_LOAD}

HEADER = ".version 7.0\n.target sm_75\n.address_size 64\n"
REGISTERS = ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %d<32>;"


def module(body: str, parameters: str = ".param .u64 in, .param .u64 out, .param .u32 n", extra: str = "") -> Module:
    return parse(f"{HEADER}{extra}.visible .entry k({parameters})\n{{\n{REGISTERS}\n{body}\n}}\n", "k.ptx")


def reference(mod: Module, arrays: list[list[int]], scalars: list[int], grid: int, block: int) -> list[list[int]]:
    """Run the threads one after the other."""
    memory: dict[int, int] = {}
    at, addresses = FIRST_ADDRESS // 4, []
    for array in arrays:
        addresses.append(at)
        memory |= {at + k: word & 0xFFFFFFFF for k, word in enumerate(array)}
        at += len(array) + -len(array) % 4
    for cta in range(grid):
        for tid in range(block):
            special = {"%tid.x": tid, "%ntid.x": block, "%ctaid.x": cta, "%nctaid.x": grid}
            Thread(mod.kernels[0], memory, [*(4 * a for a in addresses), *scalars], special).run()
    return [[memory[a + k] for k in range(len(array))] for a, array in zip(addresses, arrays, strict=True)]


def check(mod: Module, arrays, scalars, grid=1, block=4, spec=DEFAULT) -> int:
    """Compare a lowered kernel with the reference; returns the number of tokens."""
    program = lower(mod, None, spec, grid_axes=1)
    arrays_after, tokens = run(program, [*arrays, *scalars], (grid, 1, 1), (block, 1, 1), spec)
    assert arrays_after == reference(mod, arrays, scalars, grid, block)
    return len(tokens)


LOAD_AB = """
mov.u32 %r60, %tid.x; mov.u32 %r61, %ctaid.x; mov.u32 %r62, %ntid.x; mad.lo.u32 %r60, %r61, %r62, %r60;
ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r63, [n];
mul.wide.u32 %d3, %r60, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+16];
"""

OPERATIONS = [
    *(f"{op} %r3, %r1, %r2;" for op in ("add.s32", "sub.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "min.u32")),
    *(f"{op} %r3, %r1, %r2;" for op in ("max.s32", "max.u32", "mul.lo.s32", "mul.hi.u32", "mul.hi.s32")),
    *(f"and.b32 %r4, %r2, 63; {op} %r3, %r1, %r4;" for op in ("shl.b32", "shr.u32", "shr.s32")),
    *(f"{op} %r3, %r1, {n};" for op in ("shl.b32", "shr.u32", "shr.s32") for n in (0, 1, 31, 32, 40)),
    *(f"{op} %r3, %r1;" for op in ("not.b32", "neg.s32", "abs.s32", "mov.u32")),
    "mad.lo.s32 %r3, %r1, %r2, %r1;",
    "mad.lo.s32 %r3, %r1, 7, 5;",
    *(
        f"setp.{c}.{t} %p1, %r1, %r2; selp.b32 %r3, 1, 0, %p1;"
        for c in ("eq", "ne", "lt", "le", "gt", "ge")
        for t in ("s32", "u32")
    ),
    "setp.lt.s32 %p1, %r1, %r2; setp.gt.or.u32 %p2, %r1, 5, %p1; selp.b32 %r3, %r1, %r2, %p2;",
    "setp.lt.s32 %p1, %r1, 0; setp.ne.and.s32 %p2, %r2, 0, %p1; not.pred %p3, %p2; selp.b32 %r3, 3, 4, %p3;",
    "setp.lt.s32 %p1, %r1, 0; @%p1 neg.s32 %r1, %r1; @!%p1 add.s32 %r1, %r1, 1; mov.u32 %r3, %r1;",
    "mul.wide.u32 %d4, %r1, %r2; shr.u64 %d5, %d4, 35; cvt.u32.u64 %r3, %d5;",
    "mul.wide.s32 %d4, %r1, %r2; shr.s64 %d5, %d4, 33; cvt.u32.u64 %r3, %d5;",
    "cvt.u64.u32 %d4, %r1; shr.u64 %d4, %d4, 3; cvt.u32.u64 %r3, %d4;",
    "cvt.s64.s32 %d4, %r1; cvt.s64.s32 %d5, %r2; setp.lt.s64 %p1, %d4, %d5; selp.b32 %r3, 1, 0, %p1;",
    "cvt.u64.u32 %d4, %r1; cvt.u64.u32 %d5, %r2; setp.lt.s64 %p1, %d4, %d5; selp.b32 %r3, 1, 0, %p1;",
    "cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; add.s16 %h3, %h1, %h2; cvt.s32.s16 %r3, %h3;",
    "cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; setp.lt.s16 %p1, %h1, %h2; selp.b32 %r3, 1, 0, %p1;",
    "cvt.u16.u32 %h1, %r1; shr.s16 %h2, %h1, 3; cvt.u32.u16 %r3, %h2;",
]


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation(operation, spec):
    mod = module(LOAD_AB + operation + "st.global.u32 [%d2], %r3; ret;")
    rng = random.Random(1)
    check(mod, [[*EDGES, *rng.sample(EDGES, 4)], [0] * 8], [8], grid=2, block=4, spec=spec)


ATOMICS = ["add.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "min.s32", "min.u32", "max.s32", "max.u32", "inc.u32",
           "dec.u32"]  # fmt: skip


@pytest.mark.parametrize("atomic", ATOMICS)
def test_atomic_with_and_without_old_value(atomic):
    body = f"atom.global.{atomic} %r5, [%d2], %r1; st.global.u32 [%d2+32], %r5; red.global.{atomic} [%d2+4], %r2; ret;"
    check(module(LOAD_AB + body), [EDGES, [5, 6, 7, 8, *EDGES, 1, 2, 3, 4]], [8], block=1)


def test_guarded_atomic_with_old_value_branches():
    body = """
    setp.gt.s32 %p1, %r1, 0; mov.u32 %r5, 77;
    @%p1 atom.global.add.u32 %r5, [%d2], %r1; st.global.u32 [%d2+32], %r5;
    """
    check(module(LOAD_AB + body), [EDGES, [0] * 12], [8], block=4)


@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize(
    "guarded",
    ["bra next;", "ret;", "mov.u32 %r1, 7;", "st.global.u32 [%d2+16], %r1;", "atom.global.add.u32 %r1, [%d2+16], 5;"],
)
def test_guard_that_is_known(known: int, guarded: str):
    """No guard at all runs always; one that is 0 never does."""
    for negated in ("", "!"):
        body = f"mov.pred %p1, {known}; @{negated}%p1 {guarded} add.u32 %r1, %r1, 1; next: st.global.u32 [%d2], %r1;"
        check(module(LOAD_AB + body + " ret;"), [EDGES[:8], [5] * 8], [0])


def test_guard_that_becomes_constant_after_a_loop():
    body = """
    setp.lt.s32 %p1, %r1, 3; and.b32 %r4, %r1, 3; mov.u32 %r5, 5;
    loop: setp.eq.s32 %p1, %r5, 1; sub.s32 %r4, %r4, 1; setp.ge.s32 %p2, %r4, 0; @%p2 bra loop;
    @%p1 st.global.u32 [%d2], %r5; @!%p1 st.global.u32 [%d2+16], %r5; ret;
    """
    check(module(LOAD_AB + body), [EDGES, [0] * 8], [8], block=4)


def test_compare_and_swap():
    body = "atom.global.cas.b32 %r5, [%d2], %r2, 9; st.global.u32 [%d2+32], %r5; ret;"
    check(module(LOAD_AB + body), [EDGES, [2**31, 7, -13, 3] * 4], [8], block=4)


def test_atomics_too_long_for_the_machine_are_named():
    mod = module(LOAD_AB + "red.global.max.s32 [%d2], %r1; ret;")
    with pytest.raises(CompileError, match=r"k.ptx:\d+: .*'red.global.max.s32 \[%d2\], %r1'; .*more stages"):
        lower(mod, None, SMALL)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_divergent_loops_and_branches(spec):
    body = """
    mov.u32 %r3, 0; and.b32 %r4, %r1, 7;
    loop: setp.eq.u32 %p1, %r4, 0; @%p1 bra done;
    and.b32 %r5, %r4, 1; setp.ne.u32 %p2, %r5, 0; @!%p2 bra even;
    add.u32 %r3, %r3, 100; bra.uni step;
    even: st.global.u32 [%d2+32], %r4;
    step: sub.u32 %r4, %r4, 1; add.u32 %r3, %r3, 1; bra loop;
    done: st.global.u32 [%d2], %r3; ret;
    """
    check(module(LOAD_AB + body), [[3, 0, 7, 1, 5, 2, 9, 4, 1, 1, 1, 1], [0] * 16], [8], 2, 4, spec)


def test_swapped_variables_keep_their_values():
    body = """
    mov.u32 %r4, 5;
    loop: mov.u32 %r5, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r5; sub.u32 %r4, %r4, 1;
    mul.lo.u32 %r6, %r1, 3; add.u32 %r2, %r2, %r6; xor.b32 %r1, %r1, %r2;
    setp.ne.u32 %p1, %r4, 0; @%p1 bra loop;
    sub.u32 %r3, %r1, %r2; st.global.u32 [%d2], %r3; ret;
    """
    check(module(LOAD_AB + body), [EDGES, [0] * 8], [8])


def test_three_grid_axes():
    body = """
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
    mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
    ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r6, 4; add.u64 %d1, %d1, %d2;
    shl.b32 %r2, %r2, 4; shl.b32 %r3, %r3, 8; or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; st.global.u32 [%d1], %r1; ret;
    """
    expected = [x | y << 4 | z << 8 for z in range(2) for y in range(3) for x in range(4)]
    for spec in SPECS.values():
        program = lower(module(body, ".param .u64 out"), None, spec, grid_axes=3)
        arrays, _ = run(program, [[0] * 24], (4, 3, 2), (1, 1, 1), spec)
        assert arrays == [expected]
        program = lower(module(body, ".param .u64 out"), None, spec, grid_axes=2)
        assert run(program, [[0] * 24], (4, 3, 1), (1, 1, 1), spec)[0][0][:12] == expected[:12]


def test_three_thread_axes():
    body = """
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
    mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1; ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r6, 4; add.u64 %d1, %d1, %d2; shl.b32 %r2, %r2, 4; shl.b32 %r3, %r3, 8;
    or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; st.global.u32 [%d1], %r1; ret;
    """
    program = lower(module(body, ".param .u64 out"), None, DEFAULT)
    arrays, _ = run(program, [[0] * 24], (1, 1, 1), (4, 3, 2))
    assert arrays == [[x | y << 4 | z << 8 for z in range(2) for y in range(3) for x in range(4)]]


def test_vectors_and_dynamic_shared_memory():
    extra = ".extern .shared .align 4 .b8 dynamic[];\n.shared .align 4 .b8 fixed[20];\n"
    body = """
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.global.v2.u32 {%r1, %r2}, [%d1+8];
    st.shared.u32 [dynamic], %r1; st.shared.u32 [fixed+16], %r2; bar.sync 0;
    ld.shared.u32 %r3, [dynamic]; mov.u64 %d3, fixed; ld.shared.u32 %r4, [%d3+16];
    st.global.v2.u32 [%d2], {%r3, %r4}; ret;
    """
    program = lower(module(body, extra=extra), None, DEFAULT)
    assert program.shared_bytes == 20
    arrays, _ = run(program, [[0, 1, 2, 3], [0, 0], 0], block=(1, 1, 1), dynamic_shared=4)
    assert arrays[1] == [2, 3]


UNSUPPORTED = {
    "add.f32 %r3, %r1, %r2;": "floating point",
    "add.f64 %d1, %d1, %d2;": "floating point",
    "cvt.rn.f32.s32 %r1, %r2;": "floating point",
    "setp.lt.f32 %p1, %r1, %r2;": "floating point",
    "ex2.approx.f32 %r1, %r2;": "floating point",
    "wmma.load.a.sync %r1;": "tensor cores",
    "mov.u32 %r3, %clock;": "clock",
    "nanosleep.u32 %r1;": "clock",
    "redux.sync.add.s32 %r1, %r2, -1;": "__shfl_xor_sync",
    "ld.global.u128 %r1, [%d1];": ".u128",
    "foo.u32 %r1, %r2;": "docs/ptx_support.md",
}


@pytest.mark.parametrize("body", UNSUPPORTED)
def test_unsupported_instructions_are_named_with_their_place(body):
    mod = module("ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n" + body + "st.global.u32 [%d2], %r3; ret;")
    with pytest.raises(CompileError) as caught:
        lower(mod, None, DEFAULT)
    message = str(caught.value)
    assert message.startswith("k.ptx:8: unsupported PTX instruction '")
    assert UNSUPPORTED[body] in message


def test_too_many_blocks():
    tiny = MachineSpec(blocks=2)
    mod = module(LOAD_AB + "st.global.u32 [%d2], %r1; st.global.u32 [%d2+4], %r2; ret;")
    with pytest.raises(CapacityError, match=r"needs 5 blocks, the machine has 2; .*--blocks 8"):
        lower(mod, None, tiny)


def test_parameters():
    mod = module("ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; cvt.u32.u64 %r1, %d2; st.global.u32 [%d1], %r1; ret;",
                 ".param .u64 p, .param .u64 q, .param .s32 s, .param .u32 u")  # fmt: skip
    program = lower(mod, None, DEFAULT)
    assert program.parameters == [("ptr", "p"), ("u64", "q"), ("s32", "s"), ("u32", "u")]
    assert run(program, [[0], 5, 1, 2])[0] == [[5]]
    assert lower(module("ret;", ".param .u8 b"), None, DEFAULT).parameters == [("u8", "b")]


def test_choosing_a_kernel():
    text = HEADER + ".entry _Z3onePi(.param .u64 a) { ret; } .entry two() { ret; }"
    mod = parse(text, "k.ptx")
    assert lower(mod, "one").name == "one"
    assert lower(mod, "_Z3onePi").name == "one"
    with pytest.raises(CompileError, match=r"2 kernels \(one, two\); choose one with --kernel"):
        lower(mod)
    with pytest.raises(CompileError, match="no kernel called three; it has: one, two"):
        lower(mod, "three")


# --- random kernels --------------------------------------------------------------------------------------------------


class RandomKernel:
    """Writes a PTX kernel of nested branches, short loops, guards and memory accesses."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.labels = 0

    def register(self) -> str:
        return f"%r{self.rng.randint(1, 9)}"

    def operand(self) -> str:
        if self.rng.random() < 0.6:
            return self.register()
        return str(self.rng.choice([0, 1, 2, 3, 4, -1, 31, 8, 0x80000000, self.rng.getrandbits(32)]))

    def predicate(self) -> str:
        return f"%p{self.rng.randint(1, 3)}"

    def statement(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.12 and depth:
            return self.branch(depth - 1)
        if kind < 0.2 and depth:
            return self.loop(depth - 1)
        guard = rng.choice(["", "", "", f"@{self.predicate()} ", f"@!{self.predicate()} "])
        a, b, dst = self.register(), self.operand(), self.register()
        if kind < 0.35:
            compare = f"setp.{rng.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}"
            sign = rng.choice(["s32", "u32"])
            if rng.random() < 0.3:
                compare += f".{rng.choice(['and', 'or', 'xor'])}"
                return f"{guard}{compare}.{sign} {self.predicate()}, {a}, {b}, {self.predicate()};"
            return f"{guard}{compare}.{sign} {self.predicate()}, {a}, {b};"
        if kind < 0.43:
            return f"{guard}selp.b32 {dst}, {self.operand()}, {b}, {self.predicate()};"
        if kind < 0.5:
            return f"{guard}st.global.u32 [%d2+{4 * rng.randint(0, 3)}], {a};"
        if kind < 0.57:
            return f"{guard}ld.global.u32 {dst}, [%d{rng.choice([1, 2])}+{4 * rng.randint(0, 3)}];"
        if kind < 0.62:
            atomic = rng.choice(ATOMICS)
            result = rng.choice(["atom", "red"])
            old = f"{dst}, " if result == "atom" else ""
            return f"{guard}{result}.global.{atomic} {old}[%d2+{4 * rng.randint(0, 3)}], {self.operand()};"
        if kind < 0.66:
            return f"{guard}mad.lo.s32 {dst}, {a}, {b}, {self.operand()};"
        op = rng.choice(["add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32",
                         "shr.s32", "min.s32", "max.u32", "mul.hi.s32", "mul.hi.u32", "mov"])  # fmt: skip
        if op == "mov":
            return f"{guard}mov.u32 {dst}, {self.operand()};"
        return f"{guard}{op} {dst}, {a}, {b};"

    def statements(self, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.rng.randint(1, 5)))

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def branch(self, depth: int) -> str:
        other, end = self.label(), self.label()
        not_ = self.rng.choice(["", "!"])
        middle = f"bra {end};\n{other}:\n{self.statements(depth)}\n" if self.rng.random() < 0.5 else f"{other}:\n"
        return f"@{not_}{self.predicate()} bra {other};\n{self.statements(depth)}\n{middle}{end}:"

    def loop(self, depth: int) -> str:
        start, counter = self.label(), f"%r{20 + depth}"
        leave = f"@{self.predicate()} bra {start}end;\n" if self.rng.random() < 0.3 else ""
        return (
            f"and.b32 {counter}, {self.register()}, 3;\n{start}:\n{self.statements(depth)}\n{leave}"
            f"sub.s32 {counter}, {counter}, 1;\nsetp.ge.s32 %p9, {counter}, 0;\n@%p9 bra {start};\n{start}end:"
        )

    def text(self) -> str:
        start = "mov.u32 %r60, %tid.x; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r9, [n];"
        start += "mul.wide.u32 %d3, %r60, 16; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;"
        start += "".join(f"ld.global.u32 %r{k}, [%d1+{4 * (k - 1)}];" for k in range(1, 5))
        start += "".join(f"mov.u32 %r{k}, {k};" for k in range(5, 9))
        start += "".join(f"setp.lt.s32 %p{k}, %r{k}, 3;" for k in range(1, 4))
        body = "\n".join(self.statement(3) for _ in range(self.rng.randint(4, 14)))
        end = "".join(f"xor.b32 %r1, %r1, %r{k};" for k in range(2, 10)) + "st.global.u32 [%d2], %r1;"
        end += "".join(f"@%p{k} st.global.u32 [%d2+{4 * k}], %r{k + 4};" for k in range(1, 4))
        return f"{start}\n{body}\n{end} ret;"


@pytest.mark.parametrize("seed", range(60))
def test_random_kernel(seed):
    mod = module(RandomKernel(seed).text())
    rng = random.Random(seed)
    data = [rng.choice([*words(EDGES), rng.getrandbits(32)]) for _ in range(24)]
    check(mod, [data, [rng.getrandbits(3) for _ in range(24)]], [rng.getrandbits(32)], block=rng.choice([1, 3, 4, 6]))
