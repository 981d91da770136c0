"""A launch: upload the image as a prompt, let the model write the trace, read the results out of its state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qwengpu.checkpoint.weights import Weights, read_memory
from qwengpu.engine import Engine
from qwengpu.errors import DeviceError, ExecutionError
from qwengpu.machine.isa import Program
from qwengpu.machine.loader import Argument, Dim3, LaunchImage, load
from qwengpu.machine.output import printed
from qwengpu.machine.tokens import Kind, Token, Vocabulary
from qwengpu.runtime.check import Checker
from qwengpu.runtime.trap import describe_trap

#: Tokens a launch may write unless told otherwise.
MAX_TOKENS = 1_000_000


@dataclass(frozen=True)
class LaunchResult:
    """What a launch left behind.

    Attributes:
        tokens: what the model wrote, from the first EXEC to HALT.
        memory: all words of the machine, unsigned 32-bit, read from the model's recurrent state.
        arrays: each array argument, in argument order, in its own type and shape.
        symbols: each ``__device__`` and ``__constant__`` variable that the kernel uses, by name.
        text: what the kernel printed; dropped: bytes of records that did not fit the output buffer.
        prompt_tokens: tokens that uploaded the program and its data.
        seconds: wall-clock time of the prompt and the trace together.
    """

    tokens: list[Token]
    memory: list[int]
    arrays: list[np.ndarray]
    symbols: dict[str, np.ndarray]
    text: str
    dropped: int
    prompt_tokens: int
    seconds: float


def launch(
    program: Program,
    arguments: Sequence[Argument],
    grid: Dim3 = (1, 1, 1),
    block: Dim3 = (1, 1, 1),
    *,
    weights: Weights,
    engine: Engine,
    max_tokens: int = MAX_TOKENS,
    on_token: Callable[[Token], None] | None = None,
    dynamic_shared: int = 0,
    check: bool = False,
) -> LaunchResult:
    """Run a kernel inside the model: :func:`~qwengpu.machine.loader.load`, then :func:`run_image`."""
    image = load(weights.spec, program, arguments, grid, block, dynamic_shared)
    return run_image(image, weights=weights, engine=engine, max_tokens=max_tokens, on_token=on_token, check=check)


def run_image(
    image: LaunchImage,
    *,
    weights: Weights,
    engine: Engine,
    max_tokens: int = MAX_TOKENS,
    on_token: Callable[[Token], None] | None = None,
    check: bool = False,
) -> LaunchResult:
    """Run a launch image inside the model.

    Args:
        max_tokens: tokens the model may write before the launch is given up.
        on_token: called with each token as it is written.
        check: compare each token, and all of memory, with the reference interpreter.

    Raises:
        ExecutionError: if the model does not write HALT in time.
        DeviceError: if the launch traps; says which thread does, where and why.
        CheckError: with ``check``, at the first difference.
    """
    vocabulary = Vocabulary(image.spec)
    checker = Checker(image) if check else None
    tokens: list[Token] = []
    prompt = [vocabulary.id(token) for token in image.prompt()]
    start = time.perf_counter()
    for number in engine.generate(prompt, vocabulary.ends, max_tokens):
        token = vocabulary[number]
        tokens.append(token)
        if on_token:
            on_token(token)
        if checker:
            checker.token(token)
    seconds = time.perf_counter() - start
    memory = read_memory(weights, engine, 0, image.spec.words)
    text, dropped = printed(image.program.prints, memory, *image.output) if image.program.prints else ("", 0)
    if tokens and tokens[-1].kind is Kind.TRAP:
        raise DeviceError(describe_trap(image, tokens), text)
    if not tokens or tokens[-1].kind is not Kind.HALT:
        raise ExecutionError(
            f"kernel {image.program.name} wrote {len(tokens)} tokens and did not finish; "
            "look for an endless loop, or allow more with --max-tokens",
            text,
        )
    if checker:
        checker.finish(memory)
    return LaunchResult(
        tokens=tokens,
        memory=memory,
        arrays=[image.array(number, memory) for number in range(len(image.arrays))],
        symbols={name: image.symbol(name, memory) for name in image.program.symbols},
        text=text,
        dropped=dropped,
        prompt_tokens=len(prompt),
        seconds=seconds,
    )
