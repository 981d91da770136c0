"""Running lowered programs in the reference interpreter."""

from __future__ import annotations

from pathlib import Path

from qwengpu.machine import MachineSpec, Program, Token
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import load

EXAMPLES = Path(__file__).parents[2] / "examples"
DEFAULT = MachineSpec()
SMALL = MachineSpec(stages=("mul", "load", "mul"), registers=16, blocks=64, words=512, warps=2, constants=64)
#: Values at the edges of the 32-bit range.
EDGES = [0, 1, -1, 2**31 - 1, -(2**31), 7, -13, 0x12345678]


def words(values) -> list[int]:
    """Integers as unsigned 32-bit words."""
    return [value & 0xFFFFFFFF for value in values]


def signed(values) -> list[int]:
    """32-bit words as signed integers."""
    return [value - (1 << 32) if value >> 31 else value for value in values]


def run(program: Program, arguments, grid=(1, 1, 1), block=(4, 1, 1), spec=DEFAULT, dynamic_shared=0):
    """Run a program; returns its array arguments afterwards, and the tokens."""
    plain = [words(a) if isinstance(a, list) else a for a in arguments]
    image = load(spec, program, plain, grid, block, dynamic_shared)
    interpreter = Interpreter(image)
    tokens: list[Token] = []
    for token in interpreter.trace():
        tokens.append(token)
        assert len(tokens) < 200_000, "the program does not end"
    return [interpreter.memory[first : first + count] for first, count in image.arrays], tokens
