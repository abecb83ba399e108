#!/usr/bin/env python3
"""Learns which file a question is about, and writes the table that `crates/search/src/ranking/learned_file_order.rs` reads, with a
manifest that says from what.

    evals/ranking/train_files.py --out crates/search/src/ranking/file_order.bin FEATURES… --mined FEATURES…

FEATURES are what `retriever eval features` wrote about labelled suites, and about cases of `evals/unseen/cases.py`, whose
repositories no suite has: of those the short ones are learnt from, at half weight. The trees are LambdaMART's. First it says what
they are worth on repositories that they were not learnt from: five folds, split by repository.
"""

import argparse
import collections
import hashlib
import json
import math
import pathlib

import blake3
import lightgbm
import numpy

from train import table

# The same numbers as in file_order.rs.
POINTS = 2.0
SHORT_WORDS, LONG_WORDS = 6.0, 9.0
MOVED_KEPT = 0.5, 1.0
SEEDS = (1, 2, 3)
ROUNDS = 200
FOLDS = 5
# What a case of a suite weighs beside those of others, where that is not 1: its queries share fewer words with the code.
SUITE_WEIGHTS = {"search": 0.35}
# What a mined case weighs beside a labelled one, and its files that are learnt from.
MINED_WEIGHT = 0.5
MINED_FILES = 60
# Word vectors, or the trees of declarations, were learned from these.
OF_OTHER_TABLES = ("curl/curl", "rails/rails", "aio-libs/aiohttp", "spf13/cobra")
SETTINGS = {
    "objective": "lambdarank", "label_gain": [0, 1], "lambdarank_truncation_level": 8, "learning_rate": 0.07, "num_leaves": 6,
    "min_data_in_leaf": 40, "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63,
    "deterministic": True, "num_threads": 1, "verbose": -1,
}
# Which way a feature may count, so that chance doesn't say that fewer words fit better.
UP = ("points", "second_points", "third_points", "file_score", "best_name", "best_name_known", "best_any", "best_close",
      "best_comment", "best_pairs", "meaning", "meaning_name", "meaning_said", "topic", "type_name", "type_name_known",
      "type_whole", "any_whole", "type_inbound", "inbound", "importers", "declared", "declared_related", "declared_whole",
      "said", "file_name", "file_name_related", "folders", "path_or_declared", "file_name_known", "folder_known", "kept")
DOWN = ("rank", "file_rank", "internal")


class Case:
    def __init__(self, told, weight=1.0, most=None):
        self.suite, self.repo, self.commit = told["suite"], told["repo"], told["commit"]
        self.names, self.gold = told["file_facts"], told["gold_files"]
        self.weight, files = weight * SUITE_WEIGHTS.get(self.suite, 1.0), told["files"][:most]
        paths = [file["path"] for file in files]
        self.facts = numpy.array([file["facts"] for file in files], dtype=numpy.float32).reshape(len(paths), -1)
        self.labels = numpy.array([int(self.is_gold(path, paths)) for path in paths])

    def is_gold(self, path, paths):
        # A label may leave out the first folders of a path, unless another file is what it says.
        return path in self.gold or any(path.endswith("/" + gold) and gold not in paths for gold in self.gold)

    def column(self, name):
        return self.facts[:, self.names.index(name)]

    def trust(self):
        brevity = (LONG_WORDS - self.column("question_words")[0]) / (LONG_WORDS - SHORT_WORDS)
        return min(max(brevity, 0.0), 1.0)


def learn(cases, seed):
    count = collections.Counter(case.repo for case in cases)
    facts = numpy.vstack([case.facts for case in cases])
    names = cases[0].names
    # No repository shall say everything.
    weights = [numpy.full(len(case.labels), case.weight / math.sqrt(count[case.repo])) for case in cases]
    data = lightgbm.Dataset(
        facts, label=numpy.concatenate([case.labels for case in cases]), group=[len(case.labels) for case in cases],
        weight=numpy.concatenate(weights), init_score=POINTS * facts[:, names.index("points")], feature_name=names)
    ways = [1 if name in UP else -1 if name in DOWN else 0 for name in names]
    settings = {**SETTINGS, "monotone_constraints": ways, "seed": seed}
    return lightgbm.train(settings, data, num_boost_round=ROUNDS)


def order(case, forests):
    value = POINTS * case.column("points")
    if forests:
        value = value + case.trust() * sum(forest.predict(case.facts) for forest in forests) / len(forests)
    # The files come in the order of points; those that lost much for their kind, or are of a kind that is asked for, keep
    # their places.
    least, most = MOVED_KEPT
    kept = case.column("kept")
    ranking, moved = numpy.arange(len(value)), numpy.flatnonzero((kept >= least) & (kept <= most))
    ranking[moved] = moved[numpy.argsort(-value[moved], kind="stable")]
    return ranking


def figures(case, ranking):
    """NDCG@10, share of the gold files among the first five, and reciprocal rank of the first."""
    ranks = [rank for rank, at in enumerate(ranking) if case.labels[at]]
    gain = sum(1 / math.log2(rank + 2) for rank in ranks if rank < 10)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(case.gold))))
    return gain / ideal, sum(rank < 5 for rank in ranks) / len(case.gold), 1 / (1 + ranks[0]) if ranks else 0.0


def judge(cases, mined):
    repos = sorted({case.repo for case in cases}, key=lambda repo: hashlib.sha1(repo.encode()).hexdigest())
    fold = {repo: at % FOLDS for at, repo in enumerate(repos)}
    scores = collections.defaultdict(list)
    for at in range(FOLDS):
        forests = [learn([case for case in cases if fold[case.repo] != at] + mined, seed) for seed in SEEDS]
        for case in cases:
            if fold[case.repo] == at:
                both = figures(case, order(case, [])), figures(case, order(case, forests))
                scores[case.suite].append(both)
                if case.suite == "dev_search" and case.repo not in OF_OTHER_TABLES:
                    scores["dev_search, other repositories"].append(both)
    mean = lambda rows: [round(float(value), 3) for value in numpy.mean(rows, axis=0)]
    told = {suite: {"cases": len(rows), "points": mean([by_points for by_points, _ in rows]),
                    "learnt": mean([learnt for _, learnt in rows])} for suite, rows in sorted(scores.items())}
    for suite, row in told.items():
        print(f"{suite}: {row['cases']} cases; NDCG@10, file recall@5, MRR by points {row['points']}, learnt {row['learnt']}")
    return told


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("features", nargs="+", type=pathlib.Path)
    arguments.add_argument("--mined", nargs="*", default=[], type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    cases = [Case(json.loads(line)) for path in given.features for line in path.open()]
    cases = [case for case in cases if case.gold and len(case.labels)]
    told = [json.loads(line) for path in given.mined for line in path.open()]
    mined = [Case(case, MINED_WEIGHT, MINED_FILES) for case in told if "-short-" in case["case"]]
    mined = [case for case in mined if case.labels.any()]
    assert not {case.repo for case in cases} & {case.repo for case in mined}, "a suite asks about a repository that was mined"
    held_out = judge(cases, mined)
    made = table([learn(cases + mined, seed) for seed in SEEDS], cases[0].names)
    given.out.write_bytes(made)
    manifest = {
        "made_by": "evals/ranking/train_files.py", "blake3": blake3.blake3(made).hexdigest(),
        "lightgbm": lightgbm.__version__, "numpy": numpy.__version__, "seeds": SEEDS, "rounds": ROUNDS, "settings": SETTINGS,
        "features": cases[0].names, "held_out": held_out,
        "repositories": sorted({f"{case.repo}@{case.commit}" for case in cases}), "mined_cases": len(mined),
        "mined_repositories": sorted({f"{case.repo}@{case.commit}" for case in mined}),
    }
    pathlib.Path(__file__).with_name("file_order.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
