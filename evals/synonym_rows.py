#!/usr/bin/env python3
"""What each row of the synonyms is worth: every question that asks for a row is asked again without it.

    evals/synonym_rows.py PROGRAM CORPORA SUITE.jsonl...

PROGRAM is built with `evals/ranking/ablation.patch`. Prints how many rows help, change nothing or harm, and, in folds by
repository, what a repository loses when the rows are left out that the others don't need. A figure is the sum of role
recall, range recall@20 and MRR over the questions that ask for a row."""

import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

METRICS = ("role_recall", "range_recall_at20", "mrr")


def ask(program, corpora, cases, **environment):
    """Returns what `eval` writes about the (suite, case) pairs, by pair, and what it prints to stderr."""
    suites = sorted({suite for suite, _ in cases})
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [program, "eval", *suites, "--corpora", corpora, "--offline", "--system", "retriever"]
        command += ["--case", ",".join(case for _, case in cases), "--jobs", "1", "--out", out.name]
        run = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
        results = json.load(open(out.name))["results"]
    return {(r["suite"], r["case"]): r for r in results}, run.stderr


def worth(result):
    return sum(result["scores"]["values"].get(metric) or 0 for metric in METRICS)


def changes_by_row(program, corpora, suites):
    """Returns, per row, the repository and the change of the figure of each question that asks for it."""
    asking, base = collections.defaultdict(list), {}
    for suite in suites:
        for line in filter(str.strip, open(suite)):
            case = json.loads(line)
            if case.get("negative"):
                continue
            results, said = ask(program, corpora, [(suite, case["id"])])
            base |= results
            for row in {int(row) for row in re.findall(r"row of synonyms (\d+)", said)}:
                asking[row].append((suite, case["id"]))
    changes = {}
    for row, cases in sorted(asking.items()):
        without, _ = ask(program, corpora, cases, LEFT_OUT_SYNONYMS=str(row))
        changes[row] = [(base[key]["repo"], worth(r) - worth(base[key])) for key, r in without.items()]
    return changes


def held_out(changes, leaves_out):
    """Returns, per repository, the change by the rows that `leaves_out` names from the other repositories' changes."""
    per_repository = collections.Counter({repo: 0.0 for asked in changes.values() for repo, _ in asked})
    for repository in list(per_repository):
        for asked in changes.values():
            if leaves_out([change for repo, change in asked if repo != repository]):
                per_repository[repository] += sum(change for repo, change in asked if repo == repository)
    return list(per_repository.values())


def main():
    program, corpora, *suites = sys.argv[1:]
    changes = changes_by_row(program, corpora, suites)
    totals = [sum(change for _, change in asked) for asked in changes.values()]
    print(f"{len(changes)} rows are asked for; without one, {sum(t < -1e-9 for t in totals)} lose,",
          f"{sum(abs(t) < 1e-9 for t in totals)} stay, {sum(t > 1e-9 for t in totals)} gain")
    policies = {
        "no other repository asks for": lambda others: not others,
        "that help no other": lambda others: others and sum(others) > -1e-9,
        "that change nothing in 1 question or more": lambda others: others and not any(others),
        "that change nothing in 3 or more": lambda others: len(others) > 2 and not any(others),
        "that change nothing in 5 or more": lambda others: len(others) > 4 and not any(others),
    }
    for name, leaves_out in policies.items():
        lost = held_out(changes, leaves_out)
        means = sorted(sum(random.Random(seed).choices(lost, k=len(lost))) for seed in range(2000))
        print(f"rows {name}: {sum(lost):+.2f} ({means[50]:+.2f} to {means[1949]:+.2f})")


if __name__ == "__main__":
    main()
