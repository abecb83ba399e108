#!/usr/bin/env python3
"""Asks one `retriever mcp` thousands of questions about real repositories while their files change.

    python3 benches/mcp_load.py path/to/retriever ROOT… [--questions 10000] [--moments 200]

The roots are copied into a folder of their own and served together. Questions are about names that the files declare. At as many
moments a file loses some lines, gets a line or becomes what it was, and what the server then answers has to be what a new
process with an empty cache answers. Prints memory, threads and descriptors after every tenth of the questions. Linux only:
memory is read from /proc.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DECLARED = re.compile(r"\b(?:class|def|fn|func|fun|function|interface|struct|trait|type)\s+([A-Za-z_]\w{3,})")
SOURCES = {".c", ".cpp", ".cs", ".go", ".h", ".java", ".js", ".kt", ".php", ".py", ".rb", ".rs", ".scala", ".swift", ".ts", ".tsx"}
MAX_BYTES = 200_000
# Places are numbered through a session, and lines of a place that has a number get it.
ID = re.compile(r"\bc\d+(:\d+(-\d+)?)?(?=[^\w:]|$)|(?<=\]) \d+(-\d+)?(?= declares)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("root", type=Path, nargs="+")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--moments", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        roots = [Path(folder) / f"root{at}" for at in range(len(options.root))]
        for root, copy in zip(options.root, roots):
            shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        sys.exit(run(options, Path(folder), roots))


def run(options: argparse.Namespace, home: Path, roots: list[Path]) -> int:
    program, tree, choose = options.program.resolve(), Tree(roots), random.Random(0)
    server = Server(program, home / "cache", roots)
    moments = {(at + 1) * options.questions // (options.moments + 1) for at in range(options.moments)}
    rows, wrong = [], 0
    for number in range(1, options.questions + 1):
        question = tree.question(choose)
        if number in moments:
            edited = tree.edit(choose)
            # What an editor has written is there when it is asked about.
            told = server.ask(*question)
            with tempfile.TemporaryDirectory() as cache:
                new = Server(program, Path(cache), roots)
                if question[0] == "grep":
                    # A search names callers where there is a graph, and makes none.
                    new.ask("graph", {"operation": "callers", "target": tree.names[0]})
                expected = new.ask(*question)
                new.end()
            told, expected = ID.sub("c", told), ID.sub("c", expected)
            if told != expected:
                wrong += 1
                print(f"{edited}: {question} differs: {told[:2000]!r} is not {expected[:2000]!r}")
        else:
            server.ask(*question)
        if number % max(1, options.questions // 10) == 0:
            rows.append(server.size())
            print(f"{number:>6} questions  {rows[-1][0] / 1024:>7.1f} MB  {rows[-1][1]:>3} threads  {rows[-1][2]:>4} descriptors", flush=True)
    status = server.end()
    # The first tenth fills caches.
    first, last = rows[0], rows[-1]
    grown = (last[0] - first[0]) / (options.questions - options.questions // 10) * 1000
    print(f"{grown:+.0f} kB per 1,000 questions, {last[2] - first[2]:+} descriptors; {wrong} of {len(moments)} answers differ from fresh ones; ended with {status}")
    return 1 if wrong or status else 0


class Tree:
    """The files that are asked about and edited."""

    def __init__(self, roots: list[Path]) -> None:
        files = (Path(folder) / name for root in roots for folder, _, names in sorted(os.walk(root)) for name in sorted(names))
        files = (file for file in files if file.suffix in SOURCES and not file.is_symlink() and file.stat().st_size < MAX_BYTES)
        self.texts = {file: file.read_text(errors="replace") for file in files}
        self.files = list(self.texts)
        self.names = sorted({name for text in self.texts.values() for name in DECLARED.findall(text)})

    def question(self, choose: random.Random) -> tuple[str, dict]:
        one, two = choose.choice(self.names), choose.choice(self.names)
        return choose.choice([
            ("explore", {"query": f"what does {one} do with {two}?"}),
            ("explore", {"query": f"who calls {one}"}),
            ("graph", {"operation": choose.choice(["callers", "callees", "usages"]), "target": one}),
            ("grep", {"pattern": f"\\b{one}\\b"}),
        ])

    def edit(self, choose: random.Random) -> str:
        file = choose.choice(self.files)
        lines = self.texts[file].split("\n")
        at, kind = choose.randrange(len(lines)), choose.choice(["lost", "got", "is as before"])
        if kind == "lost":
            del lines[at:at + choose.randrange(1, 12)]
        elif kind == "got":
            lines.insert(at, choose.choice(lines))
        file.write_text("\n".join(lines))
        return f"{file.name} {kind}, line {at + 1}"


class Server:
    """A `retriever mcp` on its standard input and output."""

    def __init__(self, program: Path, cache: Path, roots: list[Path]) -> None:
        arguments = [part for root in roots for part in ("--root", root)]
        command = [program, "mcp", "--offline", "--quiet", *arguments]
        environment = {"HOME": str(cache), "XDG_CACHE_HOME": str(cache), "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        self.calls = 0
        hello = {"name": "load", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": hello})
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, method: str, parameters: dict) -> dict:
        self.calls += 1
        self.send({"id": self.calls, "method": method, "params": parameters})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.calls:
                if "result" not in answer:
                    raise ValueError(f"{method}: {line[:500]}")
                return answer["result"]
        raise ValueError(f"the server ended with {self.process.wait()}")

    def ask(self, tool: str, arguments: dict) -> str:
        return self.call("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]

    def size(self) -> tuple[int, int, int]:
        """Memory in KiB, threads and descriptors."""
        process = Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return int(status["VmRSS"].split()[0]), int(status["Threads"]), len(os.listdir(process / "fd"))

    def end(self) -> int:
        self.process.stdin.close()
        return self.process.wait()


if __name__ == "__main__":
    main()
