"""Calls and jump tables, before translation: functions are inlined, and ``brx.idx`` becomes a chain of branches.

The arguments and results of a call are local variables of the caller; :mod:`qwengpu.cuda.promote` makes registers of
them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from qwengpu.cuda.ir import unsupported
from qwengpu.cuda.promote import promote
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
from qwengpu.cuda.syscalls import replace_system_calls


def expand(module: Module, kernel: Kernel) -> Kernel:
    """A kernel without calls of functions that the module has, and without jump tables.

    Raises:
        CompileError: for a function that calls itself.
    """
    return _Expander(module, kernel).run()


class _Expander:
    def __init__(self, module: Module, kernel: Kernel) -> None:
        self.module, self.source = module, kernel
        self.kernel = replace(
            kernel, body=[], registers=dict(kernel.registers), variables=list(kernel.variables), tables={}
        )
        self.count = 0

    def run(self) -> Kernel:
        self._append(self.source.body, self.source.tables, (self.source.name,))
        self._localise()
        promote(self.kernel)
        replace_system_calls(self.module, self.kernel)
        promote(self.kernel)
        return self.kernel

    def _append(
        self, body: list[PtxInstruction | Label], tables: dict[str, tuple[str, ...]], stack: tuple[str, ...]
    ) -> None:
        for item in body:
            if isinstance(item, PtxInstruction) and item.parts[0] == "call":
                name = item.operands[1]
                function = self.module.functions.get(name.name) if isinstance(name, Name) else None
                if function is not None:
                    self._call(item, function, stack)
                else:
                    self._call_system(item)
                continue
            if isinstance(item, PtxInstruction) and item.parts[0] == "brx":
                self._jump(item, tables)
                continue
            self.kernel.body.append(item)

    def _jump(self, item: PtxInstruction, tables: dict[str, tuple[str, ...]]) -> None:
        """Compare with each index; one beyond the last has no defined meaning, and takes the last branch."""
        index, table = item.operands
        labels = tables[str(table)]
        skip = self._skip(item)
        for number, label in enumerate(labels[:-1]):
            self.count += 1
            hit = f"hit@{self.count}"
            self.kernel.registers[hit] = ".pred"
            test = replace(item, opcode="setp.eq.u32", operands=(Name(hit), index, Immediate(number)), guard=None)
            self.kernel.body.append(test)
            self.kernel.body.append(replace(item, opcode="bra", operands=(Name(label),), guard=hit))
        self.kernel.body.append(replace(item, opcode="bra", operands=(Name(labels[-1]),), guard=None))
        if skip:
            self.kernel.body.append(Label(skip))

    def _skip(self, item: PtxInstruction) -> str | None:
        """Branch around what follows where the guard does not hold; the label to end it with."""
        if item.guard is None:
            return None
        self.count += 1
        label = f"skip@{self.count}"
        jump = replace(item, opcode="bra", operands=(Name(label),), guard_negated=not item.guard_negated)
        self.kernel.body.append(jump)
        return label

    def _call(self, item: PtxInstruction, function: Kernel, stack: tuple[str, ...]) -> None:
        if function.name in stack:
            raise unsupported(self.module.source, item, "a function that calls itself; write it as a loop")
        results, _, arguments = item.operands[:3]
        assert isinstance(results, Vector)
        assert isinstance(arguments, Vector)
        skip = self._skip(item)
        self.count += 1
        tag, after = f"@{self.count}", f"return@{self.count}"
        own = [*function.registers, *(v.name for v in function.variables), *function.tables]
        own += [entry.name for entry in function.body if isinstance(entry, Label)]
        names = {name: name + tag for name in own}
        self.kernel.registers |= {name + tag: kind for name, kind in function.registers.items()}
        self.kernel.variables += [replace(v, name=v.name + tag) for v in function.variables]
        moves_out: list[PtxInstruction] = []
        for formal, actual in zip(function.parameters, arguments.items, strict=True):
            if formal.register:
                names[formal.name] = formal.name + tag
                self.kernel.registers[formal.name + tag] = _register_type(formal.type)
                self._emit(item, "mov" + _register_type(formal.type), Name(formal.name + tag), actual)
            elif isinstance(actual, Name) and self._is_storage(actual.name):
                names[formal.name] = actual.name
            else:  # a register or a number where the function takes storage
                names[formal.name] = formal.name + tag
                variable = Variable("param", formal.name + tag, formal.bytes, max(formal.bytes, 1))
                self.kernel.variables.append(variable)
                self._emit(item, f"st.param{formal.type}", Memory(formal.name + tag), actual)
        for formal, actual in zip(function.returns, results.items, strict=True):
            if formal.register:
                names[formal.name] = formal.name + tag
                self.kernel.registers[formal.name + tag] = _register_type(formal.type)
                move = replace(item, opcode="mov" + _register_type(formal.type), guard=None)
                moves_out.append(replace(move, operands=(actual, Name(formal.name + tag))))
            elif isinstance(actual, Name):
                names[formal.name] = actual.name
        body: list[PtxInstruction | Label] = []
        for entry in function.body:
            if isinstance(entry, Label):
                body.append(Label(names[entry.name]))
                continue
            renamed = replace(
                entry,
                operands=tuple(_renamed(operand, names) for operand in entry.operands),
                guard=names.get(entry.guard, entry.guard) if entry.guard else None,
            )
            if entry.parts[0] == "ret":
                renamed = replace(renamed, opcode="bra", operands=(Name(after),))
            body.append(renamed)
        tables = {name + tag: tuple(names[label] for label in labels) for name, labels in function.tables.items()}
        self._append(body, tables, (*stack, function.name))
        self.kernel.body += [Label(after), *moves_out]
        if skip:
            self.kernel.body.append(Label(skip))

    def _call_system(self, item: PtxInstruction) -> None:
        """A call of a function that the module does not have, with registers in place of storage."""
        returned, _, given = item.operands[:3]
        assert isinstance(returned, Vector)
        assert isinstance(given, Vector)
        actual: dict[PtxOperand, Name] = {}
        for operand in (*returned.items, *given.items):
            if isinstance(operand, Name) and self._is_storage(operand.name):
                size = next(v.bytes for v in self.kernel.variables if v.name == operand.name)
                actual[operand] = Name(f"{operand.name}@call")
                self.kernel.registers[f"{operand.name}@call"] = f".b{8 * size}"
        for operand in given.items:
            if operand in actual:
                self._emit(item, f"ld.param.b{self._bits(actual[operand])}", actual[operand], Memory(str(operand)))
        vectors = (Vector(tuple(actual.get(operand, operand) for operand in v.items)) for v in (returned, given))
        results, arguments = vectors
        self.kernel.body.append(replace(item, operands=(results, item.operands[1], arguments, *item.operands[3:])))
        for operand in returned.items:
            if operand in actual:
                self._emit(item, f"st.param.b{self._bits(actual[operand])}", Memory(str(operand)), actual[operand])

    def _bits(self, register: Name) -> int:
        return int(self.kernel.registers[register.name].removeprefix(".b"))

    def _localise(self) -> None:
        """Storage of arguments and results is local."""
        storage = {variable.name for variable in self.kernel.variables if variable.space == "param"}

        def localised(item: PtxInstruction | Label) -> PtxInstruction | Label:
            if isinstance(item, Label) or item.parts[0] not in ("ld", "st") or "param" not in item.parts:
                return item
            if not any(isinstance(o, Memory) and o.base in storage for o in item.operands):
                return item
            return replace(item, opcode=item.opcode.replace(".param", ".local", 1))

        self.kernel.body = [localised(item) for item in self.kernel.body]
        self.kernel.variables = [
            replace(v, space="local", align=max(v.align, 4)) if v.space == "param" else v for v in self.kernel.variables
        ]

    def _is_storage(self, name: str) -> bool:
        return any(variable.name == name and variable.space == "param" for variable in self.kernel.variables)

    def _emit(self, item: PtxInstruction, opcode: str, *operands: PtxOperand) -> None:
        self.kernel.body.append(replace(item, opcode=opcode, operands=operands, guard=None))


def _register_type(kind: str) -> str:
    """The untyped form of a type: ``.s32`` -> ``.b32``."""
    return kind if kind == ".pred" else ".b" + re.sub(r"\D", "", kind)


def _renamed(operand: PtxOperand, names: dict[str, str]) -> PtxOperand:
    match operand:
        case Name(name, offset):
            negated = name.startswith("!")
            found = names.get(name.removeprefix("!"), name.removeprefix("!"))
            return Name("!" * negated + found, offset)
        case Memory(base, offset):
            return Memory(names.get(base, base) if base else base, offset)
        case Vector(items):
            return Vector(tuple(_renamed(item, names) for item in items))
        case Pair(first, second):
            return Pair(names.get(first, first), names.get(second, second))
    return operand
