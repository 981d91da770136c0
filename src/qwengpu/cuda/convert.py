"""PTX instructions: moves and conversions between widths."""

from __future__ import annotations

from qwengpu.cuda import wide
from qwengpu.cuda.builder import WIDTHS, Builder, Wide
from qwengpu.cuda.instructions import BITS, INTEGERS, instruction, kind_of
from qwengpu.cuda.ir import Value, literal
from qwengpu.cuda.ptx import PtxInstruction, Vector
from qwengpu.machine.isa import Op

_EXTEND = {"u8": Op.EXT8U, "s8": Op.EXT8S, "u16": Op.EXT16U, "s16": Op.EXT16S}


@instruction("mov", f"{INTEGERS} {BITS}", note="also packs and unpacks vectors of two or four parts")
def _mov(t: Builder, item: PtxInstruction) -> None:
    kind = kind_of(item)
    if len(item.operands) != 2:
        raise t.fail("it takes 2 operands")
    destination, source = item.operands
    if isinstance(destination, Vector):
        _unpack(t, destination, source, kind)
    elif isinstance(source, Vector):
        _pack(t, destination, source, kind)
    elif WIDTHS[kind] == 64:
        t.define_wide(destination, t.wide(source))
    else:
        t.define(destination, t.value(source, kind.replace("s", "b")))


def _part_bits(t: Builder, vector: Vector, kind: str) -> int:
    bits = WIDTHS[kind] // len(vector.items)
    if bits * len(vector.items) != WIDTHS[kind] or bits not in (16, 32):
        raise t.fail("take 64 bits apart into two or four registers, 32 bits into two")
    return bits


def _unpack(t: Builder, destination: Vector, source: object, kind: str) -> None:
    bits = _part_bits(t, destination, kind)
    words = t.wide(source) if WIDTHS[kind] == 64 else (t.value(source),)  # type: ignore[arg-type]
    parts = list(words) if bits == 32 else [t.emit(Op.EXT16U, w, literal(k)) for w in words for k in (0, 2)]
    for operand, part in zip(destination.items, parts, strict=True):
        t.define(operand, part)


def _pack(t: Builder, destination: object, source: Vector, kind: str) -> None:
    bits = _part_bits(t, source, kind)
    parts = [t.value(item, f"b{bits}") for item in source.items]
    if bits == 16:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [t.emit(Op.OR, low, t.emit(Op.SHL, high, literal(16))) for low, high in pairs]
    if WIDTHS[kind] == 64:
        t.define_wide(destination, (parts[0], parts[1]))  # type: ignore[arg-type]
    else:
        t.define(destination, parts[0])  # type: ignore[arg-type]


@instruction("cvt", f"u8 s8 {INTEGERS}", "sat")
def _cvt(t: Builder, item: PtxInstruction) -> None:
    kinds = [p for p in item.parts if p in WIDTHS]
    if len(kinds) != 2 or len(item.operands) != 2:
        raise t.fail("it takes two types and two operands")
    target, source = kinds
    value = t.wide(item.operands[1]) if WIDTHS[source] == 64 else _extended(t, t.value(item.operands[1]), source)
    if "sat" in item.parts:
        value = _saturated(t, value, target, source)
    if WIDTHS[target] == 64:
        t.define_wide(item.operands[0], value)
    else:
        t.define_extended(item.operands[0], extended(t, value[0], target), target)


def extended(t: Builder, value: Value, kind: str) -> Value:
    """The low bits of a value, zero or sign extended to 32."""
    return t.emit(_EXTEND[kind], value) if kind in _EXTEND else value


def _extended(t: Builder, value: Value, kind: str) -> Wide:
    low = extended(t, value, kind)
    return low, t.emit(Op.SAR, low, literal(31)) if kind[0] == "s" else None


def _saturated(t: Builder, value: Wide, target: str, source: str) -> Wide:
    """The nearest number that the target type has."""
    bits = WIDTHS[target]
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if target[0] == "s" else (0, (1 << bits) - 1)
    signed = source[0] == "s"
    lowest = -(1 << WIDTHS[source] - 1) if signed else 0
    highest = (1 << WIDTHS[source] - signed) - 1
    if highest > most:
        limit = literal(most), literal(most >> 32)
        value = wide.select(t, limit, value, wide.less(t, limit, value, signed))
    if lowest < least:
        limit = literal(least), literal(least >> 32)
        value = wide.select(t, limit, value, wide.less(t, value, limit, signed))
    return value


@instruction("cvta", "u32 u64", "to global shared const local param", "addresses of all spaces are in one space")
def _cvta(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "u64":
        t.define_wide(item.operands[0], (t.value(item.operands[1]), None))
    else:
        t.define(item.operands[0], t.value(item.operands[1]))
