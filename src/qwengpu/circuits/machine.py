"""The whole machine: units connected in the order in which a token passes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qwengpu.circuits.alu import NIBBLES, Alu, Lane, address
from qwengpu.circuits.builder import INPUT_TIME, Builder, Wire, lin
from qwengpu.circuits.context import Context, TokenCode, build_context, fetch_stage, token_code
from qwengpu.circuits.emission import branch_buffer, emit, items, result_buffer
from qwengpu.circuits.memory import (
    Faults,
    StoreUnit,
    check_access,
    checks,
    load_ports,
    participants,
    store_unit,
    word_bits,
)
from qwengpu.circuits.registers import HEAD_ROWS, forward, master_file, operand_port, write_back
from qwengpu.circuits.scheduler import decide
from qwengpu.machine.isa import CONTROL_LINES
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Vocabulary

#: First channels of the residual stream: the anchor that fixes the norms, and the constant 1, twice, because a bias
#: may need more significant bits than one bf16 weight has.
ANCHOR, ONE, ONE_AGAIN = 0, 1, 2
FIRST_CODE = 3


@dataclass
class Circuit:
    """A finished circuit.

    Attributes:
        layers: neurons and heads by layer (``builder.layers``). code: wires of the input token's code; the output
            code uses the same channels. channels: number used. hidden: width of the residual stream.
        memory: for each (bank, part), the (layer, head) of the master copy, row r of part p holding word
            ``(128 p + r) * lanes + bank``.
    """

    spec: MachineSpec
    vocabulary: Vocabulary
    builder: Builder
    code: TokenCode
    channels: int
    hidden: int
    memory: dict[tuple[int, int], tuple[int, int]]


def residual_width(channels: int) -> int:
    """The smallest hidden size that holds them: an even square, so that its root, the scale of the norms, is exact."""
    root = 2 * math.ceil(math.sqrt(channels) / 2)
    return root * root


def build_circuit(spec: MachineSpec) -> Circuit:
    """Compile a machine spec into neurons and heads."""
    vocabulary = Vocabulary(spec)
    b = Builder(spec.heads)
    code = token_code(b, vocabulary, "in")
    for channel, wire in enumerate(code.wires(), start=FIRST_CODE):
        wire.writes.append(INPUT_TIME)
        wire.channel = channel
    context = build_context(b, spec, code)
    pipeline = _Pipeline(b, spec, code, context)

    # Results are put away once the last stage has taken what it needs of them.
    stages = pipeline.stages
    outputs = [b.bus(f"item{lane}", 32) for lane in range(spec.lanes)]
    mixed = max(w.ready for w in stages[-2][0].result) // 2 + 1
    for number, lanes in enumerate(stages):
        done = pipeline.participants.done if number == spec.store_stage else None
        result_buffer(b, spec, code, pipeline.item, number, [u.result for u in lanes], outputs, mixed, done)
    taken = branch_buffer(b, spec, code, [u.result[0] for u in stages[-1]])
    decision = decide(b, spec, code, context, pipeline.item.ended)
    out = token_code(b, vocabulary, "out")
    for source, wire in zip(code.wires(), out.wires(), strict=True):
        wire.channel, wire.kept = source.channel, True
    colliding, faults = pipeline.store.colliding, pipeline.faults
    emit(b, spec, code, context, pipeline.item, decision, outputs, taken, colliding, faults, out)
    channels = b.allocate(FIRST_CODE + len(code.wires()))

    memory: dict[tuple[int, int], tuple[int, int]] = {}
    for place, (layer, head) in pipeline.store.copies.items():
        memory[place] = layer, next(i for i, other in enumerate(b.layers[layer].heads) if other is head)
    return Circuit(spec, vocabulary, b, code, channels, residual_width(channels), memory)


class _Pipeline:
    """The pipeline stages, in depth: operands, ALU, memory.

    Attributes:
        stages: lanes of every stage. words: the words being sent. store: what a token writes to memory.
        faults: accesses that trap. participants: which lanes store. item: what of the block is still to be sent.
    """

    store: StoreUnit

    def __init__(self, b: Builder, spec: MachineSpec, code: TokenCode, context: Context) -> None:
        self.b, self.spec, self.code, self.context = b, spec, code, context
        self.back = write_back(b, spec, code, context)
        self.words = master_file(b, spec, context, self.back)
        self.stages: list[list[Lane]] = []
        self.faults = Faults(b.bus("fault.address", spec.lanes, 8), b.bus("fault.alignment", spec.lanes, 32))
        for number, kind in enumerate(spec.stages):
            self._stage(number, kind)

    def _stage(self, number: int, kind: str) -> None:
        b, spec, name = self.b, self.spec, f"s{number}"
        multiplier = kind == "mul"
        lanes = [_new_lane(b, f"{name}.{lane}", multiplier) for lane in range(spec.lanes)]
        fields = self._operands(number, lanes, multiplier)
        if number == 0:
            self.participants = participants(b, spec, self.code, self.context, [lane.predicate for lane in lanes])
            self.item = items(b, spec, self.code, self.context, self.participants.pending)
        control = {line: fields[line][0] for line in CONTROL_LINES}
        for lane, unit in enumerate(lanes):
            Alu(b, control, unit, f"{name}.{lane}", multiplier, load=kind == "load")
            if number == 0:  # outside of running blocks, stage 0's result carries the words being sent
                at = unit.result[0].ready // 2
                for source, bit in zip(self.words[lane], unit.result, strict=True):
                    b.neuron(lin(source) - self.code.run, {bit: 1}, at=at)
        if kind == "load":
            bits = word_bits(spec) + 2
            addresses = [address(b, unit, bits, f"{name}.{lane}") for lane, unit in enumerate(lanes)]
            if number == spec.store_stage:
                data = [unit.result for unit in self.stages[0]]
                storing = self.participants.storing
                self.store = store_unit(b, spec, self.code, self.words, lanes, addresses, data, storing)
            load_ports(b, spec, number, control["load"], addresses, self.store, lanes)
            checked = checks(b, spec, self.code, self.context, number, control["load"], self.participants)
            word = self.stages[0][0].result
            check_access(b, spec, self.code, self.context, number, checked, addresses, word, self.faults)
        self.stages.append(lanes)

    def _operands(self, number: int, lanes: list[Lane], multiplier: bool) -> dict[str, list[Wire]]:
        """Fetch a stage's fields and read its operands; returns the fields."""
        b, spec, name = self.b, self.spec, f"s{number}"
        # The words being sent move to stage 0's result, which lives as long as later ports need it.
        words = self.words if number <= 1 else [lane.result for lane in self.stages[0]]
        if number == 0:
            mix = None
            status = (*self.context.waiting, *self.back.index)
            fetched_by = max(w.ready for w in status) // 2
        else:
            # Registers are read by the layer in which the last stage's result is complete; its MLP mixes results in.
            ready = max(w.ready for lane in self.stages[-1] for w in lane.result)
            inputs = (*self.context.block, *(bit for lane in words for bit in lane))
            mix, fetched_by = _slots(b, spec, (ready + 1) // 2, max(w.ready for w in inputs) // 2 + 1, multiplier)
        sent = words if number else self.context.words
        fields = fetch_stage(b, spec, self.code, self.context, number, sent, latest=fetched_by)
        for operand in ("a", "b", "c"):
            outputs = [lane.operand(operand) for lane in lanes]
            if operand != "c" or multiplier:
                port = f"{name}.{operand}"
                operand_port(b, spec, port, self.context, self.back, words, fields, operand, outputs, latest=mix)
            if mix is not None:
                forward(b, fields, operand, [[u.result for u in s] for s in self.stages], outputs, mix)
        return fields


def _new_lane(b: Builder, name: str, multiplier: bool) -> Lane:
    return Lane(
        a=b.bus(f"{name}.a", 32),
        b=b.bus(f"{name}.b", 32),
        predicate=b.wire(f"{name}.predicate"),
        addend=b.bus(f"{name}.c", NIBBLES if multiplier else 0, high=15),
        result=b.bus(f"{name}.r", 32),
    )


def _slots(b: Builder, spec: MachineSpec, mix: int, first: int, multiplier: bool) -> tuple[int, int]:
    """Layers for a stage's operands and for its fetch, with free head slots for both: the earliest from ``mix``, and
    the last before it, but not before ``first``."""
    rom = max(1, spec.blocks // HEAD_ROWS)
    per_port = max(1, spec.registers * spec.warps // HEAD_ROWS)
    operands = per_port * (3 if multiplier else 2) + 2
    while True:
        layer, needed = mix, operands
        while needed > 0 and layer >= first:
            needed -= b.free_heads(layer)
            layer -= 1
        if needed <= 0 and sum(b.free_heads(at) for at in range(first, layer + 1)) >= rom:
            return mix, layer
        mix += 1
