"""PTX instructions to :mod:`qwengpu.cuda.ir`: one kernel becomes a graph of basic blocks of machine operations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from qwengpu.cuda.ir import COMPARISONS, BasicBlock, Const, Function, Node, Tid, Value, literal, number, unsupported
from qwengpu.cuda.narrow import ADDRESS, SIGN, ZERO, UpperHalves, pointer_parameters
from qwengpu.cuda.ptx import (
    Immediate,
    Kernel,
    Label,
    Memory,
    Module,
    Name,
    Pair,
    PtxInstruction,
    PtxOperand,
    Variable,
    Vector,
)
from qwengpu.errors import CompileError
from qwengpu.machine.isa import Op

EXIT = "exit"
_SPECIAL = re.compile(r"%(tid|ntid|ctaid|nctaid)\.([xyz])")
_WIDTHS = {"pred": 1, **{f"{letter}{bits}": bits for letter in "bus" for bits in (8, 16, 32, 64)}}
_USE_INTS = "the machine computes with 32-bit integers; use int or unsigned"
_WIDE = "64-bit values are kept as their lower 32 bits, and this needs the upper ones; use 32-bit integers"

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
_LOGIC = {"and": Op.AND, "or": Op.OR, "xor": Op.XOR}
_ATOMS = ("add", "and", "or", "xor", "exch", "min", "max", "cas", "inc", "dec")


def translate(module: Module, kernel: Kernel, signature: list[tuple[str, str]] | None = None) -> Function:
    """Translate a kernel. ``signature``: its parameters in the CUDA source, (declaration, name), if known."""
    return _Translator(module, kernel, signature).run()


class _Translator:
    def __init__(self, module: Module, kernel: Kernel, signature: list[tuple[str, str]] | None) -> None:
        self.kernel = kernel
        self.function = Function(kernel.simple_name, source=module.source)
        self.variables = {v.name: v for v in (*module.variables, *kernel.variables)}
        self.parameters = {p.name: i for i, p in enumerate(kernel.parameters)}
        self.pointers = pointer_parameters(kernel)
        self.upper = UpperHalves(kernel, self.pointers)
        self.definitions = self._count_definitions()
        self.shared = self._place_shared()
        self.function.parameters = self._parameters(signature)
        self.instruction = PtxInstruction("")
        self.block = self._start("entry")
        self.current: dict[str, Value] = {}  # register -> its value now, in this block

    # --- parameters and variables ---

    def _parameters(self, signature: list[tuple[str, str]] | None) -> list[tuple[str, str]]:
        if signature is None or len(signature) != len(self.kernel.parameters):
            signature = [("", p.name) for p in self.kernel.parameters]
        found = []
        for parameter, (declaration, name) in zip(self.kernel.parameters, signature, strict=True):
            kind = parameter.type.removeprefix(".")
            if kind not in ("u64", "b64", "s64", "u32", "s32", "b32"):
                raise CompileError(
                    f"{self.function.source}: parameter {name} of kernel {self.function.name} has type "
                    f"{declaration or parameter.type}, which is unsupported; parameters are pointers, int or unsigned"
                )
            if parameter.name in self.pointers or "*" in declaration:
                kind = "ptr"
            elif kind[1:] == "64":
                kind = "u64"
            else:
                declared_signed = bool(declaration) and not re.search(r"\bu(nsigned|int\w*)\b", declaration)
                kind = "s32" if kind == "s32" or declared_signed else "u32"
            found.append((kind, name))
        return found

    def _place_shared(self) -> dict[str, int]:
        """Offsets of the shared variables; those of unknown size (dynamic shared memory) come last."""
        offsets, at = {}, 0
        shared = [v for v in self.variables.values() if v.space == "shared"]
        for variable in sorted(shared, key=lambda v: v.external or not v.bytes):
            at += -at % variable.align
            offsets[variable.name] = at
            at += variable.bytes
        self.function.shared_bytes = at + -at % 4
        return offsets

    def _count_definitions(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for item in self.kernel.body:
            if not isinstance(item, PtxInstruction) or not item.operands or item.parts[0] in ("bra", "st", "red"):
                continue
            first = item.operands[0]
            names = {
                Name: lambda o: [o.name],
                Pair: lambda o: [o.first, o.second],
                Vector: lambda o: [i.name for i in o.items if isinstance(i, Name)],
            }.get(type(first), lambda o: [])(first)
            for name in names:
                # A guarded definition keeps the old value in some threads: it counts as two.
                counts[name] = counts.get(name, 0) + (2 if item.guard else 1)
        return counts

    # --- blocks ---

    def run(self) -> Function:
        self.function.blocks[EXIT] = BasicBlock(EXIT)
        labels = {item.name for item in self.kernel.body if isinstance(item, Label)}
        open_block = True
        for item in self.kernel.body:
            if isinstance(item, Label):
                if open_block:
                    self.block.next = item.name
                self._open(item.name)
                open_block = True
                continue
            if not open_block:
                self._open(self.function.fresh("dead"))
            self.instruction = item
            self.block.line = self.block.line or item.line or item.ptx_line
            open_block = self._control(item, labels)
        if open_block:
            self.block.next = EXIT
        self.function.blocks = {"entry": self.function.blocks.pop("entry"), **self.function.blocks}
        self.function.remove_unreachable()
        return self.function

    def _start(self, name: str) -> BasicBlock:
        self.function.blocks[name] = BasicBlock(name)
        return self.function.blocks[name]

    def _open(self, name: str) -> None:
        self.block = self._start(name)
        self.current = {}

    def _fall_into_new(self) -> str:
        """End the block and open another one that follows it."""
        name = self.function.fresh("next")
        self.block.next = name
        return name

    def _control(self, item: PtxInstruction, labels: set[str]) -> bool:
        """Translate an instruction; False if it ends the block for good."""
        match item.parts[0]:
            case "bra":
                destination = item.operands[0]
                if not isinstance(destination, Name) or destination.name not in labels:
                    raise self.fail("branch to a label of the kernel")
                return self._jump(destination.name)
            case "ret" | "exit":
                return self._jump(EXIT)
            case "bar" | "barrier":
                if item.guard or "red" in item.parts or "arrive" in item.parts or "warp" in item.parts:
                    raise self.fail("the machine has one barrier for the whole thread block: use __syncthreads()")
                self.block.barrier = True
                self._open(self._fall_into_new())
            case "atom" if item.guard and not self._unused(item.operands[0]):
                # Only some threads may change memory and all need the old value: branch around it.
                name, after = self.function.fresh("atom"), self.function.fresh("next")
                self.block.predicate = self.value(Name(item.guard))
                self.block.target, self.block.next = (after, name) if item.guard_negated else (name, after)
                self._open(name)
                self.instruction = replace(item, guard=None)
                self._translate(self.instruction)
                self.block.next = after
                self._open(after)
            case _:
                self._translate(item)
        return True

    def _unused(self, operand: PtxOperand) -> bool:
        if not isinstance(operand, Name):
            return False
        uses = sum(re.findall(r"[%$\w.]+", str(i)).count(operand.name) for i in self.kernel.body)
        return operand.name == "_" or uses == 1

    def _jump(self, destination: str) -> bool:
        if not self.instruction.guard:
            self.block.next = destination
            return False
        self.block.predicate = self.value(Name(self.instruction.guard))
        following = self._fall_into_new()
        self.block.target = destination
        if self.instruction.guard_negated:
            self.block.target, self.block.next = following, destination
        self._open(following)
        return True

    # --- operands ---

    def fail(self, remedy: str, what: str = "unsupported") -> CompileError:
        return unsupported(self.function.source, self.instruction, remedy, what)

    def value(self, operand: PtxOperand, kind: str = "u32") -> Value:
        """An operand's value now. ``kind``: the type it is read as; signed 16-bit ones are sign extended."""
        if isinstance(operand, Immediate):
            bits = _WIDTHS.get(kind, 32)
            if kind == "pred":
                return literal(operand.value & 1)
            return literal(operand.value & 0xFFFF if bits == 16 and kind[0] != "s" else operand.value)
        if not isinstance(operand, Name):
            raise self.fail("write each operand as a register or an integer")
        if found := _SPECIAL.fullmatch(operand.name):
            axis = "xyz".index(found.group(2))
            return Tid(axis) if found.group(1) == "tid" else Const((found.group(1), axis))
        if operand.name.startswith("!"):
            return self.emit(Op.XOR, self.value(Name(operand.name[1:]), "pred"), literal(1))
        if operand.name in self.kernel.registers:
            value = self._register(operand.name)
            return self._sign_extend(value, 16) if kind == "s16" else value
        return self._variable(operand)

    def _register(self, name: str) -> Value:
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

    def _variable(self, operand: Name) -> Value:
        variable: Variable | None = self.variables.get(operand.name)
        if variable and variable.space == "shared":
            return Const(("shared", self.shared[variable.name] + operand.offset))
        if variable and variable.space == "local":
            raise self.fail("local arrays are unsupported; use __shared__ memory or scalar variables")
        if variable:
            raise self.fail("__device__ and __constant__ variables are unsupported; pass a pointer to the kernel")
        if operand.name.startswith("0"):
            raise self.fail(_USE_INTS)
        raise self.fail("only threadIdx, blockIdx, blockDim and gridDim can be read")

    def _sign_extend(self, value: Value, bits: int) -> Value:
        return self.emit(Op.SAR, self.emit(Op.SHL, value, literal(32 - bits)), literal(32 - bits))

    # --- results ---

    def emit(self, op: Op, a: Value = None, b: Value = None, c: Value = None) -> Value:
        """Add an operation and return its value."""
        dst = self.function.fresh()
        self.block.nodes.append(Node(op, dst, a, b, c, origin=self.instruction))
        if op in COMPARISONS or (op in _LOGIC.values() and all(self._boolean(v) for v in (a, b))):
            self.function.booleans.add(dst)
        return dst

    def _boolean(self, value: Value) -> bool:
        return number(value) in (0, 1) or value in self.function.booleans

    def define(self, operand: PtxOperand, value: Value) -> None:
        """Assign a register, in the threads that the instruction's guard selects."""
        if not isinstance(operand, Name) or (operand.name not in self.kernel.registers and operand.name != "_"):
            raise self.fail("the result must be a declared register")
        name = operand.name
        if name == "_":
            return
        if self.kernel.registers[name] == ".b16" or self.kernel.registers[name] in (".u16", ".s16"):
            value = self._masked(value)
        if self.instruction.guard:
            guard = self.value(Name(self.instruction.guard))
            old = self._register(name)
            value = self.emit(Op.SELP, *((old, value) if self.instruction.guard_negated else (value, old)), guard)
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

    def _masked(self, value: Value) -> Value:
        """A 16-bit register is kept zero extended."""
        known = number(value)
        return self.emit(Op.AND, value, literal(0xFFFF)) if known is None else literal(known & 0xFFFF)

    # --- instructions ---

    def _translate(self, item: PtxInstruction) -> None:
        handler: Callable[[PtxInstruction], None] | None = getattr(self, f"_op_{item.parts[0]}", None)
        if handler is None:
            raise self.fail(_REMEDIES.get(item.parts[0], _USE_INTS))
        if any(part in ("f16", "f32", "f64", "bf16", "f16x2") for part in item.parts):
            raise self.fail("the machine has no floating point; use int or unsigned")
        if any(part in ("s16x2", "u16x2", "sat", "cc", "u8", "s8", "b8") for part in item.parts[1:]) and (
            item.parts[0] != "cvt"
        ):
            raise self.fail(_USE_INTS)
        handler(item)

    def _kind(self, item: PtxInstruction) -> str:
        kind = item.parts[-1]
        if kind not in _WIDTHS:
            raise self.fail(_USE_INTS)
        return kind

    def _sources(self, item: PtxInstruction, count: int) -> list[Value]:
        if len(item.operands) != count + 1:
            raise self.fail(f"it takes {count + 1} operands")
        kind = self._kind(item)
        return [self.value(operand, kind) for operand in item.operands[1:]]

    def _only_narrow(self, item: PtxInstruction) -> None:
        if self._kind(item)[1:] == "64":
            raise self.fail(_WIDE)

    def _binary(self, item: PtxInstruction, op: Op) -> None:
        a, b = self._sources(item, 2)
        self.define(item.operands[0], self.emit(op, a, b))

    def _op_add(self, item: PtxInstruction) -> None:
        self._binary(item, Op.ADD)

    def _op_sub(self, item: PtxInstruction) -> None:
        self._binary(item, Op.SUB)

    def _op_and(self, item: PtxInstruction) -> None:
        self._binary(item, Op.AND)

    def _op_or(self, item: PtxInstruction) -> None:
        self._binary(item, Op.OR)

    def _op_xor(self, item: PtxInstruction) -> None:
        self._binary(item, Op.XOR)

    def _op_not(self, item: PtxInstruction) -> None:
        (a,) = self._sources(item, 1)
        self.define(item.operands[0], self.emit(Op.XOR, a, literal(1 if item.parts[-1] == "pred" else -1)))

    def _op_cnot(self, item: PtxInstruction) -> None:
        self._only_narrow(item)
        (a,) = self._sources(item, 1)
        self.define(item.operands[0], self.emit(Op.SEQ, a))

    def _op_neg(self, item: PtxInstruction) -> None:
        (a,) = self._sources(item, 1)
        self.define(item.operands[0], self.emit(Op.SUB, None, a))

    def _op_abs(self, item: PtxInstruction) -> None:
        self._only_narrow(item)
        (a,) = self._sources(item, 1)
        sign = self.emit(Op.SAR, a, literal(31))
        self.define(item.operands[0], self.emit(Op.SUB, self.emit(Op.XOR, a, sign), sign))

    def _op_min(self, item: PtxInstruction) -> None:
        self._extreme(item, swap=False)

    def _op_max(self, item: PtxInstruction) -> None:
        self._extreme(item, swap=True)

    def _extreme(self, item: PtxInstruction, swap: bool) -> None:
        self._only_narrow(item)
        a, b = self._sources(item, 2)
        less = self.emit(Op.SLTS if self._kind(item)[0] == "s" else Op.SLTU, *((b, a) if swap else (a, b)))
        self.define(item.operands[0], self.emit(Op.SELP, a, b, less))

    def _op_mul(self, item: PtxInstruction) -> None:
        self.define(item.operands[0], self._product(item))

    def _op_mad(self, item: PtxInstruction) -> None:
        if "cc" in item.parts:
            raise self.fail(_USE_INTS)
        product = self._product(item)
        self.define(item.operands[0], self.emit(Op.ADD, product, self.value(item.operands[3])))

    def _op_mul24(self, item: PtxInstruction) -> None:
        if "hi" in item.parts:
            raise self.fail(_USE_INTS)
        shift = literal(8)
        extend = Op.SAR if self._kind(item)[0] == "s" else Op.SHR
        a, b = (self.emit(extend, self.emit(Op.SHL, v, shift), shift) for v in self._sources(item, 2))
        self.define(item.operands[0], self.emit(Op.MUL, a, b))

    def _product(self, item: PtxInstruction) -> Value:
        kind = self._kind(item)
        a, b = self.value(item.operands[1], kind), self.value(item.operands[2], kind)
        if "hi" not in item.parts:
            return self.emit(Op.MUL, a, b)
        if kind[1:] == "64":
            raise self.fail(_WIDE)
        if kind[1:] == "16":
            return self.emit(Op.SHR, self.emit(Op.MUL, a, b), literal(16))
        return self._high(a, b, kind[0] == "s")

    def _high(self, a: Value, b: Value, signed: bool) -> Value:
        """Upper half of a product; the machine's is unsigned, and a negative factor counts 2^32 too much."""
        high = self.emit(Op.MULHI, a, b)
        if signed:
            for x, y in ((a, b), (b, a)):
                high = self.emit(Op.SUB, high, self.emit(Op.AND, self.emit(Op.SAR, x, literal(31)), y))
        return high

    def _op_sad(self, item: PtxInstruction) -> None:
        self._only_narrow(item)
        a, b, c = self._sources(item, 3)
        less = self.emit(Op.SLTS if self._kind(item)[0] == "s" else Op.SLTU, a, b)
        difference = self.emit(Op.SELP, self.emit(Op.SUB, b, a), self.emit(Op.SUB, a, b), less)
        self.define(item.operands[0], self.emit(Op.ADD, c, difference))

    def _op_shl(self, item: PtxInstruction) -> None:
        kind = self._kind(item)
        self.define(item.operands[0], self.emit(Op.SHL, self.value(item.operands[1], kind), self._shift_count(item)))

    def _shift_count(self, item: PtxInstruction) -> Value:
        """The 32-bit shift count. A 64-bit shift left by 32 and more clears the lower half, as the machine's does."""
        return self.value(item.operands[2])

    def _op_shr(self, item: PtxInstruction) -> None:
        kind = self._kind(item)
        op = Op.SAR if kind[0] == "s" else Op.SHR
        if kind[1:] != "64":
            self.define(item.operands[0], self.emit(op, self.value(item.operands[1], kind), self._shift_count(item)))
            return
        source, count = item.operands[1], item.operands[2]
        facts = self.upper.of(source)
        if ZERO in facts:
            result = self.emit(Op.SHR, self.value(source), self._shift_count(item))
        elif SIGN in facts and op is Op.SAR:
            result = self.emit(op, self.value(source), self._shift_count(item))
        elif isinstance(count, Immediate) and count.value >= 32:
            result = self.emit(op, self._upper_half(source), literal(count.value - 32))
        else:
            raise self.fail(_WIDE)
        self.define(item.operands[0], result)

    def _upper_half(self, source: PtxOperand) -> Value:
        """Bits 32 to 63 of a 64-bit value, where they are known: of an extension, or of a product.

        Compilers take the upper half of a product for divisions by a constant.
        """
        facts = self.upper.of(source)
        product = self.upper.sole_definition(source)
        if ZERO in facts:
            return literal(0)
        if SIGN in facts:
            return self.emit(Op.SAR, self.value(source), literal(31))
        if not product or not product.opcode.startswith("mul.wide."):
            raise self.fail(_WIDE)
        factors = product.operands[1:]
        if not all(isinstance(f, Immediate) or self.upper_is_stable(f) for f in factors):
            raise self.fail(_WIDE)
        first, second = (self.value(f) for f in factors)
        return self._high(first, second, signed=product.parts[-1] == "s32")

    def upper_is_stable(self, operand: PtxOperand) -> bool:
        """Whether a register still has the value it had at any earlier use."""
        return isinstance(operand, Name) and (self.definitions.get(operand.name) == 1 or "tid" in operand.name)

    def _op_shf(self, item: PtxInstruction) -> None:
        low, high, count = (self.value(o) for o in item.operands[1:])
        if "wrap" in item.parts:
            count = self.emit(Op.AND, count, literal(31))
        else:
            count = self.emit(Op.SELP, count, literal(32), self.emit(Op.SLTU, count, literal(32)))
        rest = self.emit(Op.SUB, literal(32), count)
        left, right = (count, rest) if "l" in item.parts else (rest, count)
        halves = self.emit(Op.SHL, high, left), self.emit(Op.SHR, low, right)
        self.define(item.operands[0], self.emit(Op.OR, *halves))

    def _op_bfe(self, item: PtxInstruction) -> None:
        kind = self._kind(item)
        at, size = (o.value if isinstance(o, Immediate) else -1 for o in item.operands[2:4])
        if kind[1:] != "32" or not (at >= 0 and size > 0 and at + size <= 32):
            raise self.fail("only fields at a constant position are supported; use shifts")
        moved = self.emit(Op.SHL, self.value(item.operands[1]), literal(32 - at - size))
        self.define(item.operands[0], self.emit(Op.SAR if kind[0] == "s" else Op.SHR, moved, literal(32 - size)))

    def _op_lop3(self, item: PtxInstruction) -> None:
        table = item.operands[4]
        if not isinstance(table, Immediate) or len(item.operands) != 5:
            raise self.fail("the table must be a literal")
        a, b, c = (self.value(o) for o in item.operands[1:4])
        # Shannon's expansion: choose by a, bit by bit, between two functions of b and c.
        high, low = self._logic2(table.value >> 4 & 15, b, c), self._logic2(table.value & 15, b, c)
        chosen = self.emit(Op.AND, self.emit(Op.XOR, high, low), a)
        self.define(item.operands[0], self.emit(Op.XOR, chosen, low))

    def _logic2(self, table: int, b: Value, c: Value) -> Value:
        """A function of two bits as the exclusive-or of 1, c, b and b&c (its algebraic normal form)."""
        bits = [table >> k & 1 for k in range(4)]  # index = 2b + c
        result = literal(-bits[0])
        terms: list[tuple[int, Callable[[], Value]]] = [
            (bits[0] ^ bits[1], lambda: c),
            (bits[0] ^ bits[2], lambda: b),
            (bits[0] ^ bits[1] ^ bits[2] ^ bits[3], lambda: self.emit(Op.AND, b, c)),
        ]
        for present, term in terms:
            if present:
                result = self.emit(Op.XOR, result, term())
        return result

    def _op_selp(self, item: PtxInstruction) -> None:
        kind = self._kind(item)
        a, b = (self.value(o, kind.replace("s", "b")) for o in item.operands[1:3])
        self.define(item.operands[0], self.emit(Op.SELP, a, b, self.value(item.operands[3], "pred")))

    def _op_setp(self, item: PtxInstruction) -> None:
        result = self._comparison(item)
        destination = item.operands[0]
        first = Name(destination.first) if isinstance(destination, Pair) else destination
        logic = next((_LOGIC[p] for p in item.parts[2:-1] if p in _LOGIC), None)
        other = self.value(item.operands[3], "pred") if logic else None
        if isinstance(destination, Pair):
            inverse = self.emit(Op.XOR, result, literal(1))
            second = self.emit(logic, inverse, other) if logic else inverse
            self.define(first, self.emit(logic, result, other) if logic else result)
            self.define(Name(destination.second), second)
        else:
            self.define(first, self.emit(logic, result, other) if logic else result)

    def _op_set(self, item: PtxInstruction) -> None:
        if item.parts[-2] not in ("u32", "s32") or len(item.operands) != 3:
            raise self.fail(_USE_INTS)
        self.define(item.operands[0], self.emit(Op.SUB, None, self._comparison(item)))

    def _comparison(self, item: PtxInstruction) -> Value:
        kind, name = self._kind(item), item.parts[1]
        if name not in _COMPARE:
            raise self.fail(_USE_INTS)
        operands = item.operands[1:3]
        if kind[1:] == "64":
            first, second = (self.upper.of(o) for o in operands)
            both = first & second
            equality = name in ("eq", "ne") and ADDRESS in first | second
            if not both & {ZERO, SIGN} and not equality:
                raise self.fail(_WIDE)
            # Zero extensions compare as unsigned numbers even where the 64-bit comparison is signed.
            kind = "u32" if ZERO in both else f"{kind[0]}32"
        op, swapped = _COMPARE[name][kind[0] == "s"]
        a, b = (self.value(o, kind) for o in operands)
        return self.emit(op, *((b, a) if swapped else (a, b)))

    def _op_mov(self, item: PtxInstruction) -> None:
        halves = item.operands[0]
        if isinstance(halves, Vector):
            if self._kind(item) != "b64" or len(halves.items) != 2:
                raise self.fail("only a 64-bit value can be taken apart, into two registers")
            source = item.operands[1]
            # an unused half is named _, and need not be known
            wanted = [not isinstance(h, Name) or h.name != "_" for h in halves.items]
            values = [self.value(source) if wanted[0] else None, self._upper_half(source) if wanted[1] else None]
            for half, value in zip(halves.items, values, strict=True):
                self.define(half, value)
            return
        self.define(item.operands[0], self._sources(item, 1)[0])

    def _op_cvta(self, item: PtxInstruction) -> None:
        if "local" in item.parts:
            raise self.fail("local arrays are unsupported; use __shared__ memory or scalar variables")
        self.define(item.operands[0], self.value(item.operands[1]))

    def _op_cvt(self, item: PtxInstruction) -> None:
        if len(item.parts) != 3 or any(part not in _WIDTHS for part in item.parts[1:]):
            raise self.fail(_USE_INTS)
        result, source = item.parts[1:]
        value = self.value(item.operands[1])
        bits = _WIDTHS[source]
        if bits < 32:
            signed = source[0] == "s"
            value = self._sign_extend(value, bits) if signed else self.emit(Op.AND, value, literal((1 << bits) - 1))
        if _WIDTHS[result] == 8:
            value = self._sign_extend(value, 8) if result[0] == "s" else self.emit(Op.AND, value, literal(255))
        self.define(item.operands[0], value)

    # --- memory ---

    def _space(self, item: PtxInstruction) -> str:
        if "local" in item.parts:
            raise self.fail("local arrays are unsupported; use __shared__ memory or scalar variables")
        if "const" in item.parts:
            raise self.fail("__constant__ variables are unsupported; pass a pointer to the kernel")
        return next((part for part in item.parts if part in ("global", "shared")), "")

    def _word(self, item: PtxInstruction) -> None:
        kind = self._kind(item)
        if kind not in ("b32", "u32", "s32"):
            raise self.fail("memory is accessed in 32-bit words; use arrays of int or unsigned")

    def _address(self, operand: PtxOperand, extra: int = 0) -> tuple[Value, Value]:
        """An address as the two operands of a sum."""
        if not isinstance(operand, Memory):
            raise self.fail("the address must be in brackets")
        base = self.value(Name(operand.base)) if operand.base else None
        return base, literal(operand.offset + extra)

    def _op_ld(self, item: PtxInstruction) -> None:
        if "param" in item.parts:
            self._load_parameter(item)
            return
        self._word(item)
        space = self._space(item)
        destination = item.operands[0]
        results = destination.items if isinstance(destination, Vector) else (destination,)
        values = []
        for k in range(len(results)):
            a, b = self._address(item.operands[1], 4 * k)
            dst = self.function.fresh()
            self.block.nodes.append(Node(Op.LD, dst, a, b, effect="load", space=space, origin=item))
            values.append(dst)
        for operand, value in zip(results, values, strict=True):
            self.define(operand, value)

    _op_ldu = _op_ld

    def _load_parameter(self, item: PtxInstruction) -> None:
        source = item.operands[1]
        kind = self._kind(item)
        index = self.parameters.get(source.base or "") if isinstance(source, Memory) and not source.offset else None
        if index is None or _WIDTHS[kind] != 8 * self.kernel.parameters[index].bytes:
            raise self.fail("kernel parameters are pointers, int or unsigned")
        self.define(item.operands[0], Const(("param", index, 0)))

    def _op_st(self, item: PtxInstruction) -> None:
        self._word(item)
        space = self._space(item)
        source = item.operands[1]
        guard, negated = self._guard()
        for k, operand in enumerate(source.items if isinstance(source, Vector) else (source,)):
            a, b = self._address(item.operands[0], 4 * k)
            store = Node(Op.ADD, None, a, b, effect="store", space=space, data=self.value(operand), origin=item)
            self.block.nodes.append(replace(store, guard=guard, negated=negated))

    def _guard(self) -> tuple[Value, bool]:
        guard = self.instruction.guard
        return (self.value(Name(guard)), self.instruction.guard_negated) if guard else (None, False)

    def _op_atom(self, item: PtxInstruction) -> None:
        self._atomic(item, item.operands[0], item.operands[1:])

    def _op_red(self, item: PtxInstruction) -> None:
        self._atomic(item, None, item.operands)

    def _atomic(self, item: PtxInstruction, result: PtxOperand | None, operands: tuple[PtxOperand, ...]) -> None:
        self._word(item)
        name = next((part for part in item.parts[1:] if part in _ATOMS), None)
        if name is None:
            raise self.fail("use atomicAdd, Sub, Min, Max, And, Or, Xor, Exch, CAS, Inc or Dec")
        a, b = self._address(operands[0])
        values = [self.value(operand) for operand in operands[1:]]
        compare, data = values if name == "cas" else (None, values[0])
        if name in ("min", "max", "inc", "dec"):
            name += self._kind(item)[0]
        guard, negated = self._guard()
        dst = None if result is None or self._unused(result) else self.function.fresh()
        node = Node(Op.LD, dst, a, b, effect="atomic", space=self._space(item), data=data, compare=compare, atom=name)
        self.block.nodes.append(replace(node, guard=guard, negated=negated, origin=item))
        if dst is not None and result is not None:
            self.define(result, dst)

    def _op_membar(self, item: PtxInstruction) -> None:
        """Nothing to do: the machine's memory accesses are in program order."""

    _op_fence = _op_membar
    _op_prefetch = _op_membar
    _op_prefetchu = _op_membar


_REMEDIES = {
    "div": "the machine cannot divide; shift, multiply, or divide by a constant",
    "rem": "the machine cannot divide; shift, multiply, or take the remainder by a constant",
    "shfl": "the lanes of a warp cannot exchange registers; use __shared__ memory",
    "vote": "the lanes of a warp cannot vote; use an atomic in __shared__ memory",
    "call": "functions are not called; mark them __forceinline__",
    "trap": "the machine has no traps; return instead",
}
