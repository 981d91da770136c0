"""What threads do together: shuffles, votes, matches, barriers that count, special registers."""

from __future__ import annotations

import random

import pytest
from kernel_harness import DEFAULT, run
from operands import module, unsigned

from qwengpu.cuda.lower import lower
from qwengpu.errors import CompileError
from qwengpu.machine.tokens import CAUSES, Kind

START = """
ld.param.u64 %d61, [in]; ld.param.u64 %d62, [out]; mov.u32 %r60, %tid.x;
mul.wide.u32 %d60, %r60, 4; add.u64 %d61, %d61, %d60; mul.wide.u32 %d60, %r60, 8; add.u64 %d62, %d62, %d60;
ld.global.u32 %r1, [%d61];
"""


def values(body, source, store="st.global.u32 [%d62], %r9; st.global.u32 [%d62+4], %r8;", grid=1, extra=""):
    """Two words of each thread, as pairs."""
    program = lower(module(START + body + store + " ret;", extra=extra), None, DEFAULT, grid_axes=1)
    count = len(source)
    arrays, tokens = run(program, [source, [0] * (2 * count)], (grid, 1, 1), (count, 1, 1))
    assert tokens[-1].kind is Kind.HALT
    return list(zip(arrays[1][::2], arrays[1][1::2], strict=True))


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Source lane and predicate, as the PTX manual computes them."""
    segment, bound = c >> 8 & 31, c & 31
    most = lane & segment | bound & ~segment
    least = lane & segment
    source, inside = {
        "up": (lane - (b & 31), lane - (b & 31) >= most),
        "down": (lane + (b & 31), lane + (b & 31) <= most),
        "bfly": (lane ^ b & 31, (lane ^ b & 31) <= most),
        "idx": (least | b & 31 & ~segment, (least | b & 31 & ~segment) <= most),
    }[mode]
    return (source if inside else lane), inside


WIDTHS = (32, 16, 8, 4, 2)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("width", WIDTHS)
def test_shuffles(mode, width):
    rng = random.Random(mode)
    source = [rng.getrandbits(32) for _ in range(64)]
    c = (32 - width) << 8 | (0 if mode == "up" else 31)
    for distance in (0, 1, 2, 3, 5, 16, 31):
        code = f"""
        shfl.sync.{mode}.b32 %r9|%p1, %r1, {distance}, {c}, -1; selp.u32 %r8, 1, 0, %p1;
        """
        expected = []
        for t in range(64):
            lane, inside = shuffled(mode, t % 32, distance, c)
            expected.append((source[t - t % 32 + lane], inside))
        assert values(code, source) == expected, (mode, width, distance)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles_by_variables(mode):
    rng = random.Random(mode)
    source = [rng.getrandbits(32) for _ in range(32)]
    code = f"""
    and.b32 %r2, %r1, 63; shr.u32 %r3, %r1, 8; and.b32 %r3, %r3, 0x1f1f;
    shfl.sync.{mode}.b32 %r9|%p1, %r1, %r2, %r3, -1; selp.u32 %r8, 1, 0, %p1;
    """
    expected = []
    for t, word in enumerate(source):
        lane, inside = shuffled(mode, t, word & 63, word >> 8 & 0x1F1F)
        expected.append((source[lane], inside))
    assert values(code, source) == expected


def test_shuffles_in_a_loop():
    """Each round must read what the round before wrote."""
    source = list(range(64))
    code = """
    mov.u32 %r9, %r1; mov.u32 %r2, 16; mov.u32 %r8, 0;
    loop: shfl.sync.bfly.b32 %r3, %r9, %r2, 31, -1; add.u32 %r9, %r9, %r3;
    shfl.sync.up.b32 %r4, %r9, 1, 0, -1; add.u32 %r8, %r8, %r4;
    shr.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra loop;
    """
    sums, others = source, [0] * 64
    for distance in (16, 8, 4, 2, 1):
        sums = [sums[t] + sums[t ^ distance] for t in range(64)]
        others = [others[t] + sums[t - 1 if t % 32 else t] for t in range(64)]
    assert values(code, source) == list(zip(sums, others, strict=True))


def test_shuffle_by_some_warps():
    """Half of a logical warp exchanges in a branch; the rest goes on to the next exchange."""
    source = list(range(100, 132))
    code = """
    setp.lt.u32 %p1, %r60, 16; mov.u32 %r9, 7;
    @!%p1 bra join; shfl.sync.bfly.b32 %r9, %r1, 8, 31, 0xffff;
    join: shfl.sync.down.b32 %r8, %r9, 4, 31, -1;
    """
    first = [source[t ^ 8] if t < 16 else 7 for t in range(32)]
    expected = [(first[t], first[t + 4] if t < 28 else first[t]) for t in range(32)]
    assert values(code, source) == expected
    guarded = code.replace("@!%p1 bra join;", "@%p1")
    assert values(guarded, source) == expected


def test_votes():
    rng = random.Random(5)
    for source in (
        [rng.getrandbits(1) for _ in range(64)],
        [1] * 32 + [0] * 32,
        [0] * 40,
        [1] * 7,
        [0] * 31 + [1],
    ):
        warps = [source[t : t + 32] for t in range(0, len(source), 32)]
        code = """
        setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r9, %p1, -1;
        vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1;
        vote.sync.any.pred %p5, !%p1, -1;
        selp.u32 %r8, 1, 0, %p2; selp.u32 %r7, 2, 0, %p3; selp.u32 %r6, 4, 0, %p4; selp.u32 %r5, 8, 0, %p5;
        or.b32 %r8, %r8, %r7; or.b32 %r8, %r8, %r6; or.b32 %r8, %r8, %r5;
        """
        expected = []
        for t in range(len(source)):
            warp = warps[t // 32]
            ballot = sum(bit << k for k, bit in enumerate(warp))
            flags = any(warp) | all(warp) << 1 | (len(set(warp)) == 1) << 2 | (not all(warp)) << 3
            expected.append((ballot, flags))
        assert values(code, source) == expected


def test_ballots_in_a_loop():
    source = [(7 * t) % 32 for t in range(64)]
    code = """
    mov.u32 %r9, 0; mov.u32 %r8, 0;
    loop: shr.u32 %r2, %r1, %r8; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1;
    vote.sync.ballot.b32 %r3, %p1, -1; mad.lo.u32 %r9, %r9, 31, %r3;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 5; @%p2 bra loop;
    """
    expected = []
    for t in range(64):
        total = 0
        for k in range(5):
            total = 31 * total + sum((source[t - t % 32 + i] >> k & 1) << i for i in range(32))
        expected.append((unsigned(total, 32), 5))
    assert values(code, source) == expected


def test_votes_of_members_and_of_active_threads():
    source = list(range(32))
    code = """
    setp.lt.u32 %p1, %r1, 20; and.b32 %r2, %r1, 1; setp.eq.u32 %p2, %r2, 1; mov.u32 %r9, 0; mov.u32 %r8, 0;
    @!%p1 bra join; activemask.b32 %r8; vote.sync.ballot.b32 %r9, %p2, 0xff0;
    join:
    """
    active, odd = (1 << 20) - 1, 0xAAAAAAAA & 0xFF0
    assert values(code, source) == [(odd, active) if t < 20 else (0, 0) for t in range(32)]


@pytest.mark.parametrize("bits", [32, 64])
def test_matches(bits):
    rng = random.Random(bits)
    source = [rng.choice([3, 5, 9, 2**31]) for _ in range(64)]
    register = "%r1" if bits == 32 else "%d1"
    code = f"""
    mov.b64 %d1, {{%r60, %r1}}; shr.u64 %d2, %d1, 32; and.b64 %d1, %d1, 0xffffffff00000001;
    match.any.sync.b{bits} %r9, {register}, -1; match.all.sync.b{bits} %r8|%p1, {register}, -1;
    @%p1 mov.u32 %r8, 77;
    """

    def key(t: int) -> tuple[int, int]:
        return source[t], t & 1 if bits == 64 else 0

    expected = [sum((key(t) == key(t - t % 32 + i)) << i for i in range(32)) for t in range(64)]
    assert values(code, source) == [(mask, 0) for mask in expected]
    same = "match.all.sync.b32 %r9|%p1, 5, -1; selp.u32 %r8, 1, 0, %p1;"
    assert values(same, [0] * 32) == [(0xFFFFFFFF, 1)] * 32


def test_barriers_that_count():
    for source in ([k % 3 == 0 for k in range(50)], [1] * 70, [0] * 9):
        source = list(map(int, source))
        code = """
        setp.ne.u32 %p1, %r1, 0; bar.red.popc.u32 %r9, 0, %p1; bar.red.and.pred %p2, 0, %p1;
        bar.red.or.pred %p3, 0, %p1; barrier.cta.red.popc.aligned.u32 %r7, 0, !%p1;
        selp.u32 %r8, 1, 0, %p2; selp.u32 %r6, 2, 0, %p3; or.b32 %r8, %r8, %r6; shl.b32 %r7, %r7, 8;
        or.b32 %r8, %r8, %r7;
        """
        flags = all(source) | any(source) << 1 | source.count(0) << 8
        assert values(code, source) == [(sum(source), flags)] * len(source)


def test_sync_of_a_warp_orders_memory():
    source = list(range(64))
    code = """
    mov.u64 %d1, buffer; mul.wide.u32 %d2, %r60, 4; add.u64 %d3, %d1, %d2; st.shared.u32 [%d3], %r1;
    bar.warp.sync -1; xor.b32 %r2, %r60, 31; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; ld.shared.u32 %r9, [%d3];
    mov.u32 %r8, 0;
    """
    expected = [(t ^ 31, 0) for t in range(64)]
    assert values(code, source, extra=".shared .align 4 .b8 buffer[256];\n") == expected


def test_count_of_a_barrier():
    for count, kind in ((64, Kind.HALT), (32, Kind.TRAP)):
        program = lower(module(START + f"bar.sync 1, {count}; st.global.u32 [%d62], %r1; ret;"), None, DEFAULT)
        _, tokens = run(program, [[1] * 40, [0] * 80], block=(40, 1, 1))
        assert tokens[-1].kind is kind
    assert CAUSES[tokens[-1].index >> 4] == "trap"


def test_barrier_in_divergent_code_traps():
    program = lower(module(START + "setp.lt.u32 %p1, %r60, 2; @%p1 bar.sync 0; st.global.u32 [%d62], %r1; ret;"))
    _, tokens = run(program, [[1] * 4, [0] * 8])
    assert CAUSES[tokens[-1].index >> 4] == "barrier"


SPECIAL = {
    "%laneid": lambda t: t % 32,
    "%warpid": lambda t: t // 32,
    "%nwarpid": lambda t: 2,
    "%lanemask_eq": lambda t: 1 << t % 32,
    "%lanemask_lt": lambda t: (1 << t % 32) - 1,
    "%lanemask_le": lambda t: (2 << t % 32) - 1,
    "%lanemask_gt": lambda t: -(2 << t % 32),
    "%lanemask_ge": lambda t: -(1 << t % 32),
    "%ntid.x": lambda t: 40,
    "%nctaid.y": lambda t: 1,
    "WARP_SZ": lambda t: 32,
    "%smid": lambda t: 0,
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_registers(name):
    expected = [(unsigned(SPECIAL[name](t), 32), 3) for t in range(40)]
    assert values(f"mov.u32 %r9, {name}; mov.u32 %r8, 3;", [0] * 40) == expected


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("mov.u32 %r9, %clock;", "no clock"),
        ("mov.u64 %d9, %clock64;", "no clock"),
        ("mov.u64 %d9, %globaltimer;", "no clock"),
        ("mov.u32 %r9, %dynamic_smem_size;", "kernel parameter"),
        ("bar.arrive 0, 64;", "__syncthreads"),
        ("redux.sync.add.s32 %r9, %r1, -1;", "__shfl_xor_sync"),
        ("mov.f32 %r9, 0f3f800000;", "floating point"),
    ],
)
def test_what_is_refused(code, remedy):
    with pytest.raises(CompileError, match=rf"k.ptx:\d+: unsupported PTX instruction .*; .*{remedy}"):
        lower(module(START + code + " ret;"))


@pytest.mark.parametrize("known", [0, 1])
def test_votes_on_what_is_known(known):
    """The compilers leave constants as predicates."""
    code = f"""
    mov.pred %p1, {known}; vote.sync.ballot.b32 %r9, %p1, -1; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r8, 1, 0, %p2;
    """
    assert values(code, [5] * 8) == [(255 * known, known)] * 8
