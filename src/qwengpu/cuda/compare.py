"""PTX instructions: comparisons and selections."""

from __future__ import annotations

from qwengpu.cuda import wide
from qwengpu.cuda.bits import LOGIC
from qwengpu.cuda.builder import WIDTHS, Builder
from qwengpu.cuda.instructions import INTEGERS, instruction, kind_of
from qwengpu.cuda.ir import Value, literal
from qwengpu.cuda.narrow import SIGN, ZERO
from qwengpu.cuda.ptx import Name, Pair, PtxInstruction, PtxOperand
from qwengpu.machine.isa import Op

#: Comparison -> (operation, operands swapped), unsigned and signed.
_COMPARE = {
    "eq": ((Op.SEQ, False), (Op.SEQ, False)),
    "ne": ((Op.SNE, False), (Op.SNE, False)),
    "lt": ((Op.SLTU, False), (Op.SLTS, False)),
    "le": ((Op.SGEU, True), (Op.SGES, True)),
    "gt": ((Op.SLTU, True), (Op.SLTS, True)),
    "ge": ((Op.SGEU, False), (Op.SGES, False)),
    "lo": ((Op.SLTU, False), (Op.SLTU, False)),
    "ls": ((Op.SGEU, True), (Op.SGEU, True)),
    "hi": ((Op.SLTU, True), (Op.SLTU, True)),
    "hs": ((Op.SGEU, False), (Op.SGEU, False)),
}
_COMPARISONS = " ".join(_COMPARE)
_COMPARED = f"{INTEGERS} b16 b32 b64"


@instruction("setp", _COMPARED, f"{_COMPARISONS} and or xor")
def _setp(t: Builder, item: PtxInstruction) -> None:
    result = _comparison(t, item)
    destination = item.operands[0]
    logic = next((LOGIC[p] for p in item.parts[2:-1] if p in LOGIC), None)
    other = t.value(item.operands[3], "pred") if logic else None
    first, second = (
        (Name(destination.first), Name(destination.second)) if isinstance(destination, Pair) else (destination, None)
    )
    inverse = t.emit(Op.XOR, result, literal(1)) if second else None
    t.define(first, t.emit(logic, result, other) if logic else result)
    if second:
        t.define(second, t.emit(logic, inverse, other) if logic else inverse)


@instruction("set", _COMPARED, f"{_COMPARISONS} and or xor")
def _set(t: Builder, item: PtxInstruction) -> None:
    kinds = [p for p in item.parts if p in WIDTHS]
    if len(kinds) != 2 or kinds[0] not in ("u32", "s32"):
        raise t.fail("the result is .u32 or .s32")
    result = _comparison(t, item)
    logic = next((LOGIC[p] for p in item.parts[2:] if p in LOGIC), None)
    if logic:
        result = t.emit(logic, result, t.value(item.operands[3], "pred"))
    t.define(item.operands[0], t.emit(Op.SUB, None, result))


def _comparison(t: Builder, item: PtxInstruction) -> Value:
    kind = kind_of(item)
    name = next((part for part in item.parts if part in _COMPARE), None)
    if name is None or len(item.operands) < 3:
        raise t.fail(f"name a comparison ({_COMPARISONS}) and two operands")
    if WIDTHS[kind] == 64:
        return _wide_comparison(t, name, kind, item.operands[1], item.operands[2])
    op, swapped = _COMPARE[name][kind[0] == "s"]
    a, b = (t.value(o, kind) for o in item.operands[1:3])
    return t.emit(op, *((b, a) if swapped else (a, b)))


def _wide_comparison(t: Builder, name: str, kind: str, first: PtxOperand, second: PtxOperand) -> Value:
    both = t.upper.of(first) & t.upper.of(second)
    op, swapped = _COMPARE[name][kind[0] == "s" and ZERO not in both]
    if both & {ZERO, SIGN}:
        # The low halves decide. Zero extensions compare as unsigned numbers even in a signed comparison.
        low = t.value(first), t.value(second)
        return t.emit(op, *(low[::-1] if swapped else low))
    a, b = t.wide(first), t.wide(second)
    if swapped:
        a, b = b, a
    if name in ("eq", "ne"):
        return wide.equal(t, a, b) if name == "eq" else wide.differ(t, a, b)
    less = wide.less(t, a, b, signed=op in (Op.SLTS, Op.SGES))
    return less if op in (Op.SLTS, Op.SLTU) else t.emit(Op.XOR, less, literal(1))


@instruction("selp", f"{INTEGERS} b16 b32 b64")
def _selp(t: Builder, item: PtxInstruction) -> None:
    kind = kind_of(item).replace("s", "b")
    _select(t, item, kind, t.value(item.operands[3], "pred"))


@instruction("slct", f"{INTEGERS} b16 b32 b64")
def _slct(t: Builder, item: PtxInstruction) -> None:
    kinds = [p for p in item.parts if p in WIDTHS]
    if len(kinds) != 2 or kinds[1] != "s32":
        raise t.fail("the selecting operand is .s32")
    _select(t, item, kinds[0].replace("s", "b"), t.emit(Op.SGES, t.value(item.operands[3])))


def _select(t: Builder, item: PtxInstruction, kind: str, condition: Value) -> None:
    if len(item.operands) != 4:
        raise t.fail("it takes 4 operands")
    if WIDTHS[kind] == 64:
        a, b = t.wide(item.operands[1]), t.wide(item.operands[2])
        t.define_wide(item.operands[0], wide.select(t, a, b, condition))
    else:
        x, y = (t.value(o, kind) for o in item.operands[1:3])
        t.define(item.operands[0], t.emit(Op.SELP, x, y, condition))
