"""Warp scheduler: what follows a block. Everything that does not depend on the branch is decided early.

The rules, in order (see the reference interpreter for their meaning):

1. a warp that has not started: its absent lanes exit, then block 0;
2. an exit block with nobody waiting: the warp departs, see below;
3. no active lane: the lowest block at which lanes wait;
4. an exit block: its lanes exit;
5. a barrier or sync block that the warp has just run, or may not pass yet: the warp departs;
6. the grid scheduler's branch: the next thread block, or the end;
7. a branch on which lanes disagree: the side that goes to the higher block waits;
8. a successor above a block at which lanes wait: this group waits; otherwise the successor runs.

When a warp departs, the next one of its logical warp follows; after the last one, the first again (SYNC) if a warp of
it is at a sync block; else the next logical warp; after the last one, warp 0 again if a warp is at a barrier; else the
grid scheduler's block.
"""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.builder import Builder, Lin, Wire, lin, mismatch, number, total
from qwengpu.circuits.context import Context, TokenCode
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind


@dataclass
class Decision:
    """One-hot choice of what follows the block, as far as it is known without the branch, plus its arguments.

    Attributes:
        start_absent, start: rule 1. resume: rule 3. leave: rule 4. grid_branch: rule 6. branch: rules 7 and 8.
        next_warp, next_sync: the warp departs, and the next one goes on from a barrier, or from a sync block.
        first_sync: the first warp of the logical warp goes on from its sync block.
        next_round, grid: warp 0 goes on from its barrier; the grid scheduler's block.
        following_warp: bits of the warp after this one. first_warp: of the first one of the logical warp.
        wait_block: bits of the lowest block waited at.
        below_target, below_next: whether that block lies below the branch's target, or below ``next``.
    """

    start_absent: Wire
    start: Wire
    next_warp: Wire
    next_sync: Wire
    first_sync: Wire
    next_round: Wire
    grid: Wire
    resume: Wire
    leave: Wire
    grid_branch: Wire
    branch: Wire
    following_warp: list[Wire]
    first_warp: list[Wire | int]
    wait_block: list[Wire]
    below_target: Wire
    below_next: Wire


def lowest_waiting(b: Builder, spec: MachineSpec, context: Context) -> list[Wire]:
    """Bits of the lowest block at which a lane waits."""
    lowest = b.bus("wait_block", spec.block_bits)
    for lane in range(spec.lanes):
        beaten = b.wire(f"beaten{lane}", high=spec.lanes - 1)
        for other in range(spec.lanes):
            if other != lane:
                own, its = context.wait_block[lane], context.wait_block[other]
                b.exceeds(own, its, {beaten: 1}, or_equal=other < lane, unless=1 - lin(context.waiting[other]))
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
    some_absent, finished = b.wire("some_absent"), b.wire("finished")
    b.neuron(1 - waiting, {none_waiting: 1})
    b.neuron(1 - total(context.active), {none_active: 1})
    b.equal(number(context.warp) - number(context.last_warp), {is_last: 1})
    b.step(total(context.absent), 1, {some_absent: 1})
    b.all_of([flag("exit"), none_waiting], {finished: 1})
    grid_branch = b.wire("at_grid_branch")
    b.all_of([flag("grid"), flag("branch")], {grid_branch: 1})
    stopped, ends_group, some_sync = _synchronise(b, spec, code, context, is_last)

    def choice(name: str, *conditions: Lin | Wire | float) -> Wire:
        wire = b.wire(f"next.{name}")
        b.all_of([ended, *conditions], {wire: 1})
        return wire

    started, exits = lin(context.started), lin(flag("exit"))
    running = (started, 1 - lin(finished), 1 - lin(none_active))
    beyond = (*running, 1 - exits, 1 - lin(stopped))
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
        b.exceeds(context.control[name], lowest, {wire: 1}, unless=none_waiting)

    # A warp that passes by on its way round the sync blocks departs, whatever its lanes do.
    passes = lin(k[Kind.SYNC]) + stopped - 1
    departs = b.wire("departs")
    b.all_of([started, finished, 1 - lin(stopped)], {departs: 1})
    b.all_of([*running, 1 - exits, stopped, 1 - lin(k[Kind.SYNC])], {departs: 1})
    b.neuron(passes, {departs: 1})
    inside, outside = (ended, departs, 1 - lin(ends_group)), (ended, departs, ends_group)

    def departure(name: str, *conditions: Lin | Wire) -> Wire:
        wire = b.wire(f"next.{name}")
        b.all_of(list(conditions), {wire: 1})
        return wire

    done = (*outside, 1 - lin(some_sync))
    next_warp = departure("next_warp", *inside, 1 - lin(context.again))
    b.all_of([*done, 1 - lin(is_last)], {next_warp: 1}, at=(next_warp.ready - 1) // 2)
    group_bits = min(len(context.warp), (spec.logical_warp - 1).bit_length())
    return Decision(
        start_absent=choice("start_absent", absent_first),
        start=choice("start", 1 - started, 1 - lin(absent_first)),
        next_warp=next_warp,
        next_sync=departure("next_sync", *inside, context.again),
        first_sync=departure("first_sync", *outside, some_sync),
        next_round=departure("next_round", *done, is_last, context.barrier_seen),
        grid=departure("grid", *done, is_last, 1 - lin(context.barrier_seen)),
        resume=choice("resume", started, 1 - lin(finished), none_active, 1 - lin(stopped)),
        leave=choice("leave", *running, exits, 1 - lin(stopped)),
        grid_branch=choice("grid_branch", *beyond, grid_branch),
        branch=choice("branch", *beyond, 1 - lin(grid_branch)),
        following_warp=following,
        first_warp=[0] * group_bits + list(context.warp[group_bits:]),
        wait_block=lowest,
        below_target=below_target,
        below_next=below_next,
    )


def _synchronise(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, is_last: Wire
) -> tuple[Wire, Wire, Wire]:
    """Whether the warp stops after its block; whether it is the last of its logical warp; whether one is at a sync.

    A warp stops at a barrier or sync block unless it has just been told to go on. Told by SYNC it goes on only from a
    sync block, and only if none of its fellows was at a lower one when the round began.
    """
    k, flag = code.kinds, context.flag
    stopped, ends_group, some_sync = b.wire("stopped"), b.wire("ends_group"), b.wire("some_sync")
    slots = len(context.fellows)
    fellows_below = b.wire("fellows_below", high=slots)
    for fellow in context.round_fellows:
        b.exceeds(context.block, fellow[1:], {fellows_below: 1}, unless=1 - lin(fellow[0]))
    b.neuron(lin(flag("barrier")) + flag("sync") - code.any_of(Kind.WARP, Kind.SYNC), {stopped: 1})
    b.neuron(lin(k[Kind.SYNC]) - flag("sync"), {stopped: 1})
    b.step(lin(fellows_below), 1, {stopped: 1}, unless=2 - lin(k[Kind.SYNC]) - flag("sync"))
    b.step(total(fellow[0] for fellow in context.fellows), 1, {some_sync: 1})
    slot_bits = (slots - 1).bit_length()
    last_slot = b.wire("last_slot")
    b.neuron(1 - mismatch(context.warp[:slot_bits], slots - 1), {last_slot: 1})
    b.step(lin(last_slot) + is_last, 1, {ends_group: 1})
    return stopped, ends_group, some_sync
