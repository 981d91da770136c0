"""A launch: upload the image as a prompt, let the model write the trace, read the results out of its state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qwengpu.checkpoint.weights import Weights, read_memory
from qwengpu.engine import Engine
from qwengpu.errors import DeviceError, ExecutionError
from qwengpu.machine.isa import Program
from qwengpu.machine.loader import Dim3, LaunchImage, load
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
        arrays: the words of each array argument, in argument order.
        prompt_tokens: tokens that uploaded the program and its data.
        seconds: wall-clock time of the prompt and the trace together.
    """

    tokens: list[Token]
    memory: list[int]
    arrays: list[list[int]]
    prompt_tokens: int
    seconds: float


def launch(
    program: Program,
    arguments: Sequence[int | Sequence[int]],
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
    if tokens and tokens[-1].kind is Kind.TRAP:
        raise DeviceError(describe_trap(image, tokens))
    if not tokens or tokens[-1].kind is not Kind.HALT:
        raise ExecutionError(
            f"kernel {image.program.name} wrote {len(tokens)} tokens and did not finish; "
            "look for an endless loop, or allow more with --max-tokens"
        )
    memory = read_memory(weights, engine, 0, image.spec.words)
    if checker:
        checker.finish(memory)
    arrays = [memory[first : first + count] for first, count in image.arrays]
    return LaunchResult(tokens, memory, arrays, len(prompt), seconds)
