"""The size of the machine: one object from which everything else is derived."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from qwengpu.errors import SpecError

#: Threads of a warp in CUDA.
CUDA_WARP = 32
STAGE_KINDS = ("mul", "load", "alu")

#: An operand of an instruction names a constant with 7 bits.
LARGEST_CONSTANTS = 128


@dataclass(frozen=True)
class MachineSpec:
    """Everything that can be chosen about the machine.

    Attributes:
        lanes: threads that execute in one EXEC token (the width of a warp of this machine); 4.
        registers: 32-bit registers a thread, a power of two.
        stages: kinds of the pipeline stages, in order. Every stage has the ALU; ``mul`` adds the
            multiplier and a third register port, ``load`` adds a memory read port. The first stage must not be a
            load (it computes what a store writes); the first load stage computes store addresses.
        blocks: program ROM entries, a power of two up to 1,024.
        words: 32-bit words of memory shared by global and ``__shared__`` arrays, a power of two, at least 128 a bank.
        warps: warps a thread block, a power of two up to 128; ``lanes * warps`` is the largest block.
        constants: uniform 32-bit constants (kernel parameters, literals, block index), a power of two up to 128.
        heads: Gated DeltaNet heads a layer (of key and value width 128, as in the published Qwen3.5 models).

    Raises:
        SpecError: if the sizes cannot be built.
    """

    lanes: int = 4
    registers: int = 32
    stages: tuple[str, ...] = ("mul", "load", "load", "mul", "alu")
    blocks: int = 256
    words: int = 4096
    warps: int = 64
    constants: int = 128
    heads: int = 16

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        for name in ("lanes", "registers", "blocks", "words", "warps", "constants"):
            value = getattr(self, name)
            if value < 1 or value & (value - 1):
                raise SpecError(f"machine spec: {name}={value} is not a power of two; choose one that is")
        if self.lanes != 4:
            raise SpecError(f"machine spec: lanes={self.lanes}; a ROM row is sent as one word a lane, so it must be 4")
        if self.blocks > 1024:
            raise SpecError(f"machine spec: blocks={self.blocks}; at most 1024")
        if self.warps > 128:
            raise SpecError(f"machine spec: warps={self.warps}; at most 128")
        if self.constants > LARGEST_CONSTANTS:
            raise SpecError(f"machine spec: constants={self.constants}; at most {LARGEST_CONSTANTS}")
        if self.words < 128 * self.lanes or self.words > 128 * self.lanes * 64:
            raise SpecError(f"machine spec: words={self.words}; between {128 * self.lanes} and {128 * self.lanes * 64}")
        if not 2 <= len(self.stages) <= 6 or any(s not in STAGE_KINDS for s in self.stages):
            raise SpecError(f"machine spec: stages={','.join(self.stages)}; two to six of {', '.join(STAGE_KINDS)}")
        if self.stages[0] != "mul" or "load" not in self.stages[1:-1]:
            raise SpecError("machine spec: the first stage must be 'mul', and a 'load' must follow before the last one")
        if self.registers > 32:
            raise SpecError(f"machine spec: registers={self.registers}; at most 32")

    @property
    def threads(self) -> int:
        """Largest number of threads in a block."""
        return self.lanes * self.warps

    @property
    def block_bits(self) -> int:
        """Bits of a block's number."""
        return (self.blocks - 1).bit_length()

    @property
    def logical_warp(self) -> int:
        """Warps that together are one of CUDA's 32-thread warps."""
        return CUDA_WARP // self.lanes

    @property
    def store_stage(self) -> int:
        """Index of the stage whose address a store or an atomic uses: the first load stage."""
        return self.stages.index("load")

    def asdict(self) -> dict[str, object]:
        """Plain JSON-able form."""
        return asdict(self) | {"stages": list(self.stages)}

    def digest(self) -> str:
        """Short hexadecimal name, the same for equal specs."""
        return hashlib.sha256(json.dumps(self.asdict(), sort_keys=True).encode()).hexdigest()[:12]
