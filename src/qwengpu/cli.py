"""The command line: ``qwengpu run | compile | export | info``. Results on stdout, everything else on stderr."""

from __future__ import annotations

import functools
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import qwengpu
from qwengpu.errors import ExecutionError, QwenGPUError
from qwengpu.machine.interpreter import signed
from qwengpu.machine.isa import Block, Instruction, Program
from qwengpu.machine.loader import LaunchImage, load
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind, Token, Vocabulary
from qwengpu.runtime.arguments import axes, parse_arguments, parse_dim3, parse_symbols

if TYPE_CHECKING:
    from qwengpu.checkpoint.weights import Weights
    from qwengpu.runtime.launch import LaunchResult

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=qwengpu.__doc__)
status = Console(stderr=True, highlight=False, soft_wrap=True)

# What to compile: the same for every command that does.
File = Annotated[Path, typer.Argument(help="CUDA source (.cu) or PTX (.ptx).", show_default=False)]
KernelName = Annotated[str | None, typer.Option("--kernel", help="Kernel to run, if the file has several.")]
Compiler = Annotated[str, typer.Option(help="What compiles CUDA to PTX: auto, or a compiler's name.")]


#: Help of the options that choose the machine's size, which every command has.
SIZE_OPTIONS = {
    "registers": "32-bit registers a thread.",
    "blocks": "Program ROM entries.",
    "words": "32-bit words of memory.",
    "warps": "Warps of 4 threads in a thread block.",
    "constants": "Uniform 32-bit constants.",
    "stages": "Pipeline stages, each mul, load or alu.",
}


def _sized(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :data:`SIZE_OPTIONS` in place of its parameter ``spec``."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in own if p.name != "spec"]
    for name, text in SIZE_OPTIONS.items():
        value = getattr(MachineSpec(), name)
        default = ",".join(value) if name == "stages" else value
        option: Any = Annotated[type(default), typer.Option(help=text, rich_help_panel="Machine size")]
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option))

    @functools.wraps(command)
    def sized(**values: Any) -> None:
        sizes = {name: values.pop(name) for name in SIZE_OPTIONS}
        sizes["stages"] = tuple(kind.strip() for kind in sizes["stages"].split(","))
        command(spec=MachineSpec(**sizes), **values)

    sized.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    sized.__annotations__ = {p.name: p.annotation for p in parameters}
    return sized


@app.command()
@_sized
def run(
    spec: MachineSpec,
    file: File,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            help="A kernel argument, in order: 5, -5, 0x1f; for a pointer 1,2,3, @data.npy, zeros:N or ones:N.",
            show_default=False,
        ),
    ] = None,
    grid: Annotated[str, typer.Option(help="Thread blocks: x, x,y or x,y,z.")] = "1",
    block: Annotated[str, typer.Option(help="Threads in a block: x, x,y or x,y,z.")] = "1",
    symbol: Annotated[
        list[str] | None,
        typer.Option(help="Value of a __device__ or __constant__ variable: NAME=1,2,3.", show_default=False),
    ] = None,
    shared: Annotated[int, typer.Option(help="Bytes of extern __shared__ storage.", min=0)] = 0,
    check: Annotated[bool, typer.Option("--check", help="Compare all with the reference interpreter.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print each token to stderr as it is written.")] = False,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the launch as a prompt, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write every array argument, by name, to this .npz file.")] = None,
    engine: Annotated[
        str, typer.Option(help="What executes the weights: auto, native, numpy or transformers.")
    ] = "auto",
    max_tokens: Annotated[int, typer.Option(help="Tokens the model may write.", min=1)] = 1_000_000,
    kernel: KernelName = None,
    compiler: Compiler = "auto",
) -> None:
    """Run a CUDA kernel inside the model and print the arrays it changed."""
    from qwengpu.cuda import compile_kernel
    from qwengpu.runtime.launch import run_image

    shape = parse_dim3("--grid", grid), parse_dim3("--block", block)
    program = compile_kernel(file, kernel=kernel, compiler=compiler, spec=spec, grid_axes=axes(*shape))
    arguments, symbols = parse_arguments(program, arg or []), parse_symbols(program, symbol or [])
    image = load(spec, program, arguments, *shape, dynamic_shared=shared, symbols=symbols)
    if prompt:
        from qwengpu.checkpoint.export import word

        print(" ".join(word(token) for token in image.prompt()))
        return
    weights = _weights(spec)
    from qwengpu.engine import create

    result = run_image(
        image,
        weights=weights,
        engine=create(engine, weights),
        max_tokens=max_tokens,
        on_token=_tracer(program) if trace else None,
        check=check,
    )
    arrays, variables = _named_arrays(image, result), _symbols(image, result)
    if out:
        with open(out, "wb") as stream:
            np.savez(stream, allow_pickle=False, **{name: values for name, (values, _) in arrays.items()})
    if result.dropped:
        status.print(f"warning: {result.dropped} bytes of printed records did not fit the output buffer", markup=False)
    if as_json:
        summary = {
            "kernel": program.name,
            "arrays": {name: values.tolist() for name, (values, _) in arrays.items()},
            "symbols": {name: values.tolist() for name, (values, _) in variables.items()},
            "changed": [name for name, (_, changed) in (*arrays.items(), *variables.items()) if changed],
            "printed": result.text,
            "tokens": len(result.tokens),
            "prompt_tokens": result.prompt_tokens,
            "seconds": round(result.seconds, 6),
            "checked": check,
        }
        print(json.dumps(summary))
        return
    print(result.text, end="" if result.text.endswith("\n") or not result.text else "\n")
    changed = [(name, values) for name, (values, new) in (*arrays.items(), *variables.items()) if new]
    for name, values in changed:
        print(f"{name} = {' '.join(map(str, values.ravel()))}")
    if not changed and not result.text:
        print("no array changed")
    count = len(result.tokens)
    print(
        f"{count} tokens written after a prompt of {result.prompt_tokens}, {result.seconds:.2f} s"
        + (f"; all {count} tokens and {spec.words} memory words equal the reference interpreter's" if check else "")
    )


@app.command()
@_sized
def compile(
    spec: MachineSpec,
    file: File,
    grid_axes: Annotated[int, typer.Option(help="Axes of the grid the kernel is launched on.", min=1, max=3)] = 1,
    kernel: KernelName = None,
    compiler: Compiler = "auto",
) -> None:
    """Show the machine blocks a kernel compiles to: each runs in one forward pass."""
    from qwengpu.cuda import compile_kernel

    program = compile_kernel(file, kernel=kernel, compiler=compiler, spec=spec, grid_axes=grid_axes)
    parameters = ", ".join(f"{kind} {name}" for kind, name in program.parameters)
    print(f"{program.name}({parameters}): {len(program.blocks)} blocks, {program.registers} registers")
    for axis, register in sorted(program.thread_index.items()):
        print(f"  r{register} = threadIdx.{'xyz'[axis]}")
    for row, value in sorted(program.constants.items()):
        print(f"  c{row} = {_constant(program, value)}")
    for number, entry in enumerate(program.blocks):
        print(f"block {number}: {_flow(entry)}")
        for k, instruction in enumerate(entry.stages):
            if instruction is not None:
                print(f"  s{k} {spec.stages[k]:4}  {instruction!s:32} {_source(instruction)}".rstrip())


@app.command()
@_sized
def export(
    spec: MachineSpec,
    directory: Annotated[Path, typer.Argument(help="A new or empty directory.", show_default=False)],
    dtype: Annotated[str, typer.Option(help="bfloat16 or float32; both are exact.")] = "bfloat16",
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export.")] = False,
) -> None:
    """Write the machine as a stock Hugging Face checkpoint, for unmodified transformers."""
    from qwengpu.checkpoint.export import export_checkpoint

    weights = _weights(spec)
    with _progress() as progress:
        export_checkpoint(weights, directory, dtype, force, progress)
    print(directory)


@app.command()
@_sized
def info(spec: MachineSpec) -> None:
    """Show the machine's size and that of the model it is compiled into."""
    weights = _weights(spec)
    rows = {
        "lanes": f"{spec.lanes}",
        "threads in a block": f"{spec.threads} ({spec.warps} warps)",
        "registers a thread": f"{spec.registers}",
        "constants": f"{spec.constants}",
        "pipeline": " ".join(spec.stages),
        "program ROM": f"{spec.blocks} blocks",
        "memory": f"{spec.words} words, {4 * spec.words} bytes",
        "layers": f"{weights.config['num_hidden_layers']}",
        "channels": f"{weights.config['hidden_size']}",
        "vocabulary": f"{len(Vocabulary(spec))} tokens",
        "weights": f"{weights.parameters():,}, {weights.nonzeros():,} of them not zero",
    }
    for name, value in rows.items():
        print(f"{name:20}{value}")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"qwengpu {qwengpu.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Options that come before the command."""


@contextmanager
def _progress() -> Iterator[Callable[[str, float], None]]:
    """A progress bar on stderr that appears with the first report and goes when done."""
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=status, transient=True, disable=not status.is_terminal) as bar:
        task = bar.add_task("", total=1.0, visible=False)
        told = False

        def report(what: str, done: float) -> None:
            nonlocal told
            if not told and not status.is_terminal:
                status.print("building the model (once; it is kept in the cache) ...")
            told = True
            bar.update(task, description=what, completed=done, visible=True)

        yield report


def _weights(spec: MachineSpec) -> Weights:
    from qwengpu.checkpoint.cache import cached_weights

    with warnings.catch_warnings(record=True) as caught, _progress() as progress:
        weights = cached_weights(spec, progress)
    for warning in caught:
        status.print(f"warning: {warning.message}", markup=False)
    return weights


def _tracer(program: Program) -> Callable[[Token], None]:
    """Prints tokens, one a line; an EXEC with its block's instructions, a COMMIT with its destination."""
    position = 0
    current = program.blocks[0]

    def show(token: Token) -> None:
        nonlocal position, current
        note = ""
        if token.kind is Kind.EXEC and token.index < len(program.blocks):
            current = program.blocks[token.index]
            note = "; ".join(str(instruction) for instruction in current.stages if instruction is not None)
        elif token.kind is Kind.COMMIT and (instruction := current.stages[token.index]) is not None:
            note = f"{instruction.dst} {_source(instruction)}".rstrip()
        print(f"{position:6}  {token!s:28} {note}".rstrip(), file=sys.stderr)
        position += 1

    return show


def _named_arrays(image: LaunchImage, result: LaunchResult) -> dict[str, tuple[np.ndarray, bool]]:
    """Array arguments: name -> (values after the launch, whether the launch changed them)."""
    names = [name for kind, name in image.program.parameters if kind == "ptr"]
    before = [image.array(number, image.memory) for number in range(len(names))]
    return {
        name: (values, not np.array_equal(values, old))
        for name, values, old in zip(names, result.arrays, before, strict=True)
    }


def _symbols(image: LaunchImage, result: LaunchResult) -> dict[str, tuple[np.ndarray, bool]]:
    """The module's variables, as :func:`_named_arrays` gives arrays."""
    return {
        name: (values, not np.array_equal(values, image.symbol(name, image.memory)))
        for name, values in result.symbols.items()
    }


def _constant(program: Program, value: object) -> str:
    match value:
        case int():
            return str(signed(value & 0xFFFFFFFF))
        case ("param", int(i), int(offset)):
            return program.parameters[i][1] + (f" + {offset}" if offset else "")
        case ("word", int(i), int(k)):
            return f"word {k} of {program.parameters[i][1]}"
        case (("ntid" | "nctaid" | "ctaid") as name, int(axis)):
            return {"ntid": "blockDim", "nctaid": "gridDim", "ctaid": "blockIdx"}[name] + f".{'xyz'[axis]}"
        case (str(space), offset):
            return f"{space.replace('_', ' ')} + {offset}"
    return str(value)


def _flow(block: Block) -> str:
    """What a block does besides its stages, and where it leads."""
    parts = [name for name in ("store", "atomic", "barrier", "sync", "trap", "grid") if getattr(block, name)]
    if block.guard:
        parts.append(f"if {'not ' if block.guard_negated else ''}c of s0")
    if block.branch:
        parts.append(f"branch to {block.target}")
    parts.append(f"exit to {block.target}" if block.exit else f"next {block.next}")
    return ", ".join(parts)


def _source(instruction: Instruction) -> str:
    line = f"line {instruction.line}" if instruction.line else ""
    return f"; {line} {instruction.text}".rstrip() if line or instruction.text else ""


def main() -> None:
    """Entry point: errors a user can meet end as ``error: ...`` on stderr and exit status 1."""
    try:
        app()
    except (QwenGPUError, OSError) as error:
        if isinstance(error, ExecutionError) and error.text:
            print(error.text, end="" if error.text.endswith("\n") else "\n")
        status.print(f"error: {error}", markup=False)
        sys.exit(1)
