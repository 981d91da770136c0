"""Arithmetic on 64-bit numbers: operations on their two halves. What nothing uses of it is dead code."""

from __future__ import annotations

from qwengpu.cuda.builder import Builder, Wide
from qwengpu.cuda.ir import Value, literal, number
from qwengpu.machine.isa import Op

ZERO: Wide = (None, None)
ONE: Wide = (literal(1), None)


def add(t: Builder, a: Wide, b: Wide, carry: Value = None) -> Wide:
    """a + b + carry."""
    low = t.emit(Op.ADDC, a[0], b[0], carry) if carry is not None else t.emit(Op.ADD, a[0], b[0])
    return low, t.emit(Op.ADDC, a[1], b[1], carry_of_sum(t, a[0], b[0], carry))


def carry_of_sum(t: Builder, a: Value, b: Value, carry: Value = None) -> Value:
    """The carry out of a 32-bit sum a + b + carry."""
    plain = t.emit(Op.ADD, a, b)
    out = t.emit(Op.SLTU, plain, a)
    if carry is None:
        return out
    return t.emit(Op.OR, out, t.emit(Op.SLTU, t.emit(Op.ADDC, a, b, carry), plain))


def subtract(t: Builder, a: Wide, b: Wide, borrow: Value = None) -> Wide:
    """a - b - borrow."""
    low = t.emit(Op.SUBC, a[0], b[0], borrow) if borrow is not None else t.emit(Op.SUB, a[0], b[0])
    return low, t.emit(Op.SUBC, a[1], b[1], borrow_of_difference(t, a[0], b[0], borrow))


def borrow_of_difference(t: Builder, a: Value, b: Value, borrow: Value = None) -> Value:
    """The borrow out of a 32-bit difference a - b - borrow."""
    out = t.emit(Op.SLTU, a, b)
    if borrow is None:
        return out
    plain = t.emit(Op.SUB, a, b)
    return t.emit(Op.OR, out, t.emit(Op.SLTU, plain, t.emit(Op.SUBC, a, b, borrow)))


def negate(t: Builder, a: Wide) -> Wide:
    return subtract(t, ZERO, a)


def product_high(t: Builder, a: Value, b: Value, signed: bool) -> Value:
    """Upper half of a 32-bit product; the machine's is unsigned, and a negative factor counts 2^32 too much."""
    high = t.emit(Op.MULHI, a, b)
    if signed:
        for x, y in ((a, b), (b, a)):
            high = t.emit(Op.SUB, high, t.emit(Op.AND, t.emit(Op.SAR, x, literal(31)), y))
    return high


def widening_product(t: Builder, a: Value, b: Value, signed: bool) -> Wide:
    """The 64-bit product of two 32-bit numbers."""
    return t.emit(Op.MUL, a, b), product_high(t, a, b, signed)


def multiply(t: Builder, a: Wide, b: Wide) -> Wide:
    """The low 64 bits of a product."""
    high = t.emit(Op.MULHI, a[0], b[0])
    for x, y in ((a[0], b[1]), (a[1], b[0])):
        if number(x) != 0 and number(y) != 0:
            high = t.emit(Op.ADD, high, t.emit(Op.MUL, x, y))
    return t.emit(Op.MUL, a[0], b[0]), high


def multiply_high(t: Builder, a: Wide, b: Wide, signed: bool) -> Wide:
    """Bits 64 to 127 of a product."""
    # Column by column as on paper: the carries of the middle column go into the upper half.
    first = t.emit(Op.MULHI, a[0], b[0]), None
    middle = add(t, widening_product(t, a[1], b[0], signed=False), first)
    other = widening_product(t, a[0], b[1], signed=False)
    carry = carry_of_sum(t, middle[0], other[0])
    upper = add(t, (middle[1], None), (other[1], None), carry)
    high = add(t, widening_product(t, a[1], b[1], signed=False), upper)
    if signed:
        for x, y in ((a, b), (b, a)):
            sign = t.emit(Op.SAR, x[1], literal(31))
            high = subtract(t, high, (t.emit(Op.AND, sign, y[0]), t.emit(Op.AND, sign, y[1])))
    return high


def select(t: Builder, a: Wide, b: Wide, condition: Value) -> Wide:
    """a where the condition holds, else b."""
    return t.emit(Op.SELP, a[0], b[0], condition), t.emit(Op.SELP, a[1], b[1], condition)


def equal(t: Builder, a: Wide, b: Wide) -> Value:
    return t.emit(Op.AND, t.emit(Op.SEQ, a[0], b[0]), t.emit(Op.SEQ, a[1], b[1]))


def differ(t: Builder, a: Wide, b: Wide) -> Value:
    return t.emit(Op.OR, t.emit(Op.SNE, a[0], b[0]), t.emit(Op.SNE, a[1], b[1]))


def less(t: Builder, a: Wide, b: Wide, signed: bool) -> Value:
    """Whether a < b."""
    above = t.emit(Op.SLTS if signed else Op.SLTU, a[1], b[1])
    if number(b[0]) == 0:  # no low half is less than 0
        return above
    return t.emit(Op.SELP, t.emit(Op.SLTU, a[0], b[0]), above, t.emit(Op.SEQ, a[1], b[1]))


def bitwise(t: Builder, op: Op, a: Wide, b: Wide) -> Wide:
    return t.emit(op, a[0], b[0]), t.emit(op, a[1], b[1])


def shift_left(t: Builder, a: Wide, count: Value) -> Wide:
    """a << count; every bit is shifted out by 64 and more.

    The machine shifts everything out by 32 and more, and 32 - count or count - 32 is at least 32, as an unsigned
    number, wherever its term must vanish.
    """
    low, high = a
    rest, beyond = t.emit(Op.SUB, literal(32), count), t.emit(Op.SUB, count, literal(32))
    within = t.emit(Op.OR, t.emit(Op.SHL, high, count), t.emit(Op.SHR, low, rest))
    return t.emit(Op.SHL, low, count), t.emit(Op.OR, within, t.emit(Op.SHL, low, beyond))


def shift_right(t: Builder, a: Wide, count: Value, signed: bool) -> Wide:
    """a >> count; 64 and more leave only copies of the sign, or 0 if unsigned."""
    low, high = a
    rest, beyond = t.emit(Op.SUB, literal(32), count), t.emit(Op.SUB, count, literal(32))
    within = t.emit(Op.OR, t.emit(Op.SHR, low, count), t.emit(Op.SHL, high, rest))
    if not signed:
        return t.emit(Op.OR, within, t.emit(Op.SHR, high, beyond)), t.emit(Op.SHR, high, count)
    small = t.emit(Op.SLTU, count, literal(32))
    return t.emit(Op.SELP, within, t.emit(Op.SAR, high, beyond), small), t.emit(Op.SAR, high, count)


def absolute(t: Builder, a: Wide) -> Wide:
    sign = t.emit(Op.SAR, a[1], literal(31))
    return conditionally_negated(t, a, sign)


def conditionally_negated(t: Builder, a: Wide, sign: Value) -> Wide:
    """-a where ``sign`` is all ones, a where it is 0."""
    return subtract(t, bitwise(t, Op.XOR, a, (sign, sign)), (sign, sign))


def leading_zeros(t: Builder, a: Wide) -> Value:
    none_above = t.emit(Op.SEQ, a[1])
    low = t.emit(Op.ADD, t.emit(Op.CLZ, a[0]), literal(32))
    return t.emit(Op.SELP, low, t.emit(Op.CLZ, a[1]), none_above)
