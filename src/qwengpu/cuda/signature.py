"""Names of a kernel's parameters, from the CUDA source; the PTX numbers them."""

from __future__ import annotations

import re


def read_signature(source: str, kernel: str) -> list[tuple[str, str]] | None:
    """(declaration, name) of each parameter of a ``__global__`` function, or None if it cannot be told."""
    source = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)
    found = re.search(rf"__global__[^;{{}}]*?\b{re.escape(kernel)}\s*\(([^()]*)\)", source)
    if not found:
        return None
    parameters = []
    for declaration in filter(None, (part.strip() for part in found.group(1).split(","))):
        name = re.search(r"(\w+)\s*(?:\[\s*\d*\s*\])?$", declaration)
        if not name:
            return None
        kind = declaration[: name.start()] + ("*" if declaration.endswith("]") else "")
        parameters.append((kind.strip(), name.group(1)))
    return parameters
