#!/usr/bin/env python3
"""Counts required rows of suites whose lines `retriever explore` prints, and first results that it does not.

usage: printed_rows.py RETRIEVER CORPORA SUITE…

A row is printed when four fifths of the lines of one of its places are. A first result is missing when less than a third
of its lines is. Cases whose checkout is not below CORPORA as `<owner>__<name>@<commit12>` are left out and counted.
"""
import json
import pathlib
import subprocess
import sys

PRINTED = 0.8
MISSING = 0.3


def share(place, shown):
    lines = range(place["start"], place["end"] + 1)
    return sum(line in shown.get(place["path"], ()) for line in lines) / len(lines)


def main():
    program, corpora, *suites = sys.argv[1:]
    for suite in suites:
        cases = rows = printed = missing = chars = left_out = 0
        for line in pathlib.Path(suite).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case.get("negative"):
                continue
            root = pathlib.Path(corpora) / f"{case['repo'].replace('/', '__')}@{case['commit'][:12]}"
            if not root.is_dir():
                left_out += 1
                continue
            command = [program, "--root", str(root), "--format", "json", "explore", case["question"]]
            answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            shown = {}
            for file in answer["files"]:
                for section in file["sections"]:
                    shown.setdefault(file["path"], set()).update(range(section["start"], section["end"] + 1))
                    chars += len(section["source"])
            required = [row["any_of"] for row in case["evidence"] if row.get("required", True)]
            cases += 1
            rows += len(required)
            printed += sum(any(share(place, shown) >= PRINTED for place in row) for row in required)
            missing += not answer["results"] or share(answer["results"][0], shown) < MISSING
        print(f"{pathlib.Path(suite).stem}: {printed} of {rows} rows printed, {missing} of {cases} first results missing, "
              f"{chars // max(cases, 1)} characters of source a question, {left_out} cases without a checkout")


if __name__ == "__main__":
    main()
