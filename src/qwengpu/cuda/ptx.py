"""Parser of PTX, as written by clang, by NVRTC and by hand.

It reads the structure (kernels, functions, parameters, variables with their initial values, labels, instructions with
their operands and source lines); what the instructions mean is :mod:`qwengpu.cuda.translate`'s business. Registers and
labels of nested scopes get names of their own, so that a body is one flat list.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field, replace

from qwengpu.cuda.ptx_tokens import TokenStream

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


@dataclass(frozen=True)
class Text:
    """A message: what a ``trap`` is about; no PTX text has it, but :mod:`qwengpu.cuda.syscalls` adds it."""

    text: str

    def __str__(self) -> str:
        return repr(self.text)


PtxOperand = Name | Immediate | Memory | Vector | Pair | Text


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
    """A parameter or a result: its PTX type, its name, its bytes, whether the PTX says that it is a pointer.

    Those of a function may be registers (``register``); all others are storage.
    """

    type: str
    name: str
    bytes: int
    pointer: bool = False
    register: bool = False


@dataclass(frozen=True)
class Variable:
    """A module or kernel variable; ``space`` is shared, global, const, local, or param (an argument of a call).

    ``words`` is its initial value, little-endian, with a :class:`Name` for the address of a variable; empty for zeros.
    """

    space: str
    name: str
    bytes: int
    align: int = 4
    external: bool = False
    element: str = ".b8"
    words: tuple[int | Name, ...] = ()

    @property
    def data(self) -> bytearray:
        """Its initial bytes; addresses read 0."""
        found = bytearray(self.bytes)
        for k, word in enumerate(self.words):
            found[4 * k : 4 * k + 4] = (word if isinstance(word, int) else 0).to_bytes(4, "little")
        return found[: self.bytes]


@dataclass
class Kernel:
    """An ``.entry``, or a ``.func``.

    Attributes:
        parameters, returns: in order. body: instructions and labels. registers: each register's type.
        variables: those declared in it. tables: name -> labels that a ``brx.idx`` chooses from.
        prints: formats of its calls of printf, once :mod:`qwengpu.cuda.syscalls` has found them.
    """

    name: str
    parameters: list[Parameter] = field(default_factory=list)
    body: list[PtxInstruction | Label] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    returns: list[Parameter] = field(default_factory=list)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prints: list[str] = field(default_factory=list)

    @property
    def simple_name(self) -> str:
        """The name as the CUDA source has it."""
        return demangle(self.name)


@dataclass
class Module:
    """A PTX file.

    Attributes:
        functions: those that kernels call, by name; prototypes: names that are declared, but have no body here.
        source: the file that messages cite. address_bytes: 4 or 8.
    """

    kernels: list[Kernel] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    functions: dict[str, Kernel] = field(default_factory=dict)
    prototypes: set[str] = field(default_factory=set)
    source: str = ""
    address_bytes: int = 8


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


# --- parser ----------------------------------------------------------------------------------------------------------

_LINKAGE = (".visible", ".extern", ".weak", ".common", ".internal")
_SPACES = (".shared", ".global", ".const", ".local", ".param")
_COMPONENTS = {".v2": "xy", ".v4": "xyzw"}


def parse(text: str, source: str = "kernel.ptx") -> Module:
    """Parse PTX text. ``source`` is the file that messages cite.

    Raises:
        CompileError: if the text is not PTX.
    """
    return _Parser(text, source).module()


class _Scope:
    """Names of registers, labels and tables declared between two braces: name -> the one it has in the whole body."""

    def __init__(self, outer: _Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, str] = {}
        self.vectors: dict[str, tuple[str, ...]] = outer.vectors if outer else {}

    def find(self, name: str) -> str:
        scope: _Scope | None = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return name


class _Parser(TokenStream):
    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, source)
        self.main_file = self._main_file()
        self.line = 0
        self.scope = _Scope()
        self.elements: dict[str, int] = {}  # variable -> bytes of an element, for x[i]
        self.taken: set[str] = set()  # names of registers and labels of the body being read

    def _main_file(self) -> int:
        """Number of the ``.file`` that is the user's source (its line numbers are the ones to cite)."""
        base = self.source.rsplit("/", 1)[-1]
        for first, number, name in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if first.text == ".file" and name.text.strip('"').rsplit("/", 1)[-1] == base:
                return int(number.text)
        return 1

    # --- module level ---

    def module(self) -> Module:
        module = Module(source=self.source)
        aliases: dict[str, str] = {}
        external = False
        while self.token.kind != "end":
            directive = self.token.text if self.token.kind == "word" else ""
            if directive in _LINKAGE:
                self.next()
                external = directive == ".extern"
                continue
            if self.accept(".entry"):
                module.kernels.append(self.routine(Kernel(""))[0])
            elif self.accept(".func"):
                function, defined = self.routine(Kernel("", returns=self.parameters()))
                if defined:
                    module.functions[function.name] = function
                else:
                    module.prototypes.add(function.name)
            elif self.accept(*_SPACES):
                module.variables += self.variables(directive[1:], external)
            elif self.accept(".alias"):
                name = self.word()
                self.expect(",")
                aliases[name] = self.word()
                self.expect(";")
            elif self.accept(".address_size"):
                module.address_bytes = self.integer() // 8
            elif not self.ignored():
                raise self.error("expected a directive")
            external = False
        for name, target in aliases.items():
            if target in module.functions:
                module.functions[name] = module.functions[target]
        return module

    def ignored(self) -> bool:
        """Skip a directive that says nothing about the code."""
        match self.token.text:
            case ".section":
                self.skip_braces()
            case ".pragma":
                self.skip_to(";")
                self.expect(";")
            case ".loc":
                self.location()
            case ".version" | ".target" | ".file":
                self.next()
                self.next()
                while self.accept(",") or self.token.kind in ("number", "string"):
                    if self.token.kind != "mark":
                        self.next()
            case _:
                return False
        return True

    # --- variables ---

    def variables(self, space: str, external: bool = False) -> list[Variable]:
        """The variables of a declaration, from after its state space to its semicolon."""
        align, element, vector = 1, "", 1
        while self.token.text.startswith("."):
            word = self.word()
            if word == ".align":
                align = self.integer()
            elif word in _COMPONENTS:
                vector = len(_COMPONENTS[word])
            elif word in TYPE_BYTES or word in (".texref", ".samplerref", ".surfref"):
                element = word
            elif word == ".attribute":
                self.skip_to(")")
                self.next()
        if not element:
            raise self.error("expected a type")
        size = TYPE_BYTES.get(element, 0)
        found = []
        while True:
            name = self.word()
            shape: list[int | None] = [] if vector == 1 else [vector]
            dimensions: list[int | None] = []
            while self.accept("["):
                dimensions.append(None if self.token.text == "]" else self.integer())
                self.expect("]")
            shape = dimensions + shape
            data: list[int | tuple[Name, int]] = []
            if self.accept("="):
                data, shape = self.initial(element, size, shape)
            count = 1
            for dimension in shape:
                count *= dimension or 0
            self.elements[name] = size * (vector if vector > 1 else 1)
            words = self._words(data)
            found.append(Variable(space, name, size * count, max(align, size, 4), external, element, words))
            if not self.accept(","):
                break
        self.expect(";")
        return found

    def initial(
        self, element: str, size: int, shape: list[int | None]
    ) -> tuple[list[int | tuple[Name, int]], list[int | None]]:
        """The bytes of an initialiser (or which byte of a variable's address), and the shape with its first size."""
        if self.token.kind == "string":
            text = _unescaped(self.next().text[1:-1]) + b"\0"
            data: list[int | tuple[Name, int]] = list(text)
            return data, [len(text)] if shape[:1] == [None] else shape

        def nested(dimensions: list[int | None]) -> list[int | tuple[Name, int]]:
            if not self.accept("{"):
                return self._element(element, size)
            inner = 1
            for dimension in dimensions[1:]:
                inner *= dimension or 0
            found: list[int | tuple[Name, int]] = []
            while not self.accept("}"):
                if self.token.text == "{" and self.token.kind == "mark":
                    part = nested(dimensions[1:])
                    found += part + [0] * (inner * size - len(part))
                else:
                    found += self._element(element, size)
                if not self.accept(",") and self.token.text != "}":
                    raise self.error("expected ',' or '}'")
            return found

        data = nested(shape)
        if shape[:1] == [None]:
            inner = 1
            for dimension in shape[1:]:
                inner *= dimension or 0
            shape = [-(-len(data) // max(inner * size, 1)), *shape[1:]]
        return data, shape

    def _element(self, element: str, size: int) -> list[int | tuple[Name, int]]:
        """The bytes of one initial value."""
        if self.token.kind == "float":
            value = _float_bits(self.next().text, size)
            return list(value.to_bytes(size, "little"))
        if self.token.kind == "word" and self.token.text != "WARP_SZ":
            address = self._address()
            return [(address, k) for k in range(size)]
        value = self.integer()
        if self.token.text == "(" and value and size == 1:  # a mask: one byte of an address
            self.next()
            address = self._address()
            self.expect(")")
            shift = (value & -value).bit_length() - 1
            if shift % 8 or value >> shift != 0xFF:
                raise self.error("expected a mask of one byte, such as 0xFF00")
            return [(address, shift // 8)]
        return list((value % (1 << 8 * size)).to_bytes(size, "little"))

    def _address(self) -> Name:
        generic = self.accept("generic")
        if generic:
            self.expect("(")
        name = self.word()
        if generic:
            self.expect(")")
        return Name(name, self.offset())

    def _words(self, data: list[int | tuple[Name, int]]) -> tuple[int | Name, ...]:
        """Bytes as words; the four low bytes of an address are one, and its high bytes are 0."""
        words: list[int | Name] = []
        for at in range(0, len(data), 4):
            part = data[at : at + 4]
            if not any(isinstance(byte, tuple) for byte in part):
                words.append(int.from_bytes(bytes(b for b in part if isinstance(b, int)), "little"))
                continue
            first = part[0]
            if isinstance(first, int) or part not in (
                [(first[0], k) for k in range(4)],
                [(first[0], k + 4) for k in range(4)],
            ):
                raise self.error("expected whole addresses of 4 or 8 bytes in the values of a variable")
            words.append(first[0] if first[1] == 0 else 0)
        return tuple(words)

    # --- kernels and functions ---

    def routine(self, kernel: Kernel) -> tuple[Kernel, bool]:
        """A kernel or function from its name on, and whether it has a body."""
        kernel.name = self.word()
        kernel.parameters = self.parameters()
        self.scope, self.taken = _Scope(), set()
        for parameter in (*kernel.returns, *kernel.parameters):
            if parameter.register:
                self.declare(kernel, parameter.name, parameter.type)
        self.skip_to("{", ";")
        if self.accept(";"):
            return kernel, False
        self.expect("{")
        self.line = 0
        self.body(kernel)
        return kernel, True

    def parameters(self) -> list[Parameter]:
        """A list of parameters or results in parentheses, or none."""
        found: list[Parameter] = []
        if self.accept("("):
            while not self.accept(")"):
                found.append(self.parameter())
                if not self.accept(",") and self.token.text != ")":
                    raise self.error("expected ',' or ')'")
        return found

    def parameter(self) -> Parameter:
        register = bool(self.accept(".reg"))
        if not register:
            self.expect(".param")
        kind, pointer = "", False
        while self.token.text.startswith("."):
            word = self.word()
            if word == ".align":
                self.integer()
            elif word == ".ptr":
                pointer = True
            elif word in TYPE_BYTES:
                kind = word
        if not kind:
            raise self.error("expected a type")
        name, size = self.word(), TYPE_BYTES[kind]
        self.elements[name] = size
        if self.accept("["):
            size *= 0 if self.token.text == "]" else self.integer()
            kind = f"{kind}[]"
            self.expect("]")
        return Parameter(kind, name, size, pointer, register)

    # --- bodies ---

    def body(self, kernel: Kernel) -> None:
        outermost = self.scope
        self.labels()
        while True:
            if self.accept("{"):
                self.scope = _Scope(self.scope)
                self.labels()
            elif self.accept("}"):
                if self.scope is outermost:
                    return
                assert self.scope.outer is not None
                self.scope = self.scope.outer
            elif self.token.text.startswith(".") and self.token.kind == "word":
                self.body_directive(kernel)
            elif self.token.kind == "word" and self.peek() == ":":
                self.labelled(kernel)
            else:
                kernel.body.append(self.instruction(kernel))

    def labels(self) -> None:
        """Declare the labels of the scope that begins here: they may be used before the place where they are."""
        depth, start = 0, self.at
        while depth >= 0 and self.token.kind != "end":
            token = self.next()
            if token.kind == "mark":
                depth += (token.text == "{") - (token.text == "}")
            elif token.kind == "word" and not depth and self.token.text == ":" and self.token.kind == "mark":
                self.scope.names[token.text] = self.unique(token.text)
        self.at = start

    def unique(self, name: str) -> str:
        """A name that the body does not have yet."""
        found, number = name, 1
        while found in self.taken:
            number += 1
            found = f"{name}${number}"
        self.taken.add(found)
        return found

    def labelled(self, kernel: Kernel) -> None:
        """A label, a table of labels, or the prototype of an indirect call."""
        name = self.scope.find(self.word())
        self.expect(":")
        if self.accept(".branchtargets"):
            targets = [self.scope.find(self.word())]
            while self.accept(","):
                targets.append(self.scope.find(self.word()))
            self.expect(";")
            kernel.tables[name] = tuple(targets)
        elif self.accept(".callprototype", ".calltargets"):
            self.skip_to(";")
            self.expect(";")
        else:
            kernel.body.append(Label(name))

    def body_directive(self, kernel: Kernel) -> None:
        if self.accept(".reg"):
            self.registers(kernel)
        elif self.token.text in _SPACES:
            space = self.next().text[1:]
            for variable in self.variables(space):
                name = self.unique(variable.name)
                self.scope.names[variable.name] = name
                kernel.variables.append(replace(variable, name=name))
        elif not self.accept(*_LINKAGE) and not self.ignored():
            raise self.error("expected an instruction or a directive that may stand in a body")

    def location(self) -> None:
        """``.loc file line column [, function_name label, inlined_at file line column]``."""
        start = self.token.line
        self.next()
        places = [(self.integer(), self.integer())]
        while self.token.line == start and self.token.kind != "end":
            if self.next().text == "inlined_at":
                places.append((self.integer(), self.integer()))
        place = next((line for file, line in places if file == self.main_file), None)
        if place is None and start in self.inlined:
            place = self.inlined[start][1]
        if place:
            self.line = place

    def declare(self, kernel: Kernel, name: str, kind: str) -> None:
        self.scope.names[name] = self.unique(name)
        kernel.registers[self.scope.names[name]] = kind

    def registers(self, kernel: Kernel) -> None:
        components = _COMPONENTS.get(self.token.text, "")
        if components:
            self.next()
        kind = self.word()
        if kind not in TYPE_BYTES:
            self.at -= 1
            raise self.error("expected a type")
        while True:
            name = self.word()
            if self.accept("<"):
                for k in range(self.integer_before(">")):
                    self.declare(kernel, f"{name}{k}", kind)
            elif components:
                for component, colour in zip(components, "rgba", strict=False):
                    self.declare(kernel, f"{name}.{component}", kind)
                    self.scope.names[f"{name}.{colour}"] = self.scope.names[f"{name}.{component}"]
                self.scope.vectors[name] = tuple(f"{name}.{component}" for component in components)
            else:
                self.declare(kernel, name, kind)
            if not self.accept(","):
                break
        self.expect(";")

    def integer_before(self, mark: str) -> int:
        """An integer that the mark follows (so that a ``>`` is not a comparison)."""
        if self.token.kind != "number":
            raise self.error("expected an integer")
        value = int(self.next().text.rstrip("U"), 0)
        self.expect(mark)
        return value

    # --- instructions ---

    def instruction(self, kernel: Kernel) -> PtxInstruction:
        line = self.token.line
        guard, negated = None, False
        if self.accept("@"):
            negated = bool(self.accept("!"))
            guard = self.scope.find(self.word())
        opcode = self.word()
        operands: list[PtxOperand] = []
        if not self.accept(";"):
            operands = self.call() if opcode.split(".")[0] == "call" else self.operands()
            if not self.accept(";"):
                raise self.error("expected ';'")
        return PtxInstruction(opcode, tuple(operands), guard, negated, self.line, line)

    def operands(self) -> list[PtxOperand]:
        found = [self.operand()]
        while self.accept(","):
            found.append(self.operand())
        return found

    def call(self) -> list[PtxOperand]:
        """Operands of a call: results, the function, arguments, and the prototype or targets of an indirect call."""
        results = Vector(())
        if self.accept("("):
            results = Vector(self.operands_until(")"))
            self.expect(",")
        found: list[PtxOperand] = [results, Name(self.scope.find(self.word())), Vector(())]
        if self.accept(","):
            if self.accept("("):
                found[2] = Vector(self.operands_until(")"))
            else:
                found.append(Name(self.word()))
        if self.accept(","):
            found.append(Name(self.word()))
        return found

    def operand(self) -> PtxOperand:
        if self.accept("["):
            return self.memory()
        if self.accept("{"):
            return Vector(self.operands_until("}"))
        if self.token.text == "!" and self.tokens[self.at + 1].kind == "word":
            self.next()
            return Name("!" + self.scope.find(self.word()))
        if self.token.kind == "float":
            return Name(self.next().text)
        if self.starts_expression:
            return Immediate(self.integer())
        written = self.word()
        if written in self.scope.vectors:
            return Vector(tuple(Name(self.scope.find(item)) for item in self.scope.vectors[written]))
        name = self.scope.find(written)
        if self.accept("|"):
            return Pair(name, self.scope.find(self.word()))
        if self.accept("["):
            index = self.integer() * self.elements.get(written, 1)
            self.expect("]")
            return Name(name, index)
        return Name(name, self.offset())

    def operands_until(self, close: str) -> tuple[PtxOperand, ...]:
        items: list[PtxOperand] = []
        while not self.accept(close):
            items.append(self.operand())
            if not self.accept(",") and self.token.text != close:
                raise self.error(f"expected ',' or {close!r}")
        return tuple(items)

    def offset(self) -> int:
        sign = self.accept("+", "-")
        if not sign:
            return 0
        value = self.integer()
        return value if sign == "+" else -value

    def memory(self) -> Memory:
        base = None
        if self.token.kind == "word" and self.token.text != "WARP_SZ":
            written = self.word()
            base = self.scope.find(written)
            offset = 0
            if self.accept("["):
                offset = self.integer() * self.elements.get(written, 1)
                self.expect("]")
            offset += self.offset()
        else:
            offset = self.integer()
        self.expect("]")
        return Memory(base, offset)


def _unescaped(text: str) -> bytes:
    """The bytes of a string, without the quotes."""
    escapes = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11}
    found = bytearray()
    for match in re.finditer(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)|[^\\]+", text):
        escape = match.group(1)
        if escape is None:
            found += match.group().encode()
        elif escape[0] == "x":
            found.append(int(escape[1:], 16))
        elif escape[0] in "01234567":
            found.append(int(escape, 8) & 255)
        else:
            found.append(escapes.get(escape, ord(escape)))
    return bytes(found)


def _float_bits(text: str, size: int) -> int:
    """The bits of a floating-point constant."""
    if text[:2].lower() in ("0f", "0d"):
        return int(text[2:], 16) % (1 << 8 * size)
    return int.from_bytes(struct.pack("<d" if size == 8 else "<f", float(text)), "little")
