"""Kernels that use more values at once than there are registers."""

from __future__ import annotations

import random

import pytest
from kernel_harness import DEFAULT, SMALL, run
from test_lower import check, module

from qwengpu.cuda.lower import lower
from qwengpu.machine import MachineSpec

LOAD = "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r52, %tid.x;"


def spilled(count: int, loop: bool) -> str:
    """Loads so many words, changes each by the next (in a loop), and stores them in the opposite order."""
    loads = "".join(f"ld.global.u32 %r{k}, [%d1+{4 * k}];" for k in range(count))
    body = "".join(f"add.u32 %r{k}, %r{k}, %r{(k + 1) % count};" for k in range(count))
    stores = "".join(f"st.global.u32 [%d2+{4 * k}], %r{count - 1 - k};" for k in range(count))
    if not loop:
        return LOAD + loads + body + stores
    again = "sub.u32 %r50, %r50, 1; setp.ne.u32 %p1, %r50, 0; @%p1 bra loop;"
    return f"{LOAD} mov.u32 %r50, 3; {loads} loop: {body} {again} {stores}"


@pytest.mark.parametrize(("count", "spec", "loop"), [(20, SMALL, False), (34, DEFAULT, False), (34, DEFAULT, True)])
def test_more_values_than_registers(count: int, spec: MachineSpec, loop: bool) -> None:
    mod = module(spilled(count, loop))
    if loop:
        assert lower(mod, None, spec).spill_words > 0
    check(mod, [random.Random(count).sample(range(2**32), count), [0] * count], [0], block=1, spec=spec)


def test_each_thread_has_its_own_words() -> None:
    count = 34
    own = "add.u32 %r0, %r0, %r52; mul.wide.u32 %d3, %r52, 160; add.u64 %d2, %d2, %d3; loop:"
    program = lower(module(spilled(count, loop=True).replace("loop:", own, 1)), None, DEFAULT)
    assert program.spill_words > 0
    arrays, _ = run(program, [[*range(count)], [0] * 320, 0], block=(8, 1, 1))
    for thread in range(8):
        values = [thread, *range(1, count)]
        for _ in range(3):
            for k in range(count):
                values[k] = (values[k] + values[(k + 1) % count]) % 2**32
        assert arrays[1][40 * thread : 40 * thread + count] == values[::-1]
