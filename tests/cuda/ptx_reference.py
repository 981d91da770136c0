"""A plain interpreter of PTX for single threads, to check lowered programs against. It keeps 64-bit values whole."""

from __future__ import annotations

from qwengpu.cuda.ptx import Immediate, Kernel, Label, Memory, Name, PtxInstruction

BITS = {"pred": 1, **{f"{letter}{bits}": bits for letter in "bus" for bits in (16, 32, 64)}}


def read_as(kind: str, value: int) -> int:
    """A register's bits as a number of a type."""
    bits = BITS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


class Thread:
    """Runs a kernel in one thread on a shared word memory."""

    def __init__(self, kernel: Kernel, memory: dict[int, int], arguments: list[int], special: dict[str, int]) -> None:
        self.kernel, self.memory, self.special = kernel, memory, special
        self.arguments = dict(zip((p.name for p in kernel.parameters), arguments, strict=True))
        self.registers: dict[str, int] = {}
        self.labels = {item.name: k for k, item in enumerate(kernel.body) if isinstance(item, Label)}

    def value(self, operand, kind: str) -> int:
        if isinstance(operand, Immediate):
            return read_as(kind, operand.value)
        if operand.name in self.special:
            return self.special[operand.name]
        return read_as(kind, self.registers.get(operand.name, 0))

    def address(self, operand: Memory) -> int:
        return (self.registers[operand.base] if operand.base else 0) + operand.offset

    def run(self) -> None:
        at = 0
        for _ in range(100_000):
            if at >= len(self.kernel.body):
                return
            item = self.kernel.body[at]
            at += 1
            if isinstance(item, Label):
                continue
            if item.guard and bool(self.registers.get(item.guard, 0)) == item.guard_negated:
                continue
            if item.parts[0] in ("ret", "exit"):
                return
            if item.parts[0] == "bra":
                at = self.labels[item.operands[0].name]
            else:
                self.step(item)
        raise AssertionError("the kernel does not end")

    def step(self, item: PtxInstruction) -> None:
        name, kind, operands = item.parts[0], item.parts[-1], item.operands
        match name:
            case "ld" if "param" in item.parts:
                result = self.arguments[operands[1].base]
            case "ld":
                result = self.memory.get(self.address(operands[1]) >> 2, 0)
            case "st":
                self.memory[self.address(operands[0]) >> 2] = self.value(operands[1], "u32")
                return
            case "atom" | "red":
                target, *values = operands[1:] if name == "atom" else operands
                word = self.address(target) >> 2
                old = self.memory.get(word, 0)
                step = next(p for p in item.parts[1:] if p not in ("global", "shared", "relaxed", "gpu"))
                self.memory[word] = self.atomic(step, kind, old, *(self.value(v, kind) for v in values))
                if name == "red":
                    return
                result = old
            case _:
                result = self.compute(item)
        if isinstance(operands[0], Name):
            bits = BITS[self.kernel.registers[operands[0].name].strip(".")]
            self.registers[operands[0].name] = int(result) & ((1 << bits) - 1)

    @staticmethod
    def atomic(step: str, kind: str, old: int, *values: int) -> int:
        before = read_as(kind, old)
        match step:
            case "add":
                new = before + values[0]
            case "and":
                new = before & values[0]
            case "or":
                new = before | values[0]
            case "xor":
                new = before ^ values[0]
            case "min":
                new = min(before, values[0])
            case "max":
                new = max(before, values[0])
            case "exch":
                new = values[0]
            case "cas":
                new = values[1] if before == values[0] else before
            case "inc":
                new = 0 if before >= values[0] else before + 1
            case "dec":
                new = values[0] if before == 0 or before > values[0] else before - 1
        return new & 0xFFFFFFFF

    def compute(self, item: PtxInstruction) -> int:
        name, parts, kind = item.parts[0], item.parts, item.parts[-1]
        bits = BITS[kind]
        a, b = ([self.value(o, kind) for o in item.operands[1:3]] + [0])[:2]
        match name:
            case "mov" | "cvta":
                return a
            case "cvt":
                return read_as(parts[1], a)
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul" | "mad":
                product = a * b
                if "hi" in parts:
                    product >>= bits
                elif "lo" in parts:
                    product &= (1 << bits) - 1
                if name == "mul":
                    return product
                return product + self.value(item.operands[3], f"{kind[0]}{2 * bits}" if "wide" in parts else kind)
            case "and":
                return a & b
            case "or":
                return a | b
            case "xor":
                return a ^ b
            case "not":
                return ~a
            case "neg":
                return -a
            case "abs":
                return abs(a)
            case "min":
                return min(a, b)
            case "max":
                return max(a, b)
            case "shl":
                count = self.value(item.operands[2], "u32")
                return a << count if count < bits else 0
            case "shr":
                return a >> min(self.value(item.operands[2], "u32"), bits)
            case "selp":
                return a if self.value(item.operands[3], "pred") else b
            case "setp":
                compare = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[parts[1]]
                other = self.value(item.operands[3], "pred") if len(item.operands) > 3 else 0
                return {"and": compare & other, "or": compare | other, "xor": compare ^ other}.get(parts[2], compare)
        raise AssertionError(f"the reference lacks {item}")
