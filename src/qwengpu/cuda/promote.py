"""Local variables to registers, where the kernel accesses them at constant places only.

That serves the arguments and results of calls, what printf is given, and code compiled without optimisation, which
keeps everything in local variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from qwengpu.cuda.narrow import definition_counts
from qwengpu.cuda.ptx import (
    TYPE_BYTES,
    Immediate,
    Kernel,
    Label,
    Memory,
    Name,
    Pair,
    PtxInstruction,
    PtxOperand,
    Vector,
)

#: First byte and number of bytes of a part of a variable that is accessed.
Part = tuple[int, int]
#: A variable and an offset in it.
Place = tuple[str, int]


def promote(kernel: Kernel) -> None:
    """Replace, in the kernel's body, the accesses of such variables by moves between registers.

    A variable stays in memory if its address is stored, computed with or passed on, or if two accesses overlap that
    are not of the same bytes (but 8 bytes may be accessed as two words).
    """
    _Promotion(kernel).run()


def remove_unused_addresses(kernel: Kernel) -> None:
    """Remove the instructions that only make an address which nothing reads."""
    while True:
        read: set[str] = set()
        for item in kernel.body:
            if isinstance(item, PtxInstruction):
                own = 1 if _makes_address(kernel, item) else 0
                read.update(names_in(item.operands[own:]), [item.guard or ""])
        kept = [
            item
            for item in kernel.body
            if not isinstance(item, PtxInstruction) or not _makes_address(kernel, item) or str(item.operands[0]) in read
        ]
        if len(kept) == len(kernel.body):
            return
        kernel.body = kept


def names_in(operands: Iterable[PtxOperand]) -> list[str]:
    """Every name that some operands have, with repetitions."""
    found: list[str] = []
    for operand in operands:
        match operand:
            case Name(name):
                found.append(name.removeprefix("!"))
            case Memory(str(base)):
                found.append(base)
            case Vector(items):
                found += names_in(items)
            case Pair(first, second):
                found += [first, second]
    return found


def _makes_address(kernel: Kernel, item: PtxInstruction) -> bool:
    """Whether it may be part of a chain from a variable to its address in a register, and does nothing else."""
    wide = item.parts[-1] in ("b64", "u64", "s64") and "cc" not in item.parts
    if item.parts[0] not in ("mov", "cvta", "add") or not wide or item.guard or not isinstance(item.operands[0], Name):
        return False
    return all(not name.startswith("%") or name in kernel.registers for name in names_in(item.operands[1:]))


def _is_access(item: PtxInstruction) -> bool:
    plain = {"const", "global", "shared", "volatile"}.isdisjoint(item.parts)
    return item.parts[0] in ("ld", "st") and plain


def _kind(item: PtxInstruction) -> str:
    return next(part for part in reversed(item.parts) if f".{part}" in TYPE_BYTES)


class _Promotion:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.sizes = {v.name: v.bytes for v in kernel.variables if v.space == "local"}
        self.addresses = self._addresses()
        self.parts = self._parts()

    def run(self) -> None:
        for variable, parts in self.parts.items():
            for part in parts:
                self.kernel.registers[_register(variable, part).name] = ".b64" if part[1] == 8 else ".b32"
        body: list[PtxInstruction | Label] = []
        for item in self.kernel.body:
            place = self._accessed(item) if isinstance(item, PtxInstruction) else None
            if place is None or not isinstance(item, PtxInstruction) or place[0] not in self.parts:
                body.append(item)
            else:
                body += self._moves(item, place)
        self.kernel.body = body
        remove_unused_addresses(self.kernel)
        self.kernel.variables = [v for v in self.kernel.variables if v.name not in self.parts]

    def _addresses(self) -> dict[str, Place]:
        """Registers that hold the address of a place in a local variable, wherever they are read."""
        counts = definition_counts(self.kernel)
        found: dict[str, Place] = {}
        changed = True
        while changed:
            changed = False
            for item in self.kernel.body:
                if not isinstance(item, PtxInstruction) or not _makes_address(self.kernel, item):
                    continue
                destination, source, *more = item.operands
                assert isinstance(destination, Name)
                if destination.name in found or counts[destination.name] != 1 or not isinstance(source, Name):
                    continue
                place = self._place(source, found)
                added = more[0].value if more and isinstance(more[0], Immediate) else None
                if place is not None and (item.parts[0] != "add") == (not more) and (not more or added is not None):
                    found[destination.name] = (place[0], place[1] + (added or 0))
                    changed = True
        return found

    def _place(self, source: Name, addresses: dict[str, Place]) -> Place | None:
        name, offset = addresses.get(source.name, (source.name, 0))
        return (name, offset + source.offset) if name in self.sizes else None

    def _accessed(self, item: PtxInstruction) -> Place | None:
        """The place that a load or a store accesses, if it is one in a local variable."""
        memory = next((o for o in item.operands if isinstance(o, Memory)), None)
        if not _is_access(item) or memory is None or memory.base is None:
            return None
        return self._place(Name(memory.base, memory.offset), self.addresses)

    def _parts(self) -> dict[str, list[Part]]:
        """Variables to promote, and the registers that each becomes."""
        accessed: dict[str, set[Part]] = {name: set() for name in self.sizes}
        escaped: set[str] = set()
        for item in self.kernel.body:
            if not isinstance(item, PtxInstruction):
                continue
            place = self._accessed(item)
            if place is not None:
                accessed[place[0]].update(_elements(item, place[1]))
            own = isinstance(item.operands[0], Name) and item.operands[0].name in self.addresses if item.operands else 0
            for operand in item.operands[1 if own else 0 :]:
                if not own and not (place is not None and isinstance(operand, Memory)):
                    names = names_in([operand])
                    escaped.update(self.addresses[name][0] for name in names if name in self.addresses)
                    escaped.update(name for name in names if name in self.sizes)
        found = {}
        for name, parts in accessed.items():
            inside = all(at >= 0 and at + size <= self.sizes[name] for at, size in parts)
            chosen = _disjoint(parts)
            if name not in escaped and inside and chosen is not None:
                found[name] = chosen
        return found

    def _moves(self, item: PtxInstruction, place: Place) -> list[PtxInstruction]:
        kind = _kind(item)
        data = item.operands[0 if item.parts[0] == "ld" else 1]
        items = data.items if isinstance(data, Vector) else (data,)
        moves = []
        for operand, (at, size) in zip(items, _elements(item, place[1]), strict=True):
            if operand == Name("_"):
                continue
            register: PtxOperand = _register(place[0], (at, size))
            if (at, size) not in self.parts[place[0]]:
                register = Vector((_register(place[0], (at, 4)), _register(place[0], (at + 4, 4))))
            if item.parts[0] == "ld":
                moves.append(self._load(item, operand, register, kind))
            else:
                moves.append(self._store(item, register, operand, size))
        return moves

    def _load(self, item: PtxInstruction, destination: PtxOperand, register: PtxOperand, kind: str) -> PtxInstruction:
        own = int(kind[1:])
        width = 8 * TYPE_BYTES[self._type(destination)]
        opcode = f"mov.b{own}"
        if width != own or own < 32:
            sign = "s" if kind[0] == "s" else "u"
            opcode = f"cvt.{sign}{width}.{sign}{own}"
        return replace(item, opcode=opcode, operands=(destination, register))

    def _store(self, item: PtxInstruction, register: PtxOperand, source: PtxOperand, size: int) -> PtxInstruction:
        if isinstance(source, Immediate):
            value = Immediate(source.value & (1 << 8 * size) - 1)
            return replace(item, opcode=f"mov.b{max(8 * size, 32)}", operands=(register, value))
        width = TYPE_BYTES[self._type(source)]
        opcode = f"mov.b{8 * size}"
        if size < 4:
            opcode = f"cvt.u32.u{8 * size}"
        elif width > size:
            opcode = "cvt.u32.u64"
        return replace(item, opcode=opcode, operands=(register, source))

    def _type(self, operand: PtxOperand) -> str:
        """A register's type; the address of a variable has 64 bits."""
        return self.kernel.registers.get(operand.name, ".b64") if isinstance(operand, Name) else ".b64"


def _register(variable: str, part: Part) -> Name:
    return Name(f"{variable}.{part[0]}.{part[1]}")


def _elements(item: PtxInstruction, offset: int) -> list[Part]:
    """The parts of a variable that an access covers, an element each."""
    size = TYPE_BYTES[f".{_kind(item)}"]
    data = item.operands[0 if item.parts[0] == "ld" else 1]
    count = len(data.items) if isinstance(data, Vector) else 1
    return [(offset + k * size, size) for k in range(count)]


def _disjoint(parts: set[Part]) -> list[Part] | None:
    """Parts that do not overlap and that make up all of the given ones; None if there are none."""

    def overlapping(chosen: set[Part]) -> list[Part]:
        return [(a, n) for a, n in chosen if any(a < b + m and b < a + n for b, m in chosen - {(a, n)})]

    halves = {(at + 4 * k, 4) for at, size in overlapping(parts) if size == 8 for k in range(2)}
    chosen = {part for part in parts if part[1] != 8 or part not in overlapping(parts)} | halves
    return None if overlapping(chosen) else sorted(chosen)
