"""What a TRAP token means to the user: which thread did what, on which line."""

from __future__ import annotations

from collections.abc import Sequence

from qwengpu.machine.loader import Dim3, LaunchImage
from qwengpu.machine.tokens import CAUSES, Kind, Token

#: Cause -> what went wrong, and what to do.
EXPLANATIONS = {
    "trap": ("{message}", ""),
    "address": ("access outside of any array", "compare the index with the array's length"),
    "alignment": ("misaligned access", "an address must be a multiple of the size of what is accessed there"),
    "barrier": (
        "barrier that only some threads of the warp reach",
        "move __syncthreads() out of code that threads skip or leave",
    ),
}


def describe_trap(image: LaunchImage, tokens: Sequence[Token]) -> str:
    """Explain the end of a trace.

    Args:
        tokens: what the model wrote, from the first EXEC to TRAP.
    """
    cause, mask = CAUSES[tokens[-1].index >> image.spec.lanes], tokens[-1].index & (1 << image.spec.lanes) - 1
    warp, grid_index, block = 0, 0, 0
    for token in tokens:
        match token.kind:
            case Kind.WARP | Kind.SYNC:
                warp = token.index
            case Kind.CTA:
                warp, grid_index = 0, grid_index + 1
            case Kind.EXEC:
                block = token.index
    threads = [warp * image.spec.lanes + lane for lane in range(image.spec.lanes) if mask >> lane & 1]
    program = image.program
    what, remedy = EXPLANATIONS[cause]
    what = what.format(message=program.messages.get(block, "trap"))
    more = f" and {len(threads) - 1} more of its warp" if len(threads) > 1 else ""
    place = f"block {_index(grid_index, image.grid)}, thread {_index(threads[0], image.block)}{more}"
    message = f"kernel {program.name}: {what} in {place}"
    if line := _line(image, block, cause):
        message += f", line {line}"
    return f"{message}; {remedy}" if remedy else message


def _line(image: LaunchImage, number: int, cause: str) -> str:
    """Source line of a block, with the PTX of its accesses where it is about these."""
    program = image.program
    block = program.blocks[number]
    line = program.lines[number] if number < len(program.lines) else 0
    stores = block.store or block.atomic
    accesses = [
        instruction
        for stage, instruction in enumerate(block.stages)
        if instruction and (("load" in instruction.op.value) or (stores and stage == image.spec.store_stage))
    ]
    if cause in ("address", "alignment") and accesses:
        lines = sorted({access.line for access in accesses if access.line}) or [line]
        texts = dict.fromkeys(access.text for access in accesses if access.text)
        return " or ".join(map(str, lines)) + (f" ({'; '.join(texts)})" if texts else "")
    return str(line) if line else ""


def _index(linear: int, shape: Dim3) -> str:
    x, y, _ = shape
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"
