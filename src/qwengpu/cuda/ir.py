"""Intermediate form between PTX and machine blocks.

A :class:`Function` is a graph of :class:`BasicBlock`. Inside a basic block every node defines a new *value* (a name
that is defined once in the function). PTX registers that are assigned in several places are *variables*: a block reads
its variables at its beginning (``reads``: value -> variable) and assigns them all at once at its end (``writes``:
variable -> value). That is what the machine does too: a block's stages see the registers as they were before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from qwengpu.cuda.ptx import PtxInstruction
from qwengpu.errors import CompileError
from qwengpu.machine.isa import MASK32, Address, Op, Symbol


@dataclass(frozen=True)
class Const:
    """An entry of the constant bank: a literal, or a tuple as in :attr:`qwengpu.machine.isa.Program.constants`."""

    value: int | tuple[str | int, ...]


@dataclass(frozen=True)
class Tid:
    """``threadIdx`` on an axis: a register that the loader fills and nothing overwrites."""

    axis: int


#: The block at which threads end.
EXIT = "exit"
#: An operand: a value's name, a constant, a thread index, or None (reads 0).
Value = str | Const | Tid | None

COMPARISONS = frozenset({Op.SLTU, Op.SGEU, Op.SLTS, Op.SGES, Op.SEQ, Op.SNE})
COMMUTATIVE = frozenset({Op.ADD, Op.AND, Op.OR, Op.XOR, Op.SEQ, Op.SNE, Op.MUL, Op.MULHI})


def literal(number: int) -> Value:
    """A literal operand; 0 is the operand that is absent."""
    return Const(number & MASK32) if number & MASK32 else None


def number(value: Value) -> int | None:
    """The literal's number, or None if the operand is not a literal."""
    if value is None:
        return 0
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else None


def as_guard(value: Value) -> Value:
    """A value as the guard of a node: one that is 0 never lets it happen, whereas None says that there is no guard."""
    return Const(0) if value is None else value


def add_constants(a: Value, b: Value) -> Value | bool:
    """Sum of two constants as a constant; False when the loader could not compute it."""
    if number(a) is None:
        a, b = b, a
    plain = number(a)
    if plain is None:
        return False
    if plain == 0 and (b is None or isinstance(b, Const)):
        return b
    if (other := number(b)) is not None:
        return literal(plain + other)
    if isinstance(b, Const) and isinstance(b.value, tuple) and b.value[0] in ("param", "shared", "local", "global"):
        *key, offset = b.value
        signed = plain - (1 << 32) if plain >> 31 else plain
        return Const((*key, int(offset) + signed))
    return False


@dataclass(frozen=True)
class Node:
    """One operation.

    Attributes:
        op, a, b, c: as in the machine. For a store, ``op`` is ADD or LEA: the address. For loads and atomics, LD, LDX.
        dst: the value defined (an atomic's is the old memory word).
        effect: "", "load", "store" or "atomic". space: "global", "shared" or "" (may be both).
        data: what a store writes, or an atomic's operand; compare: the second operand of a compare-and-swap.
        align: bytes to which the address must be aligned; 0 for a load that also runs where it is not wanted, and so
            must not trap.
        atom: the atomic operation. guard: the value whose bit 0 (inverted if ``negated``) enables a store or atomic.
        origin: the PTX it came from.
    """

    op: Op
    dst: str | None = None
    a: Value = None
    b: Value = None
    c: Value = None
    effect: str = ""
    space: str = ""
    data: Value = None
    compare: Value = None
    atom: str = ""
    guard: Value = None
    negated: bool = False
    align: int = 4
    origin: PtxInstruction | None = None

    @property
    def uses(self) -> tuple[Value, ...]:
        """Every operand."""
        return (self.a, self.b, self.c, self.data, self.compare, self.guard)

    @property
    def writes_memory(self) -> bool:
        return self.effect in ("store", "atomic")

    def speculated(self) -> Node:
        """The node for a place where it runs more often than the program asks for it."""
        return replace(self, align=0) if self.effect == "load" else self

    def substitute(self, values: dict[str, Value]) -> Node:
        """The node with operands replaced."""
        if not any(isinstance(u, str) and u in values for u in self.uses):
            return self
        a, b, c, data, compare, guard = (substituted(use, values) for use in self.uses)
        if self.guard is not None and guard is None:
            guard = as_guard(guard)
        return replace(self, a=a, b=b, c=c, data=data, compare=compare, guard=guard)


def substituted(value: Value, values: dict[str, Value]) -> Value:
    return values.get(value, value) if isinstance(value, str) else value


@dataclass
class BasicBlock:
    """Nodes in order, then a jump (``next``), a branch (``predicate`` odd -> ``target``, else ``next``) or an exit.

    Attributes:
        reads: value -> variable it is read from. writes: variable -> value it is assigned.
        barrier, sync: at its end the threads of the thread block, or of the logical warp, wait for each other.
        trap: the launch ends here; such a block has no nodes. message: why it does.
        line: of the source, for messages.
    """

    name: str
    nodes: list[Node] = field(default_factory=list)
    reads: dict[str, str] = field(default_factory=dict)
    writes: dict[str, Value] = field(default_factory=dict)
    predicate: Value = None
    target: str | None = None
    next: str | None = None
    barrier: bool = False
    sync: bool = False
    trap: bool = False
    message: str = ""
    line: int = 0

    @property
    def is_exit(self) -> bool:
        return self.next is None

    @property
    def ends_in_event(self) -> bool:
        """Whether its end is seen outside of the thread, so that it must neither move nor merge nor be skipped."""
        return self.barrier or self.sync or self.trap

    @property
    def successors(self) -> list[str]:
        return [name for name in (self.target, self.next) if name is not None]

    def copy(self) -> BasicBlock:
        return replace(self, nodes=list(self.nodes), reads=dict(self.reads), writes=dict(self.writes))

    def used(self) -> Iterator[str]:
        """Names of the values it uses, with repetitions."""
        for node in self.nodes:
            yield from (u for u in node.uses if isinstance(u, str))
        yield from (v for v in (*self.writes.values(), self.predicate) if isinstance(v, str))

    def substitute(self, values: dict[str, Value]) -> None:
        """Replace operands everywhere in the block."""
        self.nodes = [node.substitute(values) for node in self.nodes]
        self.writes = {variable: substituted(value, values) for variable, value in self.writes.items()}
        self.predicate = substituted(self.predicate, values)


@dataclass
class Function:
    """A kernel. ``blocks`` in any order, the entry first.

    Attributes:
        parameters: (kind, name) in order; elements: as in :attr:`~qwengpu.machine.isa.Program.elements`.
        shared_bytes: static shared storage. local_bytes: local storage of a thread.
        spill_words: registers of a thread that are kept in memory.
        data: words of the module's variables, as in :attr:`~qwengpu.machine.isa.Program.data`; symbols: where each is.
        booleans: values and variables known to be 0 or 1. prints: formats of its calls of printf.
        source: the file to cite in messages.
    """

    name: str
    blocks: dict[str, BasicBlock] = field(default_factory=dict)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    shared_bytes: int = 0
    local_bytes: int = 0
    spill_words: int = 0
    data: list[int | Address] = field(default_factory=list)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    booleans: set[str] = field(default_factory=set)
    elements: dict[int, str] = field(default_factory=dict)
    prints: list[str] = field(default_factory=list)
    source: str = ""
    counter: int = 0

    def copy(self) -> Function:
        blocks = {name: block.copy() for name, block in self.blocks.items()}
        return replace(self, blocks=blocks, booleans=set(self.booleans), parameters=list(self.parameters))

    def fresh(self, stem: str = "t") -> str:
        """A name that is not yet used."""
        self.counter += 1
        return f"{stem.split('~')[0]}~{self.counter}"

    @property
    def entry(self) -> str:
        return next(iter(self.blocks))

    def remove_unreachable(self) -> bool:
        """Remove blocks that the entry does not lead to; True if there were any."""
        reached: set[str] = set()
        work = [self.entry]
        while work:
            name = work.pop()
            if name not in reached:
                reached.add(name)
                work += self.blocks[name].successors
        before = len(self.blocks)
        self.blocks = {name: block for name, block in self.blocks.items() if name in reached}
        return len(self.blocks) < before

    def predecessors(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in self.blocks}
        for block in self.blocks.values():
            for successor in block.successors:
                found[successor].append(block.name)
        return found


def unsupported(source: str, instruction: PtxInstruction, remedy: str, what: str = "unsupported") -> CompileError:
    """The error for a PTX instruction that the machine cannot run."""
    place = f"{source}:{instruction.line or instruction.ptx_line}"
    return CompileError(f"{place}: {what} PTX instruction '{instruction}'; {remedy}")
