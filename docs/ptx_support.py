"""Write the table of supported PTX instructions from the compiler's own table.

python docs/ptx_support.py            # writes docs/ptx_support.md
"""

from __future__ import annotations

from pathlib import Path

from qwengpu.cuda import translate  # noqa: F401  fills the table
from qwengpu.cuda.instructions import REMEDIES, TABLE

TARGET = Path(__file__).with_suffix(".md")
HEADER = """# Supported PTX

Written by `docs/ptx_support.py` from the table that the compiler uses; a test compares them. A modifier or type that is
not listed is refused, with the line of the source. Jumps (`bra`, `ret`, `exit`), `trap`, parameters (`ld.param`), a
predicate on any instruction and all operand forms of the instructions below are supported.

| instruction | types | modifiers | remark |
|---|---|---|---|
"""


def text() -> str:
    """The page."""
    rows = []
    for name, forms in sorted(TABLE.items()):
        for form in forms:
            types, modifiers = (" ".join(f".{word}" for word in words) for words in (form.types, form.modifiers))
            cells = (f"`{name}`", f"`{types}`" if types else "", f"`{modifiers}`" if modifiers else "", form.note)
            rows.append("| " + " | ".join(cells) + " |")
    remedies = [f"- `{name}`: {remedy}" for name, remedy in sorted(REMEDIES.items())]
    return HEADER + "\n".join(rows) + "\n\n## Not supported\n\n" + "\n".join(remedies) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
