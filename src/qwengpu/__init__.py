"""A SIMT GPU compiled into the weights of Qwen3.5 layers: it runs real CUDA kernels inside a language model."""

__version__ = "0.1.0"
