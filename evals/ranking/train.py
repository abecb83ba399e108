#!/usr/bin/env python3
"""Learns which places of a file a question is about, and writes the table that `crates/search/src/ranking/learned_passage_order.rs` reads.

    evals/ranking/train.py --out crates/search/src/ranking/passage_order.bin FEATURES…

FEATURES are what `retriever eval features` wrote about cases that no suite holds, as `evals/unseen/cases.py` makes them. The trees
are LambdaMART's: of two places of a file that a case doesn't ask about alike, the one that it asks about shall come first. First
it says what they are worth on repositories that they were not learnt from.
"""

import argparse
import collections
import hashlib
import json
import math
import pathlib
import struct

import lightgbm
import numpy

# The points that a place has by hand count beside the trees; `POINTS` of passage_order.rs is the same number.
BY_HAND = 6.0
# Several forests of other seeds say together what none of them says by chance.
SEEDS = 4
ROUNDS = 80
FOLDS = 4
# Which way a fact may count, so that chance doesn't say that fewer words fit better.
UP = ("points_share", "graph", "name", "head", "body", "any", "own", "own_name", "around", "owner", "close", "of_file", "words",
      "words_share", "best_name", "pairs", "name_known", "named_whole", "meaning", "meaning_name", "meaning_head", "work")
DOWN = ("rank_in_file", "below_best_of_file", "meaning_below")
EITHER = ("places_of_file", "inbound", "outbound", "name_words", "density", "hits", "lines", "form", "depth", "hidden", "makes",
          "question_words", "names_code")
# Left out: what is alike in all places of a file, and what the cases have wrongly, since their comments were taken away.
USED = UP + DOWN + EITHER


def load(paths):
    """One group of places for each file of a case that holds some of what is asked for: facts, labels and weight."""
    cases = [json.loads(line) for path in paths for line in path.open()]

    def kind(case):
        return case["repo"], "-fix-" in case["case"], case["case"].endswith("-hard")

    count = collections.Counter(map(kind, cases))
    groups = []
    for case in cases:
        columns = [case["facts"].index(fact) for fact in USED]
        files = collections.defaultdict(list)
        for place in case["places"]:
            if place["rank"] < 300:
                files[place["path"]].append(place)
        for places in files.values():
            labels = numpy.array([int(bool(place["hits"])) for place in places])
            if 0 < labels.sum() < len(places):
                facts = numpy.array([place["facts"] for place in places], dtype=numpy.float32)[:, columns]
                # No project and no kind of case shall say everything.
                weight = 1 / math.sqrt(count[kind(case)])
                groups.append((case["repo"], facts, labels, weight))
    return groups


def by_hand(facts):
    return BY_HAND * facts[:, USED.index("points_share")]


def learn(groups):
    return [forest_of(groups, seed) for seed in range(1, SEEDS + 1)]


def predict(forests, facts):
    return by_hand(facts) + sum(forest.predict(facts) for forest in forests) / len(forests)


def forest_of(groups, seed):
    facts = numpy.vstack([group[1] for group in groups])
    data = lightgbm.Dataset(
        facts, label=numpy.concatenate([group[2] for group in groups]), group=[len(group[2]) for group in groups],
        weight=numpy.concatenate([numpy.full(len(group[2]), group[3]) for group in groups]), init_score=by_hand(facts),
        feature_name=list(USED))
    ways = [1 if fact in UP else -1 if fact in DOWN else 0 for fact in USED]
    settings = {
        "objective": "lambdarank", "label_gain": [0, 1], "lambdarank_truncation_level": 6, "learning_rate": 0.06, "num_leaves": 8,
        "min_data_in_leaf": 80, "feature_fraction": 0.6, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63,
        "monotone_constraints": ways, "seed": seed, "deterministic": True, "num_threads": 1, "verbose": -1,
    }
    return lightgbm.train(settings, data, num_boost_round=ROUNDS)


def among_first(groups, score, most):
    """Share of what is asked for that is among the first places of its file, a mean over repositories."""
    shares = collections.defaultdict(list)
    for repo, facts, labels, _ in groups:
        order = numpy.argsort(-score(facts), kind="stable")
        shares[repo].append(labels[order[:most]].sum() / labels.sum())
    return numpy.mean([numpy.mean(share) for share in shares.values()])


def judge(groups):
    repos = sorted({group[0] for group in groups}, key=lambda repo: hashlib.sha1(repo.encode()).hexdigest())
    fold = {repo: at % FOLDS for at, repo in enumerate(repos)}
    models = [learn([group for group in groups if fold[group[0]] != at]) for at in range(FOLDS)]
    for most in (1, 3, 6):
        hand = among_first(groups, by_hand, most)
        learnt = []
        for at, model in enumerate(models):
            held_out = [group for group in groups if fold[group[0]] == at]
            count = len({group[0] for group in held_out})
            learnt.append((count, among_first(held_out, lambda facts: predict(model, facts), most)))
        learnt = sum(count * share for count, share in learnt) / sum(count for count, _ in learnt)
        print(f"{len(groups)} files of {len(repos)} repositories: among the first {most} of a file by hand {hand:.3f}, learnt {learnt:.3f}")


def table(forests, names):
    """The trees as trees.rs reads them: forks before those that they lead to, leaves from 128."""
    out = bytearray(b"trees 1\n" + "\n".join(names).encode() + b"\n\n")
    for tree in [tree for forest in forests for tree in forest.dump_model()["tree_info"]]:
        forks, leaves, waiting = [], [], [(tree["tree_structure"], None)]
        while waiting:
            node, came = waiting.pop(0)
            is_leaf = "leaf_value" in node
            if came:
                forks[came[0]][2][came[1]] = 128 + len(leaves) if is_leaf else len(forks)
            if is_leaf:
                leaves.append(node["leaf_value"] / len(forests))
            else:
                assert node["decision_type"] == "<="
                waiting += [(node["left_child"], (len(forks), 0)), (node["right_child"], (len(forks), 1))]
                forks.append((node["split_feature"], node["threshold"], [0, 0]))
        out.append(len(forks))
        for fact, bound, ways in forks:
            out += struct.pack("<BfBB", fact, bound, *ways)
        out += struct.pack(f"<{len(leaves)}f", *leaves)
    return bytes(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("features", nargs="+", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    groups = load(given.features)
    judge(groups)
    given.out.write_bytes(table(learn(groups), USED))


if __name__ == "__main__":
    main()
