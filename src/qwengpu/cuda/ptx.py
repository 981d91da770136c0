"""Parser of PTX, as written by clang, by NVRTC and by hand.

It reads the structure (kernels, parameters, shared variables, labels, instructions with their operands and source
lines); what the instructions mean is :mod:`qwengpu.cuda.translate`'s business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qwengpu.errors import CompileError

#: Bytes of the PTX types that variables and parameters can have.
TYPE_BYTES = {
    **{f".{letter}{bits}": bits // 8 for letter in "busf" for bits in (8, 16, 32, 64)},
    ".b128": 16,
    ".pred": 1,
}


@dataclass(frozen=True)
class Name:
    """A register, label, parameter, variable or special register; ``offset`` as in ``buffer+4``."""

    name: str
    offset: int = 0

    def __str__(self) -> str:
        return self.name + (f"+{self.offset}" if self.offset else "")


@dataclass(frozen=True)
class Immediate:
    """An integer literal."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Memory:
    """``[base+offset]``; without a base an absolute address."""

    base: str | None
    offset: int = 0

    def __str__(self) -> str:
        return f"[{self.base or ''}{f'+{self.offset}' if self.offset or not self.base else ''}]"


@dataclass(frozen=True)
class Vector:
    """``{a, b}``."""

    items: tuple[PtxOperand, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.items)) + "}"


@dataclass(frozen=True)
class Pair:
    """``p|q``: the two results of a ``setp``."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.first}|{self.second}"


PtxOperand = Name | Immediate | Memory | Vector | Pair


@dataclass(frozen=True)
class PtxInstruction:
    """One instruction.

    Attributes:
        opcode: with its modifiers, such as ``mul.wide.s32``. guard: the predicate of ``@p``, if any.
        line: line of the CUDA source (0 if unknown). ptx_line: line of the PTX text.
    """

    opcode: str
    operands: tuple[PtxOperand, ...] = ()
    guard: str | None = None
    guard_negated: bool = False
    line: int = 0
    ptx_line: int = 0

    @property
    def parts(self) -> list[str]:
        """The opcode and its modifiers, split."""
        return self.opcode.split(".")

    def __str__(self) -> str:
        guard = f"@{'!' if self.guard_negated else ''}{self.guard} " if self.guard else ""
        return f"{guard}{self.opcode} {', '.join(map(str, self.operands))}".rstrip()


@dataclass(frozen=True)
class Label:
    """A place to branch to."""

    name: str


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter: its PTX type, its name, its bytes, and whether the PTX says that it is a pointer."""

    type: str
    name: str
    bytes: int
    pointer: bool = False


@dataclass(frozen=True)
class Variable:
    """A module or kernel variable; ``space`` is shared, global, const or local."""

    space: str
    name: str
    bytes: int
    align: int = 4
    external: bool = False


@dataclass
class Kernel:
    """An ``.entry``: parameters, body, and the registers it declares (name or numbered prefix -> type)."""

    name: str
    parameters: list[Parameter] = field(default_factory=list)
    body: list[PtxInstruction | Label] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)

    @property
    def simple_name(self) -> str:
        """The name as the CUDA source has it."""
        return demangle(self.name)


@dataclass
class Module:
    """A PTX file. ``source`` names the file that messages should cite."""

    kernels: list[Kernel] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    source: str = ""


def demangle(name: str) -> str:
    """The function's own name in an Itanium-mangled one: ``_Z3dotPKi`` and ``_ZN2la3dotEPKi`` -> ``dot``."""
    found = re.match(r"_Z(N?)(?=\d)", name)
    if not found:
        return name
    at, simple = found.end(), name
    while length := re.match(r"\d+", name[at:]):
        at += length.end()
        simple, at = name[at : at + int(length.group())], at + int(length.group())
        if not found.group(1):
            break
    return simple


# --- tokens ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+) | (?P<newline>\n) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<string>"[^"\n]*")
    | (?P<number>0[fFdD][0-9a-fA-F]{8,16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)
    | (?P<word>[.%$_A-Za-z](?:[\w$.]|::)*) | (?P<mark>[-+@!,;:|<>(){}\[\]=~*/&])""",
    re.VERBOSE | re.DOTALL,
)
_INLINED_AT = re.compile(r"@\[\s*(.*?):(\d+):\d+")


@dataclass(frozen=True)
class _Token:
    kind: str  # word | number | string | mark | end
    text: str
    line: int


def _tokenise(text: str, source: str) -> tuple[list[_Token], dict[int, tuple[str, int]]]:
    """Tokens, and PTX line -> (file, line) of the place where clang says that the code of a line was inlined."""
    tokens: list[_Token] = []
    inlined: dict[int, tuple[str, int]] = {}
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise CompileError(f"{source}: PTX line {line}: unexpected character {text[at]!r}; this is not valid PTX")
        kind, value = found.lastgroup or "", found.group()
        at = found.end()
        if kind == "comment" and (place := re.findall(_INLINED_AT, value)):
            inlined[line] = (place[-1][0], int(place[-1][1]))
        if kind not in ("space", "newline", "comment"):
            tokens.append(_Token(kind, value, line))
        line += value.count("\n")
    return [*tokens, _Token("end", "", line)], inlined


def _integer(text: str) -> int:
    text = text.rstrip("U")
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        return int(text, 8)
    return int(text, 0)


# --- parser ----------------------------------------------------------------------------------------------------------

_LINKAGE = (".visible", ".extern", ".weak", ".common")
_SPACES = (".shared", ".global", ".const", ".local")


def parse(text: str, source: str = "kernel.ptx") -> Module:
    """Parse PTX text. ``source`` is the file that messages cite.

    Raises:
        CompileError: if the text is not PTX.
    """
    return _Parser(text, source).module()


class _Parser:
    def __init__(self, text: str, source: str) -> None:
        self.tokens, self.inlined = _tokenise(text, source)
        self.at = 0
        self.source = source
        self.main_file = self._main_file()
        self.line = 0

    def _main_file(self) -> int:
        """Number of the ``.file`` that is the user's source (its line numbers are the ones to cite)."""
        base = self.source.rsplit("/", 1)[-1]
        for first, number, name in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if first.text == ".file" and name.text.strip('"').rsplit("/", 1)[-1] == base:
                return int(number.text)
        return 1

    # --- token helpers ---

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def next(self) -> _Token:
        token = self.tokens[self.at]
        if token.kind == "end":
            raise self.error("unexpected end")
        self.at += 1
        return token

    def accept(self, *texts: str) -> str | None:
        if self.token.text in texts and self.token.kind in ("word", "mark"):
            return self.next().text
        return None

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text!r}")

    def error(self, what: str) -> CompileError:
        found = self.token.text or "the end of the file"
        return CompileError(f"{self.source}: PTX line {self.token.line}: {what}, found {found!r}")

    def word(self) -> str:
        if self.token.kind != "word":
            raise self.error("expected a name")
        return self.next().text

    def number(self) -> int:
        negative = bool(self.accept("-"))
        if self.token.kind != "number" or self.token.text[:2].lower() in ("0f", "0d"):
            raise self.error("expected an integer")
        value = _integer(self.next().text)
        return -value if negative else value

    def skip_line(self) -> None:
        line = self.token.line
        while self.token.line == line and self.token.kind != "end":
            self.at += 1

    def skip_to(self, *texts: str) -> None:
        while self.token.text not in texts:
            self.next()

    def skip_braces(self) -> None:
        self.skip_to("{")
        depth = 0
        while True:
            text = self.next().text
            depth += (text == "{") - (text == "}")
            if not depth:
                return

    # --- module level ---

    def module(self) -> Module:
        module = Module(source=self.source)
        external = False
        while self.token.kind != "end":
            directive = self.word()
            if directive in _LINKAGE:
                external = directive == ".extern"
                continue
            if directive == ".entry":
                module.kernels.append(self.kernel())
            elif directive == ".func":
                self.skip_to("{", ";")
                if self.token.text == "{":
                    self.skip_braces()
                else:
                    self.next()
            elif directive in _SPACES:
                module.variables.append(self.variable(directive[1:], external))
            elif directive == ".section":
                self.skip_braces()
            elif directive in (".version", ".target", ".address_size", ".file", ".pragma", ".loc", ".alias"):
                self.skip_line()
            elif directive.startswith("$") or self.token.text == ":":
                self.accept(":")
            else:
                self.at -= 1
                raise self.error("expected a directive")
            external = False
        return module

    def variable(self, space: str, external: bool) -> Variable:
        align, size, vector = 4, 4, 1
        while self.token.text.startswith("."):
            word = self.word()
            if word == ".align":
                align = self.number()
            elif word in (".v2", ".v4"):
                vector = int(word[2])
            elif word in TYPE_BYTES:
                size = TYPE_BYTES[word]
        name = self.word()
        count = vector
        while self.accept("["):
            count *= 0 if self.token.text == "]" else self.number()
            self.expect("]")
        self.skip_to(";")
        self.expect(";")
        return Variable(space, name, size * count, max(align, 4), external)

    def kernel(self) -> Kernel:
        kernel = Kernel(self.word())
        if self.accept("("):
            while not self.accept(")"):
                kernel.parameters.append(self.parameter())
                self.accept(",")
        self.skip_to("{", ";")
        if self.accept("{"):
            self.line = 0
            self.body(kernel)
        return kernel

    def parameter(self) -> Parameter:
        self.expect(".param")
        kind, pointer = "", False
        while self.token.text.startswith("."):
            word = self.word()
            if word == ".align":
                self.number()
            elif word == ".ptr":
                pointer = True
            elif word in TYPE_BYTES:
                kind = word
        name, size = self.word(), TYPE_BYTES.get(kind, 0)
        if self.accept("["):
            size *= self.number()
            kind = f"{kind}[]"
            self.expect("]")
        return Parameter(kind, name, size, pointer)

    # --- kernel body ---

    def body(self, kernel: Kernel) -> None:
        depth = 1
        while depth:
            if self.accept("{"):
                depth += 1
            elif self.accept("}"):
                depth -= 1
            elif self.token.text.startswith("."):
                self.body_directive(kernel)
            elif self.token.kind == "word" and self.tokens[self.at + 1].text == ":":
                kernel.body.append(Label(self.word()))
                self.expect(":")
            else:
                kernel.body.append(self.instruction())

    def body_directive(self, kernel: Kernel) -> None:
        directive = self.token.text
        if directive == ".loc":
            self.location()
        elif directive == ".reg":
            self.next()
            self.registers(kernel)
        elif directive in _SPACES:
            self.next()
            kernel.variables.append(self.variable(directive[1:], external=False))
        elif directive in _LINKAGE:
            self.next()
        elif directive == ".section":
            self.skip_braces()
        elif directive == ".file":
            self.skip_line()
        else:  # .pragma, .branchtargets, .param of a call
            self.skip_to(";")
            self.expect(";")

    def location(self) -> None:
        """``.loc file line column [, function_name label, inlined_at file line column]``."""
        start = self.token.line
        self.next()
        places = [(self.number(), self.number())]
        while self.token.line == start and self.token.kind != "end":
            if self.next().text == "inlined_at":
                places.append((self.number(), self.number()))
        place = next((line for file, line in places if file == self.main_file), None)
        if place is None and start in self.inlined:
            place = self.inlined[start][1]
        if place:
            self.line = place

    def registers(self, kernel: Kernel) -> None:
        kind = self.word()
        while True:
            name = self.word()
            kernel.registers[name] = kind
            if self.accept("<"):
                count = self.number()
                self.expect(">")
                kernel.registers |= {f"{name}{k}": kind for k in range(count)}
            if not self.accept(","):
                break
        self.expect(";")

    def instruction(self) -> PtxInstruction:
        line = self.token.line
        guard, negated = None, False
        if self.accept("@"):
            negated = bool(self.accept("!"))
            guard = self.word()
        opcode = self.word()
        operands: list[PtxOperand] = []
        if not self.accept(";"):
            operands.append(self.operand())
            while self.accept(","):
                operands.append(self.operand())
            self.expect(";")
        return PtxInstruction(opcode, tuple(operands), guard, negated, self.line, line)

    def operand(self) -> PtxOperand:
        if self.accept("["):
            return self.memory()
        if self.accept("{"):
            return Vector(self.operands_until("}"))
        if self.accept("("):
            return Vector(self.operands_until(")"))
        if self.accept("!"):
            return Name("!" + self.word())
        if self.token.kind == "number" and self.token.text[:2].lower() in ("0f", "0d"):
            return Name(self.next().text)
        if self.token.kind == "number" or self.token.text == "-":
            return Immediate(self.number())
        name = self.word()
        if self.accept("|"):
            return Pair(name, self.word())
        return Name(name, self.offset())

    def operands_until(self, close: str) -> tuple[PtxOperand, ...]:
        items: list[PtxOperand] = []
        while not self.accept(close):
            items.append(self.operand())
            self.accept(",")
        return tuple(items)

    def offset(self) -> int:
        sign = self.accept("+", "-")
        if not sign:
            return 0
        value = self.number()
        return value if sign == "+" else -value

    def memory(self) -> Memory:
        base = self.word() if self.token.kind == "word" else None
        offset = self.offset() if base else self.number()
        self.expect("]")
        return Memory(base, offset)
