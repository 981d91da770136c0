"""Launch arguments and shapes as a user types them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from qwengpu.errors import LaunchError
from qwengpu.machine.isa import Program
from qwengpu.machine.loader import Dim3, find_symbol

#: Longest array read from an argument, in words: more than any machine holds, so that the loader does the explaining.
MAX_WORDS = 1 << 20
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)")


def parse_arguments(program: Program, texts: Sequence[str]) -> list[int | list[int]]:
    """Turn texts into arguments for :func:`~qwengpu.machine.loader.load`, in the order of the kernel's parameters.

    A scalar is a decimal or hexadecimal integer (for a structure, its bytes in little-endian order). A pointer is
    ``1,2,3`` (``5`` is an array of one), ``@file.npy`` (any integer dtype, read in C order), ``zeros:N`` or ``ones:N``.

    Raises:
        LaunchError: naming the parameter, what was given and what it takes.
    """
    if len(texts) != len(program.parameters):
        names = ", ".join(f"{kind} {name}" for kind, name in program.parameters) or "none"
        raise LaunchError(
            f"kernel {program.name} takes {len(program.parameters)} arguments ({names}), got {len(texts)}; "
            "give one --arg for each, in order"
        )
    return [
        _array(name, text, program.elements.get(i, "s32")) if kind == "ptr" else _scalar(kind, name, text)
        for i, ((kind, name), text) in enumerate(zip(program.parameters, texts, strict=True))
    ]


def parse_symbols(program: Program, texts: Sequence[str]) -> dict[str, list[int]]:
    """Turn ``name=values`` into values of the module's variables; the values are those of an array argument.

    Raises:
        LaunchError: for a text without ``=``, a variable that the kernel does not use, or values that are none.
    """
    found = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals:
            raise LaunchError(f"--symbol {_shown(text)}: give NAME=VALUES, such as table=1,2,3")
        found[name] = _array(name, values, find_symbol(program, name).element)
    return found


def parse_dim3(option: str, text: str) -> Dim3:
    """Read a launch shape, ``x``, ``x,y`` or ``x,y,z``; axes left out are 1.

    Raises:
        LaunchError: naming the option, unless there are one to three integers from 1 to 2**31 - 1.
    """
    sizes = text.split(",")
    if len(sizes) > 3 or not all(re.fullmatch(r"\s*[0-9]{1,10}\s*", s) and 1 <= int(s) < 1 << 31 for s in sizes):
        raise LaunchError(f"{option} {text}: give one to three sizes of at least 1, such as 4 or 4,4")
    x, y, z = [int(size) for size in sizes] + [1] * (3 - len(sizes))
    return x, y, z


def axes(*shapes: Dim3) -> int:
    """Axes in use, 1 to 3: those up to the last one on which a shape is larger than 1."""
    return max((axis + 1 for shape in shapes for axis in range(3) if shape[axis] > 1), default=1)


def _scalar(kind: str, name: str, text: str) -> int:
    return _integer(name, text, "one integer, such as 5, -5 or 0x1f", int(kind[1:]))


def _integer(name: str, text: str, takes: str, bits: int) -> int:
    text = text.strip()
    if not _INTEGER.fullmatch(text):
        raise LaunchError(f"argument {name}: {_shown(text)} is not an integer; give {takes}")
    value = int(text, 16) if "x" in text.lower() else int(text) if len(text) < 4300 else 1 << bits
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise LaunchError(f"argument {name}: {_shown(text)} does not fit in {bits} bits")
    return value


def _array(name: str, text: str, element: str) -> list[int]:
    bits = int(element[1:])
    if text.startswith("@"):
        return _from_file(name, Path(text[1:]), bits)
    fill, colon, count = text.partition(":")
    if colon:
        if fill not in ("zeros", "ones") or not re.fullmatch(r"[0-9]{1,7}", count) or not 1 <= int(count) <= MAX_WORDS:
            raise LaunchError(
                f"argument {name}: {_shown(text)} is not an array; zeros:N and ones:N take 1 to {MAX_WORDS} elements"
            )
        return [int(fill == "ones")] * int(count)
    takes = "an array, such as 1,2,3 or zeros:8 or @data.npy"
    return [_integer(name, item, takes, bits) for item in text.split(",")]


def _from_file(name: str, path: Path, bits: int) -> list[int]:
    try:
        data = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise LaunchError(f"argument {name}: cannot read {path} as a .npy file: {error}") from error
    if not isinstance(data, np.ndarray) or not np.issubdtype(data.dtype, np.integer):
        found = data.dtype if isinstance(data, np.ndarray) else "an archive of several arrays"
        raise LaunchError(f"argument {name}: {path} holds {found}; give one array of integers")
    if not 1 <= data.size <= MAX_WORDS:
        raise LaunchError(f"argument {name}: {path} holds {data.size} elements; give 1 to {MAX_WORDS}")
    if int(data.min()) < -(1 << (bits - 1)) or int(data.max()) >= 1 << bits:
        raise LaunchError(f"argument {name}: {path} holds values that do not fit in {bits} bits")
    return [int(value) for value in data.ravel()]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
