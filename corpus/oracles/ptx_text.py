"""PTX as text: its tokens, and a parser that resolves registers, labels and variables, and lays the variables out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from corpus.oracles.result import OracleError

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>\d[\w.]*)
    |(?P<word>[A-Za-z_$%.][\w$%.]*(?:::\w+[\w$%.]*)*)
    |(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||@@|[-+*/%!~&|^?:;,<>=@(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_WIDTHS = {"pred": 1, **{f"{kind}{bits}": bits for kind in "bsuf" for bits in (8, 16, 32, 64)}}
SPACES = ("reg", "sreg", "const", "global", "local", "param", "shared")
#: Upper 32 bits of addresses: every allocation has its own, so that nothing can run over into another one.
SHARED, LOCAL, PARAM, CODE, VARIABLES, ARGUMENTS = 1, 2, 3, 4, 0x1000, 0x100000
_COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}


@dataclass(frozen=True)
class Reg:
    """A register: its place in a frame and its bits (1 for a predicate)."""

    index: int
    bits: int


@dataclass(frozen=True)
class Imm:
    value: int


@dataclass(frozen=True)
class Sym:
    """A name that is no register (variable, function, label, special register), plus an offset in bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Mem:
    """``[base + offset]``."""

    base: Operand
    offset: int = 0


@dataclass(frozen=True)
class Vec:
    """``{a, b, ...}``; None stands for ``_``."""

    items: tuple[Operand | None, ...]


@dataclass(frozen=True)
class Pair:
    """``a|b``."""

    first: Operand | None
    second: Operand | None


@dataclass(frozen=True)
class Not:
    """``!p``."""

    of: Operand


@dataclass(frozen=True)
class Group:
    """``(a, b, ...)`` of a call."""

    items: tuple[Operand, ...]


Operand = Reg | Imm | Sym | Mem | Vec | Pair | Not | Group


@dataclass
class Variable:
    """A variable.

    Attributes:
        size, align, element: in bytes; size is 0 for ``extern`` storage whose size the launch says.
        init: (byte, value, bytes) of what it holds at first.
        offset: its address in its space, or in a frame for ``local`` and ``param``.
    """

    name: str
    space: str
    size: int
    align: int
    element: int
    init: list[tuple[int, int | Sym, int]] = field(default_factory=list)
    offset: int = 0


@dataclass
class Scope:
    """Names declared between a pair of braces."""

    parent: Scope | None = None
    registers: dict[str, Reg | Vec] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)

    def find(self, kind: str, name: str):
        scope: Scope | None = self
        while scope is not None:
            table = getattr(scope, kind)
            if name in table:
                return table[name]
            scope = scope.parent
        return None


@dataclass(frozen=True)
class Instruction:
    """``@guard opcode operands``; the guard is (register, value it must have)."""

    opcode: str
    operands: tuple[Operand | None, ...]
    guard: tuple[Reg, bool] | None
    line: int
    scope: Scope


@dataclass
class Function:
    """A function or kernel. Formals are variables of space ``param``, or registers, each with its bytes."""

    name: str
    entry: bool
    returns: list[tuple[Variable | Reg, int]] = field(default_factory=list)
    formals: list[tuple[Variable | Reg, int]] = field(default_factory=list)
    code: list[Instruction] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    local_bytes: int = 0
    param_bytes: int = 0
    defined: bool = False


@dataclass
class Module:
    """Attributes: statics: variables of the spaces ``global`` and ``const``; dynamic: ``extern`` shared storage."""

    functions: dict[str, Function] = field(default_factory=dict)
    statics: list[Variable] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    shared_bytes: int = 0
    dynamic: list[Variable] = field(default_factory=list)


def align_up(offset: int, align: int) -> int:
    return -(-offset // align) * align


def parse(text: str) -> Module:
    """Read a PTX module.

    Raises:
        OracleError: naming the line that cannot be read.
    """
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        line, place = 1, 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise OracleError(f"line {line}: cannot read {text[place : place + 20]!r}")
            if match.lastgroup != "skip":
                self.tokens.append((match.lastgroup or "", match[0], line))
            line += match[0].count("\n")
            place = match.end()
        self.tokens.append(("end", "", line))
        self.at = 0
        self.result = Module()

    # --- tokens ---

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def text(self) -> str:
        return self.tokens[self.at][1]

    @property
    def line(self) -> int:
        return self.tokens[self.at][2]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def accept(self, *texts: str) -> bool:
        if self.text in texts and self.kind != "string":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise OracleError(f"line {self.line}: expected {text!r}, found {self.text!r}")

    def word(self) -> str:
        if self.kind != "word":
            raise OracleError(f"line {self.line}: expected a name, found {self.text!r}")
        return self.take()

    def items(self, one: Callable[[], object], close: str) -> list:
        """Comma-separated items up to and with ``close``."""
        found: list = []
        while not self.accept(close):
            found.append(one())
            if not self.accept(","):
                self.expect(close)
                break
        return found

    # --- constants ---

    def number(self) -> int:
        text = self.take().rstrip("Uu")
        if text[:2] in ("0f", "0F", "0d", "0D"):
            return int(text[2:], 16)
        try:
            if text[:2].lower() in ("0x", "0b"):
                return int(text, 0)
            return int(text, 8) if text[0] == "0" else int(text)
        except ValueError:
            raise OracleError(f"line {self.line}: {text} is no integer") from None

    def constant(self, level: int = 0) -> int:
        """A constant expression, by precedence climbing; all of it as 64-bit integers."""
        value = self.unary()
        while True:
            for rank, table in enumerate(_BINARY[level:], level):
                if self.kind == "sign" and self.text in table:
                    operation = table[self.take()]
                    value = operation(value, self.constant(rank + 1))
                    break
            else:
                break
        if level == 0 and self.accept("?"):
            first = self.constant()
            self.expect(":")
            second = self.constant()
            return first if value else second
        return value

    def unary(self) -> int:
        if self.accept("-"):
            return -self.unary()
        if self.accept("+"):
            return self.unary()
        if self.accept("~"):
            return ~self.unary()
        if self.accept("!"):
            return int(not self.unary())
        if self.accept("("):
            if self.accept(".s64"):
                self.expect(")")
                return (self.unary() + 2**63) % 2**64 - 2**63
            if self.accept(".u64"):
                self.expect(")")
                return self.unary() % 2**64
            value = self.constant()
            self.expect(")")
            return value
        if self.accept("WARP_SZ"):
            return 32
        if self.kind != "number":
            raise OracleError(f"line {self.line}: expected a constant, found {self.text!r}")
        return self.number()

    # --- module ---

    def module(self) -> Module:
        while self.kind != "end":
            if self.accept(";"):
                continue
            if self.directive():
                continue
            if self.accept(".visible", ".extern", ".weak", ".common"):
                continue
            if self.text in (".entry", ".func"):
                self.function()
            elif self.text[1:] in SPACES:
                for variable in self.variables(None):
                    self.result.variables[variable.name] = variable
            else:
                raise OracleError(f"line {self.line}: cannot read {self.text!r}")
        for variable in self.result.dynamic:
            variable.offset = align_up(self.result.shared_bytes, 16)
        return self.result

    def directive(self) -> bool:
        """Skip a directive that does not matter here."""
        if self.accept(".version", ".address_size"):
            self.take()
        elif self.accept(".target"):
            self.word()
            while self.accept(","):
                self.word()
        elif self.accept(".file"):
            self.take()
            self.take()
            while self.accept(","):
                self.take()
        elif self.accept(".loc"):
            for _ in range(3):
                self.take()
            while self.accept(","):
                if self.word() == "function_name":
                    self.word()
                    if self.accept("+"):
                        self.take()
                else:
                    for _ in range(3):
                        self.take()
        elif self.text == ".section":
            while not self.accept("{"):
                self.take()
            while not self.accept("}"):
                self.take()
        elif self.accept(".pragma", ".alias"):
            while not self.accept(";"):
                self.take()
        else:
            return False
        return True

    def function(self) -> None:
        entry = self.take() == ".entry"
        scope = Scope()
        draft = Function("", entry)
        if not entry and self.accept("("):
            draft.returns = self.items(lambda: self.formal(draft, scope), ")")
        draft.name = self.word()
        if self.accept("("):
            draft.formals = self.items(lambda: self.formal(draft, scope), ")")
        while self.text not in ("{", ";"):
            self.take()
        if self.accept(";"):
            self.result.functions.setdefault(draft.name, draft)
            return
        self.result.functions[draft.name] = draft
        draft.defined = True
        self.expect("{")
        self.block(draft, scope)

    def formal(self, function: Function, scope: Scope) -> tuple[Variable | Reg, int]:
        if self.accept(".reg"):
            (name,) = self.registers(function, scope, many=False)
            register = scope.registers[name]
            assert isinstance(register, Reg)
            return register, max(register.bits // 8, 1)
        (variable,) = self.variables(function, many=False)
        scope.variables[variable.name] = variable
        return variable, variable.size

    # --- declarations ---

    def registers(self, function: Function, scope: Scope, many: bool = True) -> list[str]:
        """The rest of ``.reg .b32 %r<8>, x;``."""
        lanes = 1
        if self.text in (".v2", ".v4"):
            lanes = int(self.take()[2:])
        bits = _WIDTHS.get(self.text[1:])
        if bits is None:
            raise OracleError(f"line {self.line}: no register type {self.text!r}")
        self.take()

        def add() -> Reg:
            function.widths.append(bits)
            return Reg(len(function.widths) - 1, bits)

        names = []
        while True:
            name = self.word()
            if self.accept("<"):
                for number in range(self.number()):
                    scope.registers[f"{name}{number}"] = add()
                self.expect(">")
            else:
                scope.registers[name] = add() if lanes == 1 else Vec(tuple(add() for _ in range(lanes)))
            names.append(name)
            if not many or not self.accept(","):
                return names

    def variables(self, function: Function | None, many: bool = True) -> list[Variable]:
        """Variables of one declaration, from its space on; the semicolon too, if there may be many."""
        space = self.take()[1:]
        align, lanes, element, pointer = 0, 1, 0, False
        while self.text.startswith("."):
            attribute = self.take()[1:]
            if attribute == "align":
                number = self.constant()
                align = align if pointer else number
            elif attribute == "ptr":
                pointer = True  # what follows is about what the parameter points to
            elif attribute in ("v2", "v4", "v8"):
                lanes = int(attribute[1:])
            elif attribute in _WIDTHS:
                element = max(_WIDTHS[attribute] // 8, 1)
            elif attribute == "attribute":
                while not self.accept(")"):
                    self.take()
        made = []
        while True:
            name, count = self.word(), 1
            unsized = False
            names = [name]
            if self.accept("<"):
                names = [f"{name}{i}" for i in range(self.number())]
                self.expect(">")
            while self.accept("["):
                if self.accept("]"):
                    unsized = True
                else:
                    count *= self.constant()
                    self.expect("]")
            init = self.initial(element * lanes) if self.accept("=") else []
            if unsized and init:
                count = max(place + size for place, _, size in init) // (element * lanes)
                unsized = False
            for each in names:
                size = 0 if unsized else count * element * lanes
                variable = Variable(each, space, size, align or element * lanes, element, init)
                self.place(variable, function)
                made.append(variable)
            if not many or not self.accept(","):
                break
        if many:
            self.expect(";")
        return made

    def place(self, variable: Variable, function: Function | None) -> None:
        if variable.space == "shared":
            if variable.size == 0:
                self.result.dynamic.append(variable)
            else:
                variable.offset = align_up(self.result.shared_bytes, variable.align)
                self.result.shared_bytes = variable.offset + variable.size
        elif variable.space in ("local", "param") and function is not None:
            total = f"{variable.space}_bytes"
            variable.offset = align_up(getattr(function, total), variable.align)
            setattr(function, total, variable.offset + variable.size)
        elif variable.space in ("global", "const"):
            variable.offset = (VARIABLES + len(self.result.statics)) << 32
            self.result.statics.append(variable)

    def initial(self, size: int) -> list[tuple[int, int | Sym, int]]:
        """An initialiser as (byte, value, bytes). Inner braces must be full, as compilers write them."""
        found: list[tuple[int, int | Sym, int]] = []

        def one() -> None:
            if self.accept("{"):
                self.items(one, "}")
                return
            found.append((size * len(found), self.initial_value(), size))

        one()
        return found

    def initial_value(self) -> int | Sym:
        if self.kind != "word" or self.text == "WARP_SZ":
            if self.kind == "number" and self.tokens[self.at + 1][1] == "(":
                raise OracleError(f"line {self.line}: byte {self.text} of an address as initial value")
            return self.constant()
        name = self.word()
        if name == "generic" and self.accept("("):
            value = self.initial_value()
            self.expect(")")
            return value
        return Sym(name, self.offset())

    # --- bodies ---

    def block(self, function: Function, scope: Scope) -> None:
        while not self.accept("}"):
            if self.accept("{"):
                self.block(function, Scope(scope))
            elif self.accept(";") or self.directive():
                pass
            elif self.accept(".reg"):
                self.registers(function, scope)
                self.expect(";")
            elif self.text[1:] in SPACES and self.text[0] == ".":
                for variable in self.variables(function):
                    scope.variables[variable.name] = variable
            elif self.kind == "word" and self.tokens[self.at + 1][1] == ":":
                self.label(function, scope)
            else:
                function.code.append(self.instruction(scope))

    def label(self, function: Function, scope: Scope) -> None:
        name = self.take()
        self.expect(":")
        if self.accept(".branchtargets", ".calltargets"):
            scope.targets[name] = self.items(self.word, ";")
        elif self.accept(".callprototype"):
            while not self.accept(";"):
                self.take()
        else:
            scope.labels[name] = len(function.code)

    def instruction(self, scope: Scope) -> Instruction:
        line, guard = self.line, None
        if self.accept("@"):
            wanted = not self.accept("!")
            register = scope.find("registers", self.word())
            if not isinstance(register, Reg) or register.bits != 1:
                raise OracleError(f"line {line}: the guard is no predicate")
            guard = (register, wanted)
        opcode = self.word()
        one = self.call_operand if opcode.split(".")[0] == "call" else self.operand
        operands = self.items(lambda: one(scope), ";")
        return Instruction(opcode, tuple(operands), guard, line, scope)

    def call_operand(self, scope: Scope) -> Operand | None:
        if self.accept("("):
            return Group(tuple(self.items(lambda: self.simple(scope), ")")))
        return self.simple(scope)

    def operand(self, scope: Scope) -> Operand | None:
        first = self.simple(scope)
        if self.accept("|"):
            return Pair(first, self.simple(scope))
        return first

    def simple(self, scope: Scope) -> Operand | None:
        if self.accept("["):
            base = self.simple(scope)
            assert base is not None
            offset = self.offset()
            self.expect("]")
            return Mem(Sym(base.name), base.offset + offset) if isinstance(base, Sym) else Mem(base, offset)
        if self.accept("{"):
            return Vec(tuple(self.items(lambda: self.simple(scope), "}")))
        if self.text == "!" and self.tokens[self.at + 1][0] == "word":
            self.take()
            of = self.simple(scope)
            assert of is not None
            return Not(of)
        if self.kind != "word" or self.text == "WARP_SZ":
            return Imm(self.constant())
        name = self.word()
        if name == "_":
            return None
        register = scope.find("registers", name)
        if register is not None:
            return register
        whole, _, component = name.rpartition(".")
        vector = scope.find("registers", whole)
        if isinstance(vector, Vec) and component in _COMPONENTS:
            return vector.items[_COMPONENTS[component]]
        return Sym(name, self.offset())

    def offset(self) -> int:
        total = 0
        while self.text in ("+", "-") and self.kind == "sign":
            sign = 1 if self.take() == "+" else -1
            total += sign * self.unary()
        return total


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_BINARY: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": _divide, "%": lambda a, b: a - b * _divide(a, b)},
)
