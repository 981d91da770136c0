"""What an oracle makes of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corpus.case import Case


class OracleError(Exception):
    """The launch does something that has no defined result, or the oracle lacks something; the message says which."""


@dataclass(frozen=True)
class Result:
    """A finished launch.

    Attributes:
        arrays: argument index -> contents after the launch, in the argument's type and shape.
        executed: PTX instructions executed, summed over threads; 0 where the oracle does not run PTX.
        text: what the kernel printed.
    """

    arrays: Mapping[int, np.ndarray]
    executed: int = 0
    text: str = ""


def dim3(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """A launch shape with all of its three axes."""
    x, y, z = (*shape, 1, 1, 1)[:3]
    return x, y, z


def after(case: Case, index: int, data: bytes | bytearray) -> np.ndarray:
    """Array argument ``index`` of a case with the contents ``data``."""
    argument = case.arguments[index]
    assert isinstance(argument, np.ndarray)
    return np.frombuffer(bytes(data), argument.dtype, argument.size).reshape(argument.shape).copy()


def differences(got: Mapping[int, np.ndarray], want: Mapping[int, np.ndarray]) -> list[str]:
    """Where two sets of arrays disagree, an array a line; only arrays that both have are compared."""
    found = []
    for index in sorted(got.keys() & want.keys()):
        ours, theirs = np.asarray(got[index]), np.asarray(want[index])
        if ours.size != theirs.size:
            found.append(f"argument {index}: {ours.size} elements, not {theirs.size}")
            continue
        places = np.flatnonzero(ours.ravel() != theirs.ravel())
        if places.size:
            place = int(places[0])
            found.append(
                f"argument {index}: {places.size} of {ours.size} elements differ, the first at {place}: "
                f"{ours.ravel()[place]}, not {theirs.ravel()[place]}"
            )
    return found
