#!/usr/bin/env python3
"""Scores `retriever explore` on key declarations: how many are printed in full, and for how many tokens.

usage: score.py RETRIEVER CORPORA [--keys=FILE] [--why] [--no-adaptive] [REPO…]

A key list has one key declaration a line, chosen by reading the code: keys.jsonl is the first list; keys-more.jsonl and
keys-third.jsonl were written before any answer was seen. The second has been tuned on since; of the third only the sums
are looked at. A key is full when at least 90 % of its lines that aren't blank are in printed sections. Tokens are the characters of the Markdown, divided by four. --why tells of each key its rank and worth.
"""
import json
import pathlib
import subprocess
import sys

FULL = 0.9


def explore(program, root, question, form, flags):
    command = [program, "--root", str(root), "--format", form, "explore", question, *flags]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def covered(key, answer, root):
    lines = (root / key["path"]).read_text(encoding="utf-8").split("\n")
    body = {n for n in range(key["start"], key["end"] + 1) if lines[n - 1].strip()}
    shown = set()
    for file in answer["files"]:
        if file["path"] == key["path"]:
            for section in file["sections"]:
                shown.update(range(section["start"], section["end"] + 1))
    return len(body & shown) / len(body)


def why(key, answer):
    """Where a key is ranked, and whether the flow passes it."""
    said = []
    for rank, found in enumerate(answer["results"], 1):
        if found["path"] == key["path"] and key["start"] <= found["end"] and found["start"] <= key["end"]:
            best = answer["results"][0]["score"] or 1
            said.append(f"{rank}. {found['name']}, {found['score'] / best:.2f}")
    if any(step["path"] == key["path"] and key["start"] <= step["line"] <= key["end"] for step in answer["flow"]):
        said.append("on the flow")
    return "; ".join(said) or "not ranked"


def main():
    flags = [arg for arg in sys.argv[1:] if arg.startswith("--")]
    program, corpora, *wanted = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    lists = [flag.removeprefix("--keys=") for flag in flags if flag.startswith("--keys=")]
    flags = [flag for flag in flags if not flag.startswith("--keys=")]
    with_why = "--why" in flags
    flags = [flag for flag in flags if flag != "--why"]
    path = pathlib.Path(lists[0]) if lists else pathlib.Path(__file__).with_name("keys.jsonl")
    keys = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key = json.loads(line)
        keys.setdefault((key["repo"], key["question"]), []).append(key)
    full_in_all = keys_in_all = tokens_in_all = 0
    for (repo, question), of_repo in keys.items():
        root = pathlib.Path(corpora) / repo
        if (wanted and repo not in wanted) or not root.is_dir():
            continue
        answer = json.loads(explore(program, root, question, "json", flags))
        text = explore(program, root, question, "markdown", flags)
        shares = [(covered(key, answer, root), key) for key in of_repo]
        full = sum(share >= FULL for share, _ in shares)
        skeletons = sum(file["mode"] == "skeleton" for file in answer["files"])
        full_in_all += full
        keys_in_all += len(of_repo)
        tokens_in_all += len(text) // 4
        print(f"{repo:12} {full}/{len(of_repo)} full, {len(text):6} chars, {len(text) // 4:5} tokens, "
              f"{len(answer['files'])} files, {skeletons} skeletons, flow of {len(answer['flow'])}")
        for share, key in shares:
            reason = f" ({why(key, answer)})" if with_why else ""
            print(f"    {share:4.0%} {key['symbol']}{reason}")
    print(f"in all       {full_in_all}/{keys_in_all} full, {tokens_in_all} tokens")


if __name__ == "__main__":
    main()
