"""Run the README's command and draw what it prints: ``python docs/record.py`` writes ``docs/run.svg``."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMAND = "qwengpu run examples/dot.cu --arg 1,2,3 --arg 4,5,6 --arg zeros:1 --arg 3 --block 4 --check --trace"
ROOT = Path(__file__).parent.parent


def main() -> None:
    """Record one run."""
    program = [sys.executable, "-c", "from qwengpu.cli import main; main()", *shlex.split(COMMAND)[1:]]
    run = subprocess.run(program, capture_output=True, text=True, cwd=ROOT, check=True)
    console = Console(record=True, width=118, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(Text.assemble(("$ ", "bold green"), (COMMAND.replace(" --check", " \\\n    --check"), "bold")))
    for line in run.stderr.splitlines():
        style = "cyan" if "EXEC" in line else "magenta" if "MEM" in line else "yellow" if "COMMIT" in line else "dim"
        console.print(Text(line, style=style))
    for line in run.stdout.splitlines():
        console.print(Text(line, style="bold" if "=" in line else ""))
    console.save_svg(str(ROOT / "docs" / "run.svg"), title="qwengpu: a dot product inside Qwen3.5 layers")


if __name__ == "__main__":
    main()
