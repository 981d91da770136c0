"""The exported checkpoint: readable by the stock libraries, whole or not there, and never over other files."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from scipy.sparse import issparse

import fakes
from qwengpu.checkpoint.export import export_checkpoint, word
from qwengpu.errors import CheckpointError
from qwengpu.machine import Kind, MachineSpec, Token, Vocabulary

VOCABULARY = Vocabulary(MachineSpec())


def tensors(directory: Path) -> dict[str, np.ndarray]:
    """All tensors of a checkpoint, through the stock safetensors reader, as float32."""
    found: dict[str, np.ndarray] = {}
    for path in sorted(directory.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            found |= {name: file.get_tensor(name).float().numpy() for name in file.keys()}  # noqa: SIM118
    return found


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_every_value_is_written_exactly(tmp_path: Path, dtype: str) -> None:
    weights = fakes.tiny_weights()
    export_checkpoint(weights, tmp_path / "out", dtype)
    found = tensors(tmp_path / "out")
    assert found.keys() == weights.tensors.keys()
    for name, tensor in weights.tensors.items():
        np.testing.assert_array_equal(found[name], tensor.toarray() if issparse(tensor) else tensor)
    assert json.loads((tmp_path / "out" / "config.json").read_text())["dtype"] == dtype


def test_large_checkpoints_are_sharded(tmp_path: Path) -> None:
    weights = fakes.tiny_weights()
    export_checkpoint(weights, tmp_path / "out", shard_bytes=60)
    index = json.loads((tmp_path / "out" / "model.safetensors.index.json").read_text())
    files = sorted(path.name for path in (tmp_path / "out").glob("*.safetensors"))
    assert files == [f"model-{k:05}-of-{len(files):05}.safetensors" for k in range(1, len(files) + 1)]
    assert len(files) > 1
    assert index["weight_map"].keys() == weights.tensors.keys()
    assert set(index["weight_map"].values()) == set(files)
    assert index["metadata"]["total_size"] == 2 * sum(np.prod(t.shape) for t in weights.tensors.values())
    assert tensors(tmp_path / "out").keys() == weights.tensors.keys()


def test_a_tied_head_is_left_out(tmp_path: Path) -> None:
    export_checkpoint(fakes.tiny_weights(tie_word_embeddings=True), tmp_path / "out")
    assert "lm_head.weight" not in tensors(tmp_path / "out")


def test_settings_are_those_of_greedy_decoding_up_to_halt_or_a_trap(tmp_path: Path) -> None:
    export_checkpoint(fakes.tiny_weights(), tmp_path / "out")
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    generation = json.loads((tmp_path / "out" / "generation_config.json").read_text())
    assert config["architectures"] == ["Qwen3_5ForCausalLM"]
    assert config["model_type"] == "qwen3_5_text"
    assert generation["do_sample"] is False
    assert generation["eos_token_id"] == config["eos_token_id"] == VOCABULARY.ends


def test_the_stock_tokenizer_reads_machine_tokens(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    export_checkpoint(fakes.tiny_weights(), tmp_path / "out")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    ids = [0, 1, len(VOCABULARY) // 2, len(VOCABULARY) - 1]
    text = " ".join(word(VOCABULARY[number]) for number in ids)
    assert tokenizer(text)["input_ids"] == ids
    assert tokenizer.decode(ids) == text
    assert tokenizer.eos_token == "<HALT>"
    assert len(tokenizer) == len(VOCABULARY)


def test_words_are_distinct() -> None:
    assert len({word(token) for token in VOCABULARY.tokens}) == len(VOCABULARY)
    assert word(Token(Kind.VAL, 7, 255)) == "<VAL:7:255>"
    assert word(Token(Kind.EXEC, 3)) == "<EXEC:3>"


def test_other_files_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    for force in (False, True):
        with pytest.raises(CheckpointError, match="no export of qwengpu"):
            export_checkpoint(fakes.tiny_weights(), tmp_path, force=force)
    with pytest.raises(CheckpointError, match="no export"):
        export_checkpoint(fakes.tiny_weights(), tmp_path / "thesis.txt", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_export_is_replaced_only_by_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    export_checkpoint(fakes.tiny_weights(), out)
    with pytest.raises(CheckpointError, match="--force"):
        export_checkpoint(fakes.tiny_weights(), out)
    export_checkpoint(fakes.tiny_weights(), out, "float32", force=True)
    assert tensors(out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failing_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left")

    out = tmp_path / "out"
    export_checkpoint(fakes.tiny_weights(), out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    monkeypatch.setattr("qwengpu.checkpoint.export._write_settings", fail)
    with pytest.raises(CheckpointError, match="no space left"):
        export_checkpoint(fakes.tiny_weights(), out, force=True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_unknown_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="choose one of bfloat16, float32"):
        export_checkpoint(fakes.tiny_weights(), tmp_path / "out", "int3")
    assert not list(tmp_path.iterdir())


def test_progress_ends_at_one(tmp_path: Path) -> None:
    seen: list[float] = []
    export_checkpoint(fakes.tiny_weights(), tmp_path / "out", progress=lambda _, done: seen.append(done))
    assert seen == sorted(seen)
    assert seen[-1] == 1
