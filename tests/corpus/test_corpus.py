"""Samples of the corpus and of the fuzzer: the sweeps themselves are ``python -m corpus.run`` and ``corpus.fuzz``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpus import fuzz, run
from corpus.case import ROOT, Case, all_cases
from corpus.run import Setup, run_case
from qwengpu.checkpoint.weights import Weights

#: One case of every seventh kernel; the whole corpus takes minutes.
KERNELS = list({(case.file, case.kernel): case for case in all_cases()}.values())
SAMPLE = KERNELS[::7]


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_sample_against_the_oracles(case: Case) -> None:
    assert run_case(case, Setup(oracles=("expected", "ptx", "cpp"))).problems == ()


def smallest(category: str) -> Case:
    """The case of a category with the least to upload."""
    return min(
        (case for case in KERNELS if case.file.startswith(category)),
        key=lambda case: sum(array.size for array in case.arrays().values()) * np.prod(case.grid) * np.prod(case.block),
    )


@pytest.mark.parametrize("category", sorted({case.file.split("/")[0] for case in KERNELS}))
def test_a_case_of_each_category_through_the_weights(
    category: str, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_weights", lambda: weights)
    outcome = run_case(smallest(category), Setup(engine="native"))
    assert outcome.problems == ()
    assert outcome.tokens > 0


def test_a_difference_is_found() -> None:
    case = smallest("bits")
    index = next(iter(case.expected))
    wrong = replace(case, expected={index: case.expected[index] + 1})
    problems = run_case(wrong, Setup(oracles=("expected",))).problems
    assert len(problems) == 1
    assert f"expected: argument {index}: " in problems[0]


def test_the_corpus_is_whole() -> None:
    cases = all_cases()
    assert len({case.name for case in cases}) == len(cases)
    assert {str(path.relative_to(ROOT)) for path in ROOT.glob("*/*.cu")} == {case.file for case in cases}
    assert len(KERNELS) >= 150
    assert min(sum((c.file, c.kernel) == kernel for c in cases) for kernel in {(c.file, c.kernel) for c in cases}) >= 1


#: Seeds of programs that fit the machine and compile quickly.
SEEDS = (0, 1, 3, 8, 10, 21, 22)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int, tmp_path: Path) -> None:
    assert fuzz.run(seed, tmp_path).problems == ()


def test_a_random_program_through_the_weights(
    weights: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_weights", lambda: weights)
    assert fuzz.run(SEEDS[0], tmp_path, engine="native").problems == ()
