"""A launch on a stand-in for the model: results, the limit, and a check that finds every change."""

import re

import pytest

import fakes
import programs
from qwengpu.errors import CheckError, ExecutionError, LaunchError
from qwengpu.machine import Kind, MachineSpec, Token, Vocabulary
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import LaunchImage, load
from qwengpu.runtime.check import check
from qwengpu.runtime.launch import launch, run_image

SPEC = MachineSpec()
ARGUMENTS = [[1, 2, 3], [4, 5, 6], [0], 3]


@pytest.fixture(autouse=True)
def _memory_of_the_fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qwengpu.runtime.launch.read_memory", fakes.read_memory)


@pytest.fixture
def image() -> LaunchImage:
    return load(SPEC, programs.dot(), ARGUMENTS, block=(4, 1, 1))


def test_results_come_from_the_state(image: LaunchImage) -> None:
    engine = fakes.FakeEngine(image)
    seen: list[Token] = []
    result = launch(
        programs.dot(),
        ARGUMENTS,
        block=(4, 1, 1),
        weights=fakes.tiny_weights(),
        engine=engine,
        on_token=seen.append,
        check=True,
    )
    assert [array.tolist() for array in result.arrays] == [[1, 2, 3], [4, 5, 6], [32]]
    assert result.tokens == seen == list(Interpreter(image).trace())
    assert [Vocabulary(SPEC)[number] for number in engine.prompt] == image.prompt()
    assert result.prompt_tokens == len(engine.prompt)
    assert result.seconds >= 0


def test_a_launch_that_does_not_end_is_given_up(image: LaunchImage) -> None:
    with pytest.raises(ExecutionError, match=r"dot wrote 10 tokens and did not finish; .*--max-tokens"):
        run_image(image, weights=fakes.tiny_weights(), engine=fakes.FakeEngine(image), max_tokens=10)


def test_arguments_are_checked_before_anything_runs() -> None:
    with pytest.raises(LaunchError):
        launch(programs.dot(), [], weights=fakes.tiny_weights(), engine=None)


def test_a_correct_run_passes_the_check(image: LaunchImage) -> None:
    interpreter = Interpreter(image)
    check(image, list(interpreter.trace()), interpreter.memory)


def test_every_changed_token_is_found(image: LaunchImage) -> None:
    interpreter = Interpreter(image)
    tokens = list(interpreter.trace())
    for position in range(len(tokens)):
        wrong = list(tokens)
        wrong[position] = Token(Kind.EXEC, 99)
        with pytest.raises(CheckError, match=rf"token {position} differs: expected {re.escape(str(tokens[position]))}"):
            check(image, wrong, interpreter.memory)


def test_every_changed_memory_word_is_found(image: LaunchImage) -> None:
    interpreter = Interpreter(image)
    tokens = list(interpreter.trace())
    for word in range(SPEC.words):
        wrong = list(interpreter.memory)
        wrong[word] ^= 1 << 31
        with pytest.raises(CheckError, match=f"memory word {word} "):
            check(image, tokens, wrong)


def test_messages_say_where(image: LaunchImage) -> None:
    def change(position: int, token: Token) -> Token:
        return Token(Kind.VAL, token.index, token.digit ^ 1) if position == 2 else token

    with pytest.raises(CheckError) as error:
        run_image(image, weights=fakes.tiny_weights(), engine=fakes.FakeEngine(image, change), check=True)
    assert str(error.value) == (
        "token 2 differs: expected VAL(lane2.d0=0x016), the model wrote VAL(lane2.d0=0x017) "
        "(warp 0, block 0, committing stage 3: mul s1, s2 -> r0, line 2)"
    )
    interpreter = Interpreter(image)
    tokens = list(interpreter.trace())
    first, _ = image.arrays[2]
    interpreter.memory[first] -= 33
    with pytest.raises(CheckError, match=rf"memory word {first} \(out\[0\]\) differs: expected 32, .* holds -1$"):
        check(image, tokens, [word & 0xFFFFFFFF for word in interpreter.memory])


def test_missing_and_surplus_tokens_are_found(image: LaunchImage) -> None:
    interpreter = Interpreter(image)
    tokens = list(interpreter.trace())
    with pytest.raises(CheckError, match="token 16 differs: expected HALT, the model wrote no more tokens"):
        check(image, tokens[:-1], interpreter.memory)
    with pytest.raises(CheckError, match="token 17 differs: expected no more tokens, the model wrote HALT"):
        check(image, [*tokens, Token(Kind.HALT)], interpreter.memory)
