"""The table of PTX instructions: which types and modifiers of each are supported, and what translates it.

The modules :mod:`arithmetic`, :mod:`bits`, :mod:`compare`, :mod:`convert`, :mod:`divide`, :mod:`memory` and
:mod:`warp` register their instructions here. What is not in the table is refused, so that no modifier is ever
overlooked; ``docs/ptx_support.md`` is written from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from qwengpu.cuda.builder import WIDTHS, Builder
from qwengpu.cuda.ptx import PtxInstruction

Translate = Callable[[Builder, PtxInstruction], None]

#: Types, as the argument of :func:`instruction`.
INTEGERS = "u16 s16 u32 s32 u64 s64"
BITS = "pred b16 b32 b64"
_FLOATS = re.compile(r"(f16|bf16|f16x2|bf16x2|f32|f64|tf32|e\dm\d\w*)")


@dataclass(frozen=True)
class Form:
    """One way to write an instruction: types, modifiers that may accompany them, what translates it, a remark."""

    name: str
    types: tuple[str, ...]
    modifiers: tuple[str, ...]
    translate: Translate
    note: str = ""


#: Instruction -> its forms; the first that fits is used.
TABLE: dict[str, list[Form]] = {}


def instruction(names: str, types: str = "", modifiers: str = "", note: str = "") -> Callable[[Translate], Translate]:
    """Register what translates some instructions; each argument is a list of words."""

    def register(translate: Translate) -> Translate:
        for name in names.split():
            TABLE.setdefault(name, []).append(
                Form(name, tuple(types.split()), tuple(modifiers.split()), translate, note)
            )
        return translate

    return register


def find(builder: Builder, item: PtxInstruction) -> Form:
    """The form of an instruction.

    Raises:
        CompileError: if there is none, saying which part of the instruction is the reason.
    """
    name, *parts = item.parts
    if any(_FLOATS.fullmatch(part) for part in parts):
        raise builder.fail("the machine has no floating point; use integers")
    forms = TABLE.get(name, [])
    if not forms:
        raise builder.fail(REMEDIES.get(name, "docs/ptx_support.md lists the instructions that are supported"))
    reasons: list[list[str]] = []
    for form in forms:
        unknown = [p for p in parts if p not in form.types and p not in form.modifiers and not p.startswith("L")]
        if not unknown and (not form.types or any(part in form.types for part in parts)):
            return form
        reasons.append(unknown)
    unknown = min(reasons, key=len)
    if not unknown:
        raise builder.fail("a type is missing")
    if unknown[0] in WIDTHS:
        raise builder.fail(f"{name} is supported for {', '.join(dict.fromkeys(t for f in forms for t in f.types))}")
    raise builder.fail(REMEDIES.get(f"{name}.{unknown[0]}", f"'.{unknown[0]}' is not supported here"))


def kind_of(item: PtxInstruction) -> str:
    """The type of an instruction's operands: the last part that is a type."""
    return next(part for part in reversed(item.parts) if part in WIDTHS)


#: What to do instead of instructions, or of modifiers of them, that are not supported at all.
REMEDIES = {
    "bar.arrive": "threads can only wait for all others: use __syncthreads()",
    "barrier.arrive": "threads can only wait for all others: use __syncthreads()",
    "redux": "it needs sm_80; compile for sm_75, or reduce with __shfl_xor_sync",
    "fns": "find the bit with shifts and __ffs",
    "wmma": "the machine has no tensor cores",
    "mma": "the machine has no tensor cores",
    "tex": "the machine has no textures; read the array directly",
    "tld4": "the machine has no textures; read the array directly",
    "suld": "the machine has no surfaces; read the array directly",
    "sust": "the machine has no surfaces; write the array directly",
    "cp": "asynchronous copies need sm_80; load and store",
    "nanosleep": "the machine has no clock",
    "call": "the function is not in this module, and the machine has none of that name",
}
