"""The page of supported instructions says what the compiler does."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("ptx_support", DOCS / "ptx_support.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.text(), "run python docs/ptx_support.py"
