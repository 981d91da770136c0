"""PTX instructions: sums, products, extremes, and the dot products of bytes."""

from __future__ import annotations

from qwengpu.cuda import wide
from qwengpu.cuda.builder import WIDTHS, Builder, Wide
from qwengpu.cuda.instructions import INTEGERS, instruction, kind_of
from qwengpu.cuda.ir import Value, literal
from qwengpu.cuda.ptx import Name, PtxInstruction
from qwengpu.machine.isa import Op

#: The register of the carry, or borrow, that ``.cc`` instructions hand on.
CARRY = "%carry"


def sources(t: Builder, item: PtxInstruction, count: int, kind: str) -> list[Value]:
    """The operands after the result, which must be ``count``."""
    _expect(t, item, count)
    return [t.value(operand, kind) for operand in item.operands[1:]]


def wide_sources(t: Builder, item: PtxInstruction, count: int) -> list[Wide]:
    """The same of 64-bit operands."""
    _expect(t, item, count)
    return [t.wide(operand) for operand in item.operands[1:]]


def _expect(t: Builder, item: PtxInstruction, count: int) -> None:
    if len(item.operands) != count + 1:
        raise t.fail(f"it takes {count + 1} operands")


def _carry(t: Builder) -> Value:
    t.kernel.registers.setdefault(CARRY, ".pred")
    t.definitions.setdefault(CARRY, 2)
    return t.register(CARRY)


def _hand_on(t: Builder, value: Value) -> None:
    _carry(t)
    t.define(Name(CARRY), value)


# --- sums ------------------------------------------------------------------------------------------------------------


@instruction("add sub", INTEGERS, "cc sat", ".sat for .s32, .cc for 32 and 64 bits")
@instruction("addc subc", "u32 s32 u64 s64", "cc")
def _sum(t: Builder, item: PtxInstruction) -> None:
    kind, name = kind_of(item), item.parts[0]
    carry = _carry(t) if name.endswith("c") else None
    subtracts = name.startswith("sub")
    if "sat" in item.parts:
        if kind != "s32" or "cc" in item.parts:
            raise t.fail(".sat needs .s32")
        a, b = sources(t, item, 2, kind)
        t.define(item.operands[0], saturated_sum(t, a, b, subtracts))
        return
    if WIDTHS[kind] == 64:
        first, second = wide_sources(t, item, 2)
        total = (wide.subtract if subtracts else wide.add)(t, first, second, carry)
        if "cc" in item.parts:
            low = (wide.borrow_of_difference if subtracts else wide.carry_of_sum)(t, first[0], second[0], carry)
            _hand_on(t, _carry_out(t, first[1], second[1], low, subtracts))
        t.define_wide(item.operands[0], total)
        return
    a, b = sources(t, item, 2, kind)
    if "cc" in item.parts and WIDTHS[kind] != 32:
        raise t.fail(".cc needs 32 or 64 bits")
    if carry is None:
        result = t.emit(Op.SUB if subtracts else Op.ADD, a, b)
    else:
        result = t.emit(Op.SUBC if subtracts else Op.ADDC, a, b, carry)
    if "cc" in item.parts:
        _hand_on(t, _carry_out(t, a, b, carry, subtracts))
    t.define(item.operands[0], result)


def _carry_out(t: Builder, a: Value, b: Value, carry: Value, subtracts: bool) -> Value:
    return (wide.borrow_of_difference if subtracts else wide.carry_of_sum)(t, a, b, carry)


def saturated_sum(t: Builder, a: Value, b: Value, subtracts: bool) -> Value:
    """The signed sum or difference, or the limit that it would pass."""
    result = t.emit(Op.SUB if subtracts else Op.ADD, a, b)
    # It overflows where the operands' signs (of a and -b) agree and the result's differs from a's.
    agree = t.emit(Op.XOR, a, b) if subtracts else t.emit(Op.XOR, t.emit(Op.XOR, a, b), literal(-1))
    overflow = t.emit(Op.AND, agree, t.emit(Op.XOR, a, result))
    limit = t.emit(Op.XOR, t.emit(Op.SAR, a, literal(31)), literal(0x7FFFFFFF))
    return t.emit(Op.SELP, limit, result, t.emit(Op.SHR, overflow, literal(31)))


@instruction("neg", "s16 s32 s64")
def _neg(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "s64":
        (a,) = wide_sources(t, item, 1)
        t.define_wide(item.operands[0], wide.negate(t, a))
    else:
        (b,) = sources(t, item, 1, kind_of(item))
        t.define(item.operands[0], t.emit(Op.SUB, None, b))


@instruction("abs", "s16 s32 s64")
def _abs(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "s64":
        (a,) = wide_sources(t, item, 1)
        t.define_wide(item.operands[0], wide.absolute(t, a))
    else:
        (b,) = sources(t, item, 1, kind_of(item))
        t.define(item.operands[0], absolute(t, b))


def absolute(t: Builder, a: Value) -> Value:
    return conditionally_negated(t, a, t.emit(Op.SAR, a, literal(31)))


def conditionally_negated(t: Builder, a: Value, sign: Value) -> Value:
    """-a where ``sign`` is all ones, a where it is 0."""
    return t.emit(Op.SUB, t.emit(Op.XOR, a, sign), sign)


@instruction("min max", INTEGERS)
def _extreme(t: Builder, item: PtxInstruction) -> None:
    kind, swap = kind_of(item), item.parts[0] == "max"
    if WIDTHS[kind] == 64:
        a, b = wide_sources(t, item, 2)
        less = wide.less(t, *((b, a) if swap else (a, b)), signed=kind[0] == "s")
        t.define_wide(item.operands[0], wide.select(t, a, b, less))
        return
    x, y = sources(t, item, 2, kind)
    condition = t.emit(Op.SLTS if kind[0] == "s" else Op.SLTU, *((y, x) if swap else (x, y)))
    t.define(item.operands[0], t.emit(Op.SELP, x, y, condition))


@instruction("sad", INTEGERS)
def _sad(t: Builder, item: PtxInstruction) -> None:
    kind = kind_of(item)
    signed = kind[0] == "s"
    if WIDTHS[kind] == 64:
        a, b, c = wide_sources(t, item, 3)
        less = wide.less(t, a, b, signed)
        distance = wide.select(t, wide.subtract(t, b, a), wide.subtract(t, a, b), less)
        t.define_wide(item.operands[0], wide.add(t, c, distance))
        return
    x, y, z = sources(t, item, 3, kind)
    below = t.emit(Op.SLTS if signed else Op.SLTU, x, y)
    t.define(item.operands[0], t.emit(Op.ADD, z, t.emit(Op.SELP, t.emit(Op.SUB, y, x), t.emit(Op.SUB, x, y), below)))


# --- products --------------------------------------------------------------------------------------------------------


@instruction("mul", INTEGERS, "lo hi wide")
def _mul(t: Builder, item: PtxInstruction) -> None:
    _expect(t, item, 2)
    result = _product(t, item)
    if isinstance(result, tuple):
        t.define_wide(item.operands[0], result)
    else:
        t.define(item.operands[0], result)


@instruction("mad", INTEGERS, "lo hi wide cc sat", ".sat for .hi.s32, .cc for 32 and 64 bits")
@instruction("madc", "u32 s32 u64 s64", "lo hi cc")
def _mad(t: Builder, item: PtxInstruction) -> None:
    _expect(t, item, 3)
    kind, result = kind_of(item), _product(t, item)
    carry = _carry(t) if item.parts[0] == "madc" else None
    if isinstance(result, tuple):
        c = t.wide(item.operands[3])
        total = wide.add(t, result, c, carry)
        if "cc" in item.parts:
            low = wide.carry_of_sum(t, result[0], c[0], carry)
            _hand_on(t, wide.carry_of_sum(t, result[1], c[1], low))
        t.define_wide(item.operands[0], total)
        return
    addend = t.value(item.operands[3], kind if WIDTHS[kind] != 16 or "wide" not in item.parts else "u32")
    if "sat" in item.parts:
        if "hi" not in item.parts or kind != "s32":
            raise t.fail(".sat needs .hi.s32")
        t.define(item.operands[0], saturated_sum(t, result, addend, subtracts=False))
        return
    total_low = t.emit(Op.ADD, result, addend) if carry is None else t.emit(Op.ADDC, result, addend, carry)
    if "cc" in item.parts:
        if WIDTHS[kind] != 32:
            raise t.fail(".cc needs 32 or 64 bits")
        _hand_on(t, wide.carry_of_sum(t, result, addend, carry))
    t.define(item.operands[0], total_low)


def _product(t: Builder, item: PtxInstruction) -> Value | Wide:
    """The product of the first two sources; a pair where the result has 64 bits."""
    kind = kind_of(item)
    signed, bits = kind[0] == "s", WIDTHS[kind]
    if not {"lo", "hi", "wide"} & set(item.parts):
        raise t.fail("choose .lo, .hi or .wide")
    if bits == 64:
        a, b = t.wide(item.operands[1]), t.wide(item.operands[2])
        return wide.multiply_high(t, a, b, signed) if "hi" in item.parts else wide.multiply(t, a, b)
    x, y = t.value(item.operands[1], kind), t.value(item.operands[2], kind)
    if bits == 32 and "wide" in item.parts:
        return wide.widening_product(t, x, y, signed)
    if bits == 32 and "hi" in item.parts:
        return wide.product_high(t, x, y, signed)
    product = t.emit(Op.MUL, x, y)
    return t.emit(Op.SHR, product, literal(16)) if "hi" in item.parts else product


@instruction("mul24", "u32 s32", "lo hi")
@instruction("mad24", "u32 s32", "lo hi sat", ".sat for .hi.s32")
def _mul24(t: Builder, item: PtxInstruction) -> None:
    signed, adds = kind_of(item)[0] == "s", item.parts[0] == "mad24"
    operands = sources(t, item, 3 if adds else 2, "u32")
    extend, shift = Op.SAR if signed else Op.SHR, literal(8)
    a, b = (t.emit(extend, t.emit(Op.SHL, v, shift), shift) for v in operands[:2])
    result = t.emit(Op.MUL, a, b)
    if "hi" in item.parts:  # bits 16 to 47
        above = t.emit(Op.SHL, wide.product_high(t, a, b, signed), literal(16))
        result = t.emit(Op.OR, above, t.emit(Op.SHR, result, literal(16)))
    if adds and "sat" in item.parts:
        if not signed or "hi" not in item.parts:
            raise t.fail(".sat needs .hi.s32")
        result = saturated_sum(t, result, operands[2], subtracts=False)
    elif adds:
        result = t.emit(Op.ADD, result, operands[2])
    t.define(item.operands[0], result)


@instruction("dp4a", "u32 s32")
@instruction("dp2a", "u32 s32", "lo hi")
def _dot_product(t: Builder, item: PtxInstruction) -> None:
    _expect(t, item, 3)
    kinds = [part for part in item.parts if part in WIDTHS]
    if len(kinds) != 2:
        raise t.fail("it takes two types")
    a, b, total = (t.value(operand) for operand in item.operands[1:])
    four = item.parts[0] == "dp4a"
    first = (Op.EXT8S if kinds[0] == "s32" else Op.EXT8U) if four else (Op.EXT16S if kinds[0] == "s32" else Op.EXT16U)
    second = Op.EXT8S if kinds[1] == "s32" else Op.EXT8U
    for k in range(4 if four else 2):
        byte = k + (2 if "hi" in item.parts else 0)
        x, y = t.emit(first, a, literal(k if four else 2 * k)), t.emit(second, b, literal(byte))
        total = t.emit(Op.ADD, total, t.emit(Op.MUL, x, y))
    t.define(item.operands[0], total)
