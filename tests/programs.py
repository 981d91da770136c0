"""Hand-made programs, small enough to follow on paper."""

from qwengpu.machine import Block, Instruction, Op, Operand, Program


def r(index: int) -> Operand:
    return Operand("reg", index)


def c(index: int) -> Operand:
    return Operand("const", index)


def s(index: int) -> Operand:
    return Operand("stage", index)


I = Instruction  # noqa: E741
TID = r(31)
#: Constants every program here begins with: 0 block index, 1 block size, 2 grid size, 3 the number one.
COMMON = {0: ("ctaid", 0), 1: ("ntid", 0), 2: ("nctaid", 0), 3: 1}


def scheduler(first: int = 0) -> Block:
    """The grid scheduler on one axis: start block ``first`` again while a thread block is left."""
    stages = (I(Op.ADD, c(0), c(3), dst=c(0)), None, None, None, I(Op.SLTU, s(0), c(2)))
    return Block(stages, target=first, branch=True, grid=True)


Parameters = list[tuple[str, str]]


def program(name: str, blocks: list[Block], parameters: Parameters, literals: tuple[int, ...] = ()) -> Program:
    """Parameters become constants 4, 5, ...; literals follow them."""
    rows = dict(enumerate([("param", i, 0) for i in range(len(parameters))] + list(literals), start=4))
    return Program(name, blocks, COMMON | rows, {0: 31}, parameters)


def dot() -> Program:
    """``out[0] += a[i] * b[i]`` for i < n, by atomics, over any grid; parameters a, b, out, n (loads are unchecked)."""
    multiply = (
        I(Op.MAD, c(0), c(1), TID),
        I(Op.LDX, c(4), s(0), align=0),
        I(Op.LDX, c(5), s(0), align=0),
        I(Op.MUL, s(1), s(2), dst=r(0), line=2, text="mul.lo.s32"),
        I(Op.SLTS, s(0), c(7), dst=r(1)),
    )
    add = (I(Op.ADD, r(0), c=r(1)), I(Op.LD, c(6)), None, None, I(Op.ADD, s(0), s(1)))
    blocks = [Block(multiply, next=1), Block(add, atomic=True, guard=True, exit=True, target=2), scheduler()]
    return program("dot", blocks, [("ptr", "a"), ("ptr", "b"), ("ptr", "out"), ("s32", "n")])


def scatter() -> Program:
    """``out[i * stride] = i``, i the thread's index in the grid; parameters out, stride."""
    index = (I(Op.MAD, c(0), c(1), TID, dst=r(0)), None, None, I(Op.MUL, s(0), c(5), dst=r(1)), None)
    store = (I(Op.ADD, r(0)), I(Op.LEA, c(4), r(1)), None, None, None)
    blocks = [Block(index, next=1), Block(store, store=True, exit=True, target=2), scheduler()]
    return program("scatter", blocks, [("ptr", "out"), ("u32", "stride")])


def diverge() -> Program:
    """``out[i] = i < 2 ? 10 + i : 20 * i``, with a branch; then all lanes meet again. Parameter out."""
    test = (None, None, None, None, I(Op.SLTU, TID, c(5)))
    low = (I(Op.ADD, TID, c(6), dst=r(0)), None, None, None, None)
    high = (I(Op.MUL, TID, c(7), dst=r(0)), None, None, None, None)
    store = (I(Op.ADD, r(0)), I(Op.LEA, c(4), TID), None, None, None)
    blocks = [
        Block(test, next=2, target=1, branch=True),
        Block(low, next=3),
        Block(high, next=3),
        Block(store, store=True, exit=True, target=4),
        scheduler(),
    ]
    return program("diverge", blocks, [("ptr", "out")], (2, 10, 20))


def loop() -> Program:
    """``out[i] = 0 + 1 + ... + i``, a loop each lane leaves at its own time. Parameter out."""
    step = (I(Op.ADD, r(0), r(1), dst=r(0)), I(Op.ADD, r(1), c(3), dst=r(1)), None, None, I(Op.SGEU, TID, s(1)))
    store = (I(Op.ADD, r(0)), I(Op.LEA, c(4), TID), None, None, None)
    blocks = [
        Block(step, next=1, target=0, branch=True),
        Block(store, store=True, exit=True, target=2),
        scheduler(first=0),
    ]
    return program("loop", blocks, [("ptr", "out")])


def reverse() -> Program:
    """``out[i] = in[n - 1 - i]`` through shared memory and a barrier, n the block size. Parameters in, out."""
    copy = (I(Op.ADD, r(0)), I(Op.LEA, c(6), TID), None, None, None)
    load = (None, I(Op.LDX, c(4), TID, dst=r(0)), None, None, None)
    fetch = (I(Op.SUB, c(1), c(3)), I(Op.SUB, s(0), TID), I(Op.LDX, c(6), s(1), dst=r(0)), None, None)
    store = (I(Op.ADD, r(0)), I(Op.LEA, c(5), TID), None, None, None)
    blocks = [
        Block(load, next=1),
        Block(copy, next=2, store=True, barrier=True),
        Block(fetch, next=3),
        Block(store, store=True, exit=True, target=4),
        scheduler(),
    ]
    made = program("reverse", blocks, [("ptr", "in"), ("ptr", "out")], (0,))
    made.constants[6] = ("shared", 0)
    made.shared_bytes = 128
    return made


#: Where the programs of a machine with 16 registers keep the thread's index.
TID_SMALL = r(15)


def each(value: Instruction, literals: tuple[int, ...] = ()) -> Program:
    """``out[i] = value`` on a machine of three stages and 16 registers. Parameter out."""
    store = (value, I(Op.LEA, c(4), TID_SMALL), None)
    stages = (I(Op.ADD, c(0), c(3), dst=c(0)), None, I(Op.SLTU, s(0), c(2)))
    blocks = [
        Block(store, store=True, exit=True, target=1),
        Block(stages, target=0, branch=True, grid=True),
    ]
    made = program("each", blocks, [("ptr", "out")], literals)
    made.thread_index = {0: 15}
    return made
