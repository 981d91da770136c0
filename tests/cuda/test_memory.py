"""Loads, stores and atomics of every width, in global and shared memory."""

from __future__ import annotations

import random

import pytest
from kernel_harness import DEFAULT, EDGES, run, words
from operands import module, read, signed, unsigned

from qwengpu.cuda.lower import lower
from qwengpu.machine.tokens import CAUSES, Kind

START = "ld.param.u64 %d61, [in]; ld.param.u64 %d62, [out]; mov.u32 %r60, %tid.x;"
SHARED = ".shared .align 16 .b8 buffer[512];\n"


def launch(body, source, target, block=4, extra=""):
    program = lower(module(START + body, extra=extra), None, DEFAULT, grid_axes=1)
    return run(program, [source, target], block=(block, 1, 1))


def as_bytes(array: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in array)


@pytest.mark.parametrize("kind", ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize("vector", [1, 2, 4])
def test_loads(kind, vector):
    """Every element of an array, extended to 64 bits."""
    size = int(kind[1:]) // 8
    if size * vector > 16:
        pytest.skip("larger than any vector")
    rng = random.Random(kind)
    source = [rng.getrandbits(32) for _ in range(4 * size * vector)]
    threads = 16
    registers = [f"%d{k}" for k in range(1, vector + 1)]
    names = registers[0] if vector == 1 else "{" + ", ".join(registers) + "}"
    suffix = "" if vector == 1 else f".v{vector}"
    stores = "".join(f"st.global.u64 [%d62+{8 * k}], {name};" for k, name in enumerate(registers))
    body = f"""
    mad.wide.u32 %d61, %r60, {size * vector}, %d61; mad.wide.u32 %d62, %r60, {8 * vector}, %d62;
    ld.global{suffix}.{kind} {names}, [%d61]; {stores} ret;
    """
    arrays, _ = launch(body, source, [0] * (2 * threads * vector), threads)
    data = as_bytes(source)
    expected = []
    for k in range(threads * vector):
        number = unsigned(read(int.from_bytes(data[size * k : size * k + size], "little"), kind), 64)
        expected += [number & 0xFFFFFFFF, number >> 32]
    assert arrays[1] == expected


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("vector", [1, 2, 4])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_stores(bits, vector, space):
    """Lanes of a warp store next to each other into one word, and every second thread stores nothing at all."""
    size = bits // 8
    if size * vector > 16:
        pytest.skip("larger than any vector")
    rng = random.Random(bits)
    threads = 16
    source = [rng.getrandbits(32) for _ in range(2 * threads * vector)]
    before = [rng.getrandbits(32) for _ in range(4 * size * vector)]
    registers = [f"%d{k}" if bits == 64 else f"%r{k}" if bits == 32 else f"%h{k}" for k in range(1, vector + 1)]
    names = registers[0] if vector == 1 else "{" + ", ".join(registers) + "}"
    suffix = "" if vector == 1 else f".v{vector}"
    loads = "".join(f"ld.global.u{max(bits, 16)} {r}, [%d61+{8 * k}];" for k, r in enumerate(registers))
    copies = {"global": ("", ""), "shared": ("", "")}[space]
    if space == "shared":
        each = size * vector
        unit = min(each, 4)
        places = range(0, each, unit)
        copies = (
            f"mov.u64 %d63, buffer; mad.wide.u32 %d63, %r60, {each}, %d63; mad.wide.u32 %d60, %r60, {each}, %d62;"
            + "".join(
                f"ld.global.u{8 * unit} %r30, [%d60+{k}]; st.shared.u{8 * unit} [%d63+{k}], %r30;" for k in places
            ),
            "".join(f"ld.shared.u{8 * unit} %r30, [%d63+{k}]; st.global.u{8 * unit} [%d60+{k}], %r30;" for k in places),
        )
    address = "%d63" if space == "shared" else "%d62"
    body = f"""
    mad.wide.u32 %d61, %r60, {8 * vector}, %d61; {loads} {copies[0]}
    {"" if space == "shared" else f"mad.wide.u32 %d62, %r60, {size * vector}, %d62;"}
    and.b32 %r40, %r60, 1; setp.eq.u32 %p1, %r40, 0;
    @%p1 st.{space}{suffix}.b{bits} [{address}], {names}; {copies[1]} ret;
    """
    arrays, _ = launch(body, source, before, threads, SHARED)
    expected = bytearray(as_bytes(before))
    for t in range(0, threads, 2):
        for k in range(vector):
            pair = source[2 * (t * vector + k)] | source[2 * (t * vector + k) + 1] << 32
            at = size * (t * vector + k)
            expected[at : at + size] = unsigned(pair, bits).to_bytes(size, "little")
    assert as_bytes(arrays[1]) == bytes(expected)


ATOMICS = {
    "add": lambda old, a, bits: old + a,
    "and": lambda old, a, bits: old & a,
    "or": lambda old, a, bits: old | a,
    "xor": lambda old, a, bits: old ^ a,
    "exch": lambda old, a, bits: a,
    "min.u": lambda old, a, bits: min(old, a),
    "max.u": lambda old, a, bits: max(old, a),
    "min.s": lambda old, a, bits: min(old, a, key=lambda v: signed(v, bits)),
    "max.s": lambda old, a, bits: max(old, a, key=lambda v: signed(v, bits)),
    "inc.u": lambda old, a, bits: 0 if old >= a else old + 1,
    "dec.u": lambda old, a, bits: a if old == 0 or old > a else old - 1,
}
SPACES = {"global": "mov.u64 %d60, %d62;", "shared": "mov.u64 %d60, buffer;", "generic": "mov.u64 %d60, %d62;"}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", ATOMICS)
def test_atomics(name, space, bits):
    """All threads on one cell, thread after thread; then the same without the old value, every second thread."""
    rng = random.Random(f"{name}{bits}")
    threads, size = 12, bits // 8
    operation, kind = (*name.split("."), "")[:2]
    kind = f"{kind or ('u' if name == 'add' else 'b')}{bits}"
    data = [unsigned(rng.choice([*EDGES, rng.getrandbits(64)]), bits) for _ in range(threads)]
    first, second = rng.getrandbits(bits), rng.getrandbits(bits)
    r = "%d" if bits == 64 else "%r"
    modifier = "" if space == "generic" else f".{space}"
    put = f"st{modifier}.b{bits}"
    copy = (
        ""
        if space != "shared"
        else f"""
    bar.sync 0; setp.eq.u32 %p2, %r60, 0;
    @%p2 ld.shared.b{bits} {r}20, [%d60]; @%p2 st.global.b{bits} [%d62], {r}20;
    @%p2 ld.shared.b{bits} {r}20, [%d60+8]; @%p2 st.global.b{bits} [%d62+8], {r}20;"""
    )
    prepare = (
        ""
        if space != "shared"
        else f"""
    setp.eq.u32 %p2, %r60, 0; ld.global.b{bits} {r}20, [%d62]; ld.global.b{bits} {r}21, [%d62+8];
    @%p2 {put} [%d60], {r}20; @%p2 {put} [%d60+8], {r}21; bar.sync 0;"""
    )
    body = f"""
    {SPACES[space]} {prepare} mad.wide.u32 %d61, %r60, {size}, %d61; ld.global.b{bits} {r}1, [%d61];
    atom{modifier}.{operation}.{kind} {r}2, [%d60], {r}1;
    mad.wide.u32 %d63, %r60, 8, %d62; st.global.b{bits} [%d63+16], {r}2;
    and.b32 %r40, %r60, 1; setp.eq.u32 %p1, %r40, 0; @%p1 red{modifier}.{operation}.{kind} [%d60+8], {r}1; {copy} ret;
    """
    source = [w for value in data for w in (words([value & 0xFFFFFFFF, value >> 32]) if bits == 64 else [value])]
    target = [first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32] + [0] * (2 * threads)
    arrays, _ = launch(body, source, target, threads, SHARED)
    values = [a | b << 32 for a, b in zip(arrays[1][::2], arrays[1][1::2], strict=True)]
    expected, old = [], first
    for value in data:
        expected.append(old)
        old = unsigned(ATOMICS[name](old, value, bits), bits)
    for value in data[::2]:
        second = unsigned(ATOMICS[name](second, value, bits), bits)
    assert values == [old, second, *expected]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_compare_and_swap(bits):
    """Each thread finds what the one before it left, but for one that expects something else."""
    r = {16: "%h", 32: "%r", 64: "%d"}[bits]
    top = 1 << (bits - 1)
    narrow = f"cvt.u{bits}.u64 {r}1, %d20; cvt.u{bits}.u64 {r}2, %d21;"
    body = f"""
    cvt.u64.u32 %d20, %r60; add.u64 %d21, %d20, 1; setp.eq.u32 %p1, %r60, 4; @%p1 add.u64 %d20, %d20, 9;
    or.b64 %d20, %d20, {top}; or.b64 %d21, %d21, {top};
    {"mov.u64 %d1, %d20; mov.u64 %d2, %d21;" if bits == 64 else narrow}
    atom.global.cas.b{bits} {r}3, [%d62], {r}1, {r}2;
    mad.wide.u32 %d63, %r60, 8, %d62; st.global.b{bits} [%d63+8], {r}3; ret;
    """
    arrays, _ = launch(body, [0], [top & 0xFFFFFFFF, top >> 32] + [0] * 16, 8)
    values = [a | b << 32 for a, b in zip(arrays[1][::2], arrays[1][1::2], strict=True)]
    left = [top | min(t, 4) for t in range(9)]
    assert values == [left[8], *left[:8]]


def test_guarded_wide_atomic():
    body = """
    setp.gt.u32 %p1, %r60, 1; cvt.u64.u32 %d1, %r60; or.b64 %d1, %d1, 0xffffffff00000000; mov.u64 %d2, 5;
    @%p1 atom.global.add.u64 %d2, [%d62], %d1; mad.wide.u32 %d63, %r60, 8, %d62; st.global.u64 [%d63+8], %d2; ret;
    """
    arrays, _ = launch(body, [0], [1, 0] + [0] * 8)
    assert arrays[1] == words([6, -2, 5, 0, 5, 0, 1, 0, 3, -1])


def test_addresses_are_checked():
    for body, cause in (
        ("ld.global.u32 %r1, [%d61+2]; st.global.u32 [%d62], %r1; ret;", "alignment"),
        ("ld.global.u64 %d1, [%d61+4]; st.global.u64 [%d62], %d1; ret;", "alignment"),
        ("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d61+8]; st.global.u32 [%d62], %r1; ret;", "alignment"),
        ("st.global.u16 [%d62+1], %h1; ret;", "alignment"),
        ("st.global.u8 [%d62+16], %h1; ret;", "address"),
        ("ld.global.u8 %r1, [%d61+32]; st.global.u32 [%d62], %r1; ret;", "address"),
    ):
        _, tokens = launch(body, [1] * 8, [0] * 4)
        assert tokens[-1].kind is Kind.TRAP, body
        assert CAUSES[tokens[-1].index >> 4] == cause, body
    _, tokens = launch("ld.global.u8 %r1, [%d61+3]; st.global.u8 [%d62+15], %r1; ret;", [1] * 8, [0] * 4)
    assert tokens[-1].kind is Kind.HALT


def test_distance_of_pointers_is_signed():
    body = "sub.s64 %d1, %d61, %d62; shr.s64 %d1, %d1, 2; st.global.u64 [%d62], %d1; ret;"
    arrays, _ = launch(body, [0] * 4, [0] * 4, 1)
    assert arrays[1][:2] == words([-8, -1])
