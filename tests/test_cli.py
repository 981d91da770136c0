"""The command line, on stand-ins for the compiler and the model."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import fakes
import programs
import qwengpu
from qwengpu import cli
from qwengpu.errors import CompileError
from qwengpu.machine import Kind, MachineSpec, Program, Token
from qwengpu.machine.loader import LaunchImage, load

KERNELS = {"dot.cu": programs.dot, "reverse.cu": programs.reverse, "loop.cu": programs.loop}
DOT = ["run", "dot.cu", "--arg", "1,2,3", "--arg", "4,5,6", "--arg", "zeros:1", "--arg", "3", "--block", "4"]


class Machine:
    """The stand-ins, and what the command line asked of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.asked: dict[str, object] = {}
        self.images: list[LaunchImage] = []
        self.change = lambda position, token: token
        monkeypatch.setattr("qwengpu.cuda.compile_kernel", self.compile_kernel)
        monkeypatch.setattr("qwengpu.checkpoint.cache.cached_weights", self.cached_weights)
        monkeypatch.setattr("qwengpu.engine.create", self.create)
        monkeypatch.setattr("qwengpu.runtime.launch.read_memory", fakes.read_memory)
        monkeypatch.setattr(cli, "load", self.load)

    def compile_kernel(self, path: Path, **options: object) -> Program:
        self.asked |= options
        if path.name not in KERNELS:
            raise CompileError(f"{path}: no such file")
        return KERNELS[path.name]()

    def load(self, *arguments: object, **options: object) -> LaunchImage:
        self.images.append(load(*arguments, **options))
        return self.images[-1]

    def cached_weights(self, spec: MachineSpec, progress: object) -> object:
        progress("layer 1", 0.5)
        return fakes.tiny_weights(spec)

    def create(self, name: str, weights: object) -> fakes.FakeEngine:
        self.asked["engine"] = name
        return fakes.FakeEngine(self.images[-1], lambda position, token: self.change(position, token))

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Run a command: (exit status, stdout, stderr)."""
        self.monkeypatch.setattr(sys, "argv", ["qwengpu", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return int(end.value.code or 0), *self.capsys.readouterr()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Machine:
    return Machine(monkeypatch, capsys)


def test_run_prints_the_changed_array_and_the_number_of_tokens(machine: Machine) -> None:
    code, out, err = machine(*DOT)
    first, second = out.splitlines()
    assert (code, first) == (0, "out = 32")
    assert second.startswith("17 tokens written after a prompt of 122, ")
    assert "Traceback" not in err


def test_check_says_what_was_compared(machine: Machine) -> None:
    code, out, _ = machine(*DOT, "--check")
    assert code == 0
    assert "all 17 tokens and 4096 memory words equal the reference interpreter's" in out


def test_check_fails_loudly(machine: Machine) -> None:
    machine.change = lambda position, token: Token(Kind.EXEC, 2) if position == 5 else token
    code, out, err = machine(*DOT, "--check")
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith(
        "error: token 5 differs: expected VAL(lane3.d0=0x001), the model wrote EXEC(2)"
    )


def test_negative_values_are_printed_signed(machine: Machine) -> None:
    code, out, _ = machine(*DOT[:3], "-1,-2", "--arg", "3,4", "--arg", "5", "--arg", "-5", "--block", "2")
    assert (code, out.splitlines()[0]) == (0, "no array changed")
    code, out, _ = machine(*DOT[:3], "-1,-2", "--arg", "3,4", "--arg", "5", "--arg", "2", "--block", "2")
    assert (code, out.splitlines()[0]) == (0, "out = -6")


def test_json(machine: Machine) -> None:
    code, out, _ = machine(*DOT, "--json", "--check", "--trace")
    result = json.loads(out)
    assert code == 0
    assert result["seconds"] >= 0
    del result["seconds"]
    assert result == {
        "kernel": "dot",
        "arrays": {"a": [1, 2, 3], "b": [4, 5, 6], "out": [32]},
        "symbols": {},
        "changed": ["out"],
        "printed": "",
        "tokens": 17,
        "prompt_tokens": 122,
        "checked": True,
    }


def test_trace_goes_to_stderr_with_each_blocks_instructions(machine: Machine) -> None:
    code, out, err = machine(*DOT, "--trace")
    assert (code, len(out.splitlines())) == (0, 2)
    lines = [line for line in err.splitlines() if line.strip()][-17:]
    executed = "mad c0, c1, r31; ldx c4, s0; ldx c5, s0; mul s1, s2 -> r0; slts s0, c7 -> r1"
    assert [" ".join(lines[k].split()) for k in (0, 4, -1)] == [
        f"0 EXEC(0) {executed}",
        "4 COMMIT(s3 lane0.d0=0x004) r0 ; line 2 mul.lo.s32",
        "16 HALT",
    ]


def test_out_writes_every_array_by_name(machine: Machine, tmp_path: Path) -> None:
    assert machine(*DOT, "--out", str(tmp_path / "r.npz"))[0] == 0
    with np.load(tmp_path / "r.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays.files} == {"a": [1, 2, 3], "b": [4, 5, 6], "out": [32]}


def test_prompt_prints_words_and_runs_nothing(machine: Machine) -> None:
    code, out, _ = machine(*DOT, "--prompt")
    assert code == 0
    assert len(out.split()) == 122
    assert out.split()[-1] == "<CTA>"
    assert "engine" not in machine.asked


def test_options_reach_the_compiler_the_engine_and_the_machine(machine: Machine) -> None:
    options = ["--kernel", "dot", "--compiler", "zig", "--engine", "transformers", "--grid", "1,2", "--words", "2048"]
    code, _, err = machine(*DOT, *options, "--stages", "mul,load,load,mul,alu", "--registers", "32", "--warps", "1")
    assert code == 0, err
    spec = machine.asked.pop("spec")
    assert machine.asked == {"kernel": "dot", "compiler": "zig", "grid_axes": 2, "engine": "transformers"}
    assert spec == MachineSpec(words=2048, warps=1)


def test_compile_shows_blocks(machine: Machine) -> None:
    code, out, _ = machine("compile", "dot.cu")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "dot(ptr a, ptr b, ptr out, s32 n): 3 blocks, 0 registers"
    assert "  r31 = threadIdx.x" in lines
    assert {"  c0 = blockIdx.x", "  c1 = blockDim.x", "  c3 = 1", "  c4 = a"} <= set(lines)
    assert "block 1: atomic, if c of s0, exit to 2" in lines
    assert "block 2: grid, branch to 0, next 0" in lines
    assert "  s3 mul   mul s1, s2 -> r0                 ; line 2 mul.lo.s32" in lines


def test_info_shows_the_size_of_machine_and_model(machine: Machine) -> None:
    code, out, _ = machine("info")
    rows = dict(line.split("  ", 1) for line in out.splitlines())
    assert code == 0
    assert rows["memory"].strip() == "4096 words, 16384 bytes"
    assert rows["layers"].strip() == "1"
    tensors = fakes.tiny_weights().tensors.values()
    assert rows["weights"].strip().startswith(f"{sum(int(np.prod(t.shape)) for t in tensors)}, ")


def test_export_writes_a_checkpoint_once(machine: Machine, tmp_path: Path) -> None:
    assert machine("export", str(tmp_path / "out"))[:2] == (0, f"{tmp_path / 'out'}\n")
    assert (tmp_path / "out" / "model.safetensors").is_file()
    code, _, err = machine("export", str(tmp_path / "out"))
    assert code == 1
    assert "error: " in err
    assert machine("export", str(tmp_path / "out"), "--force", "--dtype", "float32")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "missing.cu"], "error: missing.cu: no such file"),
        (["run", "dot.cu"], "error: kernel dot takes 4 arguments"),
        ([*DOT, "--arg", "1"], "got 5"),
        ([*DOT[:3], "@missing.npy", *DOT[4:]], "error: argument a: cannot read missing.npy"),
        ([*DOT, "--block", "0"], "error: --block 0"),
        ([*DOT, "--grid", "-1"], "error: --grid -1"),
        ([*DOT, "--block", "512"], "error: thread block is too small"),
        ([*DOT[:3], "zeros:5000", *DOT[4:]], "--words 8192"),
        ([*DOT, "--max-tokens", "5"], "error: kernel dot wrote 5 tokens and did not finish"),
        ([*DOT, "--words", "1000"], "error: machine spec: words=1000"),
        ([*DOT, "--stages", "mul,fpu"], "error: machine spec: stages=mul,fpu"),
        ([*DOT, "--registers", "-4"], "error: machine spec: registers=-4"),
        ([*DOT, "--out", "missing/r.npz"], "error: "),
        (["info", "--warps", "0"], "error: machine spec: warps=0"),
        (["export", "out", "--dtype", "int3"], "error: dtype int3"),
    ],
)
def test_mistakes_end_in_one_line(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = machine(*arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments", [["run"], ["walk"], [*DOT, "--shared", "-1"], [*DOT, "--max-tokens", "0"], [*DOT, "--words", "many"]]
)
def test_wrong_usage_is_status_two(machine: Machine, arguments: list[str]) -> None:
    code, out, err = machine(*arguments)
    assert (code, out) == (2, "")
    assert "Usage" in err


def test_version(machine: Machine) -> None:
    assert machine("--version")[:2] == (0, f"qwengpu {qwengpu.__version__}\n")


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal")
def test_an_interrupt_ends_quietly_with_status_130() -> None:
    script = (
        "import signal, time, qwengpu.cuda, qwengpu.cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "def slow(*_, **__): print('ready', flush=True); time.sleep(60)\n"
        "qwengpu.cuda.compile_kernel = slow\n"
        "qwengpu.cli.main()\n"
    )
    command = [sys.executable, "-c", script, "compile", "dot.cu"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
