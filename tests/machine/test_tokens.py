"""Token numbers and the digits words are sent as."""

import random

import pytest

from qwengpu.machine import Kind, MachineSpec, Token, Vocabulary
from qwengpu.machine.tokens import encode_words

SPECS = [MachineSpec(), MachineSpec(registers=8, blocks=16, words=512, warps=1, stages=("mul", "load", "alu"))]


def decode(tokens: list[Token], lanes: int = 4) -> list[int]:
    """Words that VAL tokens send, by the documented rule."""
    sent = [0] * lanes
    for token in tokens:
        sent[token.index // 3] |= token.digit << 11 * (token.index % 3)
    return [sent[0]] + [word ^ sent[0] for word in sent[1:]]


@pytest.mark.parametrize("spec", SPECS, ids=["default", "small"])
def test_ids_and_tokens_are_one_to_one(spec: MachineSpec) -> None:
    vocabulary = Vocabulary(spec)
    assert len(vocabulary.tokens) == len(vocabulary)
    assert [vocabulary.id(token) for token in vocabulary.tokens] == list(range(len(vocabulary)))
    assert len({str(token) for token in vocabulary.tokens} - {"ROM2(0)"}) > len(vocabulary) // 2
    assert all(token.index < 1 << vocabulary.index_bits for token in vocabulary.tokens)


@pytest.mark.parametrize(("kind", "index"), [(Kind.EXEC, 256), (Kind.WAKE, 0), (Kind.ROM2, 999), (Kind.MEM, 4)])
def test_tokens_the_machine_lacks_have_no_id(kind: Kind, index: int) -> None:
    with pytest.raises(KeyError):
        Vocabulary(MachineSpec()).id(Token(kind, index))


def test_words_survive_being_sent() -> None:
    rng = random.Random(0)
    edges = [0, 1, 2047, 2048, 1 << 22, 0x80000000, 0xFFFFFFFF]
    for _ in range(500):
        words = [rng.choice([*edges, rng.getrandbits(32)]) for _ in range(4)]
        tokens = encode_words(words)
        assert decode(tokens) == words
        assert all(token.digit for token in tokens)
        assert [t.index for t in tokens] == sorted((t.index for t in tokens), reverse=True)


def test_equal_words_are_sent_once() -> None:
    assert encode_words([0] * 4) == []
    assert encode_words([7] * 4) == [Token(Kind.VAL, 0, 7)]


def test_tokens_are_readable() -> None:
    tokens = [Token(Kind.EXEC, 3), Token(Kind.VAL, 5, 16), Token(Kind.WAITF, 0b1010), Token(Kind.HALT)]
    assert [str(token) for token in tokens] == ["EXEC(3)", "VAL(lane1.d2=0x010)", "WAITF(lanes 1+3)", "HALT"]
