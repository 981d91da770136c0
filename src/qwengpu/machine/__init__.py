"""The machine as its programmer sees it: its size, its instructions, its tokens, and a reference interpreter."""

from qwengpu.machine.isa import Block, Instruction, Op, Operand, Program
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind, Token, Vocabulary

__all__ = ["Block", "Instruction", "Kind", "MachineSpec", "Op", "Operand", "Program", "Token", "Vocabulary"]
