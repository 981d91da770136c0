"""Warp scheduler: what follows a block. Everything that does not depend on the branch is decided early.

The rules, in order (see the reference interpreter for their meaning):

1. a warp that has not started: its absent lanes exit, then block 0;
2. an exit block with nobody waiting: the next warp, or a new round of warps, or the grid scheduler's block;
3. no active lane: the lowest block at which lanes wait;
4. an exit block: its lanes exit;
5. a barrier: the next warp;
6. the grid scheduler's branch: the next thread block, or the end;
7. a branch on which lanes disagree: the side that goes to the higher block waits;
8. a successor above a block at which lanes wait: this group waits; otherwise the successor runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.builder import Builder, Lin, Wire, lin, number, total
from qwengpu.circuits.context import Context, TokenCode
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind


@dataclass
class Decision:
    """One-hot choice of what follows the block, as far as it is known without the branch, plus its arguments.

    Attributes:
        start_absent, start: rule 1. next_warp, next_round, grid: rule 2. resume: rule 3. leave: rule 4.
        barrier_next, barrier_first: rule 5. grid_branch: rule 6. branch: rules 7 and 8.
        following_warp: bits of the warp after this one. wait_block: bits of the lowest block waited at.
        below_target, below_next: whether that block lies below the branch's target, or below ``next``.
    """

    start_absent: Wire
    start: Wire
    next_warp: Wire
    next_round: Wire
    grid: Wire
    resume: Wire
    leave: Wire
    barrier_next: Wire
    barrier_first: Wire
    grid_branch: Wire
    branch: Wire
    following_warp: list[Wire]
    wait_block: list[Wire]
    below_target: Wire
    below_next: Wire


def lowest_waiting(b: Builder, spec: MachineSpec, context: Context) -> list[Wire]:
    """Bits of the lowest block at which a lane waits."""
    lowest = b.bus("wait_block", 8)
    for lane in range(spec.lanes):
        beaten = b.wire(f"beaten{lane}", high=spec.lanes - 1)
        for other in range(spec.lanes):
            if other != lane:
                difference = number(context.wait_block[lane]) - number(context.wait_block[other])
                b.step(difference, int(other > lane), {beaten: 1}, unless=1 - lin(context.waiting[other]))
        first = b.wire(f"first{lane}")
        b.neuron(lin(context.waiting[lane]) - beaten, {first: 1})
        for source, bit in zip(context.wait_block[lane], lowest, strict=True):
            b.all_of([first, source], {bit: 1})
    return lowest


def decide(b: Builder, spec: MachineSpec, code: TokenCode, context: Context, ended: Wire) -> Decision:
    """Rules 1 to 8 up to the branch. ``ended``: 1 when nothing of the block is left to be sent."""
    flag, k = context.flag, code.kinds
    waiting = total(context.waiting)
    lowest = lowest_waiting(b, spec, context)
    none_waiting, none_active, is_last = b.wire("none_waiting"), b.wire("none_active"), b.wire("is_last")
    some_absent, finished, at_barrier = b.wire("some_absent"), b.wire("finished"), b.wire("at_barrier")
    b.neuron(1 - waiting, {none_waiting: 1})
    b.neuron(1 - total(context.active), {none_active: 1})
    b.equal(number(context.warp) - number(context.last_warp), {is_last: 1})
    b.step(total(context.absent), 1, {some_absent: 1})
    b.all_of([flag("exit"), none_waiting], {finished: 1})
    b.neuron(lin(flag("barrier")) - code.any_of(Kind.WARPB, Kind.WARPX), {at_barrier: 1})
    grid_branch = b.wire("at_grid_branch")
    b.all_of([flag("grid"), flag("branch")], {grid_branch: 1})

    def choice(name: str, *conditions: Lin | Wire | float) -> Wire:
        wire = b.wire(f"next.{name}")
        b.all_of([ended, *conditions], {wire: 1})
        return wire

    started, exits = lin(context.started), lin(flag("exit"))
    running = (started, 1 - lin(finished), 1 - lin(none_active))
    beyond = (*running, 1 - exits, 1 - lin(at_barrier))
    lists_absent = (1 - started, is_last, some_absent, 1 - lin(k[Kind.EXIT]))
    absent_first = b.wire("absent_first")
    b.all_of(list(lists_absent), {absent_first: 1})
    following = b.bus("following_warp", len(context.warp))
    for n in range(spec.warps - 1):
        outputs = {bit: 1 for i, bit in enumerate(following) if n + 1 >> i & 1}
        value = number(context.warp)
        here = b.wire(f"warp_is{n}")
        b.equal(value - n, {here: 1})
        b.neuron(here, outputs)
    below_target, below_next = b.wire("below_target"), b.wire("below_next")
    for name, wire in (("target", below_target), ("next", below_next)):
        b.step(number(context.control[name]) - number(lowest), 1, {wire: 1}, unless=none_waiting)
    return Decision(
        start_absent=choice("start_absent", absent_first),
        start=choice("start", 1 - started, 1 - lin(absent_first)),
        next_warp=choice("next_warp", started, finished, 1 - lin(is_last)),
        next_round=choice("next_round", started, finished, is_last, context.barrier_seen),
        grid=choice("grid", started, finished, is_last, 1 - lin(context.barrier_seen)),
        resume=choice("resume", started, 1 - lin(finished), none_active),
        leave=choice("leave", *running, exits),
        barrier_next=choice("barrier_next", *running, 1 - exits, at_barrier, 1 - lin(is_last)),
        barrier_first=choice("barrier_first", *running, 1 - exits, at_barrier, is_last),
        grid_branch=choice("grid_branch", *beyond, grid_branch),
        branch=choice("branch", *beyond, 1 - lin(grid_branch)),
        following_warp=following,
        wait_block=lowest,
        below_target=below_target,
        below_next=below_next,
    )
