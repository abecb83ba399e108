#!/usr/bin/env python3
"""Times `explore` in `retriever serve`, which file events keep up to date: with nothing changed, and after an edit.

    python3 benches/watched_explore.py path/to/retriever [--files 1000 40000] [--questions 50]

The repository is made: Python files in folders of 100 that call one another. They use words as often as programs do: a few are in
most files, most are in a few. An answer after an edit has to show the edit.
Medians and 90th percentiles of the time of a request over loopback, one after the other, behind ten that are not counted.
"""

import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WARM = 10
VOCABULARY = 5_000
WORDS_OF_FILE = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 40_000])
    parser.add_argument("--questions", type=int, default=50)
    options = parser.parse_args()
    for files in options.files:
        with tempfile.TemporaryDirectory() as folder:
            measure(options.program.resolve(), files, options.questions, Path(folder))


def write(root: Path, at: int, edit: str = "") -> None:
    path = root / f"part{at // 100}/module{at}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    other = (at * 7 + 1) % 100 + at // 100 * 100
    words = words_of(at)
    body = "".join(f"    {a} = {b}.{c}({a})\n" for a, b, c in zip(words[0::3], words[1::3], words[2::3]))
    path.write_text(
        f"from .module{other} import {name_of(other)}\n\n\ndef {name_of(at)}({words[0]}):\n{body}    return {name_of(other)}({words[0]})\n{edit}"
    )


def words_of(at: int) -> list[str]:
    """The words of a file: the word of rank r is in every r-th file or so."""
    choose = random.Random(at)
    ranks = (int(VOCABULARY ** choose.random()) for _ in range(WORDS_OF_FILE))
    return ["".join("bcdfghjklmnpqrstvwxz"[rank // 20**place % 20] + "aeiou"[rank * (place + 3) % 5] for place in range(3)) for rank in ranks]


def name_of(at: int) -> str:
    return "_".join([*words_of(at)[-2:], str(at)])


def question_of(at: int) -> str:
    one, two, three = words_of(at)[-3:]
    return f"where does {two} {three} use {one}"


def measure(program: Path, files: int, questions: int, home: Path) -> None:
    root = home / "root"
    for at in range(files):
        write(root, at)
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [program, "serve", "--listen", "127.0.0.1:0", "--offline", "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True, cwd=root)
    try:
        address = server.stdout.readline().strip().removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=600)

        def explore(query: str) -> tuple[float, str]:
            started = time.monotonic()
            connection.request("POST", "/v1/explore", json.dumps({"query": query}), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = response.read().decode()
            if response.status != 200:
                sys.exit(f"{response.status}: {answer[:300]}")
            return (time.monotonic() - started) * 1000, answer

        first, _ = explore(question_of(1))
        same, edited = [], []
        for at in range(questions + WARM):
            same.append(explore(question_of(at * 13 % files))[0])
        for at in range(questions + WARM):
            file = at * 17 % files
            write(root, file, f"\n\ndef edited_{at}_x(request):\n    return {name_of(file)}(request)\n")
            took, answer = explore(f"what does edited_{at}_x do")
            if f"edited_{at}_x(request)" not in answer:
                sys.exit(f"the answer does not show edit {at}")
            edited.append(took)
    finally:
        server.terminate()
        server.wait()
    show = lambda times: f"median {sorted(times)[len(times) // 2]:.1f} ms, p90 {sorted(times)[len(times) * 9 // 10]:.1f} ms"  # noqa: E731
    print(f"{files} files: first {first:.0f} ms; unchanged {show(same[WARM:])}; after an edit {show(edited[WARM:])}", flush=True)


if __name__ == "__main__":
    main()
