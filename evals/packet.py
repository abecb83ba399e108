#!/usr/bin/env python3
"""Measure the opening packet: how many required rows of labelled suites are among its places, and among its files.

    evals/packet.py RETRIEVER CORPORA SUITE… [--show CASE]

Asks every question of the suites with a model that refuses, so that all that RETRIEVER does is to send its first request, and
reads the candidates from that. It works with any build of the program. CORPORA is what `evals/checkout.py` makes. A row is
hit by a place that overlaps one of its labels and is at most three times as wide, or lies inside, as in `retriever eval`;
`gold_files` count as one row each. Tokens are bytes / 3 of the packet. Needs Python 3.11 and nothing else.
"""
import argparse
import collections
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

HEADING = re.compile(r"^(\S.*) \(\d+ lines?[^)]*\)$")
ENTRY = re.compile(r"^\[c\d+\](?: (\d+)(?:-(\d+))?)?")
OVERLOAD = re.compile(r"\[c\d+\] (\d+)(?:-(\d+))?")
# Builds that give each candidate its path.
WITH_PATH = re.compile(r"^\[c\d+\] (\S[^|]*?):(\d+)(?:-(\d+))?(?: |$)")
NEIGHBOUR = re.compile(r"(?:calls|makes|called by) \[c\d+\] ([^:]+):(\d+)(?:-(\d+))? ")


class Refusing(http.server.BaseHTTPRequestHandler):
    """Keeps the last request and refuses it."""

    seen = None

    def do_POST(self):
        Refusing.seen = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.send_response(400)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def places(text):
    """Returns the path and lines of each candidate of a packet, in its order."""
    found, path = [], None
    for line in text.splitlines():
        heading = HEADING.match(line)
        entry = ENTRY.match(line)
        if heading and not entry:
            path = heading.group(1)
        elif re.match(r"\[c\d+\] (calls|makes|called by) \[c", line):
            found += [(at, int(start), int(end or start)) for at, start, end in NEIGHBOUR.findall(line)]
        elif at := WITH_PATH.match(line):
            found.append((at.group(1), int(at.group(2)), int(at.group(3) or at.group(2))))
        elif line.startswith("also ") and path:
            found += [(path, int(start), int(end or start)) for start, end in OVERLOAD.findall(line)]
        elif entry and path and entry.group(1):
            spans = [entry.groups()] + OVERLOAD.findall(line.split("; also ", 1)[1] if "; also " in line else "")
            found += [(path, int(start), int(end or start)) for start, end in spans]
        elif entry and path:
            found.append((path, 0, 0))
    return found


def is_hit(place, label):
    path, start, end = place
    if path != label["path"] or end < label["start"] or start > label["end"]:
        return False
    wide = end - start + 1 <= 3 * (label["end"] - label["start"] + 1)
    return wide or (label["start"] <= start and end <= label["end"])


def rows_of(case):
    rows = [row["any_of"] for row in case.get("evidence", []) if row.get("required")]
    return rows or [[{"path": path}] for path in case.get("gold_files", [])]


def packet(arguments, port, tree, question):
    Refusing.seen = None
    command = [arguments.retriever, "--root", str(tree), "ask", "-q", "--format", "json", "--model", "none",
               "--base-url", f"http://127.0.0.1:{port}/v1", "--", question]
    subprocess.run(command, env=dict(os.environ, OPENAI_API_KEY="none"), capture_output=True, timeout=600)
    if Refusing.seen is None:
        return None
    content = [m["content"] for m in Refusing.seen["messages"] if m["role"] == "user"][-1]
    return content[content.find(" files ("):]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("retriever")
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("suites", nargs="+", type=pathlib.Path, metavar="SUITE")
    parser.add_argument("--show", metavar="CASE")
    arguments = parser.parse_args()
    server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sums, failed = collections.defaultdict(lambda: [0] * 6), False
    for suite in arguments.suites:
        for line in suite.read_text().splitlines():
            case = json.loads(line)
            rows = rows_of(case)
            commit = case.get("commit") or case.get("base_commit") or ""
            tree = arguments.corpora / f"{case['repo'].replace('/', '__')}@{commit[:12]}" / (case.get("root") or "")
            if not rows or case.get("negative") or arguments.show not in (None, case["id"]):
                continue
            text = packet(arguments, server.server_port, tree, case.get("question") or case["query"])
            if text is None:
                failed = True
                print(f"{case['id']}: no request", file=sys.stderr)
                continue
            if arguments.show:
                print(text)
            found = places(text)
            files = {path for path, *_ in found}
            by_place = [row for row in rows if any("start" in at and is_hit(p, at) for at in row for p in found)]
            by_file = [row for row in rows if any(at["path"] in files for at in row)]
            tokens = len(text.encode()) // 3
            total = sums[suite.stem]
            for at, value in enumerate((1, len(rows), len(by_place), len(by_file), len(found))):
                total[at] += value
            total[5] = max(total[5], tokens)
            sums[suite.stem, "tokens"][0] += tokens
    print("suite\tcases\trows\tamong places\tamong files\tplaces a packet\ttokens, mean\tmost")
    for suite in arguments.suites:
        cases, rows, by_place, by_file, found, most = sums[suite.stem]
        if cases:
            mean = sums[suite.stem, "tokens"][0] / cases
            shares = f"{by_place / rows:.3f} ({by_place})\t{by_file / rows:.3f} ({by_file})"
            print(f"{suite.stem}\t{cases}\t{rows}\t{shares}\t{found / cases:.1f}\t{mean:.0f}\t{most}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
