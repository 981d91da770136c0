"""The cache: built once, never half written, never another version's, and never in the way."""

import threading
import time
from pathlib import Path

import pytest

import fakes
from qwengpu.checkpoint import cache
from qwengpu.machine import MachineSpec


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[MachineSpec]:
    """Specs that were built, by a stand-in for the builder; the cache is in tmp_path / "cache"."""
    built: list[MachineSpec] = []

    def build(spec: MachineSpec, progress: object = None) -> object:
        built.append(spec)
        time.sleep(0.05)
        return fakes.tiny_weights(spec)

    monkeypatch.setattr(cache, "build_weights", build)
    monkeypatch.setenv("QWENGPU_CACHE", str(tmp_path / "cache"))
    return built


def test_weights_are_built_once(builds: list[MachineSpec], tmp_path: Path) -> None:
    spec = MachineSpec()
    first, second = cache.cached_weights(spec), cache.cached_weights(spec)
    assert builds == [spec]
    assert second.spec == spec
    assert second.tensors.keys() == first.tensors.keys()
    assert [path.suffix for path in (tmp_path / "cache").iterdir() if path.suffix != ".lock"] == [".npz"]


def test_another_machine_or_version_has_another_file(
    builds: list[MachineSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = MachineSpec()
    paths = {cache.cache_path(spec), cache.cache_path(MachineSpec(words=2048))}
    monkeypatch.setattr("qwengpu.__version__", "99")
    paths.add(cache.cache_path(spec))
    monkeypatch.setattr(cache, "source_digest", lambda: "changed")
    paths.add(cache.cache_path(spec))
    assert len(paths) == 4


def test_the_source_decides_the_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "circuits").mkdir()
    monkeypatch.setattr("qwengpu.__file__", str(tmp_path / "__init__.py"))
    digests = []
    for text in ("a = 1", "a = 2"):
        (tmp_path / "circuits" / "alu.py").write_text(text)
        digests.append(cache.source_digest.__wrapped__())
    assert digests[0] != digests[1]


@pytest.mark.parametrize("kept", [0, 10, -10])
def test_a_damaged_file_is_built_again(builds: list[MachineSpec], kept: int) -> None:
    spec = MachineSpec()
    cache.cached_weights(spec)
    path = cache.cache_path(spec)
    path.write_bytes(path.read_bytes()[:kept])
    cache.cached_weights(spec)
    cache.cached_weights(spec)
    assert len(builds) == 2


def test_a_file_of_another_machine_is_not_used(builds: list[MachineSpec]) -> None:
    spec, other = MachineSpec(), MachineSpec(words=2048)
    cache.cached_weights(other)
    cache.cache_path(other).rename(cache.cache_path(spec))
    assert cache.cached_weights(spec).spec == spec


def test_an_unwritable_directory_costs_only_time(
    builds: list[MachineSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("QWENGPU_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="QWENGPU_CACHE"):
        assert cache.cached_weights(MachineSpec()).spec == MachineSpec()


def test_a_full_disk_costs_only_time_and_leaves_nothing(
    builds: list[MachineSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(self: object, path: Path) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr("qwengpu.checkpoint.weights.Weights.save", save)
    with pytest.warns(RuntimeWarning, match="no space left"):
        cache.cached_weights(MachineSpec())
    assert not list((tmp_path / "cache").glob("*.npz"))


def test_those_who_come_while_it_is_built_wait_for_it(builds: list[MachineSpec]) -> None:
    threads = [threading.Thread(target=cache.cached_weights, args=(MachineSpec(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(builds) == 1
