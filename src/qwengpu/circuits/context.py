"""Context: which warp and block a token belongs to, the words being sent, program fetch, and lane status."""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.builder import Builder, Head, Lin, Port, Wire, lin, mismatch, total
from qwengpu.machine.isa import STAGE_BITS, STAGE_FIELDS, control_fields, field_offsets
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import DIGIT_BITS, DIGITS, Kind, Vocabulary

ROM_ROWS = 128


@dataclass
class TokenCode:
    """The token as its embedding sets it: kind flags, index and digit bits (each with its complement)."""

    kinds: dict[Kind, Wire]
    index: list[Wire]
    index_not: list[Wire]
    digit: list[Wire]
    digit_not: list[Wire]

    def any_of(self, *kinds: Kind) -> Lin:
        """1 where the token is one of these kinds."""
        return total(self.kinds[k] for k in kinds if k in self.kinds)

    @property
    def run(self) -> Lin:
        """1 where the token runs the block's stages."""
        return self.any_of(Kind.EXEC, Kind.WAKE, Kind.ST, Kind.MEM)

    def wires(self) -> list[Wire]:
        """All code wires, in channel order."""
        return [*self.kinds.values(), *self.index, *self.index_not, *self.digit, *self.digit_not]


def token_code(b: Builder, vocabulary: Vocabulary, prefix: str) -> TokenCode:
    """New wires for a token code."""
    bits = vocabulary.index_bits
    return TokenCode(
        {kind: b.wire(f"{prefix}.{kind.value}") for kind in vocabulary.indices},
        b.bus(f"{prefix}.index", bits),
        b.bus(f"{prefix}.~index", bits),
        b.bus(f"{prefix}.digit", DIGIT_BITS),
        b.bus(f"{prefix}.~digit", DIGIT_BITS),
    )


@dataclass
class Context:
    """What every token knows early in the stack.

    Attributes:
        warp, block: bits of the current warp and of its block; started: whether the warp has run a block.
        words: the words sent so far, ``lane -> 32 bits``.
        control: fields of the block's control row.
        after_commit, last_index: whether the last of EXEC, WAKE, ST, MEM and COMMIT was a COMMIT, and its index.
        again: the warp goes round a sync block. barrier_seen: a warp waits at a barrier in this round.
        fellows: for each warp of the logical warp, whether it is at a sync block, and the block's bits;
            round_fellows: the same when the round over the sync blocks began.
        last_warp, absent: launch geometry.
        waiting, exited, wait_block: lane status. wakes: lanes that join at this EXEC. active: lanes that take part.
    """

    warp: list[Wire]
    block: list[Wire]
    started: Wire
    words: list[list[Wire]]
    control: dict[str, list[Wire]]
    after_commit: Wire
    last_index: list[Wire]
    again: Wire
    barrier_seen: Wire
    fellows: list[list[Wire]]
    round_fellows: list[list[Wire]]
    last_warp: list[Wire]
    absent: list[Wire]
    waiting: list[Wire]
    exited: list[Wire]
    wait_block: list[list[Wire]]
    wakes: list[Wire]
    active: list[Wire]

    def flag(self, name: str) -> Wire:
        """A one-bit control field."""
        return self.control[name][0]


def build_context(b: Builder, spec: MachineSpec, code: TokenCode) -> Context:
    """Layers 0 to 4: warp, program counter, word assembly, control row, lane status, active mask."""
    k, index = code.kinds, code.index
    any_of = code.any_of
    lanes = range(spec.lanes)
    warp_bits = (spec.warps - 1).bit_length()
    new_warp = any_of(Kind.WARP, Kind.SYNC, Kind.CTA)

    warp, again = b.bus("warp", warp_bits), b.wire("again")
    values = [lin(k[Kind.SYNC]), *(lin(i) for i in index[:warp_bits])]
    b.head(Head("warp", Port(inhibit=1 - new_warp), Port(), values, [{w: 1} for w in (again, *warp)]))
    after_commit, last_index = b.wire("after_commit"), b.bus("last_index", 3)
    b.head(Head(
        "last item",
        Port(inhibit=1 - new_warp - code.run - k[Kind.COMMIT]),
        Port(),
        [lin(k[Kind.COMMIT]), *(lin(i) for i in index[:3])],
        [{w: 1} for w in (after_commit, *last_index)],
    ))  # fmt: skip
    previous_val = b.wire("previous_val")
    b.head(Head("previous is VAL", Port(), Port(), [lin(k[Kind.VAL])], [{previous_val: 1}], delay=1))

    words = _assembly(b, spec, code, previous_val)
    started, block = b.wire("started"), b.bus("block", spec.block_bits)
    b.head(Head(
        "program counter",
        Port(warp, inhibit=1 - lin(k[Kind.EXEC])),
        Port(warp),
        [lin(1), *(lin(i) for i in index[: len(block)])],
        [{w: 1} for w in (started, *block)],
        reset=lin(k[Kind.CTA]),
    ))  # fmt: skip

    fields = control_fields(spec)
    row = b.bus("control", sum(fields.values()))
    flat = [lin(bit) for lane in words for bit in lane]
    _rom(b, "control row", spec, code, Kind.ROMC, block, 0, flat[: len(row)], row, earliest=0)
    control = {name: row[at : at + fields[name]] for name, at in field_offsets(fields).items()}

    barrier_seen = _barrier_round(b, code, warp_bits, control["barrier"][0])
    fellows = _fellows(b, spec, code, warp, block, control["sync"][0])
    round_fellows = _round_fellows(b, code, fellows)

    geometry = b.bus("last_warp", 8) + b.bus("absent", spec.lanes)
    told = Port(inhibit=1 - lin(k[Kind.GEOM]))
    b.head(Head("geometry", told, Port(), flat[: len(geometry)], [{w: 1} for w in geometry]))

    waiting, exited, wait_block = _status(b, spec, code, warp, control)
    wakes, active = [], []
    for lane in lanes:
        wake = b.wire(f"wake{lane}")
        away = 2 - lin(waiting[lane]) - k[Kind.EXEC]
        b.same(wait_block[lane], block, {wake: 1}, unless=away)
        wakes.append(wake)
        active.append(b.wire(f"active{lane}"))
        b.step(1 - lin(waiting[lane]) - exited[lane] + wake + control["grid"][0], 1, {active[lane]: 1})
    return Context(
        warp, block, started, words, control, after_commit, last_index, again, barrier_seen, fellows,
        round_fellows, geometry[:8], geometry[8:], waiting, exited, wait_block, wakes, active,
    )  # fmt: skip


def digit_of(words: list[list[Wire]], slot: int) -> list[Wire]:
    """Bits of the digit of a slot, in words of 32 bits."""
    lane, digit = divmod(slot, DIGITS)
    return words[lane][DIGIT_BITS * digit : DIGIT_BITS * (digit + 1)]


def _assembly(b: Builder, spec: MachineSpec, code: TokenCode, previous_val: Wire) -> list[list[Wire]]:
    """Collect the digits of a run of VAL tokens (and the token after it) into one word a lane."""
    k, index = code.kinds, code.index
    slots = DIGITS * spec.lanes
    slot_bits = (slots - 1).bit_length()
    row = b.bus("slot", slot_bits)
    for i in range(slot_bits):
        b.all_of([index[i], k[Kind.VAL]], {row[i]: 1})
    values = [b.bus(f"sent{lane}", 32) for lane in range(spec.lanes)]
    for slot in range(slots):
        here = lin(k[Kind.VAL]) - 1 - mismatch(index[:slot_bits], slot)
        for source, value in zip(code.digit, digit_of(values, slot), strict=False):
            b.neuron(here + source, {value: 1})
    for source, value in zip(code.digit, digit_of(values, 0), strict=True):
        b.all_of([source, k[Kind.COMMIT]], {value: 1})
    raw = b.bus("assembled", 32 * spec.lanes)
    b.head(Head(
        "assembly",
        Port(row, inhibit=1 - code.any_of(Kind.VAL, Kind.COMMIT)),
        Port(rows=1 << slot_bits),
        [lin(bit) for word in values for bit in word],
        [{w: 1} for w in raw],
        reset=1 - lin(previous_val),
    ))  # fmt: skip
    words = [raw[:32]]
    for lane in range(1, spec.lanes):  # lane 0 is sent as it is, the others as exclusive-or with it
        word = b.bus(f"word{lane}", 32)
        for bit, own, first in zip(word, raw[32 * lane :], raw[:32], strict=False):
            b.neuron(lin(own) - first, {bit: 1})
            b.neuron(lin(first) - own, {bit: 1})
        words.append(word)
    return words


def _barrier_round(b: Builder, code: TokenCode, warp_bits: int, barrier: Wire) -> Wire:
    """Remember whether a warp ran a barrier's block since warp 0 last began."""
    k = code.kinds
    begins, seen = b.wire("round_begins"), b.wire("barrier_seen")
    b.neuron(lin(k[Kind.WARP]) - total(code.index[:warp_bits]), {begins: 1})
    b.neuron(k[Kind.CTA], {begins: 1})
    inhibit = 2 - lin(k[Kind.EXEC]) - barrier
    b.head(Head("barrier round", Port(inhibit=inhibit), Port(), [lin(1)], [{seen: 1}], reset=lin(begins)))
    return seen


def _fellows(
    b: Builder, spec: MachineSpec, code: TokenCode, warp: list[Wire], block: list[Wire], sync: Wire
) -> list[list[Wire]]:
    """For each warp of the logical warp: whether the block it is at is a sync block, and its number."""
    slots = min(spec.logical_warp, spec.warps)
    slot_bits = (slots - 1).bit_length()
    fellows = []
    for slot in range(slots):
        wires = b.bus(f"fellow{slot}", 1 + len(block))
        away = 1 - lin(code.kinds[Kind.EXEC]) + mismatch(warp[:slot_bits], slot)
        b.head(Head(
            f"sync block of warp {slot} of the logical warp",
            Port(warp[slot_bits:], inhibit=away),
            Port(warp[slot_bits:]),
            [lin(sync), *(lin(bit) for bit in block)],
            [{w: 1} for w in wires],
            reset=lin(code.kinds[Kind.CTA]),
        ))  # fmt: skip
        fellows.append(wires)
    return fellows


def _round_fellows(b: Builder, code: TokenCode, fellows: list[list[Wire]]) -> list[list[Wire]]:
    """What ``fellows`` was when the first warp of the logical warp was last told to go on from its sync block."""
    kept = [b.bus(f"round_fellow{slot}", len(wires)) for slot, wires in enumerate(fellows)]
    slot_bits = (len(fellows) - 1).bit_length()
    later = 1 - lin(code.kinds[Kind.SYNC]) + total(code.index[:slot_bits])
    values = [lin(wire) for wires in fellows for wire in wires]
    outputs: list[dict[Wire, float]] = [{wire: 1} for wires in kept for wire in wires]
    b.head(Head("sync blocks of the round", Port(inhibit=later), Port(), values, outputs))
    return kept


def _rom(
    b: Builder, name: str, spec: MachineSpec, code: TokenCode, kind: Kind, block: list[Wire], silent: Lin | float,
    values: list[Lin], outputs: list[Wire], earliest: int = 0, latest: int | None = None,
) -> None:  # fmt: skip
    """One ROM: written by tokens of ``kind`` at their index, read at the current block."""
    row_bits = min(7, spec.block_bits)
    for upper in range(max(1, spec.blocks // ROM_ROWS)):
        away_w = mismatch(code.index[row_bits : spec.block_bits], upper)
        away_r = mismatch(block[row_bits:], upper)
        b.head(
            Head(
                name,
                Port(code.index[:row_bits], inhibit=1 - lin(code.kinds[kind]) + away_w),
                Port(block[:row_bits], inhibit=away_r + silent),
                values,
                [{w: 1} for w in outputs],
            ),
            earliest, latest,
        )  # fmt: skip


def fetch_stage(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, stage: int, words: list[list[Wire]], latest: int
) -> dict[str, list[Wire]]:
    """Fields of one stage of the current block, all 0 unless the token runs it. ``words``: the words being sent."""
    kind = (Kind.ROM0, Kind.ROM1, Kind.ROM2)[stage // 2]
    width = sum(STAGE_FIELDS.values())
    row = b.bus(f"stage{stage}", width)
    flat = [lin(bit) for lane in words for bit in lane][STAGE_BITS * (stage % 2) :][:width]
    _rom(b, f"stage {stage} row", spec, code, kind, context.block, 1 - code.run, flat, row, latest=latest)
    return {name: row[at : at + STAGE_FIELDS[name]] for name, at in field_offsets(STAGE_FIELDS).items()}


def _status(
    b: Builder, spec: MachineSpec, code: TokenCode, warp: list[Wire], control: dict[str, list[Wire]]
) -> tuple[list[Wire], list[Wire], list[list[Wire]]]:
    """For each lane of the current warp: waiting (and at which block), or exited."""
    k = code.kinds
    destination = b.bus("wait_at", spec.block_bits)
    for i, bit in enumerate(destination):
        b.all_of([control["next"][i], k[Kind.WAITF]], {bit: 1})
        b.all_of([control["target"][i], k[Kind.WAITT]], {bit: 1})
    waiting, exited, wait_block = [], [], []
    changes = code.any_of(Kind.WAITF, Kind.WAITT, Kind.EXIT, Kind.WAKE)
    for lane in range(spec.lanes):
        wires = b.bus(f"status{lane}", 2 + spec.block_bits)
        b.head(Head(
            f"status of lane {lane}",
            Port(warp, inhibit=2 - changes - code.index[lane]),
            Port(warp),
            [code.any_of(Kind.WAITF, Kind.WAITT), lin(k[Kind.EXIT]), *(lin(d) for d in destination)],
            [{w: 1} for w in wires],
            reset=lin(k[Kind.CTA]),
        ))  # fmt: skip
        waiting.append(wires[0])
        exited.append(wires[1])
        wait_block.append(wires[2:])
    return waiting, exited, wait_block
