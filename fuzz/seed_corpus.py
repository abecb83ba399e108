#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets out of the texts of the tests: `fuzz/seed_corpus.py` fills `fuzz/corpus`.

The corpus is not checked in: the tests are it, and what a run has found becomes one of their cases."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz/corpus"
STRING = re.compile(r'r(#*)"(.*?)"\1|"((?:[^"\\]|\\.)*)"', re.DOTALL)
ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
# Places of a piece of code in a file, for each file of call contexts.
PIECES = 12


def add(target, data):
    data = data if isinstance(data, bytes) else data.encode()
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def strings(folder):
    """The string literals of the Rust files below a folder."""
    for file in sorted(ROOT.glob(f"{folder}/**/*.rs")):
        for _, raw, escaped in (match.groups() for match in STRING.finditer(file.read_text())):
            if raw is not None:
                yield raw
            else:
                joined = re.sub(r"\\\n\s*", "", escaped)
                yield re.sub(r"\\.", lambda it: ESCAPES.get(it[0], it[0]), joined)


def call_contexts():
    """Projects of several files, each with a piece of code in the place that its frame has for it."""
    for file in sorted(ROOT.glob("crates/graph/tests/call_contexts/*.txt")):
        extension = file.suffixes[-2]
        frame, *pieces = file.read_text().rstrip().split("\n%%\n")
        codes = [frame.replace("CODE", piece.removeprefix("LOST\n")) for piece in pieces]
        for at in range(0, len(codes), PIECES):
            files = enumerate(codes[at : at + PIECES])
            yield "".join(f"//- /f{place}/a{extension}\n{code}\n" for place, code in files)


def main():
    for text in strings("crates/graph/tests"):
        if "//- /" in text:
            add("graph", text)
    for text in call_contexts():
        add("graph", text)
    for file in ROOT.glob("tests/fixtures/scip/*.scip"):
        add("scip", file.read_bytes())
    for text in strings("crates/report/tests"):
        add("report_text", text)
        add("validator", text)
    for text in strings("crates/search/tests"):
        add("question_and_source", text)
    for text in strings("tests/it"):
        if "=" in text and len(text) < 4_000:
            add("configuration", text)
        if text.startswith("{"):
            add("receipts", text)
    add("configuration", (ROOT / "config.example.toml").read_bytes())
    for folder in sorted(CORPUS.iterdir()):
        print(folder.name, len(list(folder.iterdir())))


main()
