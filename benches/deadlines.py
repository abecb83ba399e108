#!/usr/bin/env python3
"""Times how long the program goes on after its deadline has passed or Ctrl-C was pressed.

    python3 benches/deadlines.py path/to/retriever [--bytes 2000000] [--runs 3] [TREE...]

Each case is a root with one made file that costs much to read or resolve; each TREE is a case, too. No index is known.
`ask --offline --timeout 1s`, the shortest, is timed from its start, and what it takes beyond a second is shown; `ask --offline` and
`index` get SIGINT after 300 ms and are timed from there. Milliseconds, the median and the longest of the runs; - stands for
runs that had ended before.
"""

import argparse
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TIMEOUT = 1.0
INTERRUPT = 0.3
QUESTION = "where does main start the work"
# By file: what stands before, what is repeated, and what stands behind.
CASES = {
    "brackets.c": ("int f() { return ", "(", "; }"),
    "conditionals.c": ("", "#if A\nint f() {\n#else\nint f(int a) {\n#endif\n}\n", ""),
    "macros.h": ("", "class API A { x };\n", ""),
    "types.go": ("package p\n", "type a a\n", ""),
    "aliases.ts": ("", "type A = A;\n", ""),
    "overloads.java": ("class A { ", "void f(A a) { f(null); } ", "}"),
    "supertypes.scala": ("class A ", "with A ", ""),
    "namespaces.php": ("<?php ", "namespace a; function f() { f(); } ", ""),
    "macros.rs": ("fn f() { ", "m!(a.b(c), d(e)); ", "}"),
    "classes.py": ("", "class a(a): pass\n", ""),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("trees", type=Path, nargs="*", metavar="TREE")
    parser.add_argument("--bytes", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| case | `ask`, deadline | `ask`, SIGINT | `index`, SIGINT |\n| --- | --- | --- | --- |")
    program = options.program.resolve()
    for name, parts in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / name).write_text(text(parts, options.bytes))
            (root / "main.rs").write_text("fn main() { start(); }\n")
            report(name, program, root, options.runs)
    for tree in options.trees:
        report(tree.name, program, tree, options.runs)


def text(parts: tuple[str, str, str], size: int) -> str:
    before, repeated, behind = parts
    return before + repeated * (size // len(repeated)) + behind


def report(name: str, program: Path, root: Path, runs: int) -> None:
    ask = [program, "--root", root, "ask", QUESTION, "--offline"]
    commands = [([*ask, "--timeout", "1s"], None), (ask, INTERRUPT), ([program, "--root", root, "index"], INTERRUPT)]
    cells = []
    for command, interrupt in commands:
        late = [lateness(command, interrupt) for _ in range(runs)]
        known = [one for one in late if one is not None]
        cells.append(f"{statistics.median(known):.0f}, {max(known):.0f}" if known else "-")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def lateness(command: list, interrupt: float | None) -> float | None:
    """Returns milliseconds from the deadline or the signal to the end; `None` when the program had ended before."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": "/usr/bin:/bin"}
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        end = started + TIMEOUT
        if interrupt is not None:
            time.sleep(interrupt)
            if process.poll() is not None:
                return None
            end = time.monotonic()
            process.send_signal(signal.SIGINT)
        process.wait()
        late = (time.monotonic() - end) * 1000
        return late if late > 0 else None


if __name__ == "__main__":
    main()
