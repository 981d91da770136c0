"""Emission: results wait in late buffers; the next token is chosen and its code written to the output channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qwengpu.circuits.builder import Builder, Head, Lin, Port, Wire, lin, number, total
from qwengpu.circuits.context import Context, TokenCode, digit_of
from qwengpu.circuits.memory import Faults
from qwengpu.circuits.scheduler import Decision
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import CAUSES, DIGITS, Kind


@dataclass
class Items:
    """What of the block is still to be sent.

    Attributes:
        stage: one-hot: the stage whose result is being sent.
        atomic: an atomic's word is being sent. lane: one-hot: of which lane.
        ended: nothing is left to send.
    """

    stage: list[Wire]
    atomic: Wire
    lane: list[Wire]
    ended: Wire


def items(b: Builder, spec: MachineSpec, code: TokenCode, context: Context, pending: list[Wire]) -> Items:
    """Find the item being sent, from the block's live results and the last item committed."""
    still = b.bus("atomic_pending", spec.lanes)
    values = [lin(p) for p in pending]
    b.head(Head("pending atomics", Port(inhibit=1 - code.run), Port(), values, [{w: 1} for w in still]))
    sending = code.run + code.any_of(Kind.VAL, Kind.COMMIT)
    atomic = b.wire("item.atomic")
    b.step(total(still) - 8 * (1 - sending) - 8 * lin(context.after_commit), 1, {atomic: 1})
    lane = b.bus("item.lane", spec.lanes)
    for n, wire in enumerate(lane):
        b.neuron(lin(still[n]) - total(still[:n]), {wire: 1})
    remaining, stage = b.bus("remaining", len(spec.stages)), b.bus("item.stage", len(spec.stages))
    for n, live in enumerate(context.control["live"]):
        done = b.wire(f"item.done{n}")
        b.step(number(context.last_index) + 8 * lin(context.after_commit), 8 + n, {done: 1})
        b.neuron(lin(live) - done, {remaining[n]: 1})
        b.neuron(lin(remaining[n]) - total(remaining[:n]) - atomic - (1 - sending), {stage[n]: 1})
    ended = b.wire("item.none")
    b.neuron(1 - total(stage) - atomic, {ended: 1})
    return Items(stage, atomic, lane, ended)


def result_buffer(
    b: Builder, spec: MachineSpec, code: TokenCode, item: Items, stage: int, results: list[list[Wire]],
    outputs: list[list[Wire]], earliest: int, done: list[Wire] | None = None,
) -> None:  # fmt: skip
    """Keep a stage's results for the tokens that send them.

    Args:
        done: lanes whose atomic is complete, in the stage that loads the old value: their entry stays as it is.
    """
    last = stage == len(spec.stages) - 1
    silent = 1 - lin(item.stage[stage]) - (item.atomic if last else 0)
    if done is None:
        values = [lin(bit) for lane in results for bit in lane]
        wires = [{bit: 1} for lane in outputs for bit in lane]
        head = Head(f"results of stage {stage}", Port(inhibit=1 - code.run), Port(inhibit=silent), values, wires)
        b.head(head, earliest)
        return
    for lane, (bits, out) in enumerate(zip(results, outputs, strict=True)):
        keep = 1 - code.run + done[lane]
        values = [lin(w) for w in bits]
        head = Head(
            f"results of stage {stage} lane {lane}",
            Port(inhibit=keep),
            Port(inhibit=silent),
            values,
            [{w: 1} for w in out],
        )
        b.head(head, earliest)


def branch_buffer(b: Builder, spec: MachineSpec, code: TokenCode, predicates: list[Wire]) -> list[Wire]:
    """Keep the branch predicate of each lane until the block ends."""
    taken = b.bus("taken", spec.lanes)
    values = [lin(p) for p in predicates]
    b.head(Head("branch predicates", Port(inhibit=1 - code.run), Port(), values, [{w: 1} for w in taken]))
    return taken


def trap_causes(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, faults: Faults
) -> list[tuple[Wire, list[Wire]]]:
    """For each of the causes of a trap, whether it is why the launch ends, and the lanes it is about.

    The block's own trap comes first, then a barrier that some lanes have not reached, an address, an alignment.
    """
    flag, executes = context.flag, code.kinds[Kind.EXEC]
    causes = {cause: b.wire(f"trap.{cause}") for cause in CAUSES}
    apart, misplaced = b.wire("trap.apart"), b.wire("trap.misplaced")
    b.step(total(context.waiting) - total(context.wakes), 1, {apart: 1}, unless=2 - lin(flag("barrier")) - executes)
    b.step(total(faults.address), 1, {misplaced: 1})
    b.all_of([flag("trap"), executes], {causes["trap"]: 1})
    own = lin(causes["trap"])
    b.neuron(lin(apart) - own, {causes["barrier"]: 1})
    b.neuron(lin(misplaced) - own - apart, {causes["address"]: 1})
    b.step(total(faults.alignment), 1, {causes["alignment"]: 1}, unless=own + apart + misplaced)
    lanes: dict[str, list[Wire]] = {"trap": context.active, "barrier": context.active}
    for cause, counts in (("address", faults.address), ("alignment", faults.alignment)):
        lanes[cause] = b.bus(f"trap.{cause}.lanes", spec.lanes)
        for count, lane in zip(counts, lanes[cause], strict=True):
            b.step(count, 1, {lane: 1})
    return [(causes[cause], lanes[cause]) for cause in CAUSES]


def emit(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, item: Items, decision: Decision,
    results: list[list[Wire]], taken: list[Wire], colliding: list[Wire], faults: Faults, out: TokenCode,
) -> None:  # fmt: skip
    """Choose the next token.

    Args:
        results: lane -> bits of the item being sent. out: wires of the next token's code.
    """
    lanes = range(spec.lanes)
    slots = DIGITS * spec.lanes
    active, flag, k = context.active, context.flag, code.kinds

    # What is ahead of everything else: traps, then lanes that join, then stores that collided.
    traps = trap_causes(b, spec, code, context, faults)
    trapped = total(cause for cause, _ in traps)
    wakes, stores = b.wire("emit.wake"), b.wire("emit.st")
    b.step(total(context.wakes), 1, {wakes: 1}, unless=trapped)
    b.step(total(colliding), 1, {stores: 1}, unless=trapped + wakes + (1 - lin(flag("store"))))
    urgent = trapped + wakes + stores

    # Bits to send: lane 0 as it is, others as exclusive-or with it, absent lanes 0; an atomic's lane as it is.
    ready = max(w.ready for lane in results for w in lane)
    at = ready // 2 + (1 if ready % 2 else 0)
    sent = [b.bus(f"send{lane}", 32) for lane in lanes]
    for lane in lanes:
        for i, bit in enumerate(sent[lane]):
            own, first = results[lane][i], results[0][i]
            b.all_of([own, item.lane[lane], item.atomic], {bit: 1}, at=at)
            normal: list[Lin | Wire] = [active[lane], 1 - lin(item.atomic)]
            if lane == 0:
                b.all_of([own, *normal], {bit: 1}, at=at)
                continue
            b.all_of([own, 1 - lin(first), *normal], {bit: 1}, at=at)
            b.all_of([1 - lin(own), first, active[0], *normal], {bit: 1}, at=at)
            b.all_of([own, first, 1 - lin(active[0]), *normal], {bit: 1}, at=at)

    # The highest slot below the one just sent whose digit is not 0.
    candidates, winners = b.bus("candidate", slots), b.bus("winner", slots)
    for slot in range(slots):
        passed = b.wire(f"passed{slot}")
        sent_before = 16 * lin(k[Kind.VAL]) + slot - number(code.index[: (slots - 1).bit_length()])
        b.step(sent_before, 16, {passed: 1}, at=at)
        barred = lin(passed) + urgent + (1 - lin(item.atomic) if slot == 0 else 0)
        b.step(total(digit_of(sent, slot)), 1, {candidates[slot]: 1}, unless=barred, at=at + 1)
    for slot in range(slots):
        b.neuron(lin(candidates[slot]) - total(candidates[slot + 1 :]), {winners[slot]: 1}, at=at + 2)
    commit, write = b.bus("emit.commit", len(spec.stages)), b.bus("emit.mem", spec.lanes)
    for stage, wire in enumerate(commit):
        b.neuron(lin(item.stage[stage]) - total(candidates) - urgent, {wire: 1}, at=at + 2)
    for lane, wire in enumerate(write):
        b.neuron(lin(item.lane[lane]) + item.atomic - 1 - total(candidates) - urgent, {wire: 1}, at=at + 2)

    # The branch.
    takes, stays = b.bus("takes", spec.lanes), b.bus("stays", spec.lanes)
    some_take, some_stay = b.wire("some_take"), b.wire("some_stay")
    for lane in lanes:
        b.all_of([active[lane], flag("branch"), taken[lane]], {takes[lane]: 1}, at=at)
        b.all_of([active[lane], flag("branch"), 1 - lin(taken[lane])], {stays[lane]: 1}, at=at)
    b.step(total(takes), 1, {some_take: 1}, at=at + 1)
    b.step(total(stays), 1, {some_stay: 1}, at=at + 1)

    def choice(name: str, *conditions: Lin | Wire) -> Wire:
        wire = b.wire(f"emit.{name}")
        b.all_of([*conditions, 1 - urgent], {wire: 1}, at=at + 2)
        return wire

    split = (decision.branch, some_take, some_stay)
    to_target = (decision.branch, some_take, 1 - lin(some_stay))
    to_next = (decision.branch, 1 - lin(some_take))
    split_target = choice("split_target", *split, flag("target_waits"))
    split_next = choice("split_next", *split, 1 - lin(flag("target_waits")))
    yield_target = choice("yield_target", *to_target, decision.below_target)
    yield_next = choice("yield_next", *to_next, decision.below_next)
    go_target = choice("go_target", *to_target, 1 - lin(decision.below_target))
    go_next = choice("go_next", *to_next, 1 - lin(decision.below_next))
    next_cta = choice("next_cta", decision.grid_branch, some_take)
    halt = choice("halt", decision.grid_branch, 1 - lin(some_take))

    # The code. Exactly one source below is 1: (kind, source, index bits, digit bits).
    d = decision
    control = context.control
    sources: list[tuple[Kind, Wire, Sequence[Wire | int], Sequence[Wire | int]]] = [
        *((Kind.TRAP, wire, [*mask, *_constant(n)], []) for n, (wire, mask) in enumerate(traps)),
        (Kind.WAKE, wakes, list(context.wakes), []),
        (Kind.ST, stores, list(colliding), []),
        *((Kind.VAL, winners[slot], _constant(slot), digit_of(sent, slot)) for slot in range(slots)),
        *((Kind.COMMIT, wire, _constant(stage), digit_of(sent, 0)) for stage, wire in enumerate(commit)),
        *((Kind.MEM, wire, _constant(lane), []) for lane, wire in enumerate(write)),
        (Kind.EXIT, d.start_absent, list(context.absent), []),
        (Kind.EXEC, d.start, [], []),
        (Kind.WARP, d.next_warp, list(d.following_warp), []),
        (Kind.SYNC, d.next_sync, list(d.following_warp), []),
        (Kind.SYNC, d.first_sync, list(d.first_warp), []),
        (Kind.WARP, d.next_round, [], []),
        (Kind.EXEC, d.grid, list(control["target"]), []),
        (Kind.EXEC, d.resume, list(d.wait_block), []),
        (Kind.EXIT, d.leave, list(active), []),
        (Kind.WAITT, split_target, list(takes), []),
        (Kind.WAITF, split_next, list(stays), []),
        (Kind.WAITT, yield_target, list(active), []),
        (Kind.WAITF, yield_next, list(active), []),
        (Kind.EXEC, go_target, list(control["target"]), []),
        (Kind.EXEC, go_next, list(control["next"]), []),
        (Kind.CTA, next_cta, [], []),
        (Kind.HALT, halt, [], []),
    ]  # fmt: skip
    early = {id(w) for w in (
        d.start_absent, d.start, d.next_warp, d.next_sync, d.first_sync, d.next_round, d.grid, d.resume, d.leave,
    )}  # fmt: skip
    final = at + 3
    for rail in (*out.index_not, *out.digit_not):
        b.neuron(1, {rail: 1}, at=final)
    for kind, source, index, digit in sources:
        here = lin(source) - (urgent if id(source) in early else 0)
        b.neuron(here, {out.kinds[kind]: 1}, at=final)
        for sent_bits, true, complement in ((index, out.index, out.index_not), (digit, out.digit, out.digit_not)):
            for value, rail, opposite in zip(sent_bits, true, complement, strict=False):
                if value != 0:
                    b.neuron(here + value - 1, {rail: 1, opposite: -1}, at=final)


def _constant(value: int) -> list[Wire | int]:
    return [value >> i & 1 for i in range(value.bit_length())]
