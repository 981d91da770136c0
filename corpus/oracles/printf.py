"""``printf`` of a kernel: what the format reads from the arguments, and the text it gives."""

from __future__ import annotations

import re
from collections.abc import Callable

_FIELD = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<digits>\d*|\*))?(?P<length>hh|h|ll|l|j|z|t)?(?P<kind>.)"
)
_LONG = (b"ll", b"l", b"j", b"z", b"t")


def _sizes(field: re.Match[bytes]) -> list[int]:
    """Bytes of the arguments that a field takes, one after another."""
    if field["kind"] == b"%":
        return []
    stars = [4] * ((field["width"] == b"*") + (field["digits"] == b"*"))
    return [*stars, 8 if field["kind"] in b"sp" or field["length"] in _LONG or field["kind"] in b"eEfFgGaA" else 4]


def arguments_size(layout: bytes) -> int:
    """Bytes of the arguments, each aligned at its own size."""
    place = 0
    for field in _FIELD.finditer(layout):
        for size in _sizes(field):
            place += -place % size + size
    return place


def format_text(layout: bytes, data: bytes, string: Callable[[int], bytes]) -> tuple[str, int]:
    """(the text, the number of arguments); ``string`` gives the bytes at an address."""
    place, count = 0, 0

    def take(size: int) -> int:
        nonlocal place, count
        place += -place % size + size
        count += 1
        return int.from_bytes(data[place - size : place], "little")

    def replace(field: re.Match[bytes]) -> bytes:
        numbers = [take(size) for size in _sizes(field)]
        kind = field["kind"].decode()
        if kind == "%":
            return b"%"
        flags, width, digits = (field[name] for name in ("flags", "width", "digits"))
        if width == b"*":
            value = _signed(numbers.pop(0), 32)
            flags, width = (flags + b"-" if value < 0 else flags), b"%d" % abs(value)
        if digits == b"*":
            value = _signed(numbers.pop(0), 32)
            digits = b"%d" % value if value >= 0 else None
        precision = b"" if digits is None else b"." + digits
        form = b"%" + flags + (width or b"") + precision
        (number,) = numbers
        bits = {b"hh": 8, b"h": 16}.get(field["length"], 64 if field["length"] in _LONG else 32)
        if kind in "di":
            return (form + b"d") % _signed(number & (1 << bits) - 1, bits)
        if kind in "ouxX":
            value = number & (1 << bits) - 1
            if kind == "o" and b"#" in flags:  # Python writes 0o17
                form = b"%" + flags.replace(b"#", b"") + (width or b"") + precision
                return (form + b"s") % ((b"0" if value else b"") + b"%o" % value)
            if value == 0 and kind in "xX":
                form = b"%" + flags.replace(b"#", b"") + (width or b"") + precision
            return (form + kind.replace("u", "d").encode()) % value
        if kind == "c":
            return (b"%" + flags + (width or b"") + b"s") % bytes([number & 255])
        if kind == "s":
            return (form + b"s") % string(number)
        if kind == "p":
            return (form + b"s") % (b"0x%x" % number)
        return field[0]

    text = _FIELD.sub(replace, layout)
    return text.decode("utf-8", "replace"), count


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value
