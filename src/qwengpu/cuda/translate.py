"""A PTX kernel to :mod:`qwengpu.cuda.ir`: a graph of basic blocks of machine operations.

Jumps, parameters, variables and special registers are translated here, and every other instruction by what the table
of :mod:`qwengpu.cuda.instructions` has for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from qwengpu.cuda import arithmetic, bits, compare, convert, divide, instructions, memory, warp
from qwengpu.cuda.builder import WIDTHS, Builder, Wide
from qwengpu.cuda.expand import expand
from qwengpu.cuda.instructions import kind_of
from qwengpu.cuda.ir import EXIT, BasicBlock, Const, Function, Tid, Value, literal
from qwengpu.cuda.narrow import UpperHalves, definition_counts, pointer_parameters
from qwengpu.cuda.ptx import (
    Kernel,
    Label,
    Memory,
    Module,
    Name,
    Parameter,
    PtxInstruction,
    PtxOperand,
    Text,
    Variable,
    Vector,
    demangle,
)  # fmt: skip
from qwengpu.cuda.signature import Signature, element_type, integer_type
from qwengpu.cuda.syscalls import OUTPUT, OUTPUT_END
from qwengpu.machine.isa import Op, Symbol
from qwengpu.machine.spec import MachineSpec

#: The modules whose instructions are in the table.
FAMILIES = (arithmetic, bits, compare, convert, divide, memory, warp)


def translate(module: Module, kernel: Kernel, spec: MachineSpec, signature: Signature | None = None) -> Function:
    """Translate a kernel.

    Args:
        signature: its parameters in the CUDA source, if known.

    Raises:
        CompileError: for what the machine cannot do.
    """
    kernel = expand(module, kernel)
    if signature is None or len(signature) != len(kernel.parameters):
        signature = [("", p.name) for p in kernel.parameters]
    return _Translator(module, kernel, spec, signature).run()


def _space(variable: Variable) -> str:
    return "global" if variable.space == "const" else variable.space


def _used_variables(module: Module, kernel: Kernel) -> dict[str, Variable]:
    """The variables that a kernel names, and those whose addresses they hold."""
    known = {v.name: v for v in (*module.variables, *kernel.variables) if v.space != "param"}
    written = {name for item in kernel.body if isinstance(item, PtxInstruction) for name in _names(item.operands)}
    work, used = [name for name in known if name in written], set()
    while work:
        name = work.pop()
        if name in known and name not in used:
            used.add(name)
            work += [word.name for word in known[name].words if isinstance(word, Name)]
    return {name: variable for name, variable in known.items() if name in used}


def _names(operands: Iterable[PtxOperand]) -> Iterator[str]:
    for operand in operands:
        match operand:
            case Name(name):
                yield name
            case Memory(base) if base:
                yield base
            case Vector(items):
                yield from _names(items)


class _Translator(Builder):
    """Goes through a kernel's body once."""

    def __init__(self, module: Module, kernel: Kernel, spec: MachineSpec, signature: Signature) -> None:
        function = Function(kernel.simple_name, prints=kernel.prints, source=module.source)
        plain = {
            p.name
            for p, (declaration, _) in zip(kernel.parameters, signature, strict=True)
            if integer_type(declaration)
        }
        self.pointers = pointer_parameters(kernel, plain)
        self.pointers |= {p.name for p, (d, _) in zip(kernel.parameters, signature, strict=True) if "*" in d}
        upper, scratch = UpperHalves(kernel, self.pointers), warp.scratch(kernel, spec)
        super().__init__(kernel, function, spec, upper, definition_counts(kernel), scratch)
        self.parameters = {p.name: i for i, p in enumerate(kernel.parameters)}
        function.parameters = [
            (self._parameter_kind(p, declaration), name)
            for p, (declaration, name) in zip(kernel.parameters, signature, strict=True)
        ]
        function.elements = {
            i: element for i, (declaration, _) in enumerate(signature) if (element := element_type(declaration))
        }
        self.variables = _used_variables(module, kernel)
        self.places: dict[str, int] = {}
        self._place_variables()

    # --- parameters and variables ---

    def _parameter_kind(self, parameter: Parameter, declaration: str) -> str:
        """``ptr``, an integer's sign and bits, or ``b`` and the bits of a structure."""
        bits = 8 * parameter.bytes
        if parameter.name in self.pointers:
            return "ptr"
        if parameter.type.endswith("[]"):
            return f"b{bits}"
        if declaration and bits <= 64:
            return (integer_type(declaration) or "s")[0] + str(bits)
        return f"s{bits}" if parameter.type[1] == "s" else f"u{bits}"

    def _place_variables(self) -> None:
        """Give every variable an offset in its space; shared ones of unknown size (dynamic) come last."""
        sizes = {"shared": self.scratch.bytes, "local": 0, "global": 0}
        for variable in sorted(self.variables.values(), key=lambda v: v.external or not v.bytes):
            space = _space(variable)
            sizes[space] += -sizes[space] % (max(variable.align, 4) if space == "global" else variable.align)
            self.places[variable.name] = sizes[space]
            sizes[space] += variable.bytes
        self.function.shared_bytes = sizes["shared"] + -sizes["shared"] % 4
        unit = max([4, *(v.align for v in self.variables.values() if v.space == "local")])
        units = -(-sizes["local"] // unit)
        # With an odd number of units, threads that access the same variable do so in different banks of the memory.
        self.function.local_bytes = unit * (units | 1) if units else 0
        self.function.data = [0] * -(-sizes["global"] // 4)
        for variable in self.variables.values():
            if _space(variable) == "global":
                self._initialise(variable)

    def _initialise(self, variable: Variable) -> None:
        place = self.places[variable.name]
        element = variable.element[1:].replace("b", "s" if variable.element[1:] in ("b32", "b64") else "u")
        if "$" not in variable.name:  # else it is the compiler's own, such as a string
            self.function.symbols[demangle(variable.name)] = Symbol(place, variable.bytes, element)
        for k, word in enumerate(variable.words):
            if isinstance(word, Name):
                address = _space(self.variables[word.name]), self.places[word.name] + word.offset
                self.function.data[place // 4 + k] = address
            else:
                self.function.data[place // 4 + k] = word

    def _parameter_in_memory(self, name: str) -> int:
        """Offset of a copy of a parameter in the module's variables, for code that takes its address."""
        if name not in self.places:
            index, data = self.parameters[name], self.function.data
            self.places[name] = 4 * len(data)
            data += [("word", index, k) for k in range(-(-self.kernel.parameters[index].bytes // 4))]
        return self.places[name]

    def named(self, operand: Name) -> Value:
        variable: Variable | None = self.variables.get(operand.name)
        if variable is None and operand.name in self.parameters:
            return Const(("global", self._parameter_in_memory(operand.name) + operand.offset))
        if operand.name in (OUTPUT, OUTPUT_END):
            return Const((operand.name.removeprefix("%"), operand.offset))
        if variable is None:
            return warp.special_register(self, operand.name)
        place = self.places[operand.name] + operand.offset
        if variable.space == "local":
            thread = self.emit(Op.MUL, Tid(3), literal(self.function.local_bytes))
            return self.emit(Op.ADD, thread, Const(("local", place)))
        return Const((_space(variable), place))

    def _load_parameter(self, item: PtxInstruction) -> None:
        destination, source = item.operands
        kind = kind_of(item)
        index = self.parameters.get(source.base or "") if isinstance(source, Memory) else None
        if index is None or not isinstance(source, Memory):
            raise self.fail("it reads no parameter of the kernel")
        size, at = WIDTHS[kind] // 8, source.offset
        for operand in destination.items if isinstance(destination, Vector) else (destination,):
            if not 0 <= at <= self.kernel.parameters[index].bytes - size:
                raise self.fail("it reads beyond the parameter")
            if size == 8:
                self.define_wide(operand, self._wide_parameter(index, at))
            else:
                word = self._parameter_word(index, at // 4)
                part = self.emit(Op.SHR, word, literal(8 * (at % 4))) if at % 4 else word
                self.define_extended(operand, convert.extended(self, part, kind.replace("b", "u")), kind)
            at += size

    def _wide_parameter(self, index: int, at: int) -> Wide:
        high = None if self.kernel.parameters[index].name in self.pointers else self._parameter_word(index, at // 4 + 1)
        return self._parameter_word(index, at // 4), high

    @staticmethod
    def _parameter_word(index: int, word: int) -> Value:
        return Const(("param", index, 0)) if word == 0 else Const(("word", index, word))

    # --- instructions ---

    def run(self) -> Function:
        """The function."""
        self.function.blocks[EXIT] = BasicBlock(EXIT)
        labels = {item.name for item in self.kernel.body if isinstance(item, Label)}
        open_block = True
        for item in self.kernel.body:
            if isinstance(item, Label):
                if open_block:
                    self.block.next = item.name
                self.open(item.name)
                open_block = True
                continue
            if not open_block:
                self.open(self.function.fresh("dead"))
            self.instruction = item
            self.block.line = self.block.line or item.line or item.ptx_line
            open_block = self._translate(item, labels)
        if open_block:
            self.block.next = EXIT
        self.function.blocks = {"entry": self.function.blocks.pop("entry"), **self.function.blocks}
        self.function.remove_unreachable()
        return self.function

    def _translate(self, item: PtxInstruction, labels: set[str]) -> bool:
        """Translate an instruction; False if it ends the block for good."""
        match item.parts[0]:
            case "bra":
                destination = item.operands[0]
                if not isinstance(destination, Name) or destination.name not in labels:
                    raise self.fail("branch to a label of the kernel")
                return self._jump(destination.name)
            case "ret" | "exit":
                return self._jump(EXIT)
            case "trap":
                message = item.operands[0] if item.operands else None
                return self._jump(self.trap_block(message.text if isinstance(message, Text) else ""))
            case "ld" if "param" in item.parts:
                source = item.operands[1]
                if isinstance(source, Memory) and source.base in self.parameters:
                    self._load_parameter(item)
                else:  # through the address of a parameter
                    item = replace(item, opcode=item.opcode.replace(".param", ".global", 1))
                    self.instruction = item
                    instructions.find(self, item).translate(self, item)
            case _:
                instructions.find(self, item).translate(self, item)
        return True

    def _jump(self, destination: str) -> bool:
        guard, negated = self.guard()
        if guard is None:
            self.block.next = destination
            return False
        following = self.function.fresh("next")
        self.branch(guard, *((following, destination) if negated else (destination, following)))
        self.open(following)
        return True
