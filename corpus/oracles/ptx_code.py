"""PTX to Python: every basic block of a function becomes a Python function of the thread ``T``, which returns the
number of the block to go on with, or a negative number that says why the thread stops.

Registers are Python integers from 0 up to 2**bits; those of a frame are the list ``T.R``, and inside a block they are
local variables ``r0``, ``r1``, ...
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus.oracles import ptx_values as values
from corpus.oracles.ptx_text import (
    CODE,
    LOCAL,
    PARAM,
    SHARED,
    Function,
    Group,
    Imm,
    Instruction,
    Mem,
    Module,
    Not,
    Operand,
    Pair,
    Reg,
    Scope,
    Sym,
    Variable,
    Vec,
)
from corpus.oracles.result import OracleError

#: What a block returns when its thread stops: it has ended; it waits for others.
ENDED, WAITS = -1, -2
_TYPE = re.compile(r"(pred|[busf](?:8|16|32|64))")
_COMPARE = {
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
    **{"lo": "<", "ls": "<=", "hi": ">", "hs": ">="},
}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_NOTHING = {"membar", "fence", "nanosleep", "prefetch", "prefetchu", "pmevent", "discard", "applypriority", "brkpt"}
Block = Callable[[Any], int]


@dataclass
class Code:
    """A function that can run: its blocks, and what calling it takes."""

    function: Function
    blocks: list[Block]
    lines: list[int]


def translate(module: Module, function: Function) -> Code:
    """Turn a function into Python.

    Raises:
        OracleError: for what this interpreter does not know, with the line.
    """
    return _Translator(module, function).translate()


class _Translator:
    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        self.block_of: dict[int, int] = {}
        self.constants: dict[str, Any] = {}

    def translate(self) -> Code:
        code = self.function.code
        starts = {0, *self._labels(code)}
        for at, instruction in enumerate(code):
            if _ends_block(instruction):
                starts.add(at + 1)
        order = sorted(start for start in starts if start < len(code))
        self.block_of = {start: number for number, start in enumerate(order)}
        self.block_of.setdefault(len(code), len(order))
        text, lines = [], []
        for number, start in enumerate(order):
            stop = order[number + 1] if number + 1 < len(order) else len(code)
            text.append(_BlockText(self, number, code[start:stop]).text())
            lines.append(code[start].line)
        text.append(f"def b{len(order)}(T): return T.leave()\n")
        lines.append(code[-1].line if code else 0)
        space = {**vars(values), **self.constants}
        exec(compile("".join(text), f"<ptx {self.function.name}>", "exec"), space)
        return Code(self.function, [space[f"b{number}"] for number in range(len(order) + 1)], lines)

    def _labels(self, code: list[Instruction]) -> set[int]:
        found, scopes = set(), []
        for instruction in code:
            scope: Scope | None = instruction.scope
            while scope is not None and scope not in scopes:
                scopes.append(scope)
                found |= set(scope.labels.values())
                scope = scope.parent
        return found

    def constant(self, value: object) -> str:
        name = f"K{len(self.constants)}"
        self.constants[name] = value
        return name


def _ends_block(instruction: Instruction) -> bool:
    parts = instruction.opcode.split(".")
    base = parts[0]
    if base in ("bra", "brx", "call", "ret", "exit", "trap", "shfl", "vote", "match", "activemask", "redux"):
        return True
    return base in ("bar", "barrier") and "arrive" not in parts


class _BlockText:
    """The text of one block being written."""

    def __init__(self, owner: _Translator, number: int, code: list[Instruction]) -> None:
        self.owner, self.block, self.code = owner, number, code
        self.lines: list[str] = []
        self.loads: list[int] = []
        self.known: set[int] = set()
        self.written: list[int] = []
        self.guarded = False
        self.instruction = code[0]

    def text(self) -> str:
        count, last = 0, None
        for instruction in self.code:
            self.instruction = instruction
            if _ends_block(instruction):
                last = instruction
                break
            if instruction.opcode.split(".")[0] in _NOTHING and instruction.guard is None:
                count += 1
                continue
            if instruction.guard is None:
                self.guarded = False
                self.emit(instruction)
                count += 1
                continue
            test = self.test(instruction.guard)
            mark = len(self.lines)
            self.guarded = True
            self.emit(instruction)
            body = [f" {line}" for line in [*self.lines[mark:], "T.executed += 1"]]
            self.lines[mark:] = [f"if {test}:", *body]
        self.guarded = False
        ending = self.ending(last, count)
        head = [f"r{index} = R[{index}]" for index in self.loads]
        tail = [f"R[{index}] = r{index}" for index in self.written]
        lines = ["R = T.R", *head, *self.lines, *tail, *ending]
        return f"def b{self.block}(T):\n" + "".join(f" {line}\n" for line in lines)

    def fail(self, message: str) -> OracleError:
        return OracleError(f"line {self.instruction.line}: {self.instruction.opcode}: {message}")

    def test(self, guard: tuple[Reg, bool]) -> str:
        return self.read(guard[0]) if guard[1] else f"not {self.read(guard[0])}"

    # --- registers ---

    def read(self, register: Reg) -> str:
        if register.index not in self.known:
            self.known.add(register.index)
            self.loads.append(register.index)
        return f"r{register.index}"

    def write(
        self, operand: Operand | None, bits: int, expression: str, signed: bool = False, wide: bool = False
    ) -> None:
        """Assign a value of ``bits`` bits, from 0 up; a larger register takes it if ``wide``, extended."""
        if operand is None:
            return
        if not isinstance(operand, Reg):
            raise self.fail("the destination is no register")
        if operand.bits != bits:
            if operand.bits < bits or not wide:
                raise self.fail(f"the destination has {operand.bits} bits, not {bits}")
            if signed:
                sign = 1 << bits - 1
                expression = f"((({expression}) ^ {sign}) - {sign}) & {(1 << operand.bits) - 1}"
        if self.guarded:
            self.read(operand)
        self.known.add(operand.index)
        if operand.index not in self.written:
            self.written.append(operand.index)
        self.lines.append(f"r{operand.index} = {expression}")

    def value(self, operand: Operand | None, bits: int, wide: bool = False) -> str:
        """An expression of the operand's low ``bits`` bits as an unsigned number."""
        if isinstance(operand, Reg):
            if operand.bits == bits:
                return self.read(operand)
            if operand.bits > bits and wide:
                return f"({self.read(operand)} & {(1 << bits) - 1})"
            raise self.fail(f"an operand has {operand.bits} bits, not {bits}")
        if isinstance(operand, Imm):
            return str(operand.value & (1 << bits) - 1) if bits > 1 else str(int(operand.value != 0))
        if isinstance(operand, Not):
            return f"(not {self.value(operand.of, 1)})"
        if isinstance(operand, Sym):
            return self.address_of(operand, bits)
        raise self.fail("an operand is missing, or of a kind it cannot have here")

    def signed(self, operand: Operand | None, bits: int) -> str:
        if isinstance(operand, Imm):
            sign = 1 << bits - 1
            return f"({(operand.value & 2 * sign - 1 ^ sign) - sign})"
        sign = 1 << bits - 1
        return f"(({self.value(operand, bits)} ^ {sign}) - {sign})"

    def number(self, operand: Operand | None, kind: str) -> str:
        """An operand as a number of an integer type."""
        bits = int(kind[1:])
        return self.signed(operand, bits) if kind[0] == "s" else self.value(operand, bits)

    def address_of(self, symbol: Sym, bits: int) -> str:
        """The value of a name that is no register: an address, or a special register."""
        name = symbol.name
        if name.startswith("%"):
            special = self.special(name)
            return f"({special} & {(1 << bits) - 1})" if bits < 64 else special
        variable = self.variable(symbol)
        if variable is None:
            if name in self.owner.module.functions:
                number = list(self.owner.module.functions).index(name)
                return str((CODE << 32) + 16 * number + symbol.offset)
            raise self.fail(f"unknown name {name}")
        offset = variable.offset + symbol.offset
        if variable.space == "local":
            return f"(T.local_base + {offset})"
        if variable.space == "param":
            return f"(T.param_base + {offset})"
        return str(offset & (1 << bits) - 1)

    def variable(self, symbol: Sym) -> Variable | None:
        return self.instruction.scope.find("variables", symbol.name) or self.owner.module.variables.get(symbol.name)

    def special(self, name: str) -> str:
        plain = name.removesuffix(".w")
        if plain != name:
            return "0" if "tid" in name and "n" not in name else "1"
        if name not in values.SPECIAL:
            raise self.fail(f"no special register {name}")
        return values.SPECIAL[name]

    # --- instructions ---

    def emit(self, instruction: Instruction) -> None:
        base, *parts = instruction.opcode.split(".")
        method = getattr(self, f"do_{base}", None)
        if method is None:
            raise self.fail("this interpreter does not know it")
        method(parts, *instruction.operands)

    def kind(self, parts: list[str], last: bool = True) -> str:
        """The (last) type among the parts of an opcode."""
        kinds = [part for part in parts if _TYPE.fullmatch(part)]
        if not kinds:
            raise self.fail("a type is missing")
        kind = kinds[-1 if last else 0]
        if kind[0] == "f":
            raise self.fail("this interpreter has no floating point")
        return kind

    def binary(self, parts: list[str], d: Operand, a: Operand, b: Operand, expression: str) -> None:
        """``expression`` of numbers {a} and {b}, wrapped to the type."""
        kind = self.kind(parts)
        bits = int(kind[1:])
        text = expression.format(a=self.number(a, kind), b=self.number(b, kind))
        self.write(d, bits, f"({text}) & {(1 << bits) - 1}")

    def saturated(self, expression: str) -> str:
        return f"min(max({expression}, -2147483648), 2147483647) & 0xffffffff"

    def _sum(self, parts: list[str], d: Operand, a: Operand, b: Operand, sign: str, carry: bool) -> None:
        kind = self.kind(parts)
        bits = int(kind[1:])
        if "sat" in parts:
            self.write(d, bits, self.saturated(f"{self.signed(a, bits)} {sign} {self.signed(b, bits)}"))
            return
        text = f"{self.value(a, bits)} {sign} {self.value(b, bits)}" + (f" {sign} T.carry" if carry else "")
        if "cc" in parts:
            self.lines.append(f"t = {text}")
            self.write(d, bits, f"t & {(1 << bits) - 1}")
            self.lines.append(f"T.carry = t >> {bits} & 1")
        else:
            self.write(d, bits, f"({text}) & {(1 << bits) - 1}")

    def do_add(self, parts, d, a, b):
        self._sum(parts, d, a, b, "+", False)

    def do_addc(self, parts, d, a, b):
        self._sum(parts, d, a, b, "+", True)

    def do_sub(self, parts, d, a, b):
        self._sum(parts, d, a, b, "-", False)

    def do_subc(self, parts, d, a, b):
        self._sum(parts, d, a, b, "-", True)

    def do_mul(self, parts, d, a, b):
        kind = self.kind(parts)
        bits = int(kind[1:])
        product = f"{self.number(a, kind)} * {self.number(b, kind)}"
        if "wide" in parts:
            self.write(d, 2 * bits, f"({product}) & {(1 << 2 * bits) - 1}")
        elif "hi" in parts:
            self.write(d, bits, f"({product}) >> {bits} & {(1 << bits) - 1}")
        else:
            self.write(d, bits, f"({product}) & {(1 << bits) - 1}")

    def _mad(self, parts, d, a, b, c, carry):
        kind = self.kind(parts)
        bits = int(kind[1:])
        product = f"{self.number(a, kind)} * {self.number(b, kind)}"
        if "wide" in parts:
            self.write(d, 2 * bits, f"({product} + {self.value(c, 2 * bits)}) & {(1 << 2 * bits) - 1}")
            return
        mask = (1 << bits) - 1
        if "sat" in parts:
            self.write(d, bits, self.saturated(f"(({product}) >> {bits}) + {self.signed(c, bits)}"))
            return
        half = f"(({product}) >> {bits} & {mask})" if "hi" in parts else f"(({product}) & {mask})"
        self.lines.append(f"t = {half} + {self.value(c, bits)}" + (" + T.carry" if carry else ""))
        self.write(d, bits, f"t & {mask}")
        if "cc" in parts:
            self.lines.append(f"T.carry = t >> {bits}")

    def do_mad(self, parts, d, a, b, c):
        self._mad(parts, d, a, b, c, False)

    def do_madc(self, parts, d, a, b, c):
        self._mad(parts, d, a, b, c, True)

    def _product24(self, parts, a, b):
        kind = self.kind(parts)
        sign = f" ^ {1 << 23}) - {1 << 23}" if kind[0] == "s" else ")"
        first, second = (f"(({self.value(x, 32)} & {(1 << 24) - 1}{sign})" for x in (a, b))
        return f"({first} * {second}" + (" >> 16)" if "hi" in parts else ")")

    def do_mul24(self, parts, d, a, b):
        self.write(d, 32, f"{self._product24(parts, a, b)} & 0xffffffff")

    def do_mad24(self, parts, d, a, b, c):
        product = self._product24(parts, a, b)
        if "sat" in parts:
            half = f"(({product} & 0xffffffff ^ 0x80000000) - 0x80000000)"
            self.write(d, 32, self.saturated(f"{half} + {self.signed(c, 32)}"))
        else:
            self.write(d, 32, f"({product} + {self.value(c, 32)}) & 0xffffffff")

    def do_sad(self, parts, d, a, b, c):
        kind = self.kind(parts)
        bits = int(kind[1:])
        difference = f"abs({self.number(a, kind)} - {self.number(b, kind)})"
        self.write(d, bits, f"({difference} + {self.value(c, bits)}) & {(1 << bits) - 1}")

    def do_div(self, parts, d, a, b):
        self.binary(parts, d, a, b, "divide({a}, {b})")

    def do_rem(self, parts, d, a, b):
        self.binary(parts, d, a, b, "remainder({a}, {b})")

    def do_abs(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"abs({self.signed(a, bits)})")

    def do_neg(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"-{self.value(a, bits)} & {(1 << bits) - 1}")

    def do_min(self, parts, d, a, b):
        self.binary(parts, d, a, b, "min({a}, {b})")

    def do_max(self, parts, d, a, b):
        self.binary(parts, d, a, b, "max({a}, {b})")

    def do_popc(self, parts, d, a):
        self.write(d, 32, f"({self.value(a, int(self.kind(parts)[1:]))}).bit_count()")

    def do_clz(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        self.write(d, 32, f"{bits} - ({self.value(a, bits)}).bit_length()")

    def do_bfind(self, parts, d, a):
        kind = self.kind(parts)
        bits = int(kind[1:])
        text = f"({self.value(a, bits)})"
        if kind[0] == "s":
            text = f"({text} ^ {(1 << bits) - 1} if {text} >> {bits - 1} else {text})"
        place = f"({text}.bit_length() - 1)"
        if "shiftamt" in parts:
            self.lines.append(f"t = {place}")
            self.write(d, 32, f"{bits - 1} - t if t >= 0 else 0xffffffff")
        else:
            self.write(d, 32, f"{place} & 0xffffffff")

    def do_brev(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"reverse({self.value(a, bits)}, {bits})")

    def do_fns(self, parts, d, mask, base, offset):
        self.write(d, 32, f"nth_set({self.value(mask, 32)}, {self.value(base, 32)}, {self.signed(offset, 32)})")

    def do_bfe(self, parts, d, a, b, c):
        kind = self.kind(parts)
        bits = int(kind[1:])
        place, length = f"{self.value(b, 32)} & 255", f"{self.value(c, 32)} & 255"
        self.write(d, bits, f"extract({self.value(a, bits)}, {place}, {length}, {bits}, {kind[0] == 's'})")

    def do_bfi(self, parts, d, a, b, c, e):
        bits = int(self.kind(parts)[1:])
        place, length = f"{self.value(c, 32)} & 255", f"{self.value(e, 32)} & 255"
        self.write(d, bits, f"insert({self.value(a, bits)}, {self.value(b, bits)}, {place}, {length}, {bits})")

    def do_bmsk(self, parts, d, a, b):
        self.write(d, 32, f"bit_mask({self.value(a, 32)}, {self.value(b, 32)}, {'clamp' in parts})")

    def do_szext(self, parts, d, a, b):
        signed = self.kind(parts)[0] == "s"
        self.write(d, 32, f"extend({self.value(a, 32)}, {self.value(b, 32)}, {'clamp' in parts}, {signed})")

    def do_dp4a(self, parts, d, a, b, c):
        first, second = (part[0] == "s" for part in parts[-2:])
        self.write(d, 32, f"dot4({self.value(a, 32)}, {self.value(b, 32)}, {self.value(c, 32)}, {first}, {second})")

    def do_dp2a(self, parts, d, a, b, c):
        first, second = (part[0] == "s" for part in parts[-2:])
        shift = 16 if "hi" in parts else 0
        factors = f"{self.value(a, 32)}, {self.value(b, 32)} >> {shift}"
        self.write(d, 32, f"dot2({factors}, {self.value(c, 32)}, {first}, {second})")

    # --- logic and shifts ---

    def _logic(self, parts, d, a, b, sign):
        kind = self.kind(parts)
        bits = 1 if kind == "pred" else int(kind[1:])
        self.write(d, bits, f"{self.value(a, bits)} {sign} {self.value(b, bits)}")

    def do_and(self, parts, d, a, b):
        self._logic(parts, d, a, b, "&")

    def do_or(self, parts, d, a, b):
        self._logic(parts, d, a, b, "|")

    def do_xor(self, parts, d, a, b):
        self._logic(parts, d, a, b, "^")

    def do_not(self, parts, d, a):
        kind = self.kind(parts)
        if kind == "pred":
            self.write(d, 1, f"not {self.value(a, 1)}")
        else:
            bits = int(kind[1:])
            self.write(d, bits, f"{self.value(a, bits)} ^ {(1 << bits) - 1}")

    def do_cnot(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"int({self.value(a, bits)} == 0)")

    def do_lop3(self, parts, d, a, b, c, table, q=None):
        if not isinstance(table, Imm):
            raise self.fail("its table is no constant")
        text = f"look_up({self.value(a, 32)}, {self.value(b, 32)}, {self.value(c, 32)}, {table.value & 255})"
        if not isinstance(d, Pair):
            self.write(d, 32, text)
            return
        self.lines.append(f"t = {text}")
        logic = _LOGIC["and" if "and" in parts else "or"]
        predicate = f"(t != 0) {logic} {self.value(q, 1)}"
        self.lines.append(f"u = {predicate}")
        self.write(d.first, 32, "t")
        self.write(d.second, 1, "u")

    def do_shl(self, parts, d, a, b):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"{self.value(a, bits)} << min({self.value(b, 32)}, {bits}) & {(1 << bits) - 1}")

    def do_shr(self, parts, d, a, b):
        kind = self.kind(parts)
        bits = int(kind[1:])
        text = f"{self.number(a, kind)} >> min({self.value(b, 32)}, {bits})"
        self.write(d, bits, f"({text}) & {(1 << bits) - 1}" if kind[0] == "s" else text)

    def do_shf(self, parts, d, a, b, c):
        count = f"min({self.value(c, 32)}, 32)" if "clamp" in parts else f"({self.value(c, 32)} & 31)"
        both = f"({self.value(b, 32)} << 32 | {self.value(a, 32)})"
        text = f"{both} << {count} >> 32" if "l" in parts else f"{both} >> {count}"
        self.write(d, 32, f"{text} & 0xffffffff")

    def do_prmt(self, parts, d, a, b, c):
        mode = next((part for part in parts if part in values.PERMUTATIONS), "")
        self.write(d, 32, f"permute({self.value(a, 32)}, {self.value(b, 32)}, {self.value(c, 32)}, {mode!r})")

    # --- comparison and selection ---

    def comparison(self, parts: list[str], a: Operand, b: Operand) -> str:
        kind = self.kind(parts)
        name = next((part for part in parts if part in _COMPARE), None)
        if name is None:
            raise self.fail("no comparison of integers")
        if name in ("lo", "ls", "hi", "hs") and kind[0] == "s":
            raise self.fail(f"{name} of signed numbers")
        if kind[0] == "b" and name not in ("eq", "ne"):
            raise self.fail(f"{name} of plain bits")
        return f"({self.number(a, kind)} {_COMPARE[name]} {self.number(b, kind)})"

    def do_setp(self, parts, d, a, b, c=None):
        test = self.comparison(parts, a, b)
        logic = next((part for part in parts if part in _LOGIC), None)
        pairs = (d.first, d.second) if isinstance(d, Pair) else (d, None)
        self.lines.append(f"t = {test}")
        other = f" {_LOGIC[logic]} u" if logic else ""
        if logic:
            self.lines.append(f"u = {self.value(c, 1)}")
        self.write(pairs[0], 1, f"t{other}")
        self.write(pairs[1], 1, f"(not t){other}")

    def do_set(self, parts, d, a, b, c=None):
        test = self.comparison(parts, a, b)
        logic = next((part for part in parts if part in _LOGIC), None)
        if self.kind(parts, last=False)[1:] != "32":
            raise self.fail("the result must have 32 bits")
        if logic:
            test = f"{test} {_LOGIC[logic]} {self.value(c, 1)}"
        self.write(d, 32, f"0xffffffff if {test} else 0")

    def do_selp(self, parts, d, a, b, c):
        bits = int(self.kind(parts)[1:])
        self.write(d, bits, f"{self.value(a, bits)} if {self.value(c, 1)} else {self.value(b, bits)}")

    def do_slct(self, parts, d, a, b, c):
        if parts[-1] != "s32":
            raise self.fail("this interpreter has no floating point")
        bits = int(self.kind(parts, last=False)[1:])
        self.write(d, bits, f"{self.value(a, bits)} if {self.value(c, 32)} < 0x80000000 else {self.value(b, bits)}")

    # --- moves and conversions ---

    def do_mov(self, parts, d, a):
        kind = self.kind(parts)
        bits = 1 if kind == "pred" else int(kind[1:])
        if isinstance(a, Vec):
            width = bits // len(a.items)
            terms = [f"{self.value(item, width)} << {width * i}" for i, item in enumerate(a.items)]
            self.write(d, bits, " | ".join(terms))
        elif isinstance(d, Vec):
            width = bits // len(d.items)
            self.lines.append(f"t = {self.value(a, bits)}")
            for i, item in enumerate(d.items):
                self.write(item, width, f"t >> {width * i} & {(1 << width) - 1}")
        else:
            self.write(d, bits, self.value(a, bits))

    def do_cvt(self, parts, d, a):
        if len([part for part in parts if _TYPE.fullmatch(part)]) != 2:
            raise self.fail("two types are needed")
        to, source = self.kind(parts, last=False), self.kind(parts)
        bits = int(source[1:])
        text = self.value(a, bits, wide=True)
        if source[0] == "s":
            text = f"(({text} ^ {1 << bits - 1}) - {1 << bits - 1})"
        width = int(to[1:])
        if "sat" in parts:
            low, high = (-(1 << width - 1), (1 << width - 1) - 1) if to[0] == "s" else (0, (1 << width) - 1)
            text = f"min(max({text}, {low}), {high})"
        self.write(d, width, f"{text} & {(1 << width) - 1}", signed=to[0] == "s", wide=True)

    def do_cvta(self, parts, d, a):
        bits = int(self.kind(parts)[1:])
        window = {"shared": SHARED, "local": LOCAL, "param": PARAM}.get(self.space(parts), 0)
        text = self.value(a, bits)
        if not window or (isinstance(a, Sym) and a.name.startswith("%")):
            self.write(d, bits, text)
        elif "to" in parts:
            self.write(d, bits, f"{text} - {window << 32} & {(1 << bits) - 1}")
        else:
            self.write(d, bits, f"{text} + {window << 32} & {(1 << bits) - 1}")

    def do_isspacep(self, parts, d, a):
        space = self.space(parts)
        window = f"({self.value(a, 64)} >> 32)"
        named = {"shared": SHARED, "local": LOCAL, "param": PARAM}
        if space in named:
            self.write(d, 1, f"{window} == {named[space]}")
        else:
            constants = {v.offset >> 32 for v in self.owner.module.statics if v.space == "const"}
            inside = f"{window} in {constants or '()'}"
            self.write(d, 1, inside if space == "const" else f"{window} >= 4096 and not {inside}")

    # --- memory ---

    def space(self, parts: list[str]) -> str:
        for part in parts:
            name = part.split("::")[0]
            if name in ("global", "shared", "local", "param", "const"):
                return name
        return ""

    def place(self, parts: list[str], memory: Operand | None) -> tuple[str, str]:
        """(expression of the bytes, name of the offset in them); the offset is assigned to ``a``."""
        if not isinstance(memory, Mem):
            raise self.fail("needs an address in brackets")
        space = self.space(parts)
        base = memory.base
        if isinstance(base, Sym):
            variable = self.variable(base)
            if variable is not None and variable.space != space and not (variable.space == "param" and space == ""):
                if space:
                    raise self.fail(f"{base.name} is in {variable.space}")
                if variable.space in ("local", "shared"):
                    raise self.fail(f"{base.name} has no generic address; use cvta")
            text = self.address_of(Sym(base.name, base.offset + memory.offset), 64)
            if variable is not None and variable.space == "param":
                space = "param"
        elif isinstance(base, Reg):
            text = self.read(base) + (f" + {memory.offset}" if memory.offset else "")
            if base.bits == 32 and memory.offset < 0:
                text = f"({text} & 0xffffffff)"
        else:
            text = self.value(base, 64)
        self.lines.append(f"a = {text}")
        if space in ("shared", "local", "param"):
            return f"T.{space}", "a"
        self.lines.append("m = T.regions[a >> 32]; a &= 0xffffffff")
        return "m", "a"

    def aligned(self, size: int) -> None:
        if size > 1:
            self.lines.append(f"if a & {size - 1}: misaligned(a, {size})")

    def do_ld(self, parts, d, memory):
        kind = self.kind(parts)
        size = int(kind[1:]) // 8
        items = d.items if isinstance(d, Vec) else (d,)
        data, at = self.place(parts, memory)
        self.aligned(size * len(items))
        if self.space(parts) in ("shared", "local", "param"):
            self.lines.append("if a < 0: raise IndexError")
        signed = kind[0] == "s"
        if len(items) == 1:
            load = f"{data}[{at}]" if size == 1 else f"load{size}({data}, {at})[0]"
            self.write(d, 8 * size, load, signed=signed, wide=True)
            return
        self.lines.append(f"t = load{size}x{len(items)}({data}, {at})")
        for i, item in enumerate(items):
            self.write(item, 8 * size, f"t[{i}]", signed=signed, wide=True)

    do_ldu = do_ld

    def do_st(self, parts, memory, source):
        size = int(self.kind(parts)[1:]) // 8
        items = source.items if isinstance(source, Vec) else (source,)
        texts = [self.value(item, 8 * size, wide=True) for item in items]
        data, at = self.place(parts, memory)
        self.aligned(size * len(items))
        if self.space(parts) in ("shared", "local", "param"):
            self.lines.append("if a < 0: raise IndexError")
        if data == "m":
            self.lines.append("if type(m) is bytes: read_only()")
        if size == 1 and len(items) == 1:
            self.lines.append(f"{data}[{at}] = {texts[0]}")
        else:
            many = f"x{len(items)}" if len(items) > 1 else ""
            self.lines.append(f"store{size}{many}({data}, {at}, {', '.join(texts)})")

    def _atomic(self, parts, d, memory, b, c):
        kind = self.kind(parts)
        bits = int(kind[1:])
        operation = next((part for part in parts if part in values.ATOMICS), None)
        if operation is None:
            raise self.fail("this interpreter does not know it")
        second = self.number(b, kind)
        third = self.value(c, bits) if c is not None else "0"
        data, at = self.place(parts, memory)
        self.aligned(bits // 8)
        call = f"atomic({data}, {at}, {bits // 8}, {operation}_, {second}, {third}, {kind[0] == 's'})"
        if d is None:
            self.lines.append(call)
        else:
            self.write(d, bits, call)

    def do_atom(self, parts, d, memory, b, c=None):
        self._atomic(parts, d, memory, b, c)

    def do_red(self, parts, memory, b, c=None):
        self._atomic(parts, None, memory, b, c)

    def do_alloca(self, parts, d, size, align=None):
        alignment = self.value(align, 32) if align is not None else "8"
        bits = int(self.kind(parts)[1:]) if parts else 64
        self.write(d, bits, f"T.allocate({self.value(size, bits)}, {alignment})")

    def do_stacksave(self, parts, d):
        self.write(d, int(self.kind(parts)[1:]), "len(T.local)")

    def do_stackrestore(self, parts, a):
        self.lines.append(f"del T.local[{self.value(a, int(self.kind(parts)[1:]))}:]")

    def _nothing(self, parts, *operands):
        self.lines.append("pass")

    do_membar = do_fence = do_nanosleep = do_prefetch = do_prefetchu = do_pmevent = do_brkpt = _nothing
    do_discard = do_applypriority = _nothing

    def do_bar(self, parts, name, count):
        """``bar.arrive``; the others end a block."""
        self.lines.append(f"T.block.arrive({self.value(name, 32)}, {self.value(count, 32)})")

    do_barrier = do_bar

    # --- the end of a block ---

    def ending(self, last: Instruction | None, count: int) -> list[str]:
        follow = self.block + 1
        if last is None:
            return [f"T.executed += {count}", f"return {follow}"]
        self.instruction = last
        base, *parts = last.opcode.split(".")
        go = self.go(base, parts, last, follow)
        if last.guard is None:
            return [f"T.executed += {count + 1}", *go]
        test = self.test(last.guard)
        taken = [f" {line}" for line in ["T.executed += 1", *go]]
        return [f"T.executed += {count}", f"if {test}:", *taken, f"return {follow}"]

    def go(self, base: str, parts: list[str], last: Instruction, follow: int) -> list[str]:
        operands = last.operands
        if base == "bra":
            return [f"return {self.target(operands[0])}"]
        if base == "brx":
            index, table = operands
            if not isinstance(table, Sym):
                raise self.fail("needs the name of a table")
            names = last.scope.find("targets", table.name)
            if names is None:
                raise self.fail(f"no table {table.name}")
            blocks = tuple(self.target(Sym(name)) for name in names)
            return [f"return {self.owner.constant(blocks)}[{self.value(index, 32)}]"]
        if base == "ret":
            return ["return T.leave()"]
        if base == "exit":
            return [f"return {ENDED}"]
        if base == "trap":
            return ["trap()"]
        if base == "call":
            return self.call(operands, follow)
        wait = self.wait(base, parts, operands)
        return [f"T.pc = {follow}", f"T.request = {wait}", f"return {WAITS}"]

    def target(self, label: Operand | None) -> int:
        at = self.instruction.scope.find("labels", label.name) if isinstance(label, Sym) else None
        if at is None:
            raise self.fail("no such label")
        return self.owner.block_of[at]

    def destination(self, operand: Operand | None) -> str:
        if operand is None:
            return "None"
        if not isinstance(operand, Reg):
            raise self.fail("the destination is no register")
        return str(operand.index)

    def wait(self, base: str, parts: list[str], operands: tuple[Operand | None, ...]) -> str:
        """A tuple: kind, what waiting threads must have in common, value, registers of the results."""
        if base in ("bar", "barrier") and "warp" in parts:
            return f"('warp', ('sync', {self.value(operands[0], 32)}), None, ())"
        if base in ("bar", "barrier"):
            operation = next((part for part in parts if part in ("popc", "and", "or")), "")
            rest = list(operands)
            into = self.destination(rest.pop(0)) if operation else "None"
            name = self.value(rest.pop(0), 32) if rest else "0"
            predicate = self.value(rest.pop(), 1) if operation else "0"
            count = self.value(rest[0], 32) if rest else "0"
            aligned = base == "bar" or "aligned" in parts
            return f"('bar', ({name}, {count}, {operation!r}, {aligned}), {predicate}, ({into},))"
        if base == "activemask":
            return f"('active', (), None, ({self.destination(operands[0])},))"
        *given, mask = operands
        d, *rest = given
        pair = (d.first, d.second) if isinstance(d, Pair) else (d, None)
        into = f"({self.destination(pair[0])}, {self.destination(pair[1])})"
        bits = {"vote": 1, "shfl": 32, "redux": 32}.get(base) or int(self.kind(parts)[1:])
        value = ", ".join([self.value(rest[0], bits), *(self.value(item, 32) for item in rest[1:])])
        return f"('warp', ({'.'.join([base, *parts])!r}, {self.value(mask, 32)}), ({value},), {into})"

    def call(self, operands: tuple[Operand | None, ...], follow: int) -> list[str]:
        given = list(operands)
        returns = given.pop(0).items if isinstance(given[0], Group) else ()  # type: ignore[union-attr]
        name = given.pop(0)
        arguments = given.pop(0).items if given and isinstance(given[0], Group) else ()  # type: ignore[union-attr]
        parts = []
        for item in arguments:
            variable = self.variable(item) if isinstance(item, Sym) else None
            if variable is not None:
                first = f"T.param_base + {variable.offset}"
                parts.append(f"bytes(T.param[{first} : {first} + {variable.size}])")
            elif isinstance(item, Reg):
                parts.append(self.read(item))
            elif isinstance(item, Imm):
                parts.append(str(item.value))
            else:
                raise self.fail("an argument is neither parameter, register nor number")
        into = []
        for item in returns:
            variable = self.variable(item) if isinstance(item, Sym) else None
            if variable is not None:
                into.append(f"T.param_base + {variable.offset}, None")
            elif isinstance(item, Reg):
                into.append(f"None, {item.index}")
            else:
                raise self.fail("a result goes neither to a parameter nor to a register")
        results = "".join(f"({item})," for item in into)
        if isinstance(name, Sym):
            target = repr(name.name)
        elif isinstance(name, Reg):
            target = f"T.function_at({self.read(name)})"
        else:
            raise self.fail("needs the name of a function, or its address")
        values_ = "".join(f"{part}, " for part in parts)
        return [f"return T.enter({target}, ({values_}), ({results}), {follow})"]
