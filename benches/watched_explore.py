#!/usr/bin/env python3
"""Times `explore` in `retriever serve`, which file events keep up to date: with nothing changed, and after an edit.

    python3 benches/watched_explore.py path/to/retriever [--files 1000 40000] [--questions 50]

The repository is made: Python files in folders of 100 that call one another. An answer after an edit has to show the edit.
Medians and 90th percentiles of the time of a request over loopback, one after the other, behind ten that are not counted.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WARM = 10


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
    path.write_text(f"from .module{other} import send_{other}\n\n\ndef send_{at}(request):\n    return send_{other}(request)\n{edit}")


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

        first, _ = explore("where does send_1 send a request")
        same, edited = [], []
        for at in range(questions + WARM):
            file = at * 13 % files
            same.append(explore(f"where does send_{file} send a request")[0])
        for at in range(questions + WARM):
            file = at * 17 % files
            write(root, file, f"\n\ndef edited_{at}_x(request):\n    return send_{file}(request)\n")
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
