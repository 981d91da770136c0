"""Names and types of a kernel's parameters, from the CUDA source; the PTX numbers them and knows only their sizes."""

from __future__ import annotations

import re

#: (declaration, name) of each parameter in the CUDA source.
Signature = list[tuple[str, str]]
#: Words that change nothing about what a type holds.
_QUALIFIERS = frozenset({"const", "volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__", "std"})
_SIZES = {"char": 8, "bool": 8, "short": 16, "int": 32, "long": 64, "longlong": 64}


def read_signature(source: str, kernel: str) -> Signature | None:
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


def integer_type(declaration: str) -> str | None:
    """Sign and bits of an integer type, such as ``u32`` for ``const unsigned``; None for any other type."""
    words = [word for word in re.findall(r"\w+|[^\w\s:]", declaration) if word not in _QUALIFIERS]
    if sized := re.fullmatch(r"(u?)int(8|16|32|64)_t", " ".join(words)):
        return (sized.group(1) or "s") + sized.group(2)
    if words in (["size_t"], ["uintptr_t"]):
        return "u64"
    if words in (["ptrdiff_t"], ["intptr_t"]):
        return "s64"
    unsigned, plain = False, []
    for word in words:
        if word in ("unsigned", "signed"):
            unsigned |= word == "unsigned"
        elif word.removeprefix("u") in _SIZES:
            unsigned |= word[0] == "u" or word == "bool"
            plain.append(word.removeprefix("u"))
        else:
            return None
    if not words or len(plain) > 3:
        return None
    bits = next((_SIZES[word] for word in plain if word != "int"), 32)
    return ("u" if unsigned else "s") + str(bits)


def element_type(declaration: str) -> str | None:
    """Sign and bits of the integers that a pointer (or a reference) points to; None if it does to something else."""
    words = [word for word in re.findall(r"\w+|[^\w\s:]", declaration) if word not in _QUALIFIERS]
    return integer_type(" ".join(words[:-1])) if words[-1:] in (["*"], ["&"]) else None
