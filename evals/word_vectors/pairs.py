#!/usr/bin/env python3
"""Reads a source tree and writes pairs of a text and the code that it is about, one a line, for learn.py.

    pairs.py OUT RETRIEVER TREE [GIT [COMMITS]]

The graph of `RETRIEVER index --export` says what is declared where. A line has six columns, divided by tabs: its kind, and the
stems of the text, of the declaration's name, of its owner, of its path, and of its body without comments. The kinds:

    doc   the first part of a documentation comment, and the declaration below it
    in    a comment inside of a function, and the lines below it with the function's beginning
    fix   a commit's message, and code as it was before the commit changed it, under the name that the hunk is headed with
    none  a declaration that no text is about
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

import Stemmer

WORDS = pathlib.Path(__file__).resolve().parents[2] / "crates/search/src/words"
KINDS_LEFT_OUT = set("file module variable field import enum_member parameter constant namespace package".split())
CODE = set("rs go py js mjs ts tsx jsx java kt kts swift c h cc cpp hpp cs php rb scala".split())
TESTS = re.compile(
    r"(^|/)(tests?|spec|__tests__|testdata|fixtures?|vendor|node_modules|third_party|dist|benches|examples?)/"
    r"|[._-](test|spec)\.|Tests?\.|_test\.", re.I)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
OPENS = ("//", "/*", "*", "--", "<!--")
# Behind what a documentation comment speaks of arguments.
DETAILS = re.compile(r"\n\s*\n|@param|@return|:param|Args:|Parameters|# Examples|```|<pre")
TRAILERS = re.compile(r"\s*([A-Z][\w-]+-by|Cc|Closes|Fixes|Change-Id|Link|Reviewers?|See|PR|Author)\b")
MOST_LINES, MOST_WORDS = 20_000, 160
COMMITS, MOST_READ, MOST_BYTES, MOST_FILES, MOST_HUNKS = 6_000, 70_000, 60_000, 8, 3

stemmer = Stemmer.Stemmer("english")
source = (WORDS / "stems.rs").read_text()
stop = {word for line in (WORDS / "stop_words.txt").open() if not line.startswith("#") for word in line.split()}
spelt = re.findall(r'\("(\w+)", "(\w+)"\)', re.search(r"SPELLINGS: .*?= &\[(.*?)\];", source, re.S).group(1))
endings = set(re.findall(r'"(\w+)"', re.search(r"SUFFIXES: .*?= &\[(.*?)\];", source, re.S).group(1)))


def regular(word):
    if len(word) < 3:
        return word
    for here, there in spelt:
        at = word.rfind(here)
        if at >= 0 and word[at + len(here) :] in endings:
            word = word[:at] + there + word[at + len(here) :]
            break
    known = stemmer.stemWord(word)
    return word[:3] if len(known) < 3 else known


def joined_forms():
    bases = {}
    for line in (WORDS / "lemmas.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            base, *forms = map(regular, line.split())
            bases.update((form, base) for form in forms if form != base)
    return bases


kin = joined_forms()
stems, names = {}, {}


def stem(word):
    if word not in stems:
        known = regular(word) if word not in stop and 2 <= len(word) <= 24 else ""
        stems[word] = kin.get(known, known)
    return stems[word]


def words(text, most=400):
    found = []
    for name in NAME.findall(text):
        if name not in names:
            parts = PART.findall(name) if len(name) < 60 else ()
            names[name] = tuple(filter(None, (stem(part.lower()) for part in parts if len(part) > 1)))
        found.extend(names[name])
        if len(found) >= most:
            break
    return found[:most]


def path_words(path):
    return words(" ".join(path.rsplit(".", 1)[0].split("/")[-3:]), 12)


def declared(retriever, tree):
    export = subprocess.Popen([retriever, "--root", tree, "-q", "index", "--export", "-"], stdout=subprocess.PIPE, text=True)
    files = collections.defaultdict(list)
    for line in export.stdout:
        if line.startswith('{"kind":"node"'):
            node = json.loads(line)["node"]
            if node["kind"] not in KINDS_LEFT_OUT and not TESTS.search(node["path"]):
                files[node["path"]].append(node)
    return files


def parted(lines, hashes):
    """Code without comments, and the comments, each with the number of the code line that follows it."""
    code, comments, run, doc_string = [], [], [], None
    for line in lines:
        bare = line.strip()
        if doc_string:
            doc_string = None if doc_string in bare else doc_string
        elif bare.startswith(('"""', "'''", 'r"""')):
            mark = '"""' if '"""' in bare else "'''"
            doc_string = mark if mark not in bare.split(mark, 1)[1] else None
        elif bare.startswith(OPENS) or (hashes and bare.startswith("#")):
            run.append(bare.lstrip("/*#!- "))
        else:
            if run:
                comments.append((" ".join(run), len(code)))
                run = []
            code.append(bare.split(" // ")[0])
    return code, comments


class Writer:
    def __init__(self, out):
        self.out = out
        self.seen = set()

    def is_new(self, said, least):
        text = " ".join(said)
        if len(said) < least or text in self.seen:
            return False
        self.seen.add(text)
        return True

    def write(self, kind, *texts):
        self.out.write("\t".join([kind, *(" ".join(text) for text in texts)]) + "\n")


def declaration(node, path, text, writer):
    lines = text[node["start"] - 1 : min(node["end"], node["start"] + 80)]
    code, comments = parted(lines, path.endswith((".py", ".rb", ".php", ".sh")))
    by_line = [words(line, 40) for line in code]
    body = [word for line in by_line for word in line][:MOST_WORDS]
    name = words(node["name"], 12)
    around = node["qname"].replace("::", ".").replace("#", ".").split(".")
    owner = words(around[-2], 10) if len(around) > 1 else []
    if not name or len(body) < 4:
        return
    said = words(DETAILS.split(node["doc"])[0], 40)
    if writer.is_new(said, 3):
        writer.write("doc", said, name, owner, path_words(path), body)
    else:
        writer.write("none", [], name, owner, path_words(path), body)
    if node["kind"] in ("function", "method", "constructor"):
        for comment, at in comments[:6]:
            said = words(comment, 40)
            if writer.is_new(said, 4):
                near = [word for line in by_line[max(0, at - 1) : at + 6] for word in line]
                writer.write("in", said, name, owner, path_words(path), near + body[:60])


def commit(record, writer):
    if len(record) > MOST_BYTES:
        return
    message, _, diff = record.partition("\x03")
    subject, _, rest = message.partition("\x02")
    subject = re.sub(r"^[\w/().!, \[\]-]{1,30}: ", "", subject.strip("\x01"))
    rest = "\n".join(line for line in rest.split("\n")[:12] if not TRAILERS.match(line))
    said = words(f"{subject} {rest}", 40)
    files = re.split(r"^diff --git ", diff, flags=re.M)[1:]
    if len(said) < 4 or not 1 <= len(files) <= MOST_FILES:
        return
    for file in files:
        path = re.match(r"a/(\S+) b/", file)
        if not path or TESTS.search(path.group(1)) or path.group(1).rsplit(".", 1)[-1] not in CODE:
            continue
        for hunk in re.split(r"^@@ [^@]*@@", file, flags=re.M)[1 : MOST_HUNKS + 1]:
            heading, _, lines = hunk.partition("\n")
            before = [line[1:] for line in lines.split("\n") if line[:1] in " -" and not line[1:].strip().startswith((*OPENS, "#"))]
            name, body = words(heading, 14), words(" ".join(before), 80)
            if name and len(body) > 2:
                writer.write("fix", said, name, [], path_words(path.group(1)), body)


def history(git, writer, commits):
    code = ["--", *(f"*.{ending}" for ending in sorted(CODE))]
    git = ["git", f"--git-dir={git}"]
    left = subprocess.run([*git, "rev-list", "--no-merges", f"--max-count={commits}", "HEAD", *code], stdout=subprocess.PIPE).stdout.split()
    # A snapshot can lack files, at which the log breaks off: it goes on behind that commit.
    while left:
        log = subprocess.Popen(
            [*git, "log", "--no-walk=unsorted", "--stdin", "-p", "-U1", "--no-color", "--no-renames", "--format=%x01%s%x02%b%x03", *code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        log.stdin.write(b"\n".join(left) + b"\n")
        log.stdin.close()
        record, size, seen = [], 0, 0
        for line in log.stdout:
            line = line.decode(errors="replace")
            if line.startswith("\x01"):
                commit("".join(record), writer)
                record, size, seen = [], 0, seen + 1
            size += len(line)
            # What is too long is not read to its end.
            if size < MOST_READ:
                record.append(line)
        commit("".join(record), writer)
        left = left[max(seen, 1) :] if log.wait() else []


def main():
    out, retriever, tree, *git = sys.argv[1:]
    with open(out, "w") as file:
        writer = Writer(file)
        for path, nodes in sorted(declared(retriever, tree).items()):
            text = (pathlib.Path(tree) / path).read_text(errors="replace").split("\n")
            if len(text) <= MOST_LINES:
                for node in nodes:
                    declaration(node, path, text, writer)
        if git:
            history(git[0], writer, int(git[1]) if git[1:] else COMMITS)


if __name__ == "__main__":
    main()
