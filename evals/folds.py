#!/usr/bin/env python3
"""Prints one run of `retriever eval … --out FILE`, or two side by side: each suite, each figure, in five folds by repository.

    evals/folds.py [BEFORE.json] AFTER.json

The repositories of all suites together are put in order and dealt out to the folds in turn, so that a fold has the same repositories
in every suite. A fold's figure is the mean over its repositories of the mean over a repository's cases; `all` is that over every
repository, as `eval` prints it. `better` and `worse` count the cases that differ. Negative questions count by whether they are right.
"""
import collections
import json
import statistics
import sys

FOLDS = 5
FIGURES = {
    "ndcg_at10": "NDCG@10", "role_recall": "role recall", "range_recall_at20": "range @20", "file_recall_at1": "file @1",
    "file_recall_at5": "file @5", "file_recall_at10": "file @10", "mrr": "MRR", "file_f1": "map: file F1",
    "line_f1": "map: line F1",
}


def cases(path):
    """The figures of each case of `retriever`, by suite, repository and case."""
    results = json.load(open(path))["results"]
    return {(it["suite"], it["repo"], it["case"]): it["scores"]["values"] for it in results if it["system"] == "retriever"}


def mean_over_repositories(values):
    repositories = collections.defaultdict(list)
    for repository, value in values:
        repositories[repository].append(value)
    return statistics.mean(map(statistics.mean, repositories.values())) if repositories else None


def told(means):
    return "–" if None in means else " → ".join(f"{mean:.3f}".replace("0.", ".") for mean in means)


def main():
    runs = [cases(path) for path in sys.argv[1:3]]
    before, after = runs[0], runs[-1]
    keys = sorted(before.keys() & after.keys())
    fold = {repository: at % FOLDS for at, repository in enumerate(sorted({key[1] for key in keys}))}
    columns = ["suite", "cases", "figure", "all", *(f"fold {at + 1}" for at in range(FOLDS)), "better, worse"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for suite in sorted({key[0] for key in keys}):
        of_suite = [key for key in keys if key[0] == suite]
        for figure, name in FIGURES.items():
            both = [key for key in of_suite if figure in before[key] and figure in after[key]]
            if not both:
                continue

            def cell(wanted):
                return told([mean_over_repositories([(key[1], run[key][figure]) for key in both if wanted(key)]) for run in runs])

            differences = [after[key][figure] - before[key][figure] for key in both]
            moved = f"{sum(it > 1e-9 for it in differences)}, {sum(it < -1e-9 for it in differences)}"
            folds = (cell(lambda key, at=at: fold[key[1]] == at) for at in range(FOLDS))
            print(f"| {suite} | {len(both)} | {name} | {cell(lambda key: True)} | {' | '.join(folds)} | {moved} |")


if __name__ == "__main__":
    main()
