"""Tokens that the corpus costs: ``python -m benchmarks.tokens``.

For each kernel: tokens uploaded, tokens generated, PTX instructions executed (summed over threads, by the oracle's
count), and generated tokens per executed PTX instruction. ``--before FILE`` sets them beside an earlier run's
(written with ``--out``); ``--spec`` options compare machines.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from corpus.run import Outcome, Setup, chosen, sweep


@dataclass
class Cost:
    """Sums over the cases of a kernel or of a category."""

    cases: int = 0
    prompt: int = 0
    tokens: int = 0
    executed: int = 0

    def add(self, other: Outcome | Cost) -> None:
        self.cases += getattr(other, "cases", 1)
        self.prompt += other.prompt
        self.tokens += other.tokens
        self.executed += other.executed

    @property
    def ratio(self) -> float:
        return self.tokens / self.executed if self.executed else float("nan")


def costs(outcomes: Iterable[Outcome]) -> dict[str, Cost]:
    """Kernel -> its cost, of the cases without problems."""
    kernels: dict[str, Cost] = defaultdict(Cost)
    for outcome in outcomes:
        if not outcome.problems:
            kernels[outcome.name.split("[")[0]].add(outcome)
    return dict(kernels)


def by_category(kernels: dict[str, Cost]) -> dict[str, Cost]:
    """Category -> its cost, and the total."""
    categories: dict[str, Cost] = defaultdict(Cost)
    for name, cost in kernels.items():
        categories[name.split("/")[0]].add(cost)
        categories["total"].add(cost)
    return {name: categories[name] for name in sorted(categories, key=lambda name: (name == "total", name))}


def table(rows: dict[str, Cost], before: dict[str, Cost]) -> Table:
    shown = Table(box=None)
    shown.add_column("kernel" if any(":" in name for name in rows) else "category")
    for heading in ("cases", "uploaded", "generated", "PTX executed", "tokens per PTX"):
        shown.add_column(heading, justify="right")
    if before:
        shown.add_column("before", justify="right")
        shown.add_column("change", justify="right")
    for name, cost in rows.items():
        cells = [name, *map(str, (cost.cases, cost.prompt, cost.tokens, cost.executed)), f"{cost.ratio:.3f}"]
        if name in before:
            cells += [str(before[name].tokens), f"{cost.tokens / before[name].tokens - 1:+.1%}"]
        shown.add_row(*cells)
    return shown


def main(
    patterns: Annotated[list[str] | None, typer.Argument(help="Parts of names of cases, such as reduce/.")] = None,
    kernels: Annotated[bool, typer.Option("--kernels", help="A line a kernel instead of a category.")] = False,
    compiler: Annotated[str, typer.Option(help="zig, nvrtc or clang.")] = "zig",
    before: Annotated[Path | None, typer.Option(help="Compare with this file, which --out wrote.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write each kernel's cost to this JSON file.")] = None,
) -> None:
    """Print what the kernels of the corpus cost in tokens."""
    found = costs(sweep(chosen(patterns or []), Setup(compiler, oracles=("ptx",))))
    older = {name: Cost(**cost) for name, cost in json.loads(before.read_text()).items()} if before else {}
    if older:  # only what both have
        found = {name: cost for name, cost in found.items() if name in older and older[name].cases == cost.cases}
        older = {name: older[name] for name in found}
    rows, old_rows = (found, older) if kernels else (by_category(found), by_category(older))
    Console(width=120).print(table(rows, old_rows))
    if out:
        out.write_text(json.dumps({name: asdict(cost) for name, cost in found.items()}, indent=1) + "\n")


if __name__ == "__main__":
    typer.run(main)
