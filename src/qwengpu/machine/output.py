"""Printed text: the formats of printf, and the records that a kernel leaves in the output buffer.

The buffer's first word is the byte address of the next record; a thread that prints adds its record's bytes to it
atomically, and writes the record if it ends before the buffer does. A record is the number of the format (word 0), then
the values: one word each, those of 64 bits two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from qwengpu.errors import CompileError

_SPECIFIER = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?(?P<size>hh|h|ll|l|j|z|t)?(?P<kind>.?)",
    re.DOTALL,
)
_LONG = ("ll", "l", "j", "z", "t")


@dataclass(frozen=True)
class Specifier:
    """A conversion of a format, such as ``%-8.3lld``; ``precision`` is None if there is none, ``*`` an argument."""

    flags: str
    width: str
    precision: str | None
    size: str
    kind: str

    @property
    def sizes(self) -> list[int]:
        """Bytes of each argument that it takes."""
        stars = [4 for text in (self.width, self.precision) if text == "*"]
        return [*stars, 8 if self.size in _LONG or self.kind in "sp" else 4]


@cache
def parse_format(text: str) -> tuple[str | Specifier, ...]:
    """A format's parts: text as it is (``%%`` is ``%``) and conversions.

    Raises:
        CompileError: for a conversion that is not of integers, characters or strings.
    """
    parts: list[str | Specifier] = []
    at = 0
    for found in _SPECIFIER.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        kind = found["kind"]
        if kind == "%":
            parts.append("%")
        elif kind and kind in "diuxXocsp":
            parts.append(Specifier(found["flags"], found["width"], found["precision"], found["size"] or "", kind))
        else:
            raise CompileError(
                f"printf cannot print {found.group()!r}; use %d, %i, %u, %x, %X, %o, %c, %s, %p or %%, with sizes "
                "hh, h, l and ll"
            )
    return tuple(part for part in (*parts, text[at:]) if part)


def argument_sizes(text: str) -> list[int]:
    """Bytes of the arguments of a format, in order."""
    return [size for part in parse_format(text) if isinstance(part, Specifier) for size in part.sizes]


def record_bytes(text: str) -> int:
    """Bytes of a record of a format."""
    return 4 + sum(argument_sizes(text))


def printed(formats: Sequence[str], memory: Sequence[int], first: int, count: int) -> tuple[str, int]:
    """The text of the records in an output buffer, and how many bytes of records did not fit.

    Args:
        formats: as in :attr:`~qwengpu.machine.isa.Program.prints`. memory: all words of the machine.
        first, count: the buffer's words.
    """
    at, end = first + 1, memory[first] // 4
    text = []
    while at < end:
        chosen = formats[memory[at]] if at < first + count and memory[at] < len(formats) else None
        words = record_bytes(chosen) // 4 if chosen is not None else 1
        if chosen is None or at + words > first + count:
            break
        text.append(_formatted(chosen, memory[at + 1 : at + words], memory))
        at += words
    return "".join(text), 4 * (end - at)


def _formatted(text: str, words: Sequence[int], memory: Sequence[int]) -> str:
    result = []
    at = 0
    for part in parse_format(text):
        if isinstance(part, str):
            result.append(part)
            continue
        values = []
        for size in part.sizes:
            values.append(sum(word << 32 * k for k, word in enumerate(words[at : at + size // 4])))
            at += size // 4
        result.append(_converted(part, values, memory))
    return "".join(result)


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _converted(part: Specifier, values: list[int], memory: Sequence[int]) -> str:
    """One conversion, by the rules of C."""
    flags = part.flags
    width = _signed(values.pop(0), 32) if part.width == "*" else int(part.width or 0)
    precision = None if part.precision is None else int(part.precision or 0) if part.precision != "*" else values.pop(0)
    if precision is not None and precision >> 31:
        precision = None  # a negative one is as if there were none
    if width < 0:
        flags, width = flags + "-", -width
    bits = {"hh": 8, "h": 16}.get(part.size, 64 if part.size in _LONG or part.kind in "sp" else 32)
    value = values[0] & (1 << bits) - 1
    sign = ""
    match part.kind:
        case "c":
            body = chr(value & 255)
        case "s":
            body = string_at(memory, value) if value else "(null)"
            body = body if precision is None else body[:precision]
        case _:
            if part.kind in "di":
                number = _signed(value, bits)
                sign = "-" if number < 0 else "+" if "+" in flags else " " if " " in flags else ""
                body = str(abs(number))
            else:
                body = format(value, {"u": "d", "p": "x"}.get(part.kind, part.kind))
                if part.kind == "p" or ("#" in flags and part.kind in "xX" and value):
                    sign = "0X" if part.kind == "X" else "0x"
            if precision == 0 and value == 0:
                body = ""
            body = body.rjust(precision or 0, "0")
            if part.kind == "o" and "#" in flags and not body.startswith("0"):
                body = "0" + body
            if "0" in flags and "-" not in flags and precision is None:
                body = body.rjust(width - len(sign), "0")
    return (sign + body).ljust(width) if "-" in flags else (sign + body).rjust(width)


def string_at(memory: Sequence[int], address: int) -> str:
    """The string that begins at a byte address and ends before a byte that is 0."""
    data = bytearray()
    while address < 4 * len(memory) and (byte := memory[address // 4] >> 8 * (address % 4) & 255):
        data.append(byte)
        address += 1
    return data.decode("utf-8", errors="replace")
