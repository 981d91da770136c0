"""What is known about the upper halves of 64-bit registers.

The machine has 32-bit registers and addresses below 2^32, so 64-bit values are kept as their lower halves. Sums,
products and bit operations on lower halves need nothing else. Comparisons and right shifts do: they are sound only
when both values are known to be the zero extension, or both the sign extension, of their lower half.
"""

from __future__ import annotations

from qwengpu.cuda.ptx import Immediate, Kernel, Memory, Name, PtxInstruction, PtxOperand

#: Facts about a 64-bit value: it is the zero / sign extension of its lower half; it is an address.
ZERO, SIGN, ADDRESS = "zero", "sign", "address"
Facts = frozenset[str]
EVERYTHING: Facts = frozenset({ZERO, SIGN, ADDRESS})
POINTER: Facts = frozenset({ZERO, ADDRESS})


def immediate_facts(value: int) -> Facts:
    facts = set()
    if 0 <= value < 1 << 32:
        facts.add(ZERO)
    if -(1 << 31) <= value < 1 << 31:
        facts.add(SIGN)
    return frozenset(facts)


class UpperHalves:
    """Facts about each 64-bit register of a kernel, which hold wherever the register is read."""

    def __init__(self, kernel: Kernel, pointers: set[str]) -> None:
        self.kernel = kernel
        self.pointers = pointers
        self.variables = {v.name for v in kernel.variables}
        self.definitions = _definitions(kernel)
        self.facts: dict[str, Facts] = dict.fromkeys(self.definitions, EVERYTHING)
        changed = True
        while changed:
            changed = False
            for register, instructions in self.definitions.items():
                facts = frozenset.intersection(*(self._defined(i) for i in instructions))
                if facts != self.facts[register]:
                    self.facts[register] = facts
                    changed = True

    def of(self, operand: PtxOperand) -> Facts:
        """Facts about an operand."""
        if isinstance(operand, Immediate):
            return immediate_facts(operand.value)
        if isinstance(operand, Name):
            # A name that is no register is a variable: mov of its address.
            return self.facts.get(operand.name, frozenset() if operand.name in self.kernel.registers else POINTER)
        return frozenset()

    def sole_definition(self, operand: PtxOperand) -> PtxInstruction | None:
        """The only instruction that defines a register, if there is only one and it always runs."""
        found = self.definitions.get(operand.name, []) if isinstance(operand, Name) else []
        return found[0] if len(found) == 1 and not found[0].guard else None

    def _defined(self, instruction: PtxInstruction) -> Facts:
        match instruction.parts[0], instruction.operands:
            case "ld", (_, Memory(base=str(base))):
                return POINTER if "param" in instruction.parts and base in self.pointers else frozenset()
            case "mov" | "cvta", (_, source):
                return self.of(source)
            case "selp", (_, first, second, _):
                return self.of(first) & self.of(second)
            case "cvt", (_, _):
                kind = instruction.parts[-1]
                return {"u32": frozenset({ZERO}), "s32": frozenset({SIGN})}.get(kind, frozenset())
            case ("add" | "sub", (_, first, second)) if ADDRESS in self.of(first) | self.of(second):
                return POINTER
            case "and", (_, first, second):
                return (self.of(first) | self.of(second)) & {ZERO}
            case "shr", (_, _, Immediate(value=count)) if count >= 32:
                return frozenset({SIGN if instruction.parts[-1] == "s64" else ZERO})
            case "shr", (_, source, _):
                return self.of(source) & {ZERO}
        return frozenset()


def _definitions(kernel: Kernel) -> dict[str, list[PtxInstruction]]:
    """Register -> the instructions that define it."""
    found: dict[str, list[PtxInstruction]] = {}
    for item in kernel.body:
        if isinstance(item, PtxInstruction) and item.operands and isinstance(item.operands[0], Name):
            register = item.operands[0].name
            if register in kernel.registers and item.parts[0] not in ("bra", "st", "red"):
                found.setdefault(register, []).append(item)
    return found


def pointer_parameters(kernel: Kernel) -> set[str]:
    """Names of the 64-bit parameters whose value is used as an address."""
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
    return found
