#!/usr/bin/env python3
"""Learns from pairs of a text and the code that it is about, as pairs.py wrote them, which words of the one go with which of the
other, and writes the table that crates/search/src/words/word_vectors.rs reads.

    learn.py START.bin PAIRS… --out ../../crates/search/src/words/vectors.bin [--hold NAME…]

START is what build.py made: its stems stay, their vectors are where learning begins. A text's vector is the sum of its words', a
declaration's the sum of its name's, its owner's, its path's and its body's; of all declarations of the same project a text's own
shall be most alike. A word's length is how much it says. Repositories that are held out say how well it goes on code that was not
learnt from; without --hold all are learnt from. Deterministic: the same inputs give the same bytes on the same numpy.
"""

import argparse
import collections
import itertools
import pathlib
import struct

import numpy as np
from scipy import sparse

# What the parts of a declaration count: name, owner, path, body.
PARTS = (1.0, 0.4, 0.4, 0.8)
MOST_WORDS = 60
MOST_ASKED = 30
# Pairs of one kind and project that are learnt from.
MOST_PAIRS = 30_000
BATCH, STEPS, RATE, TEMPERATURE = 256, 2_500, 0.007, 0.07
# Words of a text that its declaration has, too, are mostly left out: that they go together needs no learning. Of some texts all are.
SHARED_LEFT_OUT, NONE_SHARED, LEFT_OUT, NO_BODY = 0.5, 0.3, 0.1, 0.1
# Tables of other chances say together what none of them says by chance, and the first table keeps a part.
SEEDS = 2
OF_START = 0.3


def read_table(path):
    data = path.read_bytes()
    count, dimensions = struct.unpack_from("<II", data, 8)
    starts = np.frombuffer(data, "<u4", count + 1, 16)
    at = 16 + 4 * (count + 1)
    stems = [data[at + start : at + end].decode() for start, end in zip(starts, starts[1:])]
    at += int(starts[-1])
    weights = np.frombuffer(data, "u1", count, at).astype(np.float32) / 255
    vectors = np.frombuffer(data, "i1", count * dimensions, at + count).reshape(count, dimensions).astype(np.float32) / 127
    return stems, weights[:, None] * vectors


def write_table(path, stems, vectors):
    lengths = np.linalg.norm(vectors, axis=1)
    # A few words of great length would leave the others none.
    weights = np.clip(np.round(255 * lengths / np.percentile(lengths, 99.5)), 1, 255).astype("u1")
    directions = np.clip(np.round(127 * vectors / np.maximum(lengths, 1e-6)[:, None]), -127, 127).astype("i1")
    names = [stem.encode() for stem in stems]
    starts = np.cumsum([0] + [len(name) for name in names]).astype("<u4")
    head = b"vectors1" + struct.pack("<II", *vectors.shape)
    path.write_bytes(head + starts.tobytes() + b"".join(names) + weights.tobytes() + directions.tobytes())


def read_pairs(path, index):
    """Pairs of a project, as a text's words and those of the parts of its code, and code that no text is about."""
    kinds = collections.defaultdict(list)
    for line in path.open():
        kind, *texts = line.rstrip("\n").split("\t")
        said, *parts = ([index[word] for word in text.split() if word in index] for text in texts)
        if (parts[0] or parts[3]) and (kind == "none" or len(said) > 1):
            kinds[kind].append((said, parts))
    rng = np.random.default_rng(5)
    kept = {kind: [rows[at] for at in sorted(rng.permutation(len(rows))[:MOST_PAIRS])] for kind, rows in sorted(kinds.items())}
    silent = kept.pop("none", [])
    return [pair for rows in kept.values() for pair in rows], silent


def sums(texts, size):
    """One row for each text: its words, so that more of them weigh more, but less than in proportion."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    words = np.fromiter(itertools.chain.from_iterable(texts), np.int32, lengths.sum())
    worth = np.repeat(np.maximum(lengths, 1) ** -0.5, lengths).astype(np.float32)
    return sparse.csr_matrix((worth, words, np.concatenate([[0], np.cumsum(lengths)])), (len(texts), size))


def declarations(rows, size):
    return sum(worth * sums([parts[at][:MOST_WORDS] for _, parts in rows], size) for at, worth in enumerate(PARTS))


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6
    return rows / lengths, lengths


def through_unit(slope, rows, lengths):
    """The slope before `unit`, from that behind it."""
    return (slope - (slope * rows).sum(1, keepdims=True) * rows) / lengths


def asked(pair, rng):
    """A text without most of the words that its declaration has."""
    said, parts = pair
    there = {word for part in parts for word in part}
    left_out = 1.0 if rng.random() < NONE_SHARED else SHARED_LEFT_OUT
    kept = [word for word in said if rng.random() > LEFT_OUT and (word not in there or rng.random() > left_out)]
    return (kept or said)[:MOST_ASKED]


def learn(start, projects, seed):
    rng = np.random.default_rng(seed)
    table, size = start.copy(), len(start)
    moment, spread = np.zeros_like(table), np.zeros_like(table)
    often = np.array([len(pairs) ** 0.6 for pairs, _ in projects])
    often /= often.sum()
    for step in range(1, STEPS + 1):
        pairs, silent = projects[rng.choice(len(projects), p=often)]
        batch = [pairs[at] for at in rng.choice(len(pairs), min(BATCH, len(pairs)), replace=False)]
        others = [silent[at] for at in rng.choice(len(silent), min(BATCH, len(silent)), replace=False)] if silent else []
        texts = sums([asked(pair, rng) for pair in batch], size)
        bare = [(said, [*parts[:3], []] if rng.random() < NO_BODY else parts) for said, parts in batch + others]
        codes = declarations(bare, size)
        text, text_length = unit(texts @ table)
        code, code_length = unit(codes @ table)
        likely = np.exp((text @ code.T - 1) / TEMPERATURE)
        likely /= likely.sum(1, keepdims=True)
        own = np.arange(len(batch))
        likely[own, own] -= 1
        likely /= len(batch) * TEMPERATURE
        slope = texts.T @ through_unit(likely @ code, text, text_length)
        slope += codes.T @ through_unit(likely.T @ text, code, code_length)
        # Adam, over the words of the batch.
        here = np.flatnonzero(np.abs(slope).sum(1))
        moment[here] = 0.9 * moment[here] + 0.1 * slope[here]
        spread[here] = 0.99 * spread[here] + 0.01 * slope[here] ** 2
        rate = RATE * min(1, step / 200) * (1 - 0.9 * step / STEPS)
        table[here] -= rate * moment[here] / (np.sqrt(spread[here]) + 1e-5)
    return table


def judge(name, table, projects):
    """Mean reciprocal rank of a text's own declaration among all of its project, when a quarter of the shared words are left."""
    ranks = []
    for pairs, silent in projects:
        rng = np.random.default_rng(1)
        chosen = rng.permutation(len(pairs))[:300]
        code, _ = unit(declarations(pairs + silent, len(table)) @ table)
        texts = []
        for at in chosen:
            there = {word for part in pairs[at][1] for word in part}
            texts.append([word for word in pairs[at][0] if word not in there or rng.random() < 0.25])
        kept = [at for at, text in enumerate(texts) if len(text) > 1]
        text, _ = unit(sums([texts[at] for at in kept], len(table)) @ table)
        alike = text @ code.T
        own = alike[np.arange(len(kept)), chosen[kept]]
        ranks.append((1 / (1 + (alike > own[:, None]).sum(1))).mean())
    print(f"{name}: {np.mean(ranks):.4f} over {len(projects)} projects")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("start", type=pathlib.Path)
    arguments.add_argument("pairs", nargs="+", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    arguments.add_argument("--hold", nargs="*", default=[], help="projects that are judged by and not learnt from")
    given = arguments.parse_args()
    stems, start = read_table(given.start)
    index = {stem: at for at, stem in enumerate(stems)}
    projects = {path.stem: read_pairs(path, index) for path in sorted(given.pairs)}
    held_out = [projects[name] for name in given.hold]
    learnt_from = [project for name, project in projects.items() if name not in given.hold]
    table = sum(learn(start, learnt_from, seed) for seed in range(SEEDS)) / SEEDS
    longer = np.linalg.norm(table, axis=1).mean() / np.linalg.norm(start, axis=1).mean()
    table = (1 - OF_START) * table + OF_START * longer * start
    if held_out:
        judge("start", start, held_out)
        judge("learnt", table, held_out)
    write_table(given.out, stems, table)


if __name__ == "__main__":
    main()
