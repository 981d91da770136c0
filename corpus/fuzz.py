"""Random CUDA programs: ``python -m corpus.fuzz --count 1000``.

Every program ends, has a defined result whatever the order of threads, and is compiled at a random level of
optimisation. Its result on the machine is compared with the oracles'.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from corpus.case import Case
from corpus.run import Outcome, Setup, run_case

#: C type -> bits, signed, NumPy type.
TYPES = {
    "signed char": (8, True, np.int8),
    "unsigned char": (8, False, np.uint8),
    "short": (16, True, np.int16),
    "unsigned short": (16, False, np.uint16),
    "int": (32, True, np.int32),
    "unsigned": (32, False, np.uint32),
    "long long": (64, True, np.int64),
    "unsigned long long": (64, False, np.uint64),
}
EDGES = (
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    63,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63,
    2**64 - 1,
)
#: Words every thread has to itself in ``out``, and elements it has in each of the arrays of other types.
SLOTS = 8
#: Words that all threads share in ``out``, changed by atomics alone.
SHARED = 8
#: Elements of every input.
INPUTS = 16


def unsigned(bits: int) -> str:
    """The unsigned type in which arithmetic wraps: never narrower than 32 bits, where C++ would compute in int."""
    return "unsigned long long" if bits == 64 else "unsigned"


class Writer:
    """Writes one kernel."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.variables: dict[str, str] = {}
        self.counters: list[str] = []
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0
        self.inputs = self.rng.sample(sorted(TYPES), 3)
        self.outputs = self.rng.sample(sorted(TYPES), 2)
        self.functions: list[tuple[str, str, list[str]]] = []
        self.loops = 0

    # --- expressions ------------------------------------------------------------------------------------------------

    def literal(self, kind: str) -> str:
        bits = TYPES[kind][0]
        value = self.rng.choice((self.rng.choice(EDGES), self.rng.randrange(2**64), self.rng.randrange(100)))
        value &= (1 << bits) - 1
        return f"({kind}){value}{'ull' if value >> 31 else ''}"

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a type; each of its operations is defined for all values of its operands."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.leaf(kind)
        choice = rng.randrange(100)
        bits, signed, _ = TYPES[kind]
        wide = unsigned(bits)

        def sub(kind: str = kind) -> str:
            return self.expression(kind, depth - 1)

        if choice < 34:
            operator = rng.choice("+-*&|^+-*")
            return f"({kind})(({wide}){sub()} {operator} ({wide}){sub()})"
        if choice < 46:
            amount = f"({sub('unsigned')} & {bits - 1})" if rng.random() < 0.6 else str(rng.randrange(bits))
            if rng.random() < 0.5:
                return f"({kind})(({wide}){sub()} << {amount})"
            return f"({kind})({sub()} >> {amount})"
        if choice < 54:
            operator = rng.choice("/%")
            divisor = str(rng.randrange(1, 120)) if rng.random() < 0.5 else f"({sub()} | 1)"
            if signed:  # the quotient of the least number and -1 is not defined
                return f"({kind})({sub()} {operator} (({divisor} & ({kind})0x7f) | 1))"
            return f"({kind})({sub()} {operator} {divisor})"
        if choice < 62:
            return f"({self.condition(depth - 1)} ? {sub()} : {sub()})"
        if choice < 66:
            return f"({kind})(~{sub()})" if rng.random() < 0.5 else f"({kind})(({wide})0 - ({wide}){sub()})"
        if choice < 78:
            return f"({kind})({sub(rng.choice(sorted(TYPES)))})"
        if choice < 82:
            return f"({kind})({self.condition(depth - 1)})"
        if choice < 86 and self.functions:
            name, _, parameters = rng.choice(self.functions)
            return f"({kind}){name}({', '.join(sub(p) for p in parameters)})"
        return f"({kind})({self.intrinsic(sub)})"

    def intrinsic(self, sub: Callable[[str], str]) -> str:
        """A call of one of CUDA's functions."""
        i, u, q, w = (partial(sub, kind) for kind in ("int", "unsigned", "long long", "unsigned long long"))
        return self.rng.choice(
            (
                lambda: f"min({i()}, {i()})",
                lambda: f"max({u()}, {u()})",
                lambda: f"min({q()}, {q()})",
                lambda: f"max({w()}, {w()})",
                lambda: f"__popc({u()})",
                lambda: f"__popcll({w()})",
                lambda: f"__clz({i()})",
                lambda: f"__clzll({q()})",
                lambda: f"__ffs({i()})",
                lambda: f"__brev({u()})",
                lambda: f"__brevll({w()})",
                lambda: f"__mulhi({i()}, {i()})",
                lambda: f"__umulhi({u()}, {u()})",
                lambda: f"__mul64hi({q()}, {q()})",
                lambda: f"__umul64hi({w()}, {w()})",
                lambda: f"__mul24({i()}, {i()})",
                lambda: f"__umul24({u()}, {u()})",
                lambda: f"__byte_perm({u()}, {u()}, {u()})",
                lambda: f"__funnelshift_l({u()}, {u()}, {u()})",
                lambda: f"__funnelshift_rc({u()}, {u()}, {u()})",
                lambda: f"__sad({i()}, {i()}, {u()})",
                lambda: f"__usad({u()}, {u()}, {u()})",
                lambda: f"__hadd({i()}, {i()})",
                lambda: f"__urhadd({u()}, {u()})",
                lambda: f"__dp4a({i()}, {i()}, {i()})",
            )
        )()

    def leaf(self, kind: str) -> str:
        rng = self.rng
        choice = rng.randrange(10)
        if choice < 6 and self.variables:
            return f"({kind}){rng.choice(sorted(self.variables))}"
        if choice < 7 and self.counters:
            return f"({kind}){rng.choice(self.counters)}"
        if choice < 8 and not self.in_function:
            number = rng.randrange(len(self.inputs))
            index = f"({self.leaf('unsigned')} & {INPUTS - 1})" if rng.random() < 0.5 else str(rng.randrange(INPUTS))
            return f"({kind})in{number}[{index}]"
        if choice < 9 and not self.in_function:
            return f"({kind})" + rng.choice(("threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x", "n", "t"))
        return self.literal(kind)

    def condition(self, depth: int) -> str:
        kind = self.rng.choice(sorted(TYPES))
        compare = f"{self.expression(kind, depth)} {self.rng.choice(('<', '<=', '>', '>=', '==', '!='))} " + (
            self.expression(kind, depth)
        )
        if depth > 0 and self.rng.random() < 0.2:
            return f"(({compare}) {self.rng.choice(('&&', '||'))} {self.condition(depth - 1)})"
        return f"({compare})"

    # --- statements -------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def body(self, size: int, depth: int) -> None:
        """Statements in a scope of their own."""
        self.depth += 1
        known = dict(self.variables)
        for _ in range(size):
            self.statement(depth)
        self.variables = known
        self.depth -= 1

    def statement(self, depth: int) -> None:
        rng = self.rng
        choice = rng.randrange(100)
        if choice < 20 or not self.variables:
            kind, name = rng.choice(sorted(TYPES)), self.name("v")
            self.line(f"{kind} {name} = {self.expression(kind, 3)};")
            self.variables[name] = kind
        elif choice < 50:
            name = rng.choice(sorted(self.variables))
            self.line(f"{name} = {self.expression(self.variables[name], 3)};")
        elif choice < 64 and depth:
            self.line(f"if {self.condition(2)} {{")
            self.body(rng.randrange(1, 4), depth - 1)
            if rng.random() < 0.5:
                self.line("} else {")
                self.body(rng.randrange(1, 3), depth - 1)
            self.line("}")
        elif choice < 74 and depth and self.loops < 2:
            self.loop(depth)
        elif choice < 80 and depth:
            self.switch(depth)
        elif choice < 90 and not self.in_function:
            self.store()
        elif choice < 95 and not self.in_function:
            self.atomic()
        else:
            self.local_array()

    def loop(self, depth: int) -> None:
        rng, counter = self.rng, self.name("i")
        bound = str(rng.randrange(1, 6)) if rng.random() < 0.5 else f"(int)({self.expression('unsigned', 1)} % 6)"
        self.loops += 1
        kind = rng.randrange(3)
        if kind == 0:
            self.line(f"for (int {counter} = 0; {counter} < {bound}; {counter}++) {{")
        elif kind == 1:
            self.line(f"for (int {counter} = {bound}; {counter} > 0; {counter}--) {{")
        else:
            self.line(f"int {counter} = {bound};")
            self.line(f"while ({counter}-- > 0) {{")
        self.counters.append(counter)
        self.body(rng.randrange(1, 4), depth - 1)
        if rng.random() < 0.5:
            self.depth += 1
            self.line(f"if {self.condition(1)} {rng.choice(('break', 'continue'))};")
            self.depth -= 1
            self.body(rng.randrange(1, 3), depth - 1)
        self.line("}")
        self.counters.remove(counter)
        self.loops -= 1

    def switch(self, depth: int) -> None:
        rng = self.rng
        self.line(f"switch ({self.expression('unsigned', 2)} % {rng.randrange(3, 9)}) {{")
        for value in sorted(rng.sample(range(8), rng.randrange(1, 5))):
            self.line(f"    case {value}: {{")
            self.depth += 1
            self.body(rng.randrange(1, 3), 0)
            self.depth -= 1
            self.line("    }" + (" break;" if rng.random() < 0.7 else "  // falls through"))
        if rng.random() < 0.5:
            self.line("    default: {")
            self.depth += 1
            self.body(1, 0)
            self.depth -= 1
            self.line("    }")
        self.line("}")

    def store(self) -> None:
        """A store to the thread's own elements, of any width."""
        rng = self.rng
        number = rng.randrange(len(self.outputs))
        kind = self.outputs[number]
        place = f"out{number}[{SLOTS} * t + {self.expression('unsigned', 2)} % {SLOTS}]"
        operator = rng.choice(("=", "=", "^=", "|=", "&="))
        self.line(f"{place} {operator} {self.expression(kind, 2)};")

    def atomic(self) -> None:
        """An atomic whose order does not matter: each word has one operation."""
        rng = self.rng
        operations = ("atomicAdd", "atomicMin", "atomicMax", "atomicXor", "atomicOr", "atomicAnd", "atomicSub")
        word = rng.randrange(len(operations))
        kind = "int" if word % 2 else "unsigned"
        self.line(f"{operations[word]}(({kind} *)out + {word}, {self.expression(kind, 2)});")

    def local_array(self) -> None:
        rng, name = self.rng, self.name("a")
        kind = rng.choice(sorted(TYPES))
        size, total = rng.choice((2, 4, 8)), rng.choice(sorted(self.variables))
        self.line(f"{kind} {name}[{size}];")
        fill = self.name("i")
        self.counters.append(fill)
        value = self.expression(kind, 2)
        self.counters.remove(fill)
        self.line(f"for (int {fill} = 0; {fill} < {size}; {fill}++) {name}[{fill}] = {value};")
        self.line(f"{name}[{self.expression('unsigned', 1)} & {size - 1}] = {self.expression(kind, 2)};")
        wide = unsigned(TYPES[self.variables[total]][0])
        read = f"{name}[{self.expression('unsigned', 1)} & {size - 1}]"
        self.line(f"{total} = ({self.variables[total]})(({wide}){total} + ({wide}){read});")

    def together(self) -> None:
        """A statement that all threads of the block reach: barriers and exchanges."""
        rng = self.rng
        name = rng.choice(sorted(self.variables))
        kind = self.variables[name]
        choice = rng.randrange(6)
        if choice == 0:
            self.line(f"shared[threadIdx.x] = (unsigned){name};")
            self.line("__syncthreads();")
            self.line(f"{name} = ({kind})shared[(threadIdx.x + {rng.randrange(1, 9)}) % blockDim.x];")
            self.line("__syncthreads();")
        elif choice == 1:
            count = rng.choice(("count", "and", "or"))
            self.line(f"{name} = ({kind})__syncthreads_{count}({self.condition(1)});")
        elif choice == 2:
            self.line(f"{name} = ({kind})__shfl_xor_sync(0xffffffffu, (unsigned){name}, {1 << rng.randrange(2)});")
        elif choice == 3:
            self.line(f"{name} = ({kind})__ballot_sync(0xffffffffu, {self.condition(1)});")
        elif choice == 4:
            vote = rng.choice(("any", "all"))
            self.line(f"{name} = ({kind})__{vote}_sync(0xffffffffu, {self.condition(1)});")
        else:
            self.line(f"{name} = ({kind})__shfl_up_sync(0xffffffffu, (long long){name}, {rng.randrange(1, 4)});")

    # --- the whole --------------------------------------------------------------------------------------------------

    def function(self) -> None:
        """A ``__device__`` function of its arguments."""
        rng, name = self.rng, self.name("f")
        result = rng.choice(sorted(TYPES))
        parameters = [rng.choice(sorted(TYPES)) for _ in range(rng.randrange(1, 4))]
        formals = [(kind, self.name("p")) for kind in parameters]
        inline = rng.choice(("", "__noinline__ ", "__forceinline__ "))
        self.lines.append(f"__device__ {inline}{result} {name}({', '.join(' '.join(f) for f in formals)}) {{")
        self.variables = {formal: kind for kind, formal in formals}
        for _ in range(rng.randrange(0, 3)):
            self.statement(1)
        self.line(f"return {self.expression(result, 2)};")
        self.lines += ["}", ""]
        self.variables = {}
        self.functions.append((name, result, parameters))

    def kernel(self) -> str:
        rng = self.rng
        self.in_function = True
        for _ in range(rng.randrange(0, 3)):
            self.function()
        self.in_function = False
        inputs = "".join(f"const {kind} *in{number}, " for number, kind in enumerate(self.inputs))
        outputs = "".join(f"{kind} *out{number}, " for number, kind in enumerate(self.outputs))
        self.lines.append(f"__global__ void fuzz(unsigned *out, {inputs}{outputs}int n) {{")
        self.line("__shared__ unsigned shared[64];")
        self.line("unsigned t = blockIdx.x * blockDim.x + threadIdx.x;")
        for _ in range(3):
            kind, name = rng.choice(sorted(TYPES)), self.name("v")
            self.line(f"{kind} {name} = {self.expression(kind, 1)};")
            self.variables[name] = kind
        for _ in range(rng.randrange(3, 8)):
            if rng.random() < 0.2:
                self.together()
            else:
                self.statement(2)
        self.line("shared[threadIdx.x] = t;")
        for number, name in enumerate(sorted(self.variables)):
            self.line(f"out[{SHARED} + {SLOTS} * t + {number % SLOTS}] ^= (unsigned){name};")
            if TYPES[self.variables[name]][0] == 64:
                self.line(f"out[{SHARED} + {SLOTS} * t + {(number + 1) % SLOTS}] += (unsigned)({name} >> 32);")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def program(seed: int, folder: Path) -> tuple[Case, tuple[str, ...]]:
    """The program of a seed, written to the folder, as a case; and options for the compiler."""
    writer = Writer(seed)
    rng = random.Random(f"launch {seed}")
    file = folder / f"fuzz{seed}.cu"
    file.write_text(writer.kernel())
    # Multiples of 4: the exchanges between lanes then ask for no lane that is not there.
    grid, block = rng.choice(((1, 4), (1, 32), (2, 8), (3, 12), (1, 36), (2, 16), (1, 64)))
    generator = np.random.default_rng(seed)

    def random_array(kind: str, size: int) -> np.ndarray:
        bits, _, dtype = TYPES[kind]
        values = [rng.choice((rng.choice(EDGES), int(generator.integers(2**63)))) for _ in range(size)]
        return np.array([v & (1 << bits) - 1 for v in values], f"u{bits // 8}").view(dtype)

    inputs = [random_array(kind, INPUTS) for kind in writer.inputs]
    outputs = [random_array(kind, SLOTS * grid * block) for kind in writer.outputs]
    out = generator.integers(0, 2**32, SHARED + SLOTS * grid * block, np.uint32)
    case = Case(str(file), "fuzz", str(seed), (grid,), (block,), (out, *inputs, *outputs, rng.randrange(-5, 100)))
    return case, (f"-O{rng.choice('0123')}",)


def run(seed: int, folder: Path, compiler: str = "zig", engine: str = "interpreter") -> Outcome:
    """Write, compile, run and compare the program of a seed; NVRTC takes no level of optimisation."""
    case, options = program(seed, folder)
    setup = Setup(compiler, options if compiler != "nvrtc" else (), engine, ("ptx", "cpp"))
    return run_case(case, setup)


#: What says that a program is too large for the machine, not that it is wrong.
_CAPACITY = ("CapacityError",)


def main(
    count: Annotated[int, typer.Option(help="How many programs.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the first; the others follow.")] = 0,
    compiler: Annotated[str, typer.Option(help="zig, nvrtc or clang.")] = "zig",
    engine: Annotated[str, typer.Option(help="interpreter, native, numpy or transformers.")] = "interpreter",
    keep: Annotated[Path | None, typer.Option(help="Write the programs to this folder, and leave them there.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes; 0 is one a core.")] = 0,
) -> None:
    """Compare random CUDA programs across the machine and the oracles."""
    failed = large = tokens = 0
    with tempfile.TemporaryDirectory() as temporary, ProcessPoolExecutor(jobs or None) as pool:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        work = partial(run, folder=folder, compiler=compiler, engine=engine)
        for number, outcome in zip(range(seed, seed + count), pool.map(work, range(seed, seed + count)), strict=True):
            tokens += outcome.tokens
            if any(problem.startswith(_CAPACITY) for problem in outcome.problems):
                large += 1
            elif outcome.problems:
                failed += 1
                print(f"seed {number}: " + "\n    ".join(outcome.problems))
                sys.stdout.flush()
    print(f"{count} programs: {failed} differ, {large} do not fit; {tokens} tokens")
    raise typer.Exit(int(failed > 0))


if __name__ == "__main__":
    typer.run(main)
