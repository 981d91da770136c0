"""PTX instructions: what the threads of a warp or of a thread block do together, and special registers.

A warp of CUDA, a *logical warp*, is 32 threads; the machine runs it as several warps of its own. Threads exchange
values through a part of shared memory that is set aside, with a sync of the logical warp between writing and reading,
and another one before the next exchange can write.
"""

from __future__ import annotations

import re
from dataclasses import replace

from qwengpu.cuda.builder import WIDTHS, Builder, Scratch
from qwengpu.cuda.instructions import instruction, kind_of
from qwengpu.cuda.ir import Const, Node, Tid, Value, as_guard, literal, number
from qwengpu.cuda.ptx import Kernel, Name, Pair, PtxInstruction, PtxOperand
from qwengpu.machine.isa import Op
from qwengpu.machine.spec import CUDA_WARP, MachineSpec

_SHIFT = CUDA_WARP.bit_length() - 1
_VOTES = {"vote", "activemask", "match"}


def scratch(kernel: Kernel, spec: MachineSpec) -> Scratch:
    """What the instructions of a kernel need."""
    items = [item for item in kernel.body if isinstance(item, PtxInstruction)]
    names = {item.parts[0] for item in items}
    slots = 4 * spec.threads if names & {"shfl", "match"} else 0
    votes = 4 * -(-spec.threads // CUDA_WARP) if names & _VOTES else 0
    reduces = any(item.parts[0] in ("bar", "barrier") and "red" in item.parts for item in items)
    return Scratch(0, slots, slots + votes, slots + votes + 4 * reduces)


def _lane(t: Builder) -> Value:
    return t.emit(Op.AND, Tid(3), literal(CUDA_WARP - 1))


def _threads(t: Builder) -> Value:
    """Threads of the thread block."""
    x, y, z = (Const(("ntid", axis)) for axis in range(3))
    return t.emit(Op.MUL, t.emit(Op.MUL, x, y), z)


def _expect(t: Builder, item: PtxInstruction, *counts: int) -> None:
    if len(item.operands) not in counts:
        raise t.fail(f"it takes {' or '.join(map(str, counts))} operands")


def _pair(operand: PtxOperand) -> tuple[PtxOperand, PtxOperand]:
    """The two results of ``d|p``; of ``d``, none is the second."""
    return (Name(operand.first), Name(operand.second)) if isinstance(operand, Pair) else (operand, Name("_"))


# --- shuffles --------------------------------------------------------------------------------------------------------


def _slot(t: Builder, index: Value) -> tuple[Value, Value]:
    """Base and offset of the slot of the thread with a linear index."""
    return Const(("shared", t.scratch.slots)), t.emit(Op.SHL, index, literal(2))


def _put(t: Builder, value: Value) -> None:
    """Write a value to the thread's own slot."""
    a, b = _slot(t, Tid(3))
    t.block.nodes.append(Node(Op.ADD, None, a, b, effect="store", space="shared", data=value, origin=t.instruction))


def _get(t: Builder, index: Value) -> str:
    """The value in the slot of the thread with a linear index."""
    a, b = _slot(t, index)
    return _load(t, a, b)


def _load(t: Builder, a: Value, b: Value) -> str:
    dst = t.function.fresh()
    t.block.nodes.append(Node(Op.LD, dst, a, b, effect="load", space="shared", origin=t.instruction))
    return dst


@instruction("shfl", "b32", "sync up down bfly idx")
def _shfl(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _shfl)
        return
    _expect(t, item, *((5,) if "sync" in item.parts else (4,)))
    mode = next((part for part in item.parts if part in ("up", "down", "bfly", "idx")), "")
    if not mode:
        raise t.fail("choose .up, .down, .bfly or .idx")
    _put(t, t.value(item.operands[1]))
    wait = not _stays_in_machine_warp(t, mode, *(t.value(operand) for operand in item.operands[2:4]))
    if wait:
        t.open_next("exchange", "sync")
    source, valid = _source_lane(t, mode, *(t.value(operand) for operand in item.operands[2:4]))
    value = _get(t, t.emit(Op.ADD, t.emit(Op.SUB, Tid(3), _lane(t)), source))
    result, predicate = _pair(item.operands[0])
    if wait:
        valid = t.pinned(valid)
        t.open_next("exchanged", "sync")
    t.define(result, value)
    t.define(predicate, valid)


def _stays_in_machine_warp(t: Builder, mode: str, b: Value, c: Value) -> bool:
    """Whether threads surely exchange only with those that execute at the same time, so that nothing need wait."""
    lanes = t.spec.lanes
    segment = number(c)
    distance = number(b)
    if mode == "bfly" and distance is not None and distance & (CUDA_WARP - 1) < lanes:
        return True
    return segment is not None and segment >> 8 & (CUDA_WARP - lanes) == CUDA_WARP - lanes


def _source_lane(t: Builder, mode: str, b: Value, c: Value) -> tuple[Value, Value]:
    """The lane to read from, and whether it is within the segment of the lanes that exchange."""
    lane, bits = _lane(t), literal(CUDA_WARP - 1)
    b = t.emit(Op.AND, b, bits)
    segment = t.emit(Op.AND, t.emit(Op.SHR, c, literal(8)), bits)
    others = t.emit(Op.XOR, segment, bits)
    least = t.emit(Op.AND, lane, segment)
    most = t.emit(Op.OR, least, t.emit(Op.AND, t.emit(Op.AND, c, bits), others))
    known = number(c)
    if mode == "idx":
        source = t.emit(Op.OR, least, t.emit(Op.AND, b, others))
    else:
        source = t.emit({"up": Op.SUB, "down": Op.ADD, "bfly": Op.XOR}[mode], lane, b)
    everything = known is not None and known & (CUDA_WARP - 1) == CUDA_WARP - 1
    if everything and (mode == "idx" or (mode == "bfly" and known is not None and not known >> 8 & (CUDA_WARP - 1))):
        return source, literal(1)
    valid = t.emit(Op.SGES, *((source, most) if mode == "up" else (most, source)))
    return t.emit(Op.SELP, source, lane, valid), valid


# --- votes -----------------------------------------------------------------------------------------------------------


def _ballot(t: Builder, predicate: Value) -> Value:
    """Bit i: the predicate in lane i, of those that vote together.

    Each lane flips its bit of a word that is 0. When all have read the word, one of the lanes that flipped a bit flips
    all of them back; it does not matter whether others vote again before that.
    """
    a = Const(("shared", t.scratch.votes))
    own = t.emit(Op.SHL, literal(1), _lane(t))

    def flip(bits: Value, guard: Value) -> None:
        b = t.emit(Op.SHL, t.emit(Op.SHR, Tid(3), literal(_SHIFT)), literal(2))
        node = Node(Op.LD, None, a, b, effect="atomic", space="shared", data=bits, atom="xor")
        t.block.nodes.append(replace(node, guard=as_guard(guard), origin=t.instruction))

    predicate = t.pinned(predicate)
    flip(own, predicate)
    t.open_next("vote", "sync")
    ballot = _load(t, a, t.emit(Op.SHL, t.emit(Op.SHR, Tid(3), literal(_SHIFT)), literal(2)))
    t.open_next("voted", "sync")
    own = t.emit(Op.SHL, literal(1), _lane(t))
    below = t.emit(Op.AND, ballot, t.emit(Op.SUB, own, literal(1)))
    flip(ballot, t.emit(Op.AND, predicate, t.emit(Op.SEQ, below)))
    return ballot


@instruction("vote", "pred b32", "sync all any uni ballot")
def _vote(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _vote)
        return
    _expect(t, item, *((3,) if "sync" in item.parts else (2,)))
    mode = next((part for part in item.parts if part in ("all", "any", "uni", "ballot")), "")
    if (mode == "ballot") != (kind_of(item) == "b32"):
        raise t.fail("write .all.pred, .any.pred, .uni.pred or .ballot.b32")
    predicate = t.value(item.operands[1], "pred")
    inverse = t.pinned(t.emit(Op.XOR, predicate, literal(1)))

    def members() -> Value:
        return t.value(item.operands[2]) if len(item.operands) == 3 else literal(-1)

    if mode == "all":
        result = t.emit(Op.SEQ, t.emit(Op.AND, _ballot(t, inverse), members()))
    else:
        result = t.emit(Op.AND, _ballot(t, predicate), members())
        if mode == "any":
            result = t.emit(Op.SNE, result)
        elif mode == "uni":
            none = t.pinned(t.emit(Op.SEQ, result))
            result = t.emit(Op.OR, none, t.emit(Op.SEQ, t.emit(Op.AND, _ballot(t, inverse), members())))
    t.define(item.operands[0], result)


@instruction("activemask", "b32")
def _activemask(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _activemask)
        return
    t.define(item.operands[0], _ballot(t, literal(1)))


@instruction("match", "b32 b64", "any all sync")
def _match(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _match)
        return
    _expect(t, item, 3)
    bits, everything = WIDTHS[kind_of(item)], "all" in item.parts
    members = t.pinned(t.emit(Op.AND, _ballot(t, literal(1)), t.value(item.operands[2])))
    halves = [t.pinned(half) for half in t.wide(item.operands[1])] if bits == 64 else [t.value(item.operands[1])]
    equal: Value = members
    for half in halves:
        equal = t.pinned(t.emit(Op.AND, equal, _lanes_with(t, t.pinned(half))))
    same = t.emit(Op.SEQ, equal, members)
    result, predicate = _pair(item.operands[0])
    t.define(result, t.emit(Op.SELP, equal, None, same) if everything else equal)
    t.define(predicate, same)


def _lanes_with(t: Builder, value: Value) -> Value:
    """Bit i: whether the slot of lane i holds the value; a loop over the lanes."""
    _put(t, value)
    count, mask = t.variable("lane", literal(CUDA_WARP)), t.variable("mask", None)
    loop, after = t.function.fresh("match"), t.function.fresh("matched")
    t.block.next, t.block.sync = loop, True
    t.open(loop)
    following = t.emit(Op.SUB, t.value(count), literal(1))
    first = t.emit(Op.SUB, Tid(3), _lane(t))
    hit = t.emit(Op.SEQ, _get(t, t.emit(Op.ADD, first, following)), value)
    t.assign(mask, t.emit(Op.ADD, t.emit(Op.ADD, t.value(mask), t.value(mask)), hit))
    t.assign(count, following)
    t.branch(t.emit(Op.SNE, following), loop, after)
    t.open(after)
    found = t.pinned(t.value(mask))
    t.open_next("next", "sync")
    return found


# --- barriers --------------------------------------------------------------------------------------------------------


@instruction("bar barrier", "", "cta warp sync aligned", "a count of threads must be that of the whole thread block")
def _barrier(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _barrier)
        return
    if "sync" not in item.parts:
        raise t.fail("threads can only wait for all others: use __syncthreads()")
    if "warp" in item.parts:
        t.open_next("synced", "sync")
        return
    _expect(t, item, 1, 2)
    _check_count(t, item.operands[1:])
    t.open_next("next", "barrier")


@instruction("bar barrier", "u32 pred", "cta red aligned popc and or")
def _reducing_barrier(t: Builder, item: PtxInstruction) -> None:
    if item.guard:
        t.branched(item, _reducing_barrier)
        return
    _expect(t, item, 3, 4)
    mode = next((part for part in item.parts if part in ("popc", "and", "or")), "")
    if (mode == "popc") != (kind_of(item) == "u32"):
        raise t.fail("write .popc.u32, .and.pred or .or.pred")
    predicate = t.value(item.operands[-1], "pred")
    counted = t.pinned(t.emit(Op.XOR, predicate, literal(1)) if mode == "and" else predicate)
    _check_count(t, item.operands[2:-1])

    def add(amount: int) -> None:
        node = Node(Op.LD, None, Const(("shared", t.scratch.count)), effect="atomic", space="shared", atom="add")
        t.block.nodes.append(replace(node, data=literal(amount), guard=as_guard(counted), origin=item))

    add(1)
    t.open_next("reduce", "barrier")
    total = _load(t, Const(("shared", t.scratch.count)), None)
    t.open_next("reduced", "barrier")
    add(-1)
    results = {"popc": total, "or": t.emit(Op.SNE, total), "and": t.emit(Op.SEQ, total)}
    t.define(item.operands[0], results[mode])


def _check_count(t: Builder, operands: tuple[PtxOperand, ...]) -> None:
    """Trap if a barrier's count of threads is not that of the thread block, in whole warps."""
    for operand in operands:
        warps = t.emit(Op.SHR, t.emit(Op.ADD, _threads(t), literal(CUDA_WARP - 1)), literal(_SHIFT))
        differs = t.emit(Op.SNE, t.value(operand), t.emit(Op.SHL, warps, literal(_SHIFT)))
        following = t.function.fresh("counted")
        t.branch(differs, t.trap_block(), following)
        t.open(following)


# --- special registers -----------------------------------------------------------------------------------------------

_INDEX = re.compile(r"%(tid|ntid|ctaid|nctaid)\.([xyz])")
_REFUSED = {
    "clock": "the machine has no clock; count what the kernel does",
    "globaltimer": "the machine has no clock; count what the kernel does",
    "pm": "the machine has no performance counters; the tokens of a launch are its cost",
    "dynamic_smem_size": "pass the size as a kernel parameter",
    "total_smem_size": "pass the size as a kernel parameter",
}


def special_register(t: Builder, name: str) -> Value:
    """The value of a special register.

    Raises:
        CompileError: if the machine has no such register.
    """
    if found := _INDEX.fullmatch(name):
        axis = "xyz".index(found.group(2))
        return Tid(axis) if found.group(1) == "tid" else Const((found.group(1), axis))
    lane = _lane(t)
    match name:
        case "%laneid":
            return lane
        case "%warpid":
            return t.emit(Op.SHR, Tid(3), literal(_SHIFT))
        case "%nwarpid":
            return t.emit(Op.SHR, t.emit(Op.ADD, _threads(t), literal(CUDA_WARP - 1)), literal(_SHIFT))
        case "%lanemask_eq":
            return t.emit(Op.SHL, literal(1), lane)
        case "%lanemask_lt":
            return t.emit(Op.SUB, t.emit(Op.SHL, literal(1), lane), literal(1))
        case "%lanemask_le":
            return t.emit(Op.SUB, t.emit(Op.SHL, literal(2), lane), literal(1))
        case "%lanemask_gt":
            return t.emit(Op.SHL, literal(-2), lane)
        case "%lanemask_ge":
            return t.emit(Op.SHL, literal(-1), lane)
        case "WARP_SZ":
            return literal(CUDA_WARP)
        case "%smid" | "%gridid":
            return None
        case "%nsmid":
            return literal(1)
    if name[:1] == "0":
        raise t.fail("the machine has no floating point; use integers")
    stem = name.strip("%").rstrip("0123456789_hilo") if name.startswith(("%clock", "%pm")) else name.strip("%")
    raise t.fail(_REFUSED.get(stem, f"{name} is no register, variable or special register that is supported"))
