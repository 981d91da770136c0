"""Memory: words interleaved over one bank a lane; every lane of every load stage has its own read port.

A DeltaNet head holds 128 words. A read port of a lane is a copy of the whole memory (all banks); every write goes to
all copies. In one token each bank can be written once: lanes whose stores collide wait for an ST token.
"""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.alu import Lane
from qwengpu.circuits.builder import Builder, Head, Port, Wire, lin, mismatch, total
from qwengpu.circuits.context import Context, TokenCode
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind

HEAD_ROWS = 128
ROW_BITS = 7


@dataclass
class Participants:
    """Which lanes do what, one wire a lane.

    Attributes:
        storing: lanes that store in this token. pending: lanes whose atomic is still to be done after it.
        done: lanes whose atomic is complete with this token.
    """

    storing: list[Wire]
    pending: list[Wire]
    done: list[Wire]


@dataclass
class StoreUnit:
    """What is written to memory in this token.

    Attributes:
        row: bank -> bits of the row within the bank; data: bank -> 32 bits; enabled: bank -> flag.
        colliding: lanes whose store has to wait.
    """

    row: list[list[Wire]]
    data: list[list[Wire]]
    enabled: list[Wire]
    colliding: list[Wire]


@dataclass
class MemoryHead:
    """A head that holds part ``part`` of a bank (its rows from ``128 part``) for one lane's reads."""

    lane: int
    bank: int
    part: int
    layer: int
    head: Head


def word_bits(spec: MachineSpec) -> int:
    """Bits of a word number."""
    return (spec.words - 1).bit_length()


def participants(b: Builder, spec: MachineSpec, code: TokenCode, context: Context, guards: list[Wire]) -> Participants:
    """Find the lanes that take part in a store or an atomic. ``guards``: bit 0 of stage 0's operand c, by lane."""
    k, flag = code.kinds, context.flag
    lane_bits = (spec.lanes - 1).bit_length()
    result = Participants([], [], [])
    for lane in range(spec.lanes):
        refused = b.wire(f"refused{lane}")
        b.neuron(lin(flag("guard")) - guards[lane] - flag("guard_negated"), {refused: 1})
        b.neuron(lin(flag("guard")) + guards[lane] + flag("guard_negated") - 2, {refused: 1})
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


def store_unit(
    b: Builder, spec: MachineSpec, code: TokenCode, context: Context, lanes: list[Lane], addresses: list[list[Wire]],
    data: list[list[Wire]], storing: list[Wire],
) -> StoreUnit:  # fmt: skip
    """Route stores to banks, the lowest lane first, and POKE tokens.

    Args:
        addresses: lane -> bits of its word number; data: lane -> what it stores (in a MEM token, the words sent).
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
            b.all_of([data[bank][i], k[Kind.POKE]], {bit: 1})
        b.neuron(k[Kind.POKE], {enabled[bank]: 1})
        for lane in range(spec.lanes):
            earlier = total(hits[other][bank] for other in range(lane))
            wins = lin(hits[lane][bank]) - earlier
            b.neuron(wins, {enabled[bank]: 1})
            for source, bit in zip(addresses[lane][bank_bits:], rows[bank], strict=True):
                b.neuron(wins + source - 1, {bit: 1})
            for i, bit in enumerate(values[bank]):
                b.neuron(wins + data[lane][i] - 1 - k[Kind.MEM], {bit: 1})
                b.neuron(wins + context.words[lane][i] + k[Kind.MEM] - 2, {bit: 1})
            if lane:
                b.step(4 * lin(hits[lane][bank]) + earlier, 5, {colliding[lane]: 1})
    return StoreUnit(rows, values, enabled, colliding)


def load_ports(
    b: Builder, spec: MachineSpec, stage: int, load: Wire, addresses: list[list[Wire]], store: StoreUnit,
    lanes: list[Lane],
) -> list[MemoryHead]:  # fmt: skip
    """Read ports of one load stage, adding the words read to its results."""
    bank_bits = (spec.lanes - 1).bit_length()
    parts = spec.words // spec.lanes // HEAD_ROWS
    placed = []
    for lane, unit in enumerate(lanes):
        address = addresses[lane]
        bank_part, row = address[:bank_bits], address[bank_bits : bank_bits + ROW_BITS]
        upper = address[bank_bits + ROW_BITS :]
        for bank in range(spec.lanes):
            for part in range(parts):
                away = 1 - lin(store.enabled[bank]) + mismatch(store.row[bank][ROW_BITS:], part)
                elsewhere = 1 - lin(load) + mismatch(bank_part, bank) + mismatch(upper, part)
                head = Head(
                    f"memory bank {bank} part {part}, stage {stage} lane {lane}",
                    Port(store.row[bank][:ROW_BITS], away),
                    Port(row, elsewhere),
                    [lin(bit) for bit in store.data[bank]],
                    [{bit: 1} for bit in unit.result],
                )
                placed.append(MemoryHead(lane, bank, part, b.head(head), head))
    return placed
