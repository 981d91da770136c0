"""Memory: words interleaved over one bank a lane; every lane of every load stage has its own read port.

The words of a bank are numbered by *row* (128 of them) and *part*. The master copy holds one part in a DeltaNet head,
one word a row, so that a word is written alone. A read port of a lane is a copy of the whole memory with four parts
in a head, side by side in a row: a write gives it all four, as the master copy has them once the word is written. In
one token each bank can be written once: lanes whose stores collide wait for an ST token.

Beside the words stands the *allocation map*, one bit a word: an access to a word that is not allocated traps.
"""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.alu import Address, Lane
from qwengpu.circuits.builder import Builder, Head, Lin, Port, Wire, lin, mismatch, total
from qwengpu.circuits.context import Context, TokenCode
from qwengpu.machine.isa import ALIGNMENTS
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind

HEAD_ROWS = 128
ROW_BITS = 7
#: Bits that choose one of the parts which a read port holds side by side.
SIDE_BITS = 2
MAP_BITS = 5  # words of the allocation map in a row: 32


@dataclass
class Participants:
    """Which lanes do what, one wire a lane.

    Attributes:
        writing: lanes that take part in the block's store or atomic. storing: lanes that store in this token.
        pending: lanes whose atomic is still to be done after it. done: lanes whose atomic is complete with it.
    """

    writing: list[Wire]
    storing: list[Wire]
    pending: list[Wire]
    done: list[Wire]


@dataclass
class StoreUnit:
    """What is written to memory in this token.

    Attributes:
        row, part: bank -> bits of the row, and of the part, of the word written; enabled: bank -> flag.
        lines: bank -> for each part side by side in a read port, the 32 bits to write.
        colliding: lanes whose store has to wait. copies: (bank, part) -> layer and head of the master copy.
    """

    row: list[list[Wire]]
    part: list[list[Wire]]
    enabled: list[Wire]
    lines: list[list[list[Wire]]]
    colliding: list[Wire]
    copies: dict[tuple[int, int], tuple[int, Head]]


@dataclass
class Faults:
    """What is wrong with a lane's accesses: how many are outside of allocated memory, how many misaligned."""

    address: list[Wire]
    alignment: list[Wire]


def word_bits(spec: MachineSpec) -> int:
    """Bits of a word number."""
    return (spec.words - 1).bit_length()


def participants(b: Builder, spec: MachineSpec, code: TokenCode, context: Context, guards: list[Wire]) -> Participants:
    """Find the lanes that take part in a store or an atomic. ``guards``: bit 0 of stage 0's operand c, by lane."""
    k, flag = code.kinds, context.flag
    lane_bits = (spec.lanes - 1).bit_length()
    result = Participants([], [], [], [])
    for lane in range(spec.lanes):
        refused = b.wire(f"refused{lane}")
        b.neuron(lin(flag("guard")) - guards[lane] - flag("guard_negated"), {refused: 1})
        b.neuron(lin(flag("guard")) + guards[lane] + flag("guard_negated") - 2, {refused: 1})
        writes = b.wire(f"writing{lane}")
        b.neuron(lin(flag("store")) + flag("atomic") + context.active[lane] - refused - 1, {writes: 1})
        result.writing.append(writes)
        asked = b.wire(f"asked{lane}")
        b.all_of([code.any_of(Kind.EXEC, Kind.WAKE), flag("store")], {asked: 1})
        b.all_of([k[Kind.ST], code.index[lane], flag("store")], {asked: 1})
        b.neuron(lin(k[Kind.MEM]) + flag("atomic") - 1 - mismatch(code.index[:lane_bits], lane), {asked: 1})
        stores = b.wire(f"storing{lane}")
        b.neuron(lin(asked) + context.active[lane] - refused - 1, {stores: 1})
        result.storing.append(stores)
        done = b.wire(f"done{lane}")  # MEM of this lane or a later one
        b.step(total((1 << i) * lin(bit) for i, bit in enumerate(code.index[:lane_bits])) + 8 * lin(k[Kind.MEM]),
               8 + lane, {done: 1})  # fmt: skip
        waits = b.wire(f"pending{lane}")
        b.neuron(lin(flag("atomic")) + context.active[lane] + code.run - refused - done - 2, {waits: 1})
        result.pending.append(waits)
        result.done.append(done)
    return result


def part_count(spec: MachineSpec) -> int:
    """Parts of a bank."""
    return spec.words // spec.lanes // HEAD_ROWS


def store_unit(
    b: Builder, spec: MachineSpec, code: TokenCode, words: list[list[Wire]], lanes: list[Lane],
    addresses: list[Address], data: list[list[Wire]], storing: list[Wire],
) -> StoreUnit:  # fmt: skip
    """Route stores to banks, the lowest lane first, and POKE tokens; write the master copy.

    Args:
        words: the words being sent. data: lane -> what it stores.
    """
    k = code.kinds
    bank_bits = (spec.lanes - 1).bit_length()
    hits = [[b.wire(f"hit{lane}.{bank}") for bank in range(spec.lanes)] for lane in range(spec.lanes)]
    for lane, unit in enumerate(lanes):
        low = unit.sums[0]  # address bits 2 and 3 lie in the low nibble, into which nothing carries
        for bank, hit in enumerate(hits[lane]):
            for start in (4 * bank, 16 + 4 * bank):
                for threshold, factor in ((start, 1), (start + 4, -1)):
                    b.step(low, threshold, {hit: factor}, unless=1 - lin(storing[lane]))
    rows = [b.bus(f"bank{bank}.row", word_bits(spec) - bank_bits) for bank in range(spec.lanes)]
    values = [b.bus(f"bank{bank}.data", 32) for bank in range(spec.lanes)]
    enabled = b.bus("bank.enabled", spec.lanes)
    colliding = b.bus("colliding", spec.lanes)
    for bank in range(spec.lanes):
        for i, bit in enumerate(rows[bank]):
            b.all_of([code.index[i], k[Kind.POKE]], {bit: 1})
        for i, bit in enumerate(values[bank]):
            b.all_of([words[bank][i], k[Kind.POKE]], {bit: 1})
        b.neuron(k[Kind.POKE], {enabled[bank]: 1})
        for lane in range(spec.lanes):
            earlier = total(hits[other][bank] for other in range(lane))
            wins = lin(hits[lane][bank]) - earlier
            b.neuron(wins, {enabled[bank]: 1})
            for source, bit in zip(addresses[lane].bits[2 + bank_bits :], rows[bank], strict=True):
                b.neuron(wins + source - 1, {bit: 1})
            for i, bit in enumerate(values[bank]):
                b.neuron(wins + data[lane][i] - 1 - k[Kind.MEM], {bit: 1})
                b.neuron(wins + words[lane][i] + k[Kind.MEM] - 2, {bit: 1})
            if lane:
                b.step(4 * lin(hits[lane][bank]) + earlier, 5, {colliding[lane]: 1})
    sides = 1 << min(SIDE_BITS, (part_count(spec) - 1).bit_length())
    lines = [[b.bus(f"bank{bank}.line{side}", 32) for side in range(sides)] for bank in range(spec.lanes)]
    stores = StoreUnit([r[:ROW_BITS] for r in rows], [r[ROW_BITS:] for r in rows], enabled, lines, colliding, {})
    side_bits = (sides - 1).bit_length()
    for bank in range(spec.lanes):
        for part in range(part_count(spec)):
            off = 1 - lin(enabled[bank])
            head = Head(
                f"memory bank {bank} part {part}",
                Port(stores.row[bank], off + mismatch(stores.part[bank], part)),
                Port(stores.row[bank], off + mismatch(stores.part[bank][side_bits:], part >> side_bits)),
                [lin(bit) for bit in values[bank]],
                [{bit: 1} for bit in lines[bank][part % sides]],
            )
            stores.copies[bank, part] = b.head(head), head
    return stores


def load_ports(
    b: Builder, spec: MachineSpec, stage: int, load: Wire, addresses: list[Address], store: StoreUnit,
    lanes: list[Lane],
) -> None:  # fmt: skip
    """Read ports of one load stage, adding the words read to its results."""
    bank_bits = (spec.lanes - 1).bit_length()
    sides = len(store.lines[0])
    side_bits = (sides - 1).bit_length()
    for lane, unit in enumerate(lanes):
        bits = addresses[lane].bits[2:]
        bank_part, row = bits[:bank_bits], bits[bank_bits : bank_bits + ROW_BITS]
        part = bits[bank_bits + ROW_BITS :]
        found = [b.bus(f"loaded{stage}.{lane}.{side}", 32) for side in range(sides)] if sides > 1 else [unit.result]
        for bank in range(spec.lanes):
            line = [bit for side in store.lines[bank] for bit in side]
            for group in range(part_count(spec) // sides):
                away = 1 - lin(store.enabled[bank]) + mismatch(store.part[bank][side_bits:], group)
                elsewhere = 1 - lin(load) + addresses[lane].beyond + mismatch(bank_part, bank)
                b.head(
                    Head(
                        f"memory bank {bank}, stage {stage} lane {lane}",
                        Port(store.row[bank], away),
                        Port(row, elsewhere + mismatch(part[side_bits:], group)),
                        [lin(bit) for bit in line],
                        [{bit: 1} for side in found for bit in side],
                    )
                )
        if sides > 1:
            for side, words in enumerate(found):
                for source, bit in zip(words, unit.result, strict=True):
                    b.neuron(lin(source) - mismatch(part[:side_bits], side), {bit: 1})


def checks(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, stage: int, load: Wire, part: Participants
) -> list[Wire]:
    """Lanes whose access in a load stage is to be checked. ``load``: the stage's load line."""
    found = b.bus(f"check{stage}", spec.lanes)
    for lane, wire in enumerate(found):
        asked: list[Lin | Wire | float] = [code.kinds[Kind.EXEC], 1 - lin(context.control["align0"][stage])]
        if stage == spec.store_stage:
            b.all_of([*asked, part.writing[lane]], {wire: 1})
            asked.append(1 - lin(context.flag("atomic")))
        b.all_of([*asked, context.active[lane], load], {wire: 1})
    return found


def check_access(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, stage: int, checked: list[Wire],
    addresses: list[Address], word: list[Wire], faults: Faults,
) -> None:  # fmt: skip
    """Look accesses up in the allocation map, and check their alignment. ``word``: the word being sent in lane 0."""
    rows = word_bits(spec) - MAP_BITS
    low = min(ROW_BITS, rows)
    align = {n: context.control[f"align{n}"][stage] for n in ALIGNMENTS if n != 4}
    for lane, (check, found) in enumerate(zip(checked, addresses, strict=True)):
        bits = found.bits[2:]
        granted = b.bus(f"granted{stage}.{lane}", 1 << MAP_BITS)
        for upper in range(1 << (rows - low)):
            b.head(
                Head(
                    f"allocation map {upper}, stage {stage} lane {lane}",
                    Port(code.index[:low], 1 - lin(code.kinds[Kind.MAP]) + mismatch(code.index[low:rows], upper)),
                    Port(
                        bits[MAP_BITS : MAP_BITS + low],
                        1 - lin(check) + found.beyond + mismatch(bits[MAP_BITS + low :], upper),
                    ),
                    [lin(bit) for bit in word],
                    [{bit: 1} for bit in granted],
                )
            )
        allowed = b.wire(f"allowed{stage}.{lane}")
        for i, bit in enumerate(granted):
            b.neuron(lin(bit) - mismatch(bits[:MAP_BITS], i), {allowed: 1})
        b.neuron(lin(check) - allowed, {faults.address[lane]: 1})
        loose = (
            lin(align[1]),
            lin(align[1]) + align[2],
            1 - lin(align[8]) - align[16],
            1 - lin(align[16]),
        )
        for bit, allowed_by in zip(found.bits, loose, strict=False):
            b.neuron(lin(bit) + check - 1 - allowed_by, {faults.alignment[lane]: 1})
