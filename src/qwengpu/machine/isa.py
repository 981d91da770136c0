"""The instruction set: what a pipeline stage can do, what a block holds, and how both are laid out in ROM bits.

A *block* is one ROM entry: at most one instruction for each pipeline stage, executed in order by all active lanes
in a single forward pass (one EXEC token). Stage k may use the results of stages before it in the same block.
Registers are written only after the block, through COMMIT tokens, so every stage sees the registers as they were
when the block began.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from qwengpu.errors import CompileError
from qwengpu.machine.spec import MachineSpec

MASK32 = 0xFFFFFFFF

#: Control lines of a stage, in ROM order. An operation is a set of these.
CONTROL_LINES = (
    *("add", "sub", "lea", "carry", "and", "or", "xor", "shl", "shr", "sar"),
    *("popc", "clz", "brev", "ext8", "ext16", "sext"),
    *("cmpu", "cmps", "eq", "not", "selp", "lo", "hi", "mad", "load"),
)

#: Alignments of an address that the machine can check, in bytes; 0 is an access that is not checked at all.
ALIGNMENTS = (0, 1, 2, 4, 8, 16)


class Op(Enum):
    """Operations of a stage; the value is the set of control lines it raises.

    With operands a, b, c as unsigned 32-bit integers:
    ``ADD`` a+b; ``SUB`` a-b; ``LEA`` a+(b<<2); ``ADDC`` a+b+1 and ``SUBC`` a-b-1 if c is odd, else a+b and a-b;
    ``AND/OR/XOR``; ``SHL/SHR/SAR`` a by b (b of 32 and more shifts everything out, as in PTX); ``POPC`` number of one
    bits of a; ``CLZ`` number of zero bits above its highest one; ``BREV`` a with its bits in reverse order;
    ``EXT8U/EXT8S`` byte b mod 4 of a, zero or sign extended; ``EXT16U/EXT16S`` its half (b div 2) mod 2;
    ``SLTU/SGEU/SLTS/SGES/SEQ/SNE`` comparisons giving 0 or 1; ``SELP`` a if c is odd, else b; ``MUL/MULHI`` low or
    (unsigned) high half of a*b; ``MAD`` low half of a*b + c; ``LD/LDX`` the memory word that contains byte address
    a+b or a+(b<<2).
    """

    ADD = frozenset({"add"})
    SUB = frozenset({"sub"})
    LEA = frozenset({"lea"})
    ADDC = frozenset({"add", "carry"})
    SUBC = frozenset({"sub", "carry"})
    AND = frozenset({"and"})
    OR = frozenset({"or"})
    XOR = frozenset({"xor"})
    SHL = frozenset({"shl"})
    SHR = frozenset({"shr"})
    SAR = frozenset({"sar"})
    POPC = frozenset({"popc"})
    CLZ = frozenset({"clz"})
    BREV = frozenset({"brev"})
    EXT8U = frozenset({"ext8"})
    EXT8S = frozenset({"ext8", "sext"})
    EXT16U = frozenset({"ext16"})
    EXT16S = frozenset({"ext16", "sext"})
    SLTU = frozenset({"cmpu"})
    SGEU = frozenset({"cmpu", "not"})
    SLTS = frozenset({"cmps"})
    SGES = frozenset({"cmps", "not"})
    SEQ = frozenset({"eq"})
    SNE = frozenset({"eq", "not"})
    SELP = frozenset({"selp"})
    MUL = frozenset({"lo"})
    MULHI = frozenset({"hi"})
    MAD = frozenset({"lo", "mad"})
    LD = frozenset({"add", "load"})
    LDX = frozenset({"lea", "load"})

    @property
    def stage_kind(self) -> str:
        """Kind of stage this needs; ``alu`` means any."""
        if "load" in self.value:
            return "load"
        return "mul" if self.value & {"lo", "hi"} else "alu"


@dataclass(frozen=True)
class Operand:
    """Where a stage takes an input from: nothing (reads 0), a register, a constant, or an earlier stage's result."""

    kind: str = "none"  # none | reg | const | stage
    index: int = 0

    def __str__(self) -> str:
        return {"none": "0", "reg": f"r{self.index}", "const": f"c{self.index}", "stage": f"s{self.index}"}[self.kind]


NONE = Operand()


@dataclass(frozen=True)
class Instruction:
    """One stage's work.

    Attributes:
        op: the operation.
        a, b, c: operands. c may be a register only in a ``mul`` stage (and an earlier stage's result anywhere);
            constants are not possible for c. Light stages read only bit 0 of c.
        dst: register or constant row the result is committed to after the block, or None when only later stages
            of the block use it. (A constant row takes lane 0's value; the grid scheduler uses that.)
        align: bytes to which the address of a load, a store or an atomic must be aligned; 0 if it is not checked.
        line: source line, for messages; text: the PTX it came from.
    """

    op: Op
    a: Operand = NONE
    b: Operand = NONE
    c: Operand = NONE
    dst: Operand | None = None
    align: int = 4
    line: int = 0
    text: str = ""

    def __str__(self) -> str:
        args = ", ".join(str(o) for o in ((self.a, self.b, self.c) if self.c != NONE else (self.a, self.b)))
        return f"{self.op.name.lower()} {args}" + (f" -> {self.dst}" if self.dst else "")


@dataclass(frozen=True)
class Block:
    """One ROM entry.

    Attributes:
        stages: one instruction or None for each pipeline stage.
        next: block that follows when the branch is not taken (or there is none).
        target: block that follows when the branch is taken; for an ``exit`` block, the grid scheduler's block.
        branch: the branch is taken in lanes where the last stage's result is odd.
        store: lanes write stage 0's result to the memory word at the store stage's address.
        atomic: lane by lane, the last stage's result is written to the address the store stage loaded from; each
            lane sees the writes of the lanes before it.
        guard: with ``store`` or ``atomic``, only lanes in which operand c of stage 0 is odd (even if
            ``guard_negated``) take part.
        exit: the thread ends after this block. barrier: the warp waits for all others after this block.
        sync: it waits for those of its *logical warp*, CUDA's 32 threads with consecutive linear indices.
        trap: the launch ends with an error: an assertion that failed, or a trap.
        grid: the grid scheduler: runs in all lanes; branch taken starts the next thread block, else the launch ends.
    """

    stages: tuple[Instruction | None, ...]
    next: int = 0
    target: int = 0
    branch: bool = False
    store: bool = False
    atomic: bool = False
    guard: bool = False
    guard_negated: bool = False
    exit: bool = False
    barrier: bool = False
    sync: bool = False
    trap: bool = False
    grid: bool = False

    @property
    def target_waits(self) -> bool:
        """When lanes disagree on the branch, whether it is the taken side that waits (the higher block does)."""
        return self.target > self.next


#: A constant that the loader computes.
Address = tuple[str | int, ...]


@dataclass(frozen=True)
class Symbol:
    """A variable of the module: its first byte in :attr:`Program.data`, its bytes, the type of its elements."""

    offset: int
    bytes: int
    element: str = "s32"


@dataclass
class Program:
    """A kernel ready to be loaded.

    Attributes:
        name: kernel name.
        blocks: ROM image; execution starts at block 0.
        constants: constant row -> value: ``int`` for a literal, ``("param", i, offset)`` for kernel parameter i plus
            an offset, ``("ntid", axis)``, ``("nctaid", axis)`` for launch sizes, ``("ctaid", axis)`` for the running
            block index (0 at start), ``("shared", offset)`` for an address in ``__shared__`` storage, ``("global",
            offset)`` in ``data``, ``("local", offset)`` in thread 0's local storage, which is ``tid * local_bytes``
            before that of thread ``tid``; ``("word", i, k)`` for word k of parameter i, ``("spill", k)`` for thread 0's
            word k of spilled registers (those of the threads follow each other), ``("output", offset)`` in the buffer
            for printed text and ``("output_end", offset)`` from its end.
        thread_index: axis -> register preloaded with threadIdx on that axis; axis 3 is the linear thread index.
        parameters: kernel parameters in order: ``("ptr"|"u32"|"s32"|"u64"|..., name)``; ``b`` and a number of bits is
            a structure.
        elements: parameter -> type of the elements of the array it points to (``"u8"`` to ``"s64"``); else ``"s32"``.
        shared_bytes: static ``__shared__`` storage. local_bytes: local storage of a thread.
        spill_words: registers of a thread that are kept in memory.
        data: words of the module's variables, as they are before the launch; a tuple is an address, as in constants.
        symbols: name in the source -> where a variable is in ``data``.
        prints: formats of the kernel's calls of printf (see :mod:`qwengpu.machine.output`).
        registers: registers used by the kernel.
        lines: source line of each block, for messages; 0 if unknown.
        messages: block -> what a trap there is about.
    """

    name: str
    blocks: list[Block]
    constants: dict[int, object] = field(default_factory=dict)
    thread_index: dict[int, int] = field(default_factory=dict)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    shared_bytes: int = 0
    local_bytes: int = 0
    spill_words: int = 0
    data: list[int | Address] = field(default_factory=list)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    elements: dict[int, str] = field(default_factory=dict)
    prints: list[str] = field(default_factory=list)
    registers: int = 0
    source: str = ""
    lines: list[int] = field(default_factory=list)
    messages: dict[int, str] = field(default_factory=dict)


# --- ROM layout ------------------------------------------------------------------------------------------------------

INDEX_BITS = 7  # operand index: register or constant
SOURCES = 5  # stages whose result can be forwarded (all but a sixth stage, which is last)
STAGE_FIELDS: dict[str, int] = {
    "a_reg": 1, "a_const": 1, "a_index": INDEX_BITS, "a_stage": SOURCES,
    "b_reg": 1, "b_const": 1, "b_index": INDEX_BITS, "b_stage": SOURCES,
    "c_reg": 1, "c_index": 5, "c_stage": SOURCES,
    **dict.fromkeys(CONTROL_LINES, 1),
}  # fmt: skip
STAGE_BITS = 64  # two stages share one 128-bit ROM row upload
ROW_BITS = 128
FLAG_FIELDS = (
    *("branch", "store", "atomic", "guard", "guard_negated"),
    *("exit", "barrier", "sync", "trap", "grid", "target_waits"),
)


def control_fields(spec: MachineSpec) -> dict[str, int]:
    """Name -> width of the fields of a block's control row, in bit order."""
    stages = len(spec.stages)
    return {
        "live": stages,
        **{f"dst{k}": INDEX_BITS for k in range(stages)},
        "dst_const": stages,
        **{f"align{align}": stages for align in ALIGNMENTS if align != 4},
        "next": spec.block_bits,
        "target": spec.block_bits,
        **dict.fromkeys(FLAG_FIELDS, 1),
    }


def field_offsets(fields: dict[str, int]) -> dict[str, int]:
    """Name -> first bit of each field."""
    offsets, at = {}, 0
    for name, width in fields.items():
        offsets[name] = at
        at += width
    return offsets


def _pack(fields: dict[str, int], values: dict[str, int], limit: int) -> int:
    word, at = 0, 0
    for name, width in fields.items():
        value = values.get(name, 0)
        if not 0 <= value < 1 << width:
            raise CompileError(f"internal: ROM field {name} cannot hold {value}")
        word |= value << at
        at += width
    if at > limit:
        raise CompileError(f"internal: a ROM row needs {at} bits of {limit}")
    return word


def _operand_values(prefix: str, operand: Operand) -> dict[str, int]:
    if operand.kind == "stage":
        return {f"{prefix}_stage": 1 << operand.index}
    if operand.kind in ("reg", "const"):
        return {f"{prefix}_{operand.kind}": 1, f"{prefix}_index": operand.index}
    return {}


def encode_stage(instruction: Instruction | None) -> int:
    """The 64 ROM bits of one stage; an empty stage is all 0."""
    if instruction is None:
        return 0
    values = dict.fromkeys(instruction.op.value, 1)
    for prefix, operand in (("a", instruction.a), ("b", instruction.b), ("c", instruction.c)):
        values |= _operand_values(prefix, operand)
    return _pack(STAGE_FIELDS, values, STAGE_BITS)


def encode_control(spec: MachineSpec, block: Block) -> int:
    """The 128-bit control row of a block."""
    values: dict[str, int] = {name: int(getattr(block, name)) for name in FLAG_FIELDS}
    values |= {"next": block.next, "target": block.target, "live": 0, "dst_const": 0}
    for k, instruction in enumerate(block.stages):
        if instruction is not None and instruction.align != 4:
            values[f"align{instruction.align}"] = values.get(f"align{instruction.align}", 0) | 1 << k
        if instruction is not None and instruction.dst is not None:
            values["live"] |= 1 << k
            values[f"dst{k}"] = instruction.dst.index
            values["dst_const"] |= (instruction.dst.kind == "const") << k
    return _pack(control_fields(spec), values, ROW_BITS)


def encode_block(spec: MachineSpec, block: Block) -> list[int]:
    """ROM rows of a block, 128 bits each: the control row, then two stages a row."""
    words = [encode_stage(i) for i in block.stages]
    words += [0] * (len(words) % 2)
    return [encode_control(spec, block)] + [words[k] | words[k + 1] << STAGE_BITS for k in range(0, len(words), 2)]


def validate(spec: MachineSpec, blocks: Iterable[Block]) -> None:
    """Check that blocks obey the machine's rules.

    Raises:
        CompileError: naming the block and the rule (a fault of the compiler, not of the user).
    """
    blocks = list(blocks)
    for number, block in enumerate(blocks):

        def rule(ok: bool, text: str, number: int = number) -> None:
            if not ok:
                raise CompileError(f"internal: block {number}: {text}")

        rule(len(block.stages) == len(spec.stages), "wrong number of stages")
        rule(max(block.next, block.target) < len(blocks), "successor out of range")
        rule(not (block.store and block.atomic), "store and atomic together")
        for k, (kind, ins) in enumerate(zip(spec.stages, block.stages, strict=True)):
            if ins is None:
                continue
            rule(ins.op.stage_kind in ("alu", kind), f"{ins.op.name} in stage {k} ({kind})")
            for operand in (ins.a, ins.b, ins.c):
                rule(operand.kind != "stage" or operand.index < k, f"stage {k} reads a later stage")
                rule(operand.kind != "reg" or operand.index < spec.registers, "no such register")
                rule(operand.kind != "const" or operand.index < spec.constants, "no such constant")
            rule(ins.c.kind != "const", "constant as operand c")
            rule(ins.c.kind != "reg" or kind == "mul", "register as operand c of a light stage")
            rule(ins.dst is None or ins.dst.kind != "reg" or ins.dst.index < spec.registers, "no such destination")
            rule(not (block.store and "load" in ins.op.value), "a load in a store block")
            rule(ins.align in ALIGNMENTS, f"alignment {ins.align}")
        if block.store or block.atomic:
            first, address = block.stages[0], block.stages[spec.store_stage]
            rule(first is not None and address is not None, "store without data or address")
            lines = address.op.value if address else frozenset()
            rule(bool(lines & {"add", "lea"}) and "carry" not in lines, "store address is not a sum")
            rule(block.store or "load" in lines, "atomic without a load")
            rule(not block.atomic or block.stages[-1] is not None, "atomic without a result")
            rule(address is None or address.align > 0, "a write that is not checked")
        if block.atomic:
            late = block.stages[spec.store_stage + 1 :]
            rule(all(i is None or i.dst is None for i in late), "an atomic commits only what precedes its result")
            rule(not block.branch, "atomic and branch together")
            loaded = block.stages[spec.store_stage]
            rule(not block.guard or loaded is None or loaded.dst is None, "guarded atomic with a result")
        waits = block.barrier or block.sync
        rule(not (waits and (block.branch or block.exit or block.grid)), "barrier with branch or exit")
        rule(not (block.barrier and block.sync), "barrier and sync together")
        rule(not block.branch or block.stages[-1] is not None, "branch without a predicate")
        guarded = block.stages[0] if block.guard else None
        if guarded is not None:
            rule(guarded.op not in (Op.MAD, Op.SELP, Op.ADDC, Op.SUBC), "guard and operand c both used")
