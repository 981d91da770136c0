"""Lowering: a parsed kernel to a :class:`~qwengpu.machine.isa.Program` of numbered blocks, registers and constants."""

from __future__ import annotations

from dataclasses import dataclass, field

from qwengpu.cuda.graph import execution_order
from qwengpu.cuda.grid import GridConstants, grid_blocks
from qwengpu.cuda.ir import Const, Tid
from qwengpu.cuda.optimise import Lowered, Packer, optimise
from qwengpu.cuda.pack import MachineBlock, Place, Register, Slot, StageRef
from qwengpu.cuda.ptx import Kernel, Module
from qwengpu.cuda.regalloc import OutOfRegisters, allocate
from qwengpu.cuda.signature import Signature
from qwengpu.cuda.spill import choose, spill
from qwengpu.cuda.translate import translate
from qwengpu.errors import CapacityError, CompileError
from qwengpu.machine.isa import Block, Instruction, Operand, Program, validate
from qwengpu.machine.spec import LARGEST_CONSTANTS, MachineSpec

#: Values spilled beyond those that are too many, which saves rounds of packing and allocating.
SPILLED_AT_ONCE = 2


def lower(
    module: Module,
    kernel_name: str | None = None,
    spec: MachineSpec | None = None,
    *,
    grid_axes: int = 3,
    signature: Signature | None = None,
) -> Program:
    """Compile one kernel of a PTX module.

    Args:
        kernel_name: as in the CUDA source, or mangled; may be None if there is only one kernel.
        grid_axes: axes on which the grid may be larger than 1 (a 1-axis grid needs less work a thread block).
        signature: (declaration, name) of the kernel's parameters in the CUDA source, if known.

    Raises:
        CompileError: for what the machine cannot do, naming the instruction and its source line.
        CapacityError: if the kernel does not fit the machine.
    """
    spec = spec or MachineSpec()
    kernel = choose_kernel(module, kernel_name)
    lowered = optimise(translate(module, kernel, spec, signature), spec)
    packer = Packer(spec)
    while True:
        try:
            return _Emitter(lowered, spec, grid_axes).program(module.source)
        except OutOfRegisters as error:
            names = choose(lowered.function, error.live, error.excess + SPILLED_AT_ONCE)
            if not names:
                raise CapacityError(
                    f"kernel {kernel.simple_name} needs {len(error.live)} registers a thread at once; "
                    f"build a machine with more than {spec.registers} (--registers, at most 32)"
                ) from None
            lowered = packer.lower(spill(lowered.function, names))


def choose_kernel(module: Module, name: str | None) -> Kernel:
    """The kernel called ``name``, or the only one."""
    known = ", ".join(k.simple_name for k in module.kernels)
    if not module.kernels:
        raise CompileError(
            f'{module.source}: no kernel; declare one with __global__ (and mark it extern "C" or use it)'
        )
    if name is None:
        if len(module.kernels) > 1:
            raise CompileError(f"{module.source} has {len(module.kernels)} kernels ({known}); choose one with --kernel")
        return module.kernels[0]
    found = [k for k in module.kernels if name in (k.name, k.simple_name)]
    if len(found) != 1:
        problem = "no kernel" if not found else "several kernels"
        raise CompileError(f"{module.source} has {problem} called {name}; it has: {known}")
    return found[0]


@dataclass
class _Constants:
    """The constant bank being filled."""

    spec: MachineSpec
    rows: dict[object, int] = field(default_factory=dict)

    def row(self, value: object) -> int:
        if value not in self.rows:
            self.rows[value] = len(self.rows)
        return self.rows[value]


class _Emitter:
    """Numbers blocks, registers and constants."""

    def __init__(self, lowered: Lowered, spec: MachineSpec, grid_axes: int) -> None:
        self.function, self.packings, self.spec = lowered.function, lowered.packings, spec
        self.grid_axes = grid_axes
        self.constants = _Constants(spec)
        self.order = execution_order(self.function)
        self.first: dict[str, int] = {}
        self.machine_blocks: list[MachineBlock] = []
        for name in self.order:
            self.first[name] = len(self.machine_blocks)
            self.machine_blocks += self.packings[name].blocks

    def program(self, source: str) -> Program:
        """The finished, validated program."""
        axes = sorted({p.axis for p in self._places() if isinstance(p, Tid)})
        thread_index = {axis: self.spec.registers - 1 - k for k, axis in enumerate(axes)}
        available = [r for r in range(self.spec.registers) if r not in thread_index.values()]
        successors = [self._successors(name, k) for name in self.order for k in range(self._count(name))]
        registers = allocate(self.machine_blocks, successors, available)
        blocks = [
            self._block(name, k, registers, thread_index) for name in self.order for k in range(self._count(name))
        ]
        blocks += self._grid(len(blocks))
        self._check_capacity(len(blocks))
        validate(self.spec, blocks)
        return Program(
            name=self.function.name,
            blocks=blocks,
            constants={row: value for value, row in self.constants.rows.items() if value is not None},
            thread_index=thread_index,
            parameters=self.function.parameters,
            shared_bytes=self.function.shared_bytes,
            local_bytes=self.function.local_bytes,
            spill_words=self.function.spill_words,
            data=self.function.data,
            symbols=self.function.symbols,
            elements=self.function.elements,
            prints=self.function.prints,
            registers=len({*registers.values(), *thread_index.values()}),
            source=source,
            lines=[self._line(name, k) for name in self.order for k in range(self._count(name))],
            messages={self.first[b.name]: b.message for b in self.function.blocks.values() if b.message},
        )

    def _places(self) -> list[Place]:
        return [p for b in self.machine_blocks for s in b.slots if s for p in (s.a, s.b, s.c)]

    def _count(self, name: str) -> int:
        return len(self.packings[name].blocks)

    def _line(self, name: str, k: int) -> int:
        """Source line of a machine block, or 0 if it is unknown."""
        origins = [slot.node.origin for slot in self.packings[name].blocks[k].slots if slot and slot.node]
        return next((origin.line for origin in origins if origin and origin.line), self.function.blocks[name].line)

    def _successors(self, name: str, k: int) -> list[int]:
        if k + 1 < self._count(name):
            return [self.first[name] + k + 1]
        return [self.first[s] for s in self.function.blocks[name].successors]

    def _block(self, name: str, k: int, registers: dict[str, int], thread_index: dict[int, int]) -> Block:
        packed, block = self.packings[name].blocks[k], self.function.blocks[name]
        last = k + 1 == self._count(name)
        branch, leaves = last and block.target is not None, last and block.is_exit
        following = self.first[name] + k + 1 if not last else self.first[block.next] if block.next else 0
        target = self.first[block.target] if branch and block.target else 0
        return Block(
            stages=tuple(self._instruction(slot, registers, thread_index) for slot in packed.slots),
            next=following,
            target=len(self.machine_blocks) if leaves else target,
            branch=branch,
            store=packed.store,
            atomic=packed.atomic,
            guard=packed.guard,
            guard_negated=packed.guard_negated,
            exit=leaves,
            barrier=last and block.barrier,
            sync=last and block.sync,
            trap=last and block.trap,
        )

    def _instruction(
        self, slot: Slot | None, registers: dict[str, int], thread_index: dict[int, int]
    ) -> Instruction | None:
        if slot is None:
            return None

        def operand(place: Place) -> Operand:
            match place:
                case None:
                    return Operand()
                case Const(value=value):
                    return Operand("const", self.constants.row(value))
                case Tid(axis=axis):
                    return Operand("reg", thread_index[axis])
                case StageRef(stage=stage):
                    return Operand("stage", stage)
                case Register(name=name):
                    return Operand("reg", registers[name])

        origin = slot.node.origin if slot.node else None
        return Instruction(
            slot.op,
            operand(slot.a),
            operand(slot.b),
            operand(slot.c),
            dst=operand(slot.dst) if slot.dst else None,
            align=slot.node.align if slot.node and slot.node.effect else 4,
            line=origin.line if origin else 0,
            text=str(origin) if origin else "",
        )

    def _grid(self, first: int) -> list[Block]:
        names: dict[str, object] = {"one": 1}
        for axis in range(self.grid_axes):
            names |= {f"ctaid{axis}": ("ctaid", axis), f"nctaid{axis}": ("nctaid", axis)}
        rows = {name: self.constants.row(value) for name, value in names.items()}
        scratch = [len(self.constants.rows) + k for k in range(2 * self.grid_axes)]
        return grid_blocks(self.spec, GridConstants(rows, scratch), first, self.grid_axes)

    def _check_capacity(self, blocks: int) -> None:
        constants = len(self.constants.rows) + 2 * (self.grid_axes - 1)
        needs = (("blocks", blocks, self.spec.blocks), ("constants", constants, self.spec.constants))
        for what, needed, available in needs:
            if what == "constants" and needed > LARGEST_CONSTANTS:
                raise CapacityError(
                    f"kernel {self.function.name} needs {needed} constants, no machine has more than "
                    f"{LARGEST_CONSTANTS}; use fewer different literals, or read them from an array"
                )
            if needed > available:
                raise CapacityError(
                    f"kernel {self.function.name} needs {needed} {what}, the machine has {available}; "
                    f"build a larger machine with --{what} {1 << (needed - 1).bit_length()}"
                )
