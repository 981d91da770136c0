"""From circuit to tensors: the weights of stock Qwen3.5 decoder layers, computed, not trained.

Scales (all powers of two unless calibrated, so that every tensor is exact in bf16):

* The residual's anchor channel holds ``A = sqrt(H) * 2**12``, far above all other energy, so RMSNorm divides by
  ``2**12``; the norm's weight multiplies by ``2**8``, and projections by the remaining ``2**4``.
* SwiGLU: gates are multiples of 128, where SiLU is ReLU exactly; ``up`` is divided by 128.
* DeltaNet keys and queries are ``128 * (1 - 2 * mismatches)``, at least 128 away from 0 on either side: SiLU and the
  l2 norm make them one-hot, or exactly 0, in any precision. Values are stored
  so small that ``eps`` dominates the gated norm, which is then linear: bits of any number of rows and lanes read
  back with the same factor. The write strength is sigmoid(32) = 1; the decay is 1, or 0 on reset.
"""

from __future__ import annotations

import math

import numpy as np
from ml_dtypes import bfloat16
from scipy.sparse import csr_array

from qwengpu.checkpoint.weights import Progress, Tensor, Weights
from qwengpu.circuits.builder import Head, Layer, Lin
from qwengpu.circuits.machine import ANCHOR, ONE, ONE_AGAIN, Circuit, build_circuit
from qwengpu.machine.spec import MachineSpec

ANCHOR_SHIFT = 12
NORM_SHIFT = 8
IN_SCALE = 2.0 ** (ANCHOR_SHIFT - NORM_SHIFT)  # undoes the norm in every projection
GATE = 128.0
WRITE_STRENGTH = 32.0
FORGET = 200.0
# Calibrated together, so that a stored bit reads back as exactly 1 in bf16 and to 1e-6 in fp32 with rms_norm_eps 1e-6
# and head width 128: pre-activation of a stored 1, the gated norm's weight, and the output gate.
BIT_IN, READ_NORM, READ_GATE = 2.7179718017578125e-05, 1.15625, 720.0
HEAD_WIDTH = 128


class _Matrix:
    """A sparse matrix being filled; entries at the same place add up."""

    def __init__(self, rows: int, columns: int) -> None:
        self.shape = (rows, columns)
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []

    def add(self, row: int, column: int, value: float) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.values.append(value)

    def add_form(self, row: int, form: Lin, scale: float) -> None:
        """Add a linear form of wires as a row."""
        for wire, c in form.terms.items():
            if wire.writes:  # a wire nothing is added to is 0
                self.add(row, wire.channel, c * scale)
        if form.constant:
            exact = form.constant * scale
            main = float(np.float32(exact).astype(bfloat16))
            self.add(row, ONE, main)
            if exact != main:
                self.add(row, ONE_AGAIN, exact - main)

    def csr(self) -> csr_array:
        matrix = csr_array((np.array(self.values), (self.rows, self.columns)), shape=self.shape)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        _check_bf16(matrix.data)
        return matrix.astype(np.float32)


def _check_bf16(data: np.ndarray) -> None:
    if (data.astype(np.float32).astype(bfloat16).astype(np.float64) != data).any():
        raise ValueError("internal: a weight is not exact in bf16")


def build_weights(spec: MachineSpec, progress: Progress | None = None) -> Weights:
    """Compile the machine into a checkpoint (seconds).

    Args:
        progress: called with a step's name and the fraction done.

    Raises:
        SpecError, ValueError: if the machine cannot be built at this size.
    """
    report = progress or (lambda name, fraction: None)
    report("circuit", 0.0)
    circuit = build_circuit(spec)
    layers, hidden = circuit.builder.layers, circuit.hidden
    width = max(len(layer.neurons) for layer in layers)
    width += -width % 64
    tensors: dict[str, Tensor] = {"model.embed_tokens.weight": _embedding(circuit)}
    for number, layer in enumerate(layers):
        report("weights", 0.2 + 0.8 * number / len(layers))
        prefix = f"model.layers.{number}."
        tensors |= {prefix + name: tensor for name, tensor in norm_tensors(hidden).items()}
        mixer = delta_net_tensors(spec, hidden, layer.heads)
        tensors |= {prefix + "linear_attn." + name: tensor for name, tensor in mixer.items()}
        tensors |= {prefix + "mlp." + name: t for name, t in mlp_tensors(hidden, layer, width).items()}
    tensors |= _idle_attention(hidden, f"model.layers.{len(layers)}.", width)
    tensors["model.norm.weight"] = norm_tensors(hidden)["input_layernorm.weight"]
    report("weights", 1.0)
    return Weights(spec, _config(circuit, width), tensors, _layout(circuit), _ranges(circuit))


def _config(circuit: Circuit, width: int) -> dict:
    spec, layers = circuit.spec, circuit.builder.layers
    return {
        "architectures": ["Qwen3_5ForCausalLM"],
        "model_type": "qwen3_5_text",
        "vocab_size": len(circuit.vocabulary),
        "hidden_size": circuit.hidden,
        "intermediate_size": width,
        "num_hidden_layers": len(layers) + 1,
        "layer_types": ["linear_attention"] * len(layers) + ["full_attention"],
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "head_dim": 32,
        "hidden_act": "silu",
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": HEAD_WIDTH,
        "linear_value_head_dim": HEAD_WIDTH,
        "linear_num_key_heads": spec.heads,
        "linear_num_value_heads": spec.heads,
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": 262144,
        "tie_word_embeddings": True,
        "use_cache": True,
        "bos_token_id": None,
        "pad_token_id": None,
        "eos_token_id": circuit.vocabulary.ends,
        "dtype": "bfloat16",
    }


def _layout(circuit: Circuit) -> dict:
    stored = BIT_IN / (1 + math.exp(-BIT_IN))
    return {
        "memory": [[bank, part, layer, head] for (bank, part), (layer, head) in sorted(circuit.memory.items())],
        "bit": stored,
        "channels": circuit.channels,
        "heads": [[head.name for head in layer.heads] for layer in circuit.builder.layers],
        "neurons": [len(layer.neurons) for layer in circuit.builder.layers],
    }


def _ranges(circuit: Circuit) -> np.ndarray:
    sublayers = 2 * len(circuit.builder.layers)
    ranges = np.zeros((sublayers, circuit.hidden), dtype=np.uint8)
    ranges[:, [ONE, ONE_AGAIN]] = 1
    for wire in circuit.builder.wires:
        if wire.writes:
            end = sublayers if wire.until is None or wire.kept else wire.until + 1
            live = ranges[min(wire.writes) + 1 : end, wire.channel]
            np.maximum(live, wire.high, out=live)
    return ranges


def _embedding(circuit: Circuit) -> csr_array:
    code = circuit.code
    matrix = _Matrix(len(circuit.vocabulary), circuit.hidden)
    anchor = math.isqrt(circuit.hidden) * 2.0**ANCHOR_SHIFT
    for number, token in enumerate(circuit.vocabulary.tokens):
        row: dict[int, float] = {ANCHOR: anchor, ONE: 1.0, ONE_AGAIN: 1.0, code.kinds[token.kind].channel: 1.0}
        for value, true, opposite in (
            (token.index, code.index, code.index_not),
            (token.digit, code.digit, code.digit_not),
        ):
            for i, (one, zero) in enumerate(zip(true, opposite, strict=True)):
                row[(one if value >> i & 1 else zero).channel] = 1.0
        for channel, entry in row.items():
            matrix.add(number, channel, entry)
    return matrix.csr()


def norm_tensors(hidden: int) -> dict[str, np.ndarray]:
    """Weights of a layer's two norms: every channel times 2**8, the anchor silenced."""
    weight = np.full(hidden, 2.0**NORM_SHIFT - 1, dtype=np.float32)  # Qwen3.5's norm multiplies by 1 + weight
    weight[ANCHOR] = -1.0
    return {"input_layernorm.weight": weight, "post_attention_layernorm.weight": weight.copy()}


def delta_net_tensors(spec: MachineSpec, hidden: int, heads: list[Head]) -> dict[str, Tensor]:
    """Tensors of ``linear_attn`` for a layer's heads, by their name within it."""
    width = spec.heads * HEAD_WIDTH
    qkv, z = _Matrix(3 * width, hidden), _Matrix(width, hidden)
    b, a = _Matrix(spec.heads, hidden), _Matrix(spec.heads, hidden)
    out = _Matrix(hidden, width)
    conv = np.zeros((3 * width, 1, 4), dtype=np.float32)
    conv[:, 0, 3] = 1.0
    for number, head in enumerate(heads):
        base = number * HEAD_WIDTH
        for row, form in enumerate(head.read.keys()):
            qkv.add_form(base + row, 2 * form - 1, GATE * IN_SCALE)
        for row, form in enumerate(head.write.keys()):
            qkv.add_form(width + base + row, 2 * form - 1, GATE * IN_SCALE)
        for i, form in enumerate(head.values):
            qkv.add_form(2 * width + base + i, form, BIT_IN * IN_SCALE)
            if head.delay:
                conv[2 * width + base + i, 0] = np.eye(4, dtype=np.float32)[3 - head.delay]
        b.add(number, ONE, WRITE_STRENGTH * IN_SCALE)
        if head.reset is not None:
            a.add_form(number, head.reset, 2 * FORGET * IN_SCALE)
        rows_read = 1 if head.read.bits else head.read.rows
        gate = READ_GATE * math.sqrt(rows_read)
        for i, targets in enumerate(head.outputs):
            if targets:
                z.add(base + i, ONE, gate * IN_SCALE)
            for wire, c in targets.items():
                out.add(wire.channel, base + i, c)
    return {
        "in_proj_qkv.weight": qkv.csr(),
        "in_proj_z.weight": z.csr(),
        "in_proj_b.weight": b.csr(),
        "in_proj_a.weight": a.csr(),
        "conv1d.weight": conv,
        "dt_bias": np.full(spec.heads, -FORGET, dtype=np.float32),
        "A_log": np.zeros(spec.heads, dtype=np.float32),
        "norm.weight": np.full(HEAD_WIDTH, READ_NORM, dtype=np.float32),
        "out_proj.weight": out.csr(),
    }


def mlp_tensors(hidden: int, layer: Layer, width: int) -> dict[str, csr_array]:
    """Tensors of ``mlp`` for a layer's neurons, by their name within it."""
    gate, up = _Matrix(width, hidden), _Matrix(width, hidden)
    down = _Matrix(hidden, width)
    for row, neuron in enumerate(layer.neurons):
        gate.add_form(row, neuron.gate, GATE * IN_SCALE)
        up.add_form(row, neuron.up, IN_SCALE / GATE)
        for wire, c in neuron.outputs.items():
            down.add(wire.channel, row, c)
    return {"gate_proj.weight": gate.csr(), "up_proj.weight": up.csr(), "down_proj.weight": down.csr()}


def _idle_attention(hidden: int, prefix: str, width: int) -> dict[str, Tensor]:
    """The full-attention layer that stock transformers needs to keep a cache: it adds 0."""
    empty = {
        "self_attn.q_proj": (64, hidden),
        "self_attn.k_proj": (32, hidden),
        "self_attn.v_proj": (32, hidden),
        "self_attn.o_proj": (hidden, 32),
        "mlp.gate_proj": (width, hidden),
        "mlp.up_proj": (width, hidden),
        "mlp.down_proj": (hidden, width),
    }
    tensors: dict[str, Tensor] = {
        f"{prefix}{name}.weight": csr_array(shape, dtype=np.float32) for name, shape in empty.items()
    }
    for name in ("self_attn.q_norm", "self_attn.k_norm"):
        tensors[f"{prefix}{name}.weight"] = np.zeros(32, dtype=np.float32)
    return tensors | {prefix + name: t for name, t in norm_tensors(hidden).items()}
