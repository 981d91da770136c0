"""PTX instructions: logic, shifts, bit fields, permutations of bytes."""

from __future__ import annotations

from collections.abc import Callable

from qwengpu.cuda import wide
from qwengpu.cuda.arithmetic import sources, wide_sources
from qwengpu.cuda.builder import WIDTHS, Builder
from qwengpu.cuda.instructions import BITS, instruction, kind_of
from qwengpu.cuda.ir import Value, literal, number
from qwengpu.cuda.ptx import Immediate, PtxInstruction
from qwengpu.machine.isa import Op

LOGIC = {"and": Op.AND, "or": Op.OR, "xor": Op.XOR}


@instruction("and or xor", BITS)
def _logic(t: Builder, item: PtxInstruction) -> None:
    op, kind = LOGIC[item.parts[0]], kind_of(item)
    if kind == "b64":
        a, b = wide_sources(t, item, 2)
        t.define_wide(item.operands[0], wide.bitwise(t, op, a, b))
    else:
        t.define(item.operands[0], t.emit(op, *sources(t, item, 2, kind)))


@instruction("not", BITS)
def _not(t: Builder, item: PtxInstruction) -> None:
    ones = literal(-1)
    if kind_of(item) == "b64":
        (a,) = wide_sources(t, item, 1)
        t.define_wide(item.operands[0], wide.bitwise(t, Op.XOR, a, (ones, ones)))
    else:
        (b,) = sources(t, item, 1, kind_of(item))
        t.define(item.operands[0], t.emit(Op.XOR, b, literal(1) if kind_of(item) == "pred" else ones))


@instruction("cnot", "b16 b32 b64")
def _cnot(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "b64":
        (a,) = wide_sources(t, item, 1)
        t.define_wide(item.operands[0], (wide.equal(t, a, wide.ZERO), None))
    else:
        (b,) = sources(t, item, 1, kind_of(item))
        t.define(item.operands[0], t.emit(Op.SEQ, b))


# --- shifts ----------------------------------------------------------------------------------------------------------


@instruction("shl", "b16 b32 b64 u16 u32 u64 s16 s32 s64")
def _shl(t: Builder, item: PtxInstruction) -> None:
    kind, count = kind_of(item), t.value(item.operands[2])
    if WIDTHS[kind] == 64:
        t.define_wide(item.operands[0], wide.shift_left(t, t.wide(item.operands[1]), count))
    else:
        t.define(item.operands[0], t.emit(Op.SHL, t.value(item.operands[1], kind), count))


@instruction("shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64")
def _shr(t: Builder, item: PtxInstruction) -> None:
    kind, count = kind_of(item), t.value(item.operands[2])
    if WIDTHS[kind] == 64:
        shifted = wide.shift_right(t, t.wide(item.operands[1]), count, signed=kind[0] == "s")
        t.define_wide(item.operands[0], shifted)
    else:
        op = Op.SAR if kind[0] == "s" else Op.SHR
        t.define(item.operands[0], t.emit(op, t.value(item.operands[1], kind), count))


@instruction("shf", "b32", "l r wrap clamp")
def _shf(t: Builder, item: PtxInstruction) -> None:
    low, high, count = sources(t, item, 3, "b32")
    count = t.emit(Op.AND, count, literal(31)) if "wrap" in item.parts else at_most_32(t, count)
    rest = t.emit(Op.SUB, literal(32), count)
    left, right = (count, rest) if "l" in item.parts else (rest, count)
    t.define(item.operands[0], t.emit(Op.OR, t.emit(Op.SHL, high, left), t.emit(Op.SHR, low, right)))


def at_most_32(t: Builder, count: Value) -> Value:
    """The count, or 32 if it is more."""
    known = number(count)
    if known is not None:
        return literal(min(known, 32))
    return t.emit(Op.SELP, count, literal(32), t.emit(Op.SLTU, count, literal(32)))


# --- counting and finding --------------------------------------------------------------------------------------------


@instruction("popc clz", "b32 b64")
def _count(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "b32":
        (a,) = sources(t, item, 1, "b32")
        t.define(item.operands[0], t.emit(Op.POPC if item.parts[0] == "popc" else Op.CLZ, a))
        return
    (pair,) = wide_sources(t, item, 1)
    if item.parts[0] == "clz":
        t.define(item.operands[0], wide.leading_zeros(t, pair))
    else:
        t.define(item.operands[0], t.emit(Op.ADD, *(t.emit(Op.POPC, half) for half in pair)))


@instruction("brev", "b32 b64")
def _brev(t: Builder, item: PtxInstruction) -> None:
    if kind_of(item) == "b32":
        (a,) = sources(t, item, 1, "b32")
        t.define(item.operands[0], t.emit(Op.BREV, a))
    else:
        ((low, high),) = wide_sources(t, item, 1)
        t.define_wide(item.operands[0], (t.emit(Op.BREV, high), t.emit(Op.BREV, low)))


@instruction("bfind", "u32 s32 u64 s64", "shiftamt")
def _bfind(t: Builder, item: PtxInstruction) -> None:
    kind = kind_of(item)
    signed = kind[0] == "s"
    if WIDTHS[kind] == 64:
        (pair,) = wide_sources(t, item, 1)
        sign = t.emit(Op.SAR, pair[1], literal(31))
        pair = wide.bitwise(t, Op.XOR, pair, (sign, sign)) if signed else pair
        zeros, none = wide.leading_zeros(t, pair), wide.equal(t, pair, wide.ZERO)
    else:
        (a,) = sources(t, item, 1, kind)
        a = t.emit(Op.XOR, a, t.emit(Op.SAR, a, literal(31))) if signed else a
        zeros, none = t.emit(Op.CLZ, a), t.emit(Op.SEQ, a)
    if "shiftamt" in item.parts:
        t.define(item.operands[0], t.emit(Op.SELP, literal(-1), zeros, none))
    else:
        t.define(item.operands[0], t.emit(Op.SUB, literal(WIDTHS[kind] - 1), zeros))


# --- fields ----------------------------------------------------------------------------------------------------------


def _field(t: Builder, item: PtxInstruction, first: int) -> tuple[Value, Value]:
    """Position and length of a bit field, of which PTX reads 8 bits each."""

    def byte(value: Value) -> Value:
        known = number(value)
        return t.emit(Op.EXT8U, value) if known is None else literal(known & 255)

    at, size = (byte(t.value(operand)) for operand in item.operands[first : first + 2])
    return at, size


@instruction("bfe", "u32 s32 u64 s64")
def _bfe(t: Builder, item: PtxInstruction) -> None:
    kind = kind_of(item)
    at, size = _field(t, item, 2)
    signed = kind[0] == "s"
    if WIDTHS[kind] == 64:
        moved = wide.shift_right(t, t.wide(item.operands[1]), at, signed)
        if signed:
            rest = t.emit(Op.SUB, literal(64), size)
            enough = t.emit(Op.SLTU, size, literal(64))
            extended = wide.shift_right(t, wide.shift_left(t, moved, rest), rest, signed=True)
            result = wide.select(t, extended, moved, enough)
        else:
            result = wide.bitwise(t, Op.AND, moved, _wide_mask(t, size))
        t.define_wide(item.operands[0], result)
        return
    value, p, n = t.value(item.operands[1]), number(at), number(size)
    if p is not None and n is not None and n > 0 and p + n <= 32:
        if n in (8, 16) and p % n == 0:
            op = {8: (Op.EXT8U, Op.EXT8S), 16: (Op.EXT16U, Op.EXT16S)}[n][signed]
            t.define(item.operands[0], t.emit(op, value, literal(p // 8)))
            return
        moved_up = t.emit(Op.SHL, value, literal(32 - p - n))
        t.define(item.operands[0], t.emit(Op.SAR if signed else Op.SHR, moved_up, literal(32 - n)))
        return
    moved_down = t.emit(Op.SAR if signed else Op.SHR, value, at)
    if signed:
        rest = t.emit(Op.SUB, literal(32), at_most_32(t, size))
        t.define(item.operands[0], t.emit(Op.SAR, t.emit(Op.SHL, moved_down, rest), rest))
    else:
        t.define(item.operands[0], t.emit(Op.AND, moved_down, _mask(t, size)))


def _mask(t: Builder, size: Value) -> Value:
    """A word whose lowest ``size`` bits are 1."""
    return t.emit(Op.SUB, t.emit(Op.SHL, literal(1), size), literal(1))


def _wide_mask(t: Builder, size: Value) -> tuple[Value, Value]:
    return wide.subtract(t, wide.shift_left(t, wide.ONE, size), wide.ONE)


@instruction("bfi", "b32 b64")
def _bfi(t: Builder, item: PtxInstruction) -> None:
    at, size = _field(t, item, 3)
    if kind_of(item) == "b64":
        a, b = t.wide(item.operands[1]), t.wide(item.operands[2])
        mask = wide.shift_left(t, _wide_mask(t, size), at)
        change = wide.bitwise(t, Op.XOR, b, wide.shift_left(t, a, at))
        result = wide.bitwise(t, Op.XOR, b, wide.bitwise(t, Op.AND, change, mask))
        t.define_wide(item.operands[0], result)
        return
    x, y = t.value(item.operands[1]), t.value(item.operands[2])
    field = t.emit(Op.SHL, _mask(t, size), at)
    changed = t.emit(Op.AND, t.emit(Op.XOR, y, t.emit(Op.SHL, x, at)), field)
    t.define(item.operands[0], t.emit(Op.XOR, y, changed))


@instruction("bmsk", "b32", "wrap clamp")
def _bmsk(t: Builder, item: PtxInstruction) -> None:
    at, size = sources(t, item, 2, "b32")
    if "wrap" in item.parts:
        at, size = (t.emit(Op.AND, v, literal(31)) for v in (at, size))
    t.define(item.operands[0], t.emit(Op.SHL, _mask(t, size), at))


@instruction("szext", "u32 s32", "wrap clamp")
def _szext(t: Builder, item: PtxInstruction) -> None:
    value, size = sources(t, item, 2, "b32")
    size = t.emit(Op.AND, size, literal(31)) if "wrap" in item.parts else at_most_32(t, size)
    rest = t.emit(Op.SUB, literal(32), size)
    op = Op.SAR if kind_of(item) == "s32" else Op.SHR
    t.define(item.operands[0], t.emit(op, t.emit(Op.SHL, value, rest), rest))


# --- any function of bits, any permutation of bytes ------------------------------------------------------------------


@instruction("lop3", "b32")
def _lop3(t: Builder, item: PtxInstruction) -> None:
    table = item.operands[-1]
    if len(item.operands) != 5 or not isinstance(table, Immediate):
        raise t.fail("it takes three sources and a table that is a literal")
    a, b, c = (t.value(operand) for operand in item.operands[1:4])
    # Shannon's expansion: choose by a, bit by bit, between two functions of b and c.
    high, low = _logic2(t, table.value >> 4 & 15, b, c), _logic2(t, table.value & 15, b, c)
    chosen = t.emit(Op.AND, t.emit(Op.XOR, high, low), a)
    t.define(item.operands[0], t.emit(Op.XOR, chosen, low))


def _logic2(t: Builder, table: int, b: Value, c: Value) -> Value:
    """A function of two bits as the exclusive-or of 1, c, b and b&c (its algebraic normal form)."""
    bits = [table >> k & 1 for k in range(4)]  # index = 2b + c
    result = literal(-bits[0])
    terms: list[tuple[int, Callable[[], Value]]] = [
        (bits[0] ^ bits[1], lambda: c),
        (bits[0] ^ bits[2], lambda: b),
        (bits[0] ^ bits[1] ^ bits[2] ^ bits[3], lambda: t.emit(Op.AND, b, c)),
    ]
    for present, term in terms:
        if present:
            result = t.emit(Op.XOR, result, term())
    return result


@instruction("prmt", "b32", "f4e b4e rc8 ecl ecr rc16")
def _prmt(t: Builder, item: PtxInstruction) -> None:
    a, b, selector = sources(t, item, 3, "b32")
    mode = next((p for p in item.parts[2:] if p != "b32"), "")
    known = number(selector)
    if known is not None:
        numbers = _selected(mode, known)
        if all(n < 8 for n in numbers):
            t.define(item.operands[0], _fixed_permutation(t, a, b, numbers))
            return
    result: Value = None
    for k in range(4):
        result = t.emit(Op.OR, result, t.emit(Op.SHL, _selected_byte(t, a, b, selector, mode, k), literal(8 * k)))
    t.define(item.operands[0], result)


def _selected(mode: str, selector: int) -> list[int]:
    """The byte of (b, a) that each byte of the result is; 8 and more means copies of its sign."""
    if not mode:
        return [selector >> 4 * k & 15 for k in range(4)]
    c = selector & 3
    choose = {
        "f4e": lambda k: c + k,
        "b4e": lambda k: (c - k) % 8,
        "rc8": lambda k: c,
        "ecl": lambda k: max(k, c),
        "ecr": lambda k: min(k, c),
        "rc16": lambda k: (c & 1) * 2 + k % 2,
    }[mode]
    return [choose(k) for k in range(4)]


def _fixed_permutation(t: Builder, a: Value, b: Value, numbers: list[int]) -> Value:
    """Bytes that move the same way from the same word move together, by a mask and a shift."""
    groups: dict[tuple[int, int], int] = {}
    for k, n in enumerate(numbers):
        key = n // 4, k - n % 4
        groups[key] = groups.get(key, 0) | 0xFF << 8 * (n % 4)
    result: Value = None
    for (word, distance), mask in groups.items():
        kept = t.emit(Op.AND, (a, b)[word], literal(mask))
        shift = Op.SHL if distance > 0 else Op.SHR
        moved = t.emit(shift, kept, literal(8 * abs(distance))) if distance else kept
        result = t.emit(Op.OR, result, moved)
    return result


def _selected_byte(t: Builder, a: Value, b: Value, selector: Value, mode: str, k: int) -> Value:
    if mode:
        c = t.emit(Op.AND, selector, literal(3))
        below = t.emit(Op.SLTU, c, literal(k))
        index = {
            "f4e": lambda: t.emit(Op.ADD, c, literal(k)),
            "b4e": lambda: t.emit(Op.AND, t.emit(Op.SUB, c, literal(k)), literal(7)),
            "rc8": lambda: c,
            "ecl": lambda: t.emit(Op.SELP, literal(k), c, below),
            "ecr": lambda: t.emit(Op.SELP, c, literal(k), below),
            "rc16": lambda: t.emit(Op.OR, t.emit(Op.SHL, t.emit(Op.AND, c, literal(1)), literal(1)), literal(k % 2)),
        }[mode]()
    else:
        index = t.emit(Op.SHR, selector, literal(4 * k))
    word = t.emit(Op.SELP, b, a, t.emit(Op.SHR, index, literal(2)))
    byte = t.emit(Op.EXT8U, word, index)
    if mode:
        return byte
    sign = t.emit(Op.EXT8U, t.emit(Op.SAR, t.emit(Op.EXT8S, word, index), literal(31)))
    return t.emit(Op.SELP, sign, byte, t.emit(Op.SHR, index, literal(3)))
