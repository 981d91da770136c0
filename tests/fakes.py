"""Stand-ins for the model: weights of a few numbers, and an engine that writes what the interpreter says."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from qwengpu.checkpoint.weights import Weights
from qwengpu.machine import MachineSpec, Token, Vocabulary
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import LaunchImage

CONFIG = {
    "vocab_size": 6,
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
}


def tiny_weights(spec: MachineSpec | None = None, **config: object) -> Weights:
    """Weights in shape only: dense, sparse and one-dimensional tensors of values that bf16 holds exactly."""
    rng = np.random.default_rng(0)
    tensors = {
        "model.embed_tokens.weight": csr_array(rng.integers(-2, 3, (6, 4)).astype(np.float32)),
        "model.norm.weight": np.array([-1, 0, 0.5, 2**20], np.float32),
        "model.layers.0.linear_attn.conv1d.weight": rng.integers(-9, 9, (3, 1, 4)).astype(np.float32),
        "lm_head.weight": csr_array(rng.integers(-2, 3, (6, 4)).astype(np.float32)),
    }
    return Weights(spec or MachineSpec(), CONFIG | config, tensors, {"memory": [1, 2]}, np.ones((2, 4), np.uint8))


@dataclass
class FakeEngine:
    """Writes the interpreter's trace of an image, each token through ``change`` (position, token) first."""

    image: LaunchImage
    change: Callable[[int, Token], Token] = lambda _, token: token
    memory: list[int] = field(default_factory=list)
    prompt: list[int] = field(default_factory=list)

    def generate(self, prompt_ids: list[int], stop: Collection[int], max_tokens: int) -> Iterator[int]:
        vocabulary = Vocabulary(self.image.spec)
        interpreter = Interpreter(self.image)
        self.prompt, self.memory = prompt_ids, interpreter.memory
        for position, token in enumerate(interpreter.trace()):
            if position == max_tokens:
                return
            yield (number := vocabulary.id(self.change(position, token)))
            if number in stop:
                return


def read_memory(weights: Weights, engine: FakeEngine, first: int, count: int) -> list[int]:
    return engine.memory[first : first + count]
