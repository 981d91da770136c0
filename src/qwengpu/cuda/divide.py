"""PTX instructions: division, by Newton's method.

The machine multiplies but does not divide. A polynomial approximates the reciprocal of the divisor, a step of third
order and one of second order sharpen it, and the quotient is corrected by what the remainder says. Every approximation
is made a little too small, so that corrections have one direction.

A quotient by 0 is all ones and the remainder is the dividend.
"""

from __future__ import annotations

from qwengpu.cuda import wide
from qwengpu.cuda.arithmetic import absolute, conditionally_negated, sources
from qwengpu.cuda.builder import WIDTHS, Builder, Wide
from qwengpu.cuda.instructions import INTEGERS, instruction, kind_of
from qwengpu.cuda.ir import Value, literal
from qwengpu.cuda.narrow import ZERO
from qwengpu.cuda.ptx import PtxInstruction
from qwengpu.machine.isa import Op

#: The polynomial (A - y (B - C y)) for 1/2y, 1/2 <= y < 1, by Chebyshev, less the largest error (1/99) and a margin
#: that outweighs all rounding: it is too small by 0.13 to 2.2 percent. As fractions of 2^34.
_SMALLER = 1 - 1 / 99 - 0.0013
_A, _B, _C = (int(numerator / 99 * _SMALLER * 2**30) for numerator in (210, 288, 128))


@instruction("div rem", INTEGERS, note="a quotient by 0 is all ones, the remainder the dividend")
def _divide(t: Builder, item: PtxInstruction) -> None:
    kind, which = kind_of(item), item.parts[0] == "rem"
    signed = kind[0] == "s"
    if WIDTHS[kind] == 64:
        if not all(ZERO in t.upper.of(operand) for operand in item.operands[1:3]):
            a, b = t.wide(item.operands[1]), t.wide(item.operands[2])
            t.define_wide(item.operands[0], (_signed_wide_quotients if signed else wide_quotients)(t, a, b)[which])
            return
        x, y = t.value(item.operands[1]), t.value(item.operands[2])
        signed = False  # zero extensions are not negative
        result = quotients(t, x, y)[which]
        all_ones = t.emit(Op.SUB, None, t.emit(Op.SEQ, y)) if not which else None
        t.define_wide(item.operands[0], (result, all_ones))
        return
    x, y = sources(t, item, 2, kind)
    t.define(item.operands[0], (_signed_quotients if signed else quotients)(t, x, y)[which])


# --- 32 bits ---------------------------------------------------------------------------------------------------------


def quotients(t: Builder, n: Value, d: Value) -> tuple[Value, Value]:
    """n / d and n % d, unsigned."""
    zeros = t.emit(Op.CLZ, d)
    first = _reciprocal(t, t.emit(Op.SHL, d, zeros))
    # From 2^63 / (d << zeros) to 2^32 / d. Its error is the low word of a product, which is exact.
    shifted = t.emit(Op.SHR, first, t.emit(Op.SUB, literal(31), zeros))
    error = t.emit(Op.SUB, None, t.emit(Op.MUL, d, shifted))
    inverse = t.emit(Op.ADD, shifted, t.emit(Op.MULHI, shifted, error))
    q = t.emit(Op.MULHI, n, inverse)
    r = t.emit(Op.SUB, n, t.emit(Op.MUL, q, d))
    for _ in range(2):
        more = t.emit(Op.SGEU, r, d)
        q = t.emit(Op.ADDC, q, None, more)
        r = t.emit(Op.SELP, t.emit(Op.SUB, r, d), r, more)
    return t.emit(Op.SELP, literal(-1), q, t.emit(Op.SHR, zeros, literal(5))), r


def _signed_quotients(t: Builder, n: Value, d: Value) -> tuple[Value, Value]:
    sign_n, sign_d = t.emit(Op.SAR, n, literal(31)), t.emit(Op.SAR, d, literal(31))
    q, r = quotients(t, absolute(t, n), absolute(t, d))
    sign = t.emit(Op.XOR, sign_n, sign_d)
    q = t.emit(Op.SELP, literal(-1), conditionally_negated(t, q, sign), t.emit(Op.SEQ, d))
    return q, conditionally_negated(t, r, sign_n)


def _reciprocal(t: Builder, d: Value) -> Value:
    """2^63 / d for d of which the top bit is set: too small by at most 2^-16.6 of it, and never too large."""
    slope = t.emit(Op.SUB, literal(_B), t.emit(Op.MULHI, d, literal(_C)))
    x = t.emit(Op.SHL, t.emit(Op.SUB, literal(_A), t.emit(Op.MULHI, d, slope)), literal(2))
    e = _error(t, d, x)
    step = t.emit(Op.ADD, e, t.emit(Op.MULHI, e, e))
    return t.emit(Op.ADD, x, t.emit(Op.MULHI, x, step))


def _error(t: Builder, d: Value, x: Value) -> Value:
    """How much x is smaller than 2^63 / d, as a fraction of 2^32."""
    half = t.emit(Op.SUB, literal(1 << 31), t.emit(Op.MULHI, d, x))
    return t.emit(Op.ADD, half, half)


# --- 64 bits ---------------------------------------------------------------------------------------------------------


def wide_quotients(t: Builder, n: Wide, d: Wide) -> tuple[Wide, Wide]:
    """n / d and n % d, unsigned: a loop that takes some 29 bits of the quotient each time, from the top ones on."""
    d = t.pinned(d[0]), t.pinned(d[1])
    zeros = t.pinned(wide.leading_zeros(t, d))
    top = wide.shift_left(t, d, zeros)[1]
    first = _reciprocal(t, top)
    sharper = t.emit(Op.ADD, first, t.emit(Op.MULHI, first, _error(t, top, first)))
    # The divisor's lower bits make its reciprocal smaller, by 2 at most; rounding by less than another 2.
    inverse = t.pinned(t.emit(Op.SUB, sharper, literal(4)))
    q_low, q_high, r_low, r_high = (t.variable(name, v) for name, v in zip("qqrr", (None, None, *n), strict=True))
    loop, body, after = (t.function.fresh(name) for name in ("divide", "subtract", "divided"))
    t.block.next = loop
    t.open(loop)
    r = t.value(r_low), t.value(r_high)
    divisible = t.emit(Op.SNE, t.emit(Op.OR, *d))
    enough = t.emit(Op.XOR, wide.less(t, r, d, signed=False), literal(1))
    t.branch(t.emit(Op.AND, enough, divisible), body, after)
    t.open(body)
    r = t.value(r_low), t.value(r_high)
    r_zeros = wide.leading_zeros(t, r)
    digit = t.emit(Op.MULHI, wide.shift_left(t, r, r_zeros)[1], inverse)
    # digit * 2^(zeros - r_zeros - 31) is a lower bound of the quotient; it is at least 1.
    places = t.emit(Op.ADD, t.emit(Op.SUB, literal(63), zeros), r_zeros)
    low, high = wide.shift_right(t, (None, digit), places, signed=False)
    low = t.emit(Op.ADDC, low, None, t.emit(Op.SEQ, t.emit(Op.OR, low, high)))
    q = wide.add(t, (t.value(q_low), t.value(q_high)), (low, high))
    r = wide.subtract(t, r, wide.multiply(t, (low, high), d))
    for name, value in zip((q_low, q_high, r_low, r_high), (*q, *r), strict=True):
        t.assign(name, value)
    t.block.next = loop
    t.open(after)
    ones = t.emit(Op.SUB, None, t.emit(Op.SEQ, t.emit(Op.OR, *d)))
    quotient = t.emit(Op.OR, t.value(q_low), ones), t.emit(Op.OR, t.value(q_high), ones)
    return quotient, (t.value(r_low), t.value(r_high))


def _signed_wide_quotients(t: Builder, n: Wide, d: Wide) -> tuple[Wide, Wide]:
    sign_n, sign_d = (t.pinned(t.emit(Op.SAR, v[1], literal(31))) for v in (n, d))
    is_zero = t.pinned(t.emit(Op.SEQ, t.emit(Op.OR, *d)))
    q, r = wide_quotients(t, wide.absolute(t, n), wide.absolute(t, d))
    sign = t.emit(Op.XOR, sign_n, sign_d)
    ones = literal(-1), literal(-1)
    q = wide.select(t, ones, wide.conditionally_negated(t, q, (sign)), is_zero)
    return q, wide.conditionally_negated(t, r, sign_n)
