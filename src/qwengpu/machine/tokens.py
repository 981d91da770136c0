"""The vocabulary: what each token the machine reads or writes means, and its number.

A token is a kind, an index and a digit. Every kind has a fixed range of indices; VAL and COMMIT also carry a digit:
words are sent in base 2048, as digits of 11 bits (the third of a word has the 10 that remain).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from qwengpu.machine.spec import MachineSpec

#: Bits of a digit, how many values it has, and digits of a word.
DIGIT_BITS = 11
DIGIT_VALUES = 1 << DIGIT_BITS
DIGITS = 3


class Kind(Enum):
    """Token kinds. Written by the host: the first group. Written by the model: the others (VAL by both).

    ======== ===================================================== =====================================
    kind     index                                                 meaning
    ======== ===================================================== =====================================
    ROMC     block                                                 the 128 bits sent are its control row
    ROM0..2  block                                                 ... the bits of stages 0-1, 2-3, 4-5
    CONST    constant                                              lane 0's word is this constant
    REG      register                                              the words are this register of the current warp
    POKE     row                                                   the words go to memory words row*lanes + lane
    MAP      row                                                   lane 0's word: which of the words from 32*row are
                                                                   allocated
    GEOM     0                                                     lane 0's word: bits 0-7 last warp, bits 8-11 lanes
                                                                   absent from it
    VAL      slot = lane*3 + digit number                          one digit of the words being sent
    COMMIT   stage                                                 digit of slot 0; the words are the stage's result
    EXEC     block                                                 execute the block in the current warp
    WAKE     mask of lanes                                         these waiting lanes join; the block runs again
    ST       mask of lanes                                         these lanes' stores collided; run them now
    MEM      lane                                                  this lane's atomic: write the word sent
    WAITF    mask of lanes                                         these lanes wait at the block's ``next``
    WAITT    mask of lanes                                         these lanes wait at the block's ``target``
    EXIT     mask of lanes                                         these lanes end
    WARP     warp                                                  go on with this warp, past its barrier
    SYNC     warp                                                  go on with this warp past its sync block, if no warp
                                                                   of its logical warp waits at a lower one
    CTA      0                                                     start a thread block, with warp 0
    HALT     0                                                     the launch is complete
    TRAP     16 * cause + mask of lanes                            the launch ends with an error (see :data:`CAUSES`)
    ======== ===================================================== =====================================

    Words are sent as digits that are not 0, highest slot first; lane 0 is sent as it is and every other lane as its
    exclusive-or with lane 0, so what is equal in all lanes is sent once.
    """

    ROMC = "ROMC"
    ROM0 = "ROM0"
    ROM1 = "ROM1"
    ROM2 = "ROM2"
    CONST = "CONST"
    REG = "REG"
    POKE = "POKE"
    MAP = "MAP"
    GEOM = "GEOM"
    VAL = "VAL"
    COMMIT = "COMMIT"
    EXEC = "EXEC"
    WAKE = "WAKE"
    ST = "ST"
    MEM = "MEM"
    WAITF = "WAITF"
    WAITT = "WAITT"
    EXIT = "EXIT"
    WARP = "WARP"
    SYNC = "SYNC"
    CTA = "CTA"
    HALT = "HALT"
    TRAP = "TRAP"


#: What a trap is about, by cause: a trap or assertion of the kernel, an address outside allocated memory, an address
#: that is not aligned, a barrier that only some lanes of a warp have reached.
CAUSES = ("trap", "address", "alignment", "barrier")

#: Kinds that run the current block's stages.
RUN_KINDS = frozenset({Kind.EXEC, Kind.WAKE, Kind.ST, Kind.MEM})
DIGIT_KINDS = frozenset({Kind.VAL, Kind.COMMIT})


@dataclass(frozen=True)
class Token:
    """One token: kind, index within the kind, digit (VAL and COMMIT only)."""

    kind: Kind
    index: int = 0
    digit: int = 0

    def __str__(self) -> str:
        if self.kind is Kind.VAL:
            return f"VAL(lane{self.index // DIGITS}.d{self.index % DIGITS}={self.digit:#05x})"
        if self.kind is Kind.COMMIT:
            return f"COMMIT(s{self.index} lane0.d0={self.digit:#05x})"
        if self.kind in (Kind.HALT, Kind.CTA, Kind.GEOM):
            return self.kind.value
        if self.kind is Kind.TRAP:
            lanes = "+".join(str(lane) for lane in range(4) if self.index >> lane & 1)
            return f"TRAP({CAUSES[self.index >> 4]}, lanes {lanes})"
        if self.kind in (Kind.WAKE, Kind.ST, Kind.WAITF, Kind.WAITT, Kind.EXIT):
            lanes = "+".join(str(lane) for lane in range(8) if self.index >> lane & 1)
            return f"{self.kind.value}(lanes {lanes})"
        return f"{self.kind.value}({self.index})"


class Vocabulary:
    """Tokens of a machine and their ids, ``0 .. len-1`` in order of kind, index, digit."""

    def __init__(self, spec: MachineSpec) -> None:
        self.spec = spec
        masks = range(1, 1 << spec.lanes)
        self.indices: dict[Kind, range] = {
            Kind.ROMC: range(spec.blocks),
            **{kind: range(spec.blocks) for kind in (Kind.ROM0, Kind.ROM1, Kind.ROM2)[: (len(spec.stages) + 1) // 2]},
            Kind.CONST: range(spec.constants),
            Kind.REG: range(spec.registers),
            Kind.POKE: range(spec.words // spec.lanes),
            Kind.MAP: range(spec.words // 32),
            Kind.GEOM: range(1),
            Kind.VAL: range(DIGITS * spec.lanes),
            Kind.COMMIT: range(len(spec.stages)),
            Kind.EXEC: range(spec.blocks),
            Kind.WAKE: masks,
            Kind.ST: masks,
            Kind.MEM: range(spec.lanes),
            Kind.WAITF: masks,
            Kind.WAITT: masks,
            Kind.EXIT: masks,
            Kind.WARP: range(spec.warps),
            Kind.SYNC: range(spec.warps),
            Kind.CTA: range(1),
            Kind.HALT: range(1),
            Kind.TRAP: range(len(CAUSES) << spec.lanes),
        }
        self._first: dict[Kind, int] = {}
        count = 0
        for kind, indices in self.indices.items():
            self._first[kind] = count
            count += len(indices) * (DIGIT_VALUES if kind in DIGIT_KINDS else 1)
        self._size = count

    def __len__(self) -> int:
        return self._size

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens, by id."""
        return [
            Token(kind, index, digit)
            for kind, indices in self.indices.items()
            for index in indices
            for digit in range(DIGIT_VALUES if kind in DIGIT_KINDS else 1)
        ]

    @property
    def index_bits(self) -> int:
        """Bits that hold every index."""
        return max(indices[-1] for indices in self.indices.values()).bit_length()

    @property
    def ends(self) -> list[int]:
        """Ids of the tokens that end a launch: HALT, which is first, and the traps."""
        return [self.id(Token(kind, index)) for kind in (Kind.HALT, Kind.TRAP) for index in self.indices[kind]]

    def id(self, token: Token) -> int:
        """Number of a token.

        Raises:
            KeyError: if this machine has no such token.
        """
        indices = self.indices[token.kind]
        if token.index not in indices:
            raise KeyError(str(token))
        offset = token.index - indices.start
        return self._first[token.kind] + (offset * DIGIT_VALUES + token.digit if token.kind in DIGIT_KINDS else offset)

    def __getitem__(self, number: int) -> Token:
        return self.tokens[number]


def low_digit(word: int) -> int:
    """The lowest digit of a word."""
    return word & DIGIT_VALUES - 1


def encode_words(words: list[int]) -> list[Token]:
    """VAL tokens that send one word a lane: digits that are not 0, highest slot first, lanes 1.. as XOR with lane 0."""
    sent = [words[0]] + [w ^ words[0] for w in words[1:]]
    slots = [
        (lane * DIGITS + k, low_digit(word >> DIGIT_BITS * k)) for lane, word in enumerate(sent) for k in range(DIGITS)
    ]
    return [Token(Kind.VAL, slot, digit) for slot, digit in reversed(slots) if digit]
