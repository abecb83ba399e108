#!/usr/bin/env python3
"""Asks for names of declarations, and counts those that `explore` answers first with a definition. One `retriever serve` answers
all questions about a checkout.

    names.py RETRIEVER CHECKOUT… [--each 100] [--seed 1] [--jobs 2] [--out FILE]

Names are drawn from each checkout, half of them from the graph (`retriever index --export`) and half from universal-ctags, so
that what the graph lacks is counted. A name is one with at most three definitions by either outside tests, examples and
copied code: types, functions, methods, macros, constants. Fields, parameters and what a function keeps for itself do not
count: of ctags, which has no scope for what stands in a function literal, an indented line without a scope is left out,
and so is code in a text over several lines. An answer is right when the first place is one of the
definitions: its lines contain the defining one, and it has the name. `printed first` counts those of which the first file of
printed source has a definition. Prints the shares by language and by source, and
writes with --out what was asked and answered, one JSON object a line.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import functools
import json
import pathlib
import random
import re
import subprocess
import tempfile
import urllib.request

MAX_DEFINITIONS = 3
GRAPH_KINDS = {
    "class", "struct", "interface", "trait", "enum", "union", "type", "type_alias", "protocol", "object", "record", "actor",
    "annotation", "function", "method", "macro", "constant", "const", "alias",
}
# In other languages a module is a file or a namespace.
MODULE_LANGUAGES = {"ruby", "elixir", "scala", "php"}
SPELLINGS = {"c#": "csharp", "c++": "cpp", "sh": "bash", "tsx": "typescript"}
CTAGS_KINDS = {
    "class", "struct", "interface", "trait", "enum", "union", "typedef", "type", "alias", "object", "record", "protocol",
    "function", "func", "method", "singletonMethod", "macro", "constant", "const", "delegate", "guard", "newtype", "data",
}
CODE = {
    "C", "C++", "C#", "Elixir", "Erlang", "Go", "Haskell", "Java", "JavaScript", "Julia", "Kotlin", "Lua", "OCaml", "Perl",
    "PHP", "PowerShell", "Protobuf", "Python", "R", "Ruby", "Rust", "Sh", "TypeScript",
}
ASIDE = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|test[-_]\w+|\w+[-_]tests?|fixtures?|mocks?|examples?|samples?|bench\w*|vendor|"
    r"third_party|node_modules|deps|dist|build|generated|docs?)/|(^|[/._-])(test|tests|spec)[._-]|[a-z](Tests?|Spec|Specs)\.\w+$"
    r"|[._]min\.|_pb2?\.",
    re.I)
NO_DEFINITION = re.compile(r"__anon|AnonymousFunction")
# What ctags takes for definitions: imports, and macros without a value, such as include guards.
NOTHING_DEFINED = re.compile(r"/\^(use\s|\s*#\s*define\s+\w+\s*\$)")
LOCAL = re.compile(r"/\^\s+(var|let|const)\s+\w+\s*=")
INNER_TESTS = re.compile(r"(^|\W)tests?(\W|$)")
NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{2,}[?!]?$")


def spelled(language):
    # The graph has the name of an outlined language inside of an object.
    language = language if isinstance(language, str) else next(iter(language.values()))
    language = language.lower().replace("_", "")
    return SPELLINGS.get(language, language)


def is_kind(kinds, kind, language):
    return kind in kinds or kind == "module" and spelled(language) in MODULE_LANGUAGES


def graph_definitions(program, root):
    with tempfile.TemporaryDirectory() as folder:
        export = pathlib.Path(folder) / "export.jsonl"
        subprocess.run([program, "-q", "--root", root, "index", "--export", export], check=True, capture_output=True)
        for line in export.open():
            node = json.loads(line).get("node")
            if not node or not is_kind(GRAPH_KINDS, node["kind"], node["language"]):
                continue
            if not INNER_TESTS.search(node["qname"].rpartition(node["name"])[0]):
                yield node["name"], node["path"], node["name_line"], spelled(node["language"])


def is_local(tag):
    """Whether a declaration is kept by a function."""
    pattern = tag.get("pattern", "")
    if tag.get("scopeKind") in ("function", "method", "func") or LOCAL.match(pattern):
        return True
    return "scope" not in tag and tag["kind"] != "macro" and pattern.startswith(("/^ ", "/^\t"))


@functools.cache
def lines_in_texts(path):
    """Numbers of the lines of a file that begin inside of a text over several lines."""
    found, is_inside = set(), False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if is_inside:
            found.add(number)
        is_inside ^= line.count('"""') % 2 == 1
    return found


def is_in_text(root, tag):
    is_asked = tag["language"] in ("Elixir", "Python")
    return is_asked and tag["line"] in lines_in_texts(pathlib.Path(root) / tag["path"])


def ctags_definitions(root):
    command = ["ctags", "-R", "--output-format=json", "--fields=+nlK", "--extras=-F", "-f", "-", "."]
    tags = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, errors="replace").stdout
    for line in tags.splitlines():
        tag = json.loads(line)
        inner = INNER_TESTS.search(tag.get("scope") or "") or NO_DEFINITION.match(tag["name"])
        inner = inner or is_local(tag) or NOTHING_DEFINED.match(tag.get("pattern", ""))
        language = tag.get("language")
        if language in CODE and is_kind(CTAGS_KINDS, tag.get("kind"), language) and not inner and not is_in_text(root, tag):
            yield tag["name"], tag["path"].removeprefix("./"), tag["line"], spelled(language)


def wanted(definitions):
    """Names with few definitions, each with its places and its language."""
    places, language = collections.defaultdict(set), {}
    for name, path, line, of in definitions:
        if NAME.match(name) and not ASIDE.search(path):
            places[name].add((path, line))
            language[name] = of
    return {name: (found, language[name]) for name, found in places.items()}


def drawn(program, root, each, seed):
    sources = {"graph": wanted(graph_definitions(program, root)), "ctags": wanted(ctags_definitions(root))}
    by_name = collections.defaultdict(set)
    for names in sources.values():
        for name, (places, _) in names.items():
            by_name[name] |= places
    # A definition may stand on one line for the graph and on another for ctags, so that each counts by itself.
    count = lambda names, name: len(names[name][0]) if name in names else 0
    few = {name for name in by_name if all(count(names, name) <= MAX_DEFINITIONS for names in sources.values())}
    chance = random.Random(f"{seed} {pathlib.Path(root).name}")
    for source, names in sources.items():
        known = sorted(few & names.keys())
        for name in sorted(chance.sample(known, min(each // 2, len(known)))):
            only = source == "ctags" and name not in sources["graph"]
            yield {"root": root, "name": name, "language": names[name][1], "source": "ctags only" if only else source,
                   "definitions": sorted(by_name[name])}


def last_part(name):
    return re.split(r"[.:\\#]", name.rstrip("="))[-1]


@contextlib.contextmanager
def served(program, root):
    """The address of a server for a checkout."""
    command = [program, "-q", "--root", root, "serve", "--offline", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def asked(address, case):
    body = json.dumps({"query": case["name"], "limit": 20}).encode()
    request = urllib.request.Request(address + "/v1/explore", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        found = json.load(answer)
    results = found["results"]

    def is_right(place):
        is_there = lambda path, line: place["path"] == path and place["start"] - 1 <= line <= place["end"]
        is_named = last_part(place["name"]) == last_part(case["name"])
        return is_named and any(is_there(path, line) for path, line in case["definitions"])

    ranks = [rank for rank, place in enumerate(results, 1) if is_right(place)]
    first = [f"{place['path']}:{place['start']}-{place['end']} {place['kind']} {place['name']}" for place in results[:3]]

    def is_printed(file):
        is_in = lambda line: any(part["start"] - 1 <= line <= part["end"] for part in file["sections"])
        return any(file["path"] == path and is_in(line) for path, line in case["definitions"])

    files = found["files"]
    # Without any source the results are what is read.
    leads = is_printed(files[0]) if files else ranks[:1] == [1]
    return {**case, "rank": ranks[0] if ranks else None, "leads": leads, "first": first}


def table(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
        groups["all"].append(row)
    for name, of_group in sorted(groups.items(), key=lambda group: (group[0] == "all", group[0])):
        ranks = [row["rank"] for row in of_group]
        share = lambda most: sum(rank is not None and rank <= most for rank in ranks) / len(ranks)
        leads = sum(row["leads"] for row in of_group) / len(of_group)
        print(f"{name:14} {len(ranks):5}   {share(1):.3f}   {share(5):.3f}   {share(20):.3f}   {leads:.3f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("retriever")
    arguments.add_argument("checkouts", nargs="+")
    arguments.add_argument("--each", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--out", type=pathlib.Path)
    given = arguments.parse_args()
    rows = []
    for root in given.checkouts:
        cases = list(drawn(given.retriever, root, given.each, given.seed))
        with served(given.retriever, root) as address, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            rows += pool.map(functools.partial(asked, address), cases)
    if given.out:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{'':14} names   first   first 5 first 20 printed first")
    table(rows, "language")
    table(rows, "source")


if __name__ == "__main__":
    main()
