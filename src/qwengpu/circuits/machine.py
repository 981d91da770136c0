"""The whole machine: units connected in the order in which a token passes them."""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.alu import NIBBLES, Alu, Lane, address_bits
from qwengpu.circuits.builder import INPUT_TIME, MLP, Builder, lin
from qwengpu.circuits.context import Context, TokenCode, build_context, fetch_stage, token_code
from qwengpu.circuits.emission import branch_buffer, emit, items, result_buffer
from qwengpu.circuits.memory import StoreUnit, load_ports, participants, store_unit, word_bits
from qwengpu.circuits.registers import forward, operand_port, write_back
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
            code uses the same channels. channels: number used. memory: for each (bank, part), the (layer, head) of
            one copy, row r of part p holding word ``(128 p + r) * lanes + bank``.
    """

    spec: MachineSpec
    vocabulary: Vocabulary
    builder: Builder
    code: TokenCode
    channels: int
    memory: dict[tuple[int, int], tuple[int, int]]


def build_circuit(spec: MachineSpec) -> Circuit:
    """Compile a machine spec into neurons and heads."""
    vocabulary = Vocabulary(spec)
    b = Builder(spec.heads, spec.head_dim)
    code = token_code(b, vocabulary, "in")
    for channel, wire in enumerate(code.wires(), start=FIRST_CODE):
        wire.writes.append(INPUT_TIME)
        wire.channel, wire.reserved = channel, True
    context = build_context(b, spec, code)
    lanes, store, placed, item = _pipeline(b, spec, code, context)

    outputs = [b.bus(f"item{lane}", 32) for lane in range(spec.lanes)]
    final_mix = max(w.ready for w in lanes[-2][0].result) // 2 + 1
    for stage, units in enumerate(lanes):
        done = None
        if stage == spec.store_stage:
            done = [next(w for w in b.wires if w.name == f"done{lane}") for lane in range(spec.lanes)]
        result_buffer(b, spec, code, item, stage, [u.result for u in units], outputs, final_mix, done)
    taken = branch_buffer(b, spec, code, [u.result[0] for u in lanes[-1]])
    decision = decide(b, spec, code, context, item.ended)
    out = token_code(b, vocabulary, "out")
    for source, wire in zip(code.wires(), out.wires(), strict=True):
        wire.channel, wire.kept = source.channel, True
    emit(b, spec, code, context, item, decision, outputs, taken, store.colliding, out)
    channels = b.allocate(spec.hidden, FIRST_CODE + len(code.wires()))

    memory = {}
    for lane, bank, part, layer, name in placed:
        if lane == 0 and (bank, part) not in memory:
            head = next(i for i, h in enumerate(b.layers[layer].heads) if h.name == name)
            memory[bank, part] = (layer, head)
    return Circuit(spec, vocabulary, b, code, channels, memory)


def _pipeline(b: Builder, spec: MachineSpec, code: TokenCode, context: Context):  # noqa: ANN202
    """All stages; returns their lanes, the store unit, memory heads, and the item being sent."""
    back = write_back(b, spec, code, context)
    stages: list[list[Lane]] = []
    placed: list[tuple[int, int, int, int, str]] = []
    store: StoreUnit | None = None
    item = None
    storing: list = []
    pending: list = []
    status_layer = max(w.ready for w in (*context.waiting, *back.index)) // 2 + 1
    for number, kind in enumerate(spec.stages):
        name = f"s{number}"
        multiplier, load = kind == "mul", kind == "load"
        lanes = [
            Lane(
                b.bus(f"{name}.{lane}.a", 32), b.bus(f"{name}.{lane}.b", 32), b.wire(f"{name}.{lane}.predicate"),
                b.bus(f"{name}.{lane}.c", NIBBLES if multiplier else 0, high=15), b.bus(f"{name}.{lane}.r", 32),
            )
            for lane in range(spec.lanes)
        ]  # fmt: skip
        # Registers are read in the layer in which the last stage's result is complete; its MLP mixes results in.
        mix = None
        if number:
            ready = max(w.ready for lane in stages[-1] for w in lane.result)
            mix = ready // 2 + (1 if ready % 2 == MLP else 0)
        words = context.words if number <= 1 else [lane.result for lane in stages[0]]
        if number:
            fields = fetch_stage(b, spec, code, context, number, words, latest=_free_before(b, mix, spec, multiplier))
        else:
            fields = fetch_stage(b, spec, code, context, number, words, latest=status_layer - 1)
        for operand in ("a", "b", "c"):
            outputs = [lane.operand(operand) for lane in lanes]
            if operand != "c" or multiplier:
                operand_port(b, spec, f"{name}.{operand}", context, back, words, fields, operand, outputs, latest=mix)
            if mix is not None:
                forward(b, fields, operand, [[u.result for u in s] for s in stages], outputs, mix)
        if number == 0:
            storing, pending = participants(b, spec, code, context, [lane.predicate for lane in lanes])
            item = items(b, spec, code, context, pending)
        control = {line: fields[line][0] for line in CONTROL_LINES}
        for lane, unit in enumerate(lanes):
            Alu(b, control, unit, f"{name}.{lane}", multiplier, load)
            if number == 0:  # outside of running blocks, stage 0's result carries the words being sent
                at = unit.result[0].ready // 2
                for source, bit in zip(context.words[lane], unit.result, strict=True):
                    b.neuron(lin(source) - code.run, {bit: 1}, at=at)
        if load:
            addresses = [address_bits(b, unit, word_bits(spec), f"{name}.{lane}") for lane, unit in enumerate(lanes)]
            if store is None:
                data = [unit.result for unit in stages[0]]
                store = store_unit(b, spec, code, context, lanes, addresses, data, storing, pending)
            ports = load_ports(b, spec, number, control["load"], addresses, store, lanes)
            placed += [
                (lane, bank, part, layer, f"memory bank {bank} part {part}, stage {number} lane {lane}")
                for lane, bank, part, layer in ports
            ]
        stages.append(lanes)
    return stages, store, placed, item


def _free_before(b: Builder, mix: int, spec: MachineSpec, multiplier: bool) -> int:
    """A layer early enough that the operand heads that follow the fetch find free slots up to ``mix``."""
    per_port = spec.lanes * max(1, spec.registers * spec.warps // 128)
    needed = per_port * (3 if multiplier else 2) + 2
    layer = mix
    while needed > 0:
        b._layer(layer)
        needed -= spec.heads - len(b.layers[layer].heads)
        layer -= 1
    return layer
