"""Stock transformers: the compiled checkpoint in ``Qwen3_5ForCausalLM``, unmodified."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from qwengpu.checkpoint.weights import Weights
from qwengpu.engine.base import SingleLaunch, greedy
from qwengpu.errors import EngineError


class TransformersEngine(SingleLaunch):
    """Greedy decoding with a cache in stock transformers.

    Args:
        dtype: "bfloat16" or "float32". device: a torch device.

    Raises:
        EngineError: if torch or transformers is not installed, or transformers does not know Qwen3.5.
    """

    def __init__(self, weights: Weights, dtype: str = "bfloat16", device: str = "cpu") -> None:
        try:
            import torch
            from transformers import Qwen3_5ForCausalLM, Qwen3_5TextConfig
        except ImportError as error:
            raise EngineError(
                f"the transformers engine needs torch and transformers with Qwen3.5 ({error}): "
                "pip install 'qwengpu[transformers]'"
            ) from error
        self._torch = torch
        self.device = device
        kind = getattr(torch, dtype)
        config = Qwen3_5TextConfig(**{k: v for k, v in weights.config.items() if k not in ("architectures", "dtype")})
        with torch.device("meta"):
            self.model = Qwen3_5ForCausalLM(config)
        state: dict[str, Any] = {}
        for name, tensor in weights.tensors.items():
            dense = tensor if isinstance(tensor, np.ndarray) else tensor.toarray()
            state[name] = torch.from_numpy(np.ascontiguousarray(dense)).to(device, kind)
        state["lm_head.weight"] = state["model.embed_tokens.weight"]
        self.model.load_state_dict(state, assign=True, strict=True)
        rotary = self.model.model.rotary_emb
        self.model.model.rotary_emb = type(rotary)(config).to(device)  # its buffers are not in the state dict
        self.model.eval()
        self._cache: Any = None

    def generate(self, prompt_ids: list[int], stop: Collection[int], max_tokens: int) -> Iterator[int]:
        """See :class:`qwengpu.engine.Engine`."""
        self._once()
        yield from greedy(lambda ids: int(self.feed(ids)[0, -1].argmax()), prompt_ids, stop, max_tokens)

    def feed(self, ids: list[int]) -> Any:
        """Feed tokens; returns the logits tensor [1, 1, vocabulary] after the last one."""
        torch = self._torch
        with torch.inference_mode():
            output = self.model(
                torch.tensor([ids], device=self.device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            )
        self._cache = output.past_key_values
        return output.logits

    def state(self, layer: int, head: int) -> np.ndarray:
        """See :class:`qwengpu.engine.Engine`."""
        return self._cache.get_recurrent_state(layer, state_idx=0)[0, head].float().cpu().numpy()
