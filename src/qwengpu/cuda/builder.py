"""What the translation of every PTX instruction needs: operands as values, operations added to a block, results.

A register of 64 bits is two values of 32 bits, its low and its high half. The high half of register ``%rd1`` is kept
under the name ``%rd1^``, unless :mod:`qwengpu.cuda.narrow` knows it from the low half; then it is computed from that
wherever it is needed, and not kept at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from qwengpu.cuda.ir import (
    COMPARISONS,
    EXIT,
    BasicBlock,
    Function,
    Node,
    Value,
    as_guard,
    literal,
    number,
    unsupported,
)
from qwengpu.cuda.narrow import SIGN, ZERO, UpperHalves
from qwengpu.cuda.ptx import Immediate, Kernel, Name, PtxInstruction, PtxOperand
from qwengpu.errors import CompileError
from qwengpu.machine.isa import Op
from qwengpu.machine.spec import MachineSpec

#: Bits of the integer types.
WIDTHS = {"pred": 1, **{f"{letter}{bits}": bits for letter in "bus" for bits in (8, 16, 32, 64)}}


@dataclass(frozen=True)
class Scratch:
    """The part of shared memory that is set aside: offsets of what is used of it, and its bytes.

    Attributes:
        slots: a word for each thread. votes: a word for each logical warp, 0 between votes. count: one word for the
            thread block, 0 between reductions.
    """

    slots: int = 0
    votes: int = 0
    count: int = 0
    bytes: int = 0


#: A 64-bit number: its low and its high half.
Wide = tuple[Value, Value]
_LOGIC = {Op.AND, Op.OR, Op.XOR}


class Builder:
    """A function being built from a kernel: the block that is open, and the value of each register in it.

    Attributes:
        kernel, function: what is translated, and the result. spec: the machine it is for.
        instruction: the one being translated. scratch: shared memory for exchanges between threads.
        block: where operations go. current: register -> its value now, in this block.
        definitions: register -> how many instructions define it.
        upper: what is known of the high halves of 64-bit registers.
    """

    def __init__(
        self,
        kernel: Kernel,
        function: Function,
        spec: MachineSpec,
        upper: UpperHalves,
        definitions: dict[str, int],
        scratch: Scratch,
    ) -> None:
        self.kernel, self.function, self.spec = kernel, function, spec
        self.upper, self.definitions, self.scratch = upper, definitions, scratch
        self.instruction = PtxInstruction("")
        self.current: dict[str, Value] = {}
        self._known: dict[tuple[Op, Value, Value, Value], Value] = {}
        self.block = self._new_block("entry")

    # --- blocks ---

    def _new_block(self, name: str) -> BasicBlock:
        self.function.blocks[name] = BasicBlock(name)
        return self.function.blocks[name]

    def open(self, name: str) -> None:
        """Begin a block; values of registers that are assigned in several places are read again in it."""
        self.block = self._new_block(name)
        self.current, self._known = {}, {}

    def open_next(self, stem: str = "next", wait: Literal["", "barrier", "sync"] = "") -> None:
        """End the block, perhaps with a barrier of the thread block or of the logical warp, and open its successor."""
        name = self.function.fresh(stem)
        self.block.next = name
        self.block.barrier, self.block.sync = wait == "barrier", wait == "sync"
        self.open(name)

    def branch(self, predicate: Value, target: str, following: str) -> None:
        """End the block: go to ``target`` where bit 0 of ``predicate`` is set, else to ``following``."""
        self.block.predicate, self.block.target, self.block.next = predicate, target, following

    def branched(self, item: PtxInstruction, translate: Callable[[Builder, PtxInstruction], None]) -> None:
        """Translate an instruction that only the threads its guard selects may execute: branch around it."""
        name, after = self.function.fresh("guarded"), self.function.fresh("next")
        guard, negated = self.guard()
        self.branch(guard, *((after, name) if negated else (name, after)))
        self.open(name)
        self.instruction = replace(item, guard=None)
        translate(self, self.instruction)
        self.block.next = after
        self.open(after)

    def trap_block(self, message: str = "") -> str:
        """The name of a new block that ends the launch."""
        name = self.function.fresh("trap")
        self.function.blocks[name] = BasicBlock(name, next=EXIT, trap=True, message=message, line=self.block.line)
        return name

    def variable(self, stem: str, value: Value) -> Name:
        """A new register that may be assigned again, in other blocks too; ``define`` and ``value`` take its name."""
        name = self.function.fresh(stem)
        self.kernel.registers[name], self.definitions[name] = ".b32", 2
        self.assign(Name(name), value)
        return Name(name)

    def pinned(self, value: Value) -> Value:
        """A value under a name that blocks opened later may use too."""
        if not isinstance(value, str):
            return value
        dst = self.function.fresh()
        self.block.nodes.append(Node(Op.ADD, dst, value, origin=self.instruction))
        return dst

    # --- operands ---

    def fail(self, remedy: str, what: str = "unsupported") -> CompileError:
        """The error that names the instruction and says what to do instead."""
        return unsupported(self.function.source, self.instruction, remedy, what)

    def value(self, operand: PtxOperand, kind: str = "u32") -> Value:
        """An operand's value now, of a 64-bit one the low half.

        ``kind`` is the type it is read as: signed 16-bit registers are sign extended, unsigned ones zero extended.
        """
        if isinstance(operand, Immediate):
            bits = WIDTHS.get(kind, 32)
            if kind == "pred":
                return literal(operand.value & 1)
            return literal(operand.value & 0xFFFF if bits == 16 and kind[0] != "s" else operand.value)
        if not isinstance(operand, Name):
            raise self.fail("write each operand as a register or an integer")
        if operand.name.startswith("!"):
            return self.emit(Op.XOR, self.value(Name(operand.name[1:]), "pred"), literal(1))
        if operand.name in self.kernel.registers:
            value = self.register(operand.name)
            return self.emit(Op.EXT16S, value) if kind == "s16" else value
        return self.named(operand)

    def named(self, operand: Name) -> Value:
        """The value of an operand that is no register: a special register, or a variable's address."""
        raise NotImplementedError

    def wide(self, operand: PtxOperand) -> Wide:
        """A 64-bit operand's halves now."""
        low = self.value(operand)
        facts = self.upper.of(operand)
        if isinstance(operand, Immediate):
            return low, literal(operand.value >> 32)
        if ZERO in facts:
            return low, None
        if SIGN in facts:
            return low, self.emit(Op.SAR, low, literal(31))
        assert isinstance(operand, Name)
        return low, self.register(self._high(operand.name))

    def _high(self, name: str) -> str:
        """The register that keeps the high half of a 64-bit register."""
        high = f"{name}^"
        self.kernel.registers.setdefault(high, ".b32")
        self.definitions.setdefault(high, self.definitions.get(name, 2))
        return high

    def register(self, name: str) -> Value:
        """The value of a register now."""
        if name in self.current:
            return self.current[name]
        if self.definitions.get(name) == 1:
            return name
        value = self.function.fresh(name)
        self.block.reads[value] = name
        self.current[name] = value
        if self.kernel.registers[name] == ".pred":
            self.function.booleans |= {value, name}
        return value

    def width(self, operand: PtxOperand) -> int:
        """Bits of a register."""
        if not isinstance(operand, Name) or operand.name not in self.kernel.registers:
            raise self.fail("the result must be a declared register")
        kind = self.kernel.registers[operand.name].removeprefix(".")
        if kind not in WIDTHS:
            raise self.fail("the machine computes with integers; declare the register with an integer type")
        return WIDTHS[kind]

    # --- operations ---

    def emit(self, op: Op, a: Value = None, b: Value = None, c: Value = None) -> Value:
        """Add an operation, unless the block has the same one already, and return its value."""
        key = (op, a, b, c)
        if key in self._known:
            return self._known[key]
        dst = self.function.fresh()
        self.block.nodes.append(Node(op, dst, a, b, c, origin=self.instruction))
        if op in COMPARISONS or (op in _LOGIC and all(self._boolean(v) for v in (a, b))):
            self.function.booleans.add(dst)
        self._known[key] = dst
        return dst

    def _boolean(self, value: Value) -> bool:
        return number(value) in (0, 1) or value in self.function.booleans

    # --- results ---

    def guard(self) -> tuple[Value, bool]:
        """The value of the instruction's guard, and whether it is negated; None if there is none."""
        if not self.instruction.guard:
            return None, False
        return as_guard(self.value(Name(self.instruction.guard), "pred")), self.instruction.guard_negated

    def define(self, operand: PtxOperand, value: Value) -> None:
        """Assign a register of at most 32 bits, in the threads that the instruction's guard selects."""
        if operand == Name("_"):
            return
        bits = self.width(operand)
        if bits == 64:
            raise self.fail("the result needs a register of at most 32 bits")
        assert isinstance(operand, Name)
        self._define(operand.name, self.emit(Op.EXT16U, value) if bits == 16 else value)

    def define_wide(self, operand: PtxOperand, value: Wide) -> None:
        """Assign a 64-bit register, in the threads that the instruction's guard selects."""
        if operand == Name("_"):
            return
        if self.width(operand) != 64:
            raise self.fail("the result needs a 64-bit register")
        assert isinstance(operand, Name)
        self._define(operand.name, value[0])
        if not self.upper.of(operand) & {ZERO, SIGN}:
            self._define(self._high(operand.name), value[1])

    def define_extended(self, operand: PtxOperand, value: Value, kind: str) -> None:
        """Assign a register of any width a 32-bit value that is zero or sign extended already, as ``kind`` says."""
        if operand != Name("_") and self.width(operand) == 64:
            self.define_wide(operand, (value, self.emit(Op.SAR, value, literal(31)) if kind[0] == "s" else None))
        else:
            self.define(operand, value)

    def _define(self, name: str, value: Value) -> None:
        guard, negated = self.guard()
        if guard is not None:
            old = self.register(name)
            value = self.emit(Op.SELP, *((old, value) if negated else (value, old)), guard)
        self.assign(Name(name), value)

    def assign(self, operand: Name, value: Value) -> None:
        """Assign a register of at most 32 bits, in every thread."""
        name = operand.name
        self.current[name] = value
        if self.kernel.registers[name] == ".pred" and isinstance(value, str):
            self.function.booleans.add(value)
        if self.definitions[name] == 1:
            # Other blocks, perhaps translated already, use the register's own name.
            self.block.nodes.append(Node(Op.ADD, name, value, origin=self.instruction))
            if self._boolean(value):
                self.function.booleans.add(name)
        else:
            self.block.writes[name] = value

    def unused(self, operand: PtxOperand) -> bool:
        """Whether nothing reads a result."""
        if not isinstance(operand, Name):
            return False
        uses = sum(re.findall(r"[%$\w.]+", str(i)).count(operand.name) for i in self.kernel.body)
        return operand.name == "_" or uses == 1
