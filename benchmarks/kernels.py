"""Tokens a launch takes, and how fast each engine writes them, side by side in one run.

    python benchmarks/kernels.py [--numpy] [--transformers]

Every launch is checked against the reference interpreter before it is timed. An *instruction* is one pipeline stage
executed by one active thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from qwengpu.checkpoint.cache import cached_weights
from qwengpu.checkpoint.weights import Weights
from qwengpu.cuda import compile_kernel
from qwengpu.engine import create
from qwengpu.machine import MachineSpec, Token
from qwengpu.machine.interpreter import Interpreter, Warp
from qwengpu.machine.loader import LaunchImage, load
from qwengpu.runtime.launch import run_image

EXAMPLES = Path(__file__).parent.parent / "examples"
Dim3 = tuple[int, int, int]
#: (file, arguments, grid, block)
LAUNCHES: list[tuple[str, list[int | Sequence[int]], Dim3, Dim3]] = [
    ("dot.cu", [[1, 2, 3], [4, 5, 6], [0], 3], (1, 1, 1), (4, 1, 1)),
    ("vector_add.cu", [range(64), range(100, 164), [0] * 64, 64], (2, 1, 1), (32, 1, 1)),
    ("vector_mul.cu", [range(64), range(100, 164), [0] * 64, 64], (2, 1, 1), (32, 1, 1)),
    ("sum.cu", [range(32), [0], 32], (1, 1, 1), (1, 1, 1)),
    ("gcd.cu", [[12, 35, 100, 81], [18, 14, 75, 27], [0] * 4, 4], (1, 1, 1), (4, 1, 1)),
    ("max.cu", [[3, -7, 99, 12, 5, -1, 98, 0], [0], 8], (1, 1, 1), (1, 1, 1)),
    ("matmul.cu", [range(16), range(16, 32), [0] * 16, 4], (1, 1, 1), (4, 4, 1)),
    ("reduce.cu", [range(32), [0], 32], (1, 1, 1), (32, 1, 1)),
    ("collatz.cu", [range(1, 33), [0] * 32, 32], (1, 1, 1), (32, 1, 1)),
]


class _Counter(Interpreter):
    """Counts instructions: stages times active threads."""

    instructions = 0

    def _execute(self, number: int, warp: Warp) -> Generator[Token, None, list[int]]:
        block = self.blocks[warp.block or 0]
        joining = sum(at == warp.block for at in warp.waiting.values())
        self.instructions += sum(i is not None for i in block.stages) * (len(warp.active()) + joining)
        return (yield from super()._execute(number, warp))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numpy", action="store_true", help="time the NumPy engine too (slow)")
    parser.add_argument("--transformers", action="store_true", help="time stock transformers on the dot product")
    options = parser.parse_args()
    spec = MachineSpec()
    weights = cached_weights(spec)
    table = Table(
        "kernel", "threads", "prompt", "tokens", "instructions", "per token", "native tokens/s", "numpy tokens/s"
    )
    total_tokens = total_instructions = 0
    for file, arguments, grid, block in LAUNCHES:
        axes = max([1, *(axis + 1 for axis in range(3) if grid[axis] > 1)])
        program = compile_kernel(EXAMPLES / file, spec=spec, grid_axes=axes)
        words = [a if isinstance(a, int) else list(a) for a in arguments]
        image = load(spec, program, words, grid, block)
        run_image(image, weights=weights, engine=create("native", weights), check=True)
        counter = _Counter(image)
        tokens = len(list(counter.trace()))
        rates = [_rate(name, image, weights) for name in ("native", *(["numpy"] if options.numpy else []))]
        threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
        cells = [threads, len(image.prompt()), tokens, counter.instructions]
        table.add_row(file, *map(str, cells), f"{counter.instructions / tokens:.2f}", *(f"{r:,.0f}" for r in rates))
        total_tokens, total_instructions = total_tokens + tokens, total_instructions + counter.instructions
    Console().print(table)
    print(f"{total_instructions / total_tokens:.2f} instructions per generated token over all kernels")
    if options.transformers:
        file, arguments, grid, block = LAUNCHES[0]
        program = compile_kernel(EXAMPLES / file, spec=spec)
        image = load(spec, program, arguments, grid, block)  # type: ignore[arg-type]
        print(f"stock transformers, bfloat16, {file}: {_rate('transformers', image, weights):.2f} tokens/s")


def _rate(name: str, image: LaunchImage, weights: Weights) -> float:
    """Tokens fed a second, prompt and trace together."""
    engine = create(name, weights)
    result = run_image(image, weights=weights, engine=engine)
    return (result.prompt_tokens + len(result.tokens)) / result.seconds


if __name__ == "__main__":
    main()
