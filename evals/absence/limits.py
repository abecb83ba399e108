#!/usr/bin/env python3
"""Says how many questions the doubt of `no_answer_detection.rs` catches that have no answer, and how many it raises for
others, for its limit and those beside it.

    evals/absence/limits.py FEATURES…

FEATURES are what `retriever eval features SUITE… --out` writes. Of `dev_search`, short queries, each counts a third.
"""
import collections
import json
import sys

PLACE_UNIT = 16.0
EXPLAINED = 0.4
NO_LIMIT = 1e9


def main():
    cases = [json.loads(line) for path in sys.argv[1:] for line in open(path)]
    for case in cases:
        case["weight"] = 1 / 3 if case["suite"].startswith("dev_search") else 1.0
    print("enough\tfalse alarms\tcaught\tby suite")
    for enough in (0.6, 0.7, 0.77, 0.85, 0.9, 0.95, 1.1, NO_LIMIT):
        found, asked, suites = collections.Counter(), collections.Counter(), collections.Counter()
        for case in cases:
            asked[case["negative"]] += case["weight"]
            is_thin = case["best_file"] + case["best_place"] / PLACE_UNIT < enough and case["best_comment"] < EXPLAINED
            if case["is_doubtful"] and is_thin:
                found[case["negative"]] += case["weight"]
                suites[f"{case['suite']} {'absent' if case['negative'] else 'present'}"] += 1
        shares = "\t".join(f"{found[kind] / max(asked[kind], 1):.3f}" for kind in (False, True))
        told = ", ".join(f"{name} {count}" for name, count in sorted(suites.items()))
        print(f"{'none' if enough == NO_LIMIT else enough}\t{shares}\t{told}")


if __name__ == "__main__":
    main()
