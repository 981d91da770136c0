"""What is known of the high halves of 64-bit registers.

A 64-bit register is two 32-bit values. Where its high half is known from the low one, because it is an extension of it
or an address (the machine's addresses are below 2^32), the high half is not computed and kept at all; that makes most
64-bit arithmetic, which is that of pointers and array indices, as cheap as that of 32 bits.
"""

from __future__ import annotations

from collections.abc import Collection

from qwengpu.cuda.ptx import Immediate, Kernel, Memory, Name, Pair, PtxInstruction, PtxOperand, Vector

#: Facts about a 64-bit value: it is the zero / sign extension of its lower half; it is an address.
ZERO, SIGN, ADDRESS = "zero", "sign", "address"
Facts = frozenset[str]
NOTHING: Facts = frozenset()
EXTENSIONS: Facts = frozenset({ZERO, SIGN})
EVERYTHING: Facts = frozenset({ZERO, SIGN, ADDRESS})
POINTER: Facts = frozenset({ZERO, ADDRESS})

#: Instructions whose first operand is not a result.
_WITHOUT_RESULT = frozenset({"bra", "brx", "st", "red", "bar", "barrier", "ret", "exit", "trap", "prefetch", "call"})


def results(instruction: PtxInstruction) -> list[str]:
    """The registers that an instruction defines."""
    without = instruction.parts[0] in _WITHOUT_RESULT and "red" not in instruction.parts[1:]
    if without or not instruction.operands:
        return []
    match instruction.operands[0]:
        case Name(name=name):
            return [name]
        case Pair(first=first, second=second):
            return [first, second]
        case Vector(items=items):
            return [item.name for item in items if isinstance(item, Name)]
    return []


def definition_counts(kernel: Kernel) -> dict[str, int]:
    """Register -> how many instructions define it. A guarded one keeps the old value in some threads: it is two."""
    counts: dict[str, int] = {}
    for item in kernel.body:
        if isinstance(item, PtxInstruction):
            for name in results(item):
                counts[name] = counts.get(name, 0) + (2 if item.guard else 1)
    return counts


def extension_facts(kind: str) -> Facts:
    """Facts about a value of a type of at most 32 bits, in a 64-bit register."""
    if kind[0] == "s":
        return frozenset({SIGN})
    return frozenset({ZERO}) if kind.endswith("32") else EXTENSIONS


def immediate_facts(value: int) -> Facts:
    facts = set()
    if 0 <= value < 1 << 32:
        facts.add(ZERO)
    if -(1 << 31) <= value < 1 << 31:
        facts.add(SIGN)
    return frozenset(facts)


class UpperHalves:
    """Facts about each 64-bit register of a kernel, which hold wherever the register is read."""

    def __init__(self, kernel: Kernel, pointers: Collection[str]) -> None:
        self.kernel = kernel
        self.pointers = pointers
        self.definitions = _definitions(kernel)
        self.facts: dict[str, Facts] = dict.fromkeys(self.definitions, EVERYTHING)
        changed = True
        while changed:
            changed = False
            for register, instructions in self.definitions.items():
                # Facts only ever go: the distance of two addresses becomes one when the other turns out to be none.
                facts = self.facts[register].intersection(*(self._defined(i) for i in instructions))
                if facts != self.facts[register]:
                    self.facts[register] = facts
                    changed = True

    def of(self, operand: PtxOperand) -> Facts:
        """Facts about an operand."""
        if isinstance(operand, Immediate):
            return immediate_facts(operand.value)
        if isinstance(operand, Name):
            # A name that is no register is a variable: mov of its address.
            return self.facts.get(operand.name, NOTHING if operand.name in self.kernel.registers else POINTER)
        return NOTHING

    def _defined(self, instruction: PtxInstruction) -> Facts:
        name, kind = instruction.parts[0], instruction.parts[-1]
        match name, instruction.operands:
            case "ld" | "ldu", (Name(), Memory(base=base)):
                if kind.endswith("64"):
                    return POINTER if "param" in instruction.parts and base in self.pointers else NOTHING
                return extension_facts(kind)
            case "cvta", (_, _):
                return POINTER
            case "mov", (Name(), Name() | Immediate() as source):
                return self.of(source)
            case "selp", (_, first, second, _):
                return self.of(first) & self.of(second)
            case "min" | "max", (_, first, second):
                return self.of(first) & self.of(second) - {ADDRESS}
            case "cvt", (_, source):
                return self._converted(instruction.parts[1:], source)
            case "add" | "sub", (_, first, second):
                return self._sum(name, self.of(first), self.of(second))
            case "mad", (_, _, _, addend) if ADDRESS in self.of(addend) and "hi" not in instruction.parts:
                return POINTER
            case "and", (_, first, second):
                either, both = self.of(first) | self.of(second), self.of(first) & self.of(second)
                return either & {ZERO} | both & {SIGN}
            case "or" | "xor", (_, first, second):
                return self.of(first) & self.of(second) & EXTENSIONS
            case "not", (_, source):
                return self.of(source) & {SIGN}
            case "shr", (_, source, count):
                far = isinstance(count, Immediate) and count.value >= 32
                return self._shifted_right(kind[0] == "s", self.of(source), far)
            case "div" | "rem", (_, first, second) if kind[0] == "u":
                return (self.of(first) | (self.of(second) if name == "rem" else NOTHING)) & {ZERO}
        return NOTHING

    def _converted(self, modifiers: list[str], source: PtxOperand) -> Facts:
        kinds = [part for part in modifiers if part[0] in "us" and part[1:].isdigit()]
        if len(kinds) != 2:
            return NOTHING
        target, kind = kinds
        if not target.endswith("64"):
            return extension_facts(target)
        if kind.endswith("64"):
            return NOTHING if "sat" in modifiers else self.of(source)
        return NOTHING if "sat" in modifiers else extension_facts(kind)

    @staticmethod
    def _sum(name: str, first: Facts, second: Facts) -> Facts:
        """An address plus or minus an offset is an address; the distance of two addresses is not."""
        if name == "add":
            return POINTER if ADDRESS in first | second else NOTHING
        return POINTER if ADDRESS in first - second else NOTHING

    @staticmethod
    def _shifted_right(signed: bool, source: Facts, far: bool) -> Facts:
        if ZERO in source:
            return frozenset({ZERO})
        if signed:
            return frozenset({SIGN}) if far or SIGN in source else NOTHING
        return frozenset({ZERO}) if far else NOTHING


def _definitions(kernel: Kernel) -> dict[str, list[PtxInstruction]]:
    """Register -> the instructions that define it."""
    found: dict[str, list[PtxInstruction]] = {}
    for item in kernel.body:
        if isinstance(item, PtxInstruction):
            for register in results(item):
                if register in kernel.registers:
                    found.setdefault(register, []).append(item)
    return found


def pointer_parameters(kernel: Kernel, integers: Collection[str] = ()) -> set[str]:
    """Names of the 64-bit parameters whose value is used as an address; ``integers`` are known to be none."""
    loaded = {}
    for item in kernel.body:
        match item:
            case PtxInstruction(operands=(Name(name=register), Memory(base=str(parameter)))) if "param" in item.parts:
                loaded[register] = parameter
    found = {p.name for p in kernel.parameters if p.pointer}
    definitions = _definitions(kernel)
    work: list[str] = []
    for item in kernel.body:
        if not isinstance(item, PtxInstruction) or "param" in item.parts:
            continue
        work += [o.base for o in item.operands if isinstance(o, Memory) and o.base]
        if item.parts[0] == "cvta":
            work += [o.name for o in item.operands if isinstance(o, Name)]
    seen: set[str] = set()
    while work:
        register = work.pop()
        if register in seen:
            continue
        seen.add(register)
        if register in loaded:
            found.add(loaded[register])
        for definition in definitions.get(register, []):
            if definition.parts[0] in ("mov", "cvta", "add", "sub", "selp"):
                work += [o.name for o in definition.operands[1:] if isinstance(o, Name)]
            elif definition.parts[0] == "mad":
                work += [o.name for o in definition.operands[3:] if isinstance(o, Name)]
    sizes = {p.name: p.bytes for p in kernel.parameters}
    return {name for name in found if sizes.get(name) == 8 and name not in integers}
