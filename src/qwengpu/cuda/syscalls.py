"""Calls of the functions that CUDA's runtime has for kernels: ``printf`` and the end of a failed ``assert``.

A call of printf appends a record to the output buffer, as :mod:`qwengpu.machine.output` describes.
"""

from __future__ import annotations

from dataclasses import replace

from qwengpu.cuda.ir import unsupported
from qwengpu.cuda.narrow import results
from qwengpu.cuda.promote import remove_unused_addresses
from qwengpu.cuda.ptx import (
    Immediate,
    Kernel,
    Label,
    Memory,
    Module,
    Name,
    PtxInstruction,
    PtxOperand,
    Text,
    Vector,
)
from qwengpu.errors import CompileError
from qwengpu.machine.output import argument_sizes, record_bytes

#: The functions that are known here, as PTX names them.
PRINTF, ASSERT_FAILED = "vprintf", "__assertfail"
#: What PTX after this pass calls the first byte of the output buffer, and the first one behind it.
OUTPUT, OUTPUT_END = "%output", "%output_end"


def replace_system_calls(module: Module, kernel: Kernel) -> None:
    """Replace these calls, whose operands are registers, by stores to the output buffer and by traps.

    Raises:
        CompileError: for a format that is no literal, or with a conversion that is not of integers.
    """
    calls = _SystemCalls(module, kernel)
    calls.run()
    if calls.count:
        remove_unused_addresses(kernel)


class _SystemCalls:
    def __init__(self, module: Module, kernel: Kernel) -> None:
        self.module, self.kernel = module, kernel
        self.count = 0
        self.body: list[PtxInstruction | Label] = []
        self.item = PtxInstruction("")
        self.sources: dict[str, list[PtxInstruction]] = {}
        for item in kernel.body:
            if isinstance(item, PtxInstruction):
                for name in results(item):
                    self.sources.setdefault(name, []).append(item)

    def run(self) -> None:
        for item in self.kernel.body:
            name = item.operands[1] if isinstance(item, PtxInstruction) and item.parts[0] == "call" else None
            if not isinstance(item, PtxInstruction) or name not in (Name(PRINTF), Name(ASSERT_FAILED)):
                self.body.append(item)
                continue
            self.count += 1
            self.item = item
            arguments = item.operands[2]
            assert isinstance(arguments, Vector)
            if name == Name(PRINTF):
                self._print(*arguments.items)
            else:
                condition = self._string(arguments.items[0])
                text = "assertion failed" if condition is None else f"assertion `{condition}` failed"
                self.body.append(replace(item, opcode="trap", operands=(Text(text),)))
        self.kernel.body = self.body

    def _string(self, operand: PtxOperand) -> str | None:
        """The literal that an operand is the address of, or None if it is not known."""
        while isinstance(operand, Name):
            for variable in (*self.module.variables, *self.kernel.variables):
                if variable.name == operand.name and variable.words:
                    return bytes(variable.data[operand.offset :]).split(b"\0")[0].decode("utf-8", errors="replace")
            sources = self.sources.get(operand.name, [])
            if len(sources) != 1 or sources[0].parts[0] not in ("mov", "cvta") or sources[0].guard:
                return None
            operand = sources[0].operands[1]
        return None

    def _emit(self, opcode: str, *operands: PtxOperand, guard: str | None = None) -> None:
        new = replace(self.item, opcode=opcode, operands=operands, guard=guard, guard_negated=guard is not None)
        self.body.append(new)

    def _register(self, stem: str, kind: str) -> Name:
        name = f"{stem}@{self.count}"
        self.kernel.registers[name] = kind
        return Name(name)

    def _print(self, written: PtxOperand, values: PtxOperand) -> None:
        text = self._string(written)
        if text is None:
            raise unsupported(self.module.source, self.item, "the format of printf must be a literal string")
        try:
            sizes = argument_sizes(text)
        except CompileError as error:
            raise CompileError(f"{self.module.source}:{self.item.line or self.item.ptx_line}: {error}") from error
        if text not in self.kernel.prints:
            self.kernel.prints.append(text)
        skip = f"printed@{self.count}"
        if self.item.guard:
            jump = replace(self.item, opcode="bra", operands=(Name(skip),))
            self.body.append(replace(jump, guard_negated=not self.item.guard_negated))
        record, end, fits = (self._register(n, k) for n, k in (("record", ".b32"), ("end", ".b32"), ("fits", ".pred")))
        size = Immediate(record_bytes(text))
        self._emit("atom.global.add.u32", record, Memory(OUTPUT), size)
        self._emit("add.u32", end, record, size)
        self._emit("setp.le.u32", fits, end, Name(OUTPUT_END))
        self._emit("bra", Name(skip), guard=fits.name)
        self._emit("st.global.b32", Memory(record.name), Immediate(self.kernel.prints.index(text)))
        at, offset = 0, 4
        for number, size_of in enumerate(sizes):
            at += -at % size_of
            for word in range(size_of // 4):
                value = self._register(f"value{number}.{word}", ".b32")
                self._emit("ld.b32", value, Memory(str(values), at))
                self._emit("st.global.b32", Memory(record.name, offset), value)
                at, offset = at + 4, offset + 4
        self.body.append(Label(skip))
        returned = self.item.operands[0]
        assert isinstance(returned, Vector)
        for result in returned.items:
            self._emit("mov.b32", result, Immediate(len(sizes)))
