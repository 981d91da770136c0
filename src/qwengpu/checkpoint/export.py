"""Export: weights become a stock Hugging Face checkpoint that unmodified ``transformers`` loads and runs."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from scipy.sparse import issparse
from tokenizers import Tokenizer, models, pre_tokenizers

from qwengpu.checkpoint.weights import Progress, Weights
from qwengpu.errors import CheckpointError
from qwengpu.machine.tokens import DIGIT_KINDS, Kind, Token, Vocabulary

#: Names of the number formats that can be written -> (NumPy type, its name in a safetensors header).
DTYPES: dict[str, tuple[Any, str]] = {"bfloat16": (ml_dtypes.bfloat16, "BF16"), "float32": (np.float32, "F32")}
#: Largest file of weights, in bytes of tensors.
SHARD_BYTES = 2 << 30
#: File that marks a directory as ours; it holds the machine's size and where its memory lies in the state.
MARK = "qwengpu.json"


def word(token: Token) -> str:
    """A token as a word of the exported tokenizer: ``<HALT>``, ``<EXEC:3>``, ``<VAL:7:255>``."""
    index = "" if token.kind in (Kind.GEOM, Kind.CTA, Kind.HALT) else f":{token.index}"
    digit = f":{token.digit}" if token.kind in DIGIT_KINDS else ""
    return f"<{token.kind.value}{index}{digit}>"


def export_checkpoint(
    weights: Weights,
    directory: Path,
    dtype: str = "bfloat16",
    force: bool = False,
    progress: Progress | None = None,
    shard_bytes: int = SHARD_BYTES,
) -> None:
    """Write config, tokenizer and weights to a directory, whole or not at all.

    Args:
        directory: a new or an empty one.
        dtype: one of :data:`DTYPES`; all of them hold the weights exactly.
        force: replace an earlier export in ``directory``.
        progress: called with the tensor being written and the fraction done, 0 to 1.
        shard_bytes: largest file of weights.

    Raises:
        CheckpointError: for an unknown dtype, a directory that holds something else, or a failing disk.
    """
    if dtype not in DTYPES:
        raise CheckpointError(f"dtype {dtype}: choose one of {', '.join(DTYPES)}")
    target = directory.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    replaced = target.with_name(f".{target.name}.{os.getpid()}.replaced")
    try:
        _refuse_occupied(target, force)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.mkdir()
        try:
            _write_tensors(weights, partial, dtype, shard_bytes, progress)
            _write_settings(weights, partial, dtype)
            if target.exists():
                target.rename(replaced)
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
            shutil.rmtree(replaced, ignore_errors=True)
    except OSError as error:
        raise CheckpointError(f"cannot write the checkpoint to {directory}: {error}") from error


def _refuse_occupied(target: Path, force: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / MARK).is_file():
        raise CheckpointError(f"{target} holds files that are no export of qwengpu; choose another directory")
    if not force:
        raise CheckpointError(f"{target} already holds an export; replace it with --force, or choose another directory")


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _write_settings(weights: Weights, directory: Path, dtype: str) -> None:
    vocabulary = Vocabulary(weights.spec)
    halt = Token(Kind.HALT)
    end = {"eos_token_id": vocabulary.ends, "pad_token_id": vocabulary.id(halt)}
    model = {"architectures": ["Qwen3_5ForCausalLM"], "model_type": "qwen3_5_text", "dtype": dtype}
    _write_json(directory / "config.json", weights.config | model | end)
    _write_json(directory / "generation_config.json", {"do_sample": False} | end)
    _write_json(
        directory / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": word(halt),
            "pad_token": word(halt),
            "clean_up_tokenization_spaces": False,
            "model_max_length": weights.config["max_position_embeddings"],
        },
    )
    _write_json(directory / MARK, {"spec": weights.spec.asdict(), "layout": weights.layout})
    words = {word(token): number for number, token in enumerate(vocabulary.tokens)}
    tokenizer = Tokenizer(models.WordLevel(vocab=words))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(directory / "tokenizer.json"))


def _write_tensors(weights: Weights, directory: Path, dtype: str, shard_bytes: int, progress: Progress | None) -> None:
    kind, kind_name = DTYPES[dtype]
    tied = weights.config.get("tie_word_embeddings", False)
    names = [name for name in weights.tensors if not (tied and name == "lm_head.weight")]
    sizes = {name: math.prod(weights.tensors[name].shape) * np.dtype(kind).itemsize for name in names}
    shards: list[list[str]] = [[]]
    for name in names:
        if shards[-1] and sum(sizes[n] for n in shards[-1]) + sizes[name] > shard_bytes:
            shards.append([])
        shards[-1].append(name)
    if len(shards) == 1:
        files = ["model.safetensors"]
    else:
        files = [f"model-{k:05}-of-{len(shards):05}.safetensors" for k in range(1, len(shards) + 1)]
        index = {name: file for file, shard in zip(files, shards, strict=True) for name in shard}
        total = {"total_size": sum(sizes.values())}
        _write_json(directory / "model.safetensors.index.json", {"metadata": total, "weight_map": index})
    done = 0
    for file, shard in zip(files, shards, strict=True):
        # One dense tensor at a time; the safetensors format is a length, a JSON header and the tensors' bytes.
        header: dict[str, object] = {"__metadata__": {"format": "pt"}}
        offset = 0
        for name in shard:
            shape = list(weights.tensors[name].shape)
            header[name] = {"dtype": kind_name, "shape": shape, "data_offsets": [offset, offset + sizes[name]]}
            offset += sizes[name]
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(directory / file, "wb") as out:
            out.write(len(text).to_bytes(8, "little") + text)
            for name in shard:
                tensor = weights.tensors[name]
                dense = tensor.toarray() if issparse(tensor) else np.asarray(tensor)
                out.write(dense.astype(kind, order="C").tobytes())
                done += sizes[name]
                if progress:
                    progress(name, done / sum(sizes.values()))
