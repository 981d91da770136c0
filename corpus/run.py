"""Run the corpus: ``python -m corpus.run [PATTERN ...]``.

Every case is compiled, run on the machine (its reference interpreter, or the compiled weights) and compared with the
oracles. Prints a line a case and the totals; the exit status is 1 if anything differs.
"""

from __future__ import annotations

import fnmatch
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from corpus.case import Case, all_cases
from corpus.oracles import cpp, gpu, ptx
from corpus.oracles.result import OracleError, Result, differences, dim3
from qwengpu.checkpoint.cache import cached_weights
from qwengpu.checkpoint.weights import Weights
from qwengpu.cuda import compile_kernel
from qwengpu.engine import create
from qwengpu.errors import QwenGPUError
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.isa import Program
from qwengpu.machine.loader import LaunchImage, load
from qwengpu.machine.output import printed
from qwengpu.machine.spec import MachineSpec
from qwengpu.runtime.arguments import axes
from qwengpu.runtime.launch import run_image

#: Tokens after which a case counts as endless.
MAX_TOKENS = 2_000_000


@dataclass(frozen=True)
class Setup:
    """How to run cases: what compiles them, what executes them, what they are compared with."""

    compiler: str = "zig"
    options: tuple[str, ...] = ()
    engine: str = "interpreter"
    oracles: tuple[str, ...] = ("expected", "ptx")


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes:
        problems: differences and errors; empty if all agree.
        executed: PTX instructions executed, summed over threads, if the PTX oracle ran.
    """

    name: str
    problems: tuple[str, ...] = ()
    tokens: int = 0
    prompt: int = 0
    executed: int = 0
    blocks: int = 0
    registers: int = 0
    seconds: float = 0.0


def image_of(case: Case, setup: Setup, spec: MachineSpec | None = None) -> LaunchImage:
    """A case compiled and loaded."""
    grid, block = dim3(case.grid), dim3(case.block)
    program = _compiled(str(case.path), case.kernel, setup.compiler, setup.options, axes(grid, block), spec)
    return load(spec or MachineSpec(), program, case.arguments, grid, block, case.shared)


@cache
def _compiled(
    path: str, kernel: str, compiler: str, options: tuple[str, ...], grid_axes: int, spec: MachineSpec | None
) -> Program:
    return compile_kernel(path, kernel, compiler, spec, grid_axes=grid_axes, options=options)


@cache
def _weights() -> Weights:
    return cached_weights(MachineSpec())


def run_case(case: Case, setup: Setup) -> Outcome:
    """Run a case and compare; never raises for what a case does."""
    start = time.perf_counter()
    problems: list[str] = []
    tokens, executed, prompt, blocks, registers = 0, 0, 0, 0, 0
    try:
        image = image_of(case, setup)
        prompt, blocks, registers = len(image.prompt()), len(image.program.blocks), image.program.registers
        memory, tokens = _executed(image, setup.engine)
        got = _arrays(case, image, memory)
        text, _ = printed(image.program.prints, memory, *image.output) if image.program.prints else ("", 0)
        for oracle in setup.oracles:
            result = _oracle(case, setup, oracle)
            executed = executed or result.executed
            problems += [f"{oracle}: {problem}" for problem in differences(got, result.arrays)]
            if oracle != "expected" and sorted(text.splitlines()) != sorted(result.text.splitlines()):
                problems.append(f"{oracle}: it prints {result.text!r}, not {text!r}")
    except (QwenGPUError, OracleError) as error:
        problems.append(f"{type(error).__name__}: {error}")
    except Exception as error:  # a fault of ours: the sweep goes on, and tells
        problems.append(f"internal: {type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    return Outcome(case.name, tuple(problems), tokens, prompt, executed, blocks, registers, seconds)


def _executed(image: LaunchImage, engine: str) -> tuple[Sequence[int], int]:
    """Memory after the launch, and how many tokens were written."""
    if engine != "interpreter":
        weights = _weights()
        result = run_image(image, weights=weights, engine=create(engine, weights), max_tokens=MAX_TOKENS, check=True)
        return result.memory, len(result.tokens)
    interpreter = Interpreter(image)
    count = 0
    for _ in interpreter.trace():
        count += 1
        if count > MAX_TOKENS:
            raise OracleError(f"more than {MAX_TOKENS} tokens")
    return interpreter.memory, count


def _arrays(case: Case, image: LaunchImage, memory: Sequence[int]) -> dict[int, np.ndarray]:
    return {index: image.array(number, memory) for number, index in enumerate(case.arrays())}


def _oracle(case: Case, setup: Setup, oracle: str) -> Result:
    match oracle:
        case "ptx":
            return ptx.run(case, setup.compiler, setup.options)
        case "cpp":
            return cpp.run(case)
        case "gpu":
            return gpu.run(case)
    return Result(case.expected)


def sweep(cases: Sequence[Case], setup: Setup, jobs: int = 0) -> Iterator[Outcome]:
    """The outcomes of cases, in order, computed by several processes."""
    with ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        yield from pool.map(partial(run_case, setup=setup), cases)


def chosen(patterns: Sequence[str]) -> list[Case]:
    """The cases whose name contains, or as a whole matches, one of the patterns; all if there is none."""
    return [
        case
        for case in all_cases()
        if not patterns or any(p in case.name or fnmatch.fnmatchcase(case.name, p) for p in patterns)
    ]


def main(
    patterns: Annotated[list[str] | None, typer.Argument(help="Parts of names of cases, such as reduce/.")] = None,
    compiler: Annotated[str, typer.Option(help="zig, nvrtc or clang.")] = "zig",
    option: Annotated[list[str] | None, typer.Option(help="An option for the compiler, such as -O0.")] = None,
    engine: Annotated[str, typer.Option(help="interpreter, native, numpy or transformers.")] = "interpreter",
    oracle: Annotated[str, typer.Option(help="Of expected, ptx, cpp and gpu, those to compare with.")] = "expected,ptx",
    failures: Annotated[bool, typer.Option("--failures", help="Print only what differs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the outcomes to this JSON file.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes; 0 is one a core.")] = 0,
) -> None:
    """Run cases of the corpus and compare them with oracles."""
    setup = Setup(compiler, tuple(option or ()), engine, tuple(oracle.split(",")))
    outcomes = []
    for outcome in sweep(chosen(patterns or []), setup, jobs):
        outcomes.append(outcome)
        if outcome.problems or not failures:
            ratio = f"{outcome.tokens / outcome.executed:8.3f}" if outcome.executed else ""
            print(f"{outcome.name:60} {outcome.tokens:8} {outcome.executed:9} {ratio} {outcome.seconds:7.2f} s")
        for problem in outcome.problems:
            print(f"    {problem}")
        sys.stdout.flush()
    failed = sum(bool(outcome.problems) for outcome in outcomes)
    tokens, executed = (sum(getattr(o, name) for o in outcomes) for name in ("tokens", "executed"))
    print(f"{len(outcomes)} cases, {failed} differ; {tokens} tokens, {executed} PTX instructions")
    if out:
        out.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1) + "\n")
    raise typer.Exit(int(failed > 0))


if __name__ == "__main__":
    typer.run(main)
