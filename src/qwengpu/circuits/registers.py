"""Register file and constant bank: operand ports of a pipeline stage, and what writes them."""

from __future__ import annotations

from dataclasses import dataclass

from qwengpu.circuits.builder import Builder, Head, Port, Wire, lin, mismatch
from qwengpu.circuits.context import Context, TokenCode
from qwengpu.machine.isa import INDEX_BITS
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind

HEAD_ROWS = 128


@dataclass
class WriteBack:
    """Where the words being sent go: row index, and whether it is a register or a constant."""

    index: list[Wire]
    register: Wire
    constant: Wire


def write_back(b: Builder, spec: MachineSpec, code: TokenCode, context: Context) -> WriteBack:
    """Decode COMMIT (through the block's destinations), REG and CONST."""
    k = code.kinds
    index, register, constant = b.bus("write_index", INDEX_BITS), b.wire("write_register"), b.wire("write_constant")
    for i in range(min(INDEX_BITS, len(code.index))):
        b.neuron(lin(code.index[i]) + code.any_of(Kind.REG, Kind.CONST) - 1, {index[i]: 1})
    for stage in range(len(spec.stages)):
        here = lin(k[Kind.COMMIT]) - mismatch(code.index[:3], stage)
        to_constant = context.control["dst_const"][stage]
        for i, bit in enumerate(context.control[f"dst{stage}"]):
            b.neuron(here + bit - 1, {index[i]: 1})
        b.neuron(here + to_constant - 1, {constant: 1})
        b.neuron(here - to_constant, {register: 1})
    b.neuron(k[Kind.REG], {register: 1})
    b.neuron(k[Kind.CONST], {constant: 1})
    return WriteBack(index, register, constant)


def register_rows(spec: MachineSpec, index: list[Wire], warp: list[Wire]) -> tuple[list[Wire], list[Wire]]:
    """A register of a warp as a row within a head (up to 128 of them), and the bits that choose the head."""
    register_bits = (spec.registers - 1).bit_length()
    low = min(register_bits, HEAD_ROWS.bit_length() - 1 - len(warp))
    return [*index[:low], *warp], index[low:register_bits]


def master_file(b: Builder, spec: MachineSpec, context: Context, back: WriteBack) -> list[list[Wire]]:
    """The register file that is written lane by lane; returns the words being sent, as every unit after it gets them.

    Lanes that wait or have ended keep their registers. The operand ports hold all lanes of a register in one row, so
    they need these lanes' old words to write them again: reading the row just written gives exactly that.
    """
    row, upper = register_rows(spec, back.index, context.warp)
    words = [b.bus(f"written{lane}", 32) for lane in range(spec.lanes)]
    for lane, bits in enumerate(words):
        absent = lin(context.waiting[lane]) + context.exited[lane]
        for number in range(1 << len(upper)):
            here = Port(row, 1 - lin(back.register) + mismatch(upper, number))
            b.head(
                Head(
                    f"registers of lane {lane}",
                    Port(row, absent + here.inhibit),
                    here,
                    [lin(w) for w in context.words[lane]],
                    [{bit: 1} for bit in bits],
                )
            )
    ready = max(bit.ready for bits in words for bit in bits)
    for lane, bits in enumerate(words):
        for source, bit in zip(context.words[lane], bits, strict=True):
            b.neuron(lin(source) - back.register, {bit: 1}, at=ready // 2)
    return words


def operand_port(
    b: Builder, spec: MachineSpec, name: str, context: Context, back: WriteBack, words: list[list[Wire]],
    fields: dict[str, list[Wire]], operand: str, outputs: list[list[dict[Wire, float]]], latest: int | None = None,
) -> None:  # fmt: skip
    """Read one operand of all lanes from registers (and constants), adding it to ``outputs[lane][bit]``.

    Args:
        operand: "a", "b" or "c": which fields of the stage select it.
        words: wires that hold the words being written, at the depth of this port.
    """
    select = fields[f"{operand}_index"]
    written, written_upper = register_rows(spec, back.index, context.warp)
    read, read_upper = register_rows(spec, select, context.warp)
    width = len(outputs[0])
    for number in range(1 << len(read_upper)):
        b.head(
            Head(
                f"{name} registers",
                Port(written, 1 - lin(back.register) + mismatch(written_upper, number)),
                Port(read, 1 - lin(fields[f"{operand}_reg"][0]) + mismatch(read_upper, number)),
                [lin(w) for lane in words for w in lane[:width]],
                [bit for bits in outputs for bit in bits],
            ),
            latest=latest,
        )
    if f"{operand}_const" in fields:
        constant_bits = (spec.constants - 1).bit_length()
        b.head(
            Head(
                f"{name} constants",
                Port(back.index[:constant_bits], inhibit=1 - lin(back.constant)),
                Port(select[:constant_bits], inhibit=1 - lin(fields[f"{operand}_const"][0])),
                [lin(w) for w in words[0]],
                [{w: c for bits in outputs for w, c in bits[i].items()} for i in range(32)],
            ),
            latest=latest,
        )


def forward(b: Builder, fields: dict[str, list[Wire]], operand: str, results: list[list[list[Wire]]],
            outputs: list[list[dict[Wire, float]]], at: int) -> None:  # fmt: skip
    """Mix results of earlier stages of the block into an operand, in layer ``at``."""
    for stage, lanes in enumerate(results):
        chosen = fields[f"{operand}_stage"][stage]
        for lane, bits in enumerate(outputs):
            for source, bit in zip(lanes[lane], bits, strict=False):
                b.all_of([source, chosen], bit, at=at)
