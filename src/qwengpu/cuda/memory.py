"""PTX instructions: loads, stores, atomics of every width.

The machine's memory is accessed in words. Bytes and halves are taken out of the word that contains them; to store one,
an atomic operation merges it into its word, because the lanes of a warp may store into one word at once.
"""

from __future__ import annotations

from dataclasses import replace

from qwengpu.cuda import wide
from qwengpu.cuda.builder import WIDTHS, Builder, Wide
from qwengpu.cuda.instructions import INTEGERS, instruction, kind_of
from qwengpu.cuda.ir import Node, Tid, Value, as_guard, literal
from qwengpu.cuda.ptx import Memory, Name, PtxInstruction, PtxOperand, Vector
from qwengpu.machine.isa import Op

_SPACES = "global shared const local"
_ORDER = "volatile relaxed acquire release acq_rel weak cta gpu sys cluster"
_CACHE = "nc ca cg cs lu cv wb wt unified"
_TYPES = f"u8 s8 b8 {INTEGERS} b16 b32 b64"
_LANES = 4


def _space(item: PtxInstruction) -> str:
    """The space of an access; constant memory is part of the global one."""
    found = next((part for part in item.parts if part in _SPACES.split()), "")
    return "global" if found == "const" else found


def _address(t: Builder, operand: PtxOperand) -> tuple[Value, int]:
    """Base and offset of an address."""
    if not isinstance(operand, Memory):
        raise t.fail("the address must be in brackets")
    return t.value(Name(operand.base)) if operand.base else None, operand.offset


def _items(operand: PtxOperand) -> tuple[PtxOperand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


# --- loads -----------------------------------------------------------------------------------------------------------


@instruction("ld ldu", _TYPES, f"{_SPACES} {_ORDER} {_CACHE} v2 v4", "v2 and v4 vectors of every type")
def _ld(t: Builder, item: PtxInstruction) -> None:
    kind, destinations = kind_of(item), _items(item.operands[0])
    base, offset = _address(t, item.operands[1])
    size = WIDTHS[kind] // 8
    align = size * len(destinations)
    words: dict[int, Value] = {}

    def word(number: int) -> Value:
        """The word that contains byte 4 * number of the vector."""
        if number not in words:
            at = literal(offset + 4 * number)
            words[number] = t.function.fresh()
            alignment = min(align, 4 * (number & -number)) if number else align
            t.block.nodes.append(
                Node(
                    *(Op.LD, words[number], base, at),  # type: ignore[arg-type]
                    effect="load",
                    space=_space(item),
                    align=alignment,
                    origin=item,
                )
            )
        return words[number]

    values: list[Wide] = []
    for k in range(len(destinations)):
        if size >= 4:
            values.append((word(k * size // 4), word(k * size // 4 + 1) if size == 8 else None))
            continue
        op = {1: (Op.EXT8U, Op.EXT8S), 2: (Op.EXT16U, Op.EXT16S)}[size][kind[0] == "s"]
        # A vector of at least a word begins at one; a smaller one is somewhere inside of its word.
        place = literal(k * size) if align >= 4 else t.emit(Op.ADD, base, literal(offset + k * size))
        values.append((t.emit(op, word(k * size // 4), place), None))
    for operand, value in zip(destinations, values, strict=True):
        if size == 8:
            t.define_wide(operand, value)
        else:
            t.define_extended(operand, value[0], kind)


# --- stores ----------------------------------------------------------------------------------------------------------


@instruction("st", _TYPES, f"{_SPACES} {_ORDER} {_CACHE} v2 v4", "v2 and v4 vectors of every type")
def _st(t: Builder, item: PtxInstruction) -> None:
    kind, sources = kind_of(item), _items(item.operands[1])
    base, offset = _address(t, item.operands[0])
    size = WIDTHS[kind] // 8
    align = size * len(sources)
    if size == 8:
        words = [half for operand in sources for half in t.wide(operand)]
    elif size == 4:
        words = [t.value(operand) for operand in sources]
    else:
        values = [t.value(operand, f"b{WIDTHS[kind]}") for operand in sources]
        per_word = max(1, min(4 // size, len(values)))
        words = [_joined(t, values[k : k + per_word], 8 * size) for k in range(0, len(values), per_word)]
    guard, negated = t.guard()
    for k, word in enumerate(words):
        at = literal(offset + 4 * k)
        store = Node(Op.ADD, None, base, at, effect="store", space=_space(item), data=word, guard=guard)
        store = replace(store, negated=negated, align=align if k == 0 else 4, origin=item)
        t.block.nodes.append(_merging(t, store, 8 * align) if align < 4 else store)


def _joined(t: Builder, parts: list[Value], bits: int) -> Value:
    """Parts of a word, the first one lowest."""
    if len(parts) == 1:
        return parts[0]
    op = Op.EXT8U if bits == 8 else Op.EXT16U
    result: Value = None
    for k, part in enumerate(parts):
        clean = part if k == len(parts) - 1 else t.emit(op, part)
        result = t.emit(Op.OR, result, t.emit(Op.SHL, clean, literal(bits * k)))
    return result


def _merging(t: Builder, store: Node, bits: int) -> Node:
    """A store of a byte or a half as the atomic operation that changes only these bits of the word."""
    shift = t.emit(Op.AND, t.emit(Op.SHL, t.emit(Op.ADD, store.a, store.b), literal(3)), literal(24))
    mask = t.emit(Op.SHL, literal((1 << bits) - 1), shift)
    data = t.emit(Op.SHL, store.data, shift)
    return replace(store, op=Op.LD, effect="atomic", atom="merge", data=data, compare=mask)


# --- atomics ---------------------------------------------------------------------------------------------------------

_ATOMS = "add and or xor exch min max cas inc dec"


@instruction("atom", f"b16 b32 b64 {INTEGERS}", f"global shared {_ORDER} {_ATOMS}", "16 bits only for .cas")
def _atom(t: Builder, item: PtxInstruction) -> None:
    _atomic(t, item, item.operands[0], item.operands[1:])


@instruction("red", f"b32 b64 {INTEGERS}", f"global shared {_ORDER} {_ATOMS}")
def _red(t: Builder, item: PtxInstruction) -> None:
    _atomic(t, item, None, item.operands)


def _atomic(t: Builder, item: PtxInstruction, result: PtxOperand | None, operands: tuple[PtxOperand, ...]) -> None:
    kind = kind_of(item)
    name = next((part for part in item.parts[1:] if part in _ATOMS.split()), None)
    if name is None or len(operands) != (3 if name == "cas" else 2):
        raise t.fail("name one operation (" + _ATOMS.replace(" ", ", ") + ") and its operands")
    if result is not None and t.unused(result):
        result = None
    if item.guard and (result is not None or WIDTHS[kind] != 32):
        # Only some threads may change memory and all need the old value: branch around it.
        t.branched(item, lambda t, inner: _atomic(t, inner, result, operands))
    elif WIDTHS[kind] == 64:
        _wide_atomic(t, item, name, result, operands)
    elif WIDTHS[kind] == 16:
        _half_atomic(t, item, name, result, operands)
    else:
        base, offset = _address(t, operands[0])
        values = [t.value(operand) for operand in operands[1:]]
        compare, data = (values[0], values[1]) if name == "cas" else (None, values[0])
        atom = name + kind[0] if name in ("min", "max", "inc", "dec") else name
        old = _word_atomic(t, item, base, offset, atom, data, compare, wanted=result is not None)
        if result is not None:
            t.define(result, old)


def _word_atomic(
    t: Builder,
    item: PtxInstruction,
    base: Value,
    offset: int,
    atom: str,
    data: Value,
    compare: Value = None,
    *,
    wanted: bool,
    align: int = 4,
) -> Value:
    """An atomic on one word; its old value if ``wanted``."""
    guard, negated = t.guard()
    dst = t.function.fresh() if wanted else None
    node = Node(Op.LD, dst, base, literal(offset), effect="atomic", space=_space(item), data=data, compare=compare)
    t.block.nodes.append(replace(node, atom=atom, guard=guard, negated=negated, align=align, origin=item))
    return dst


def _wide_atomic(
    t: Builder, item: PtxInstruction, name: str, result: PtxOperand | None, operands: tuple[PtxOperand, ...]
) -> None:
    """An atomic on 64 bits.

    Nothing runs between two blocks of a warp but other lanes, in the same order each time. So a pair of atomics on the
    halves is exact if the high one depends on the low one's old word only through a carry of the same lane.
    """
    base, offset = _address(t, operands[0])
    if name not in ("add", "and", "or", "xor", "exch"):
        _serial_atomic(t, item, name, result, operands)
        return
    low, high = t.wide(operands[1])
    old_low = _word_atomic(t, item, base, offset, name, low, wanted=name == "add" or result is not None, align=8)
    if name == "add":
        high = t.emit(Op.ADDC, high, None, wide.carry_of_sum(t, low, old_low))
    old_high = _word_atomic(t, item, base, offset + 4, name, high, wanted=result is not None)
    if result is not None:
        t.define_wide(result, (old_low, old_high))


def _serial_atomic(
    t: Builder, item: PtxInstruction, name: str, result: PtxOperand | None, operands: tuple[PtxOperand, ...]
) -> None:
    """Any atomic on 64 bits: the lanes of the warp take turns, in a loop, to load, compute and store."""
    base, offset = _address(t, operands[0])
    base = t.pinned(t.emit(Op.ADD, base, literal(offset)))
    values: list[Wide] = [tuple(t.pinned(half) for half in t.wide(o)) for o in operands[1:]]  # type: ignore[misc]
    turn, old_low, old_high = (t.variable(stem, None) for stem in ("turn", "low", "high"))
    t.open_next("turns")
    lane = t.emit(Op.AND, Tid(3), literal(_LANES - 1))
    mine = t.emit(Op.SEQ, lane, t.value(turn))
    halves: list[Value] = []
    for k in range(2):
        halves.append(t.function.fresh())
        load = Node(Op.LD, str(halves[k]), base, literal(4 * k), effect="load", space=_space(item), origin=item)
        t.block.nodes.append(replace(load, align=8 if k == 0 else 4))
    old: Wide = (halves[0], halves[1])
    new = _new_value(t, name, kind_of(item)[0] == "s", old, values)
    for k in range(2):
        store = Node(
            Op.ADD, None, base, literal(4 * k), effect="store", space=_space(item), data=new[k], guard=as_guard(mine)
        )
        t.block.nodes.append(replace(store, origin=item))
    if result is not None:
        for variable, half in ((old_low, old[0]), (old_high, old[1])):
            t.assign(variable, t.emit(Op.SELP, half, t.value(variable), mine))
    following = t.emit(Op.ADD, t.value(turn), literal(1))
    t.assign(turn, following)
    after = t.function.fresh("next")
    t.branch(t.emit(Op.SNE, following, literal(_LANES)), t.block.name, after)
    t.open(after)
    if result is not None:
        t.define_wide(result, (t.value(old_low), t.value(old_high)))


def _new_value(t: Builder, name: str, signed: bool, old: Wide, values: list[Wide]) -> Wide:
    """What an atomic writes."""
    data = values[-1]
    match name:
        case "cas":
            return wide.select(t, data, old, wide.equal(t, old, values[0]))
        case "min":
            return wide.select(t, data, old, wide.less(t, data, old, signed))
        case "max":
            return wide.select(t, data, old, wide.less(t, old, data, signed))
        case "inc":
            return wide.select(t, wide.add(t, old, wide.ONE), wide.ZERO, wide.less(t, old, data, signed=False))
    fewer = wide.subtract(t, old, wide.ONE)  # dec: an old value of 0 wraps, so one comparison finds both reasons
    return wide.select(t, fewer, data, wide.less(t, fewer, data, signed=False))


def _half_atomic(
    t: Builder, item: PtxInstruction, name: str, result: PtxOperand | None, operands: tuple[PtxOperand, ...]
) -> None:
    """A compare-and-swap of 16 bits: the lanes take turns as in :func:`_serial_atomic`."""
    if name != "cas":
        raise t.fail("16 bits only for .cas")
    base, offset = _address(t, operands[0])
    base = t.pinned(t.emit(Op.ADD, base, literal(offset)))
    compare, data = (t.pinned(t.emit(Op.EXT16U, t.value(o))) for o in operands[1:])
    turn, old = t.variable("turn", None), t.variable("old", None)
    t.open_next("turns")
    mine = t.emit(Op.SEQ, t.emit(Op.AND, Tid(3), literal(_LANES - 1)), t.value(turn))
    word = t.function.fresh()
    t.block.nodes.append(Node(Op.LD, word, base, effect="load", space=_space(item), align=2, origin=item))
    half = t.emit(Op.EXT16U, word, base)
    swaps = t.emit(Op.AND, mine, t.emit(Op.SEQ, half, compare))
    store = Node(
        Op.ADD, None, base, effect="store", space=_space(item), data=data, guard=as_guard(swaps), align=2, origin=item
    )
    t.block.nodes.append(_merging(t, store, 16))
    t.assign(old, t.emit(Op.SELP, half, t.value(old), mine))
    following = t.emit(Op.ADD, t.value(turn), literal(1))
    t.assign(turn, following)
    after = t.function.fresh("next")
    t.branch(t.emit(Op.SNE, following, literal(_LANES)), t.block.name, after)
    t.open(after)
    if result is not None:
        t.define(result, t.value(old))


@instruction("membar", "", "cta gl sys level", "accesses are in program order: nothing to do")
@instruction("fence", "", f"{_ORDER} sc proxy alias", "accesses are in program order: nothing to do")
@instruction("prefetch prefetchu", "", "global local L1 L2", "there is no cache: nothing to do")
def _nothing(t: Builder, item: PtxInstruction) -> None:
    """Nothing to do."""
