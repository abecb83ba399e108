#!/usr/bin/env python3
"""Reads source trees and writes what stands together in them, one segment a line, for build.py.

    gather.py OUT CHECKOUT… [--crates DIR]

A checkout is a git directory; its newest commit is read, and the subjects of its history. Three kinds of line come out, all
of them stems in small letters:

    D doc words | code words     a comment and the declaration below it (or above a docstring), a commit and the paths it touched
    T words                      prose: a comment, a paragraph, a commit's body
    K words                      code: the words of identifiers on neighbouring lines
"""

import argparse
import hashlib
import multiprocessing
import pathlib
import re
import subprocess
import sys

import Stemmer

CODE = set("rs go py js mjs ts tsx jsx java kt kts swift c h cc cpp hpp cs php rb scala".split())
PROSE = set("md mdx rst adoc asciidoc txt".split())
# What nobody wrote by hand, or wrote elsewhere.
SKIP = re.compile(r"(^|/)(vendor|node_modules|third_party|deps|dist|build|fixtures?|testdata|locale|i18n|translations)/|\.min\.|\.pb\.go$|_pb2\.py$|(^|/)zz_")
MAX_BYTES = 300_000
MAX_COMMITS = 40_000
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
WORD = re.compile(r"[A-Za-z]{2,24}")
OPENS = ("//", "/*", "*", "--", "<!--")
KEYWORDS = set(
    "abstract as assert async auto await bool boolean break byte case catch char class const continue crate def default defer "
    "del do double elif else elsif end enum except export extends extern final finally float fn for foreach from func function "
    "global go goto if impl implements import in include int interface internal is lambda let long match mod module mut namespace new nil "
    "none not null object of operator or override package pass private protected pub public raise ref return self short signed "
    "sizeof static str struct super switch template this throw throws trait true try type typedef typename undefined union unsafe "
    "unsigned use using val var virtual void volatile when where while with yield string false require params param returns".split()
)

stemmer = Stemmer.Stemmer("english")
stop = set()
stems = {}
names = {}


def stem(word):
    known = stems.get(word)
    if known is None:
        known = ""
        if word not in stop and 2 <= len(word) <= 24:
            known = word
            if len(word) > 2:
                known = stemmer.stemWord(word)
                if len(known) < 3:
                    known = word[:3]
        stems[word] = known
    return known


def prose(text):
    found = []
    for word in WORD.findall(text):
        # A name in running text counts by its words.
        parts = PART.findall(word) if not word.islower() and not word.istitle() and not word.isupper() else (word,)
        for part in parts:
            part = stem(part.lower())
            if part:
                found.append(part)
    return found


def code(text):
    found = []
    for name in NAME.findall(text):
        known = names.get(name)
        if known is None:
            known = ()
            if name not in KEYWORDS and len(name) < 60:
                known = tuple(filter(None, (stem(part.lower()) for part in PART.findall(name) if len(part) > 1)))
            if len(names) < 3_000_000:
                names[name] = known
        found.extend(known)
    return found


class Writer:
    def __init__(self, out):
        self.out = out
        self.seen = set()

    def doc(self, said, written):
        if len(said) > 1 and written:
            # The first sentences say what it is; the rest explains arguments.
            self.out.write("D " + " ".join(said[:24]) + " | " + " ".join(written[:10]) + "\n")

    def text(self, words):
        if len(words) > 2:
            self.out.write("T " + " ".join(words[:400]) + "\n")

    def code(self, words):
        if len(words) > 2:
            self.out.write("K " + " ".join(words[:80]) + "\n")

    def is_new(self, text):
        key = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest()
        if key in self.seen:
            return False
        self.seen.add(key)
        return True


def source(text, ext, writer):
    comment, run, waiting, last = [], [], None, ""
    docstring = None
    hashes = ext in ("py", "rb", "php")

    def close():
        nonlocal comment, waiting
        if comment:
            whole = " ".join(comment)
            comment = []
            if writer.is_new(whole):
                said = prose(whole)
                writer.text(said)
                waiting = said
            else:
                waiting = None

    for line in text.split("\n"):
        bare = line.strip()
        if not bare:
            close()
            writer.code(run)
            run, waiting = [], None
            continue
        if docstring:
            if docstring in bare:
                comment.append(bare.replace(docstring, " "))
                whole = " ".join(comment)
                comment, docstring = [], None
                if writer.is_new(whole):
                    said = prose(whole)
                    writer.text(said)
                    writer.doc(said, code(last))
            elif len(comment) < 60:
                comment.append(bare)
            continue
        if ext == "py" and (bare.startswith('"""') or bare.startswith("'''") or bare.startswith('r"""')):
            mark = '"""' if '"""' in bare else "'''"
            rest = bare.split(mark, 1)[1]
            if mark in rest:
                said = prose(rest.split(mark)[0])
                writer.text(said)
                writer.doc(said, code(last))
            else:
                docstring, comment = mark, [rest]
            continue
        if bare.startswith(OPENS) or (hashes and bare.startswith("#") and not bare.startswith("#[")):
            if len(comment) < 40:
                comment.append(bare.lstrip("/*#!- ").replace("*/", " "))
            continue
        close()
        if bare.startswith(("import ", "use ", "using ", "#include", "from ", "package ", "@", "#[")):
            continue
        body, _, tail = bare.partition(" // ")
        words = code(body)
        if tail:
            writer.doc(prose(tail), words)
        if waiting is not None:
            writer.doc(waiting, words)
            waiting = None
        run.extend(words)
        last = bare
        if len(run) > 60:
            writer.code(run)
            run = run[-6:]
    close()
    writer.code(run)


def document(path, text, writer):
    ext = path.rsplit(".", 1)[-1].lower()
    if ext in CODE:
        source(text, ext, writer)
    elif ext in PROSE:
        for paragraph in re.split(r"\n\s*\n", text):
            if len(paragraph) < 20_000 and writer.is_new(paragraph):
                writer.text(prose(paragraph))


def history(git, writer):
    log = subprocess.Popen(
        git + ["log", "--no-merges", f"--max-count={MAX_COMMITS}", "--name-only", "--format=%x01%s%x02%b%x03"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    for record in log.stdout.read().decode(errors="replace").split("\x01")[1:]:
        head, _, paths = record.partition("\x03")
        subject, _, body = head.partition("\x02")
        said = prose(re.sub(r"^[\w/().!, -]{1,30}: ", "", subject))
        body = "\n".join(line for line in body.split("\n") if not re.match(r"\s*([A-Z][\w-]+-by|Cc|Closes|Fixes|Change-Id|Link|Reviewers?):", line))
        writer.text(said + prose(body[:3000]))
        paths = [path for path in paths.split("\n") if path.strip() and not SKIP.search(path)]
        if 0 < len(paths) <= 4:
            for path in paths:
                if path.rsplit(".", 1)[-1] in CODE:
                    writer.doc(said, code(" ".join(path.rsplit(".", 1)[0].split("/")[-2:])))
    log.wait()


def checkout(job):
    path, out = job
    git = ["git", f"--git-dir={path}"]
    with open(out, "w") as file:
        writer = Writer(file)
        listing = subprocess.run(git + ["ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True).stdout
        wanted = []
        for row in listing.decode(errors="replace").split("\0"):
            if "\t" not in row:
                continue
            meta, name = row.split("\t", 1)
            _, kind, blob, size = meta.split()
            ext = name.rsplit(".", 1)[-1].lower()
            if kind == "blob" and ext in CODE | PROSE and not SKIP.search(name) and size.isdigit() and int(size) < MAX_BYTES:
                wanted.append((blob, name))
        reader = subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for blob, name in wanted:
            reader.stdin.write(blob.encode() + b"\n")
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) < 3:
                continue
            text = reader.stdout.read(int(head[2]))
            reader.stdout.read(1)
            document(name, text.decode(errors="replace"), writer)
        reader.stdin.close()
        reader.wait()
        history(git, writer)
    return path


def crates(job):
    folder, out, excluded = job
    with open(out, "w") as file:
        writer = Writer(file)
        for path in sorted(pathlib.Path(folder).rglob("*")):
            crate = path.relative_to(folder).parts[0]
            if excluded.match(crate) or path.suffix[1:] not in CODE | PROSE or not path.is_file():
                continue
            if path.stat().st_size < MAX_BYTES and not SKIP.search(str(path.relative_to(folder))):
                document(path.name, path.read_text(errors="replace"), writer)
    return folder


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out")
    arguments.add_argument("checkouts", nargs="*")
    arguments.add_argument("--crates")
    arguments.add_argument("--exclude", default="tokio|tracing|reqwest", help="crates that a suite asks about")
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    words = pathlib.Path(__file__).resolve().parents[2] / "src/recon/words.rs"
    stop.update(re.search(r'STOP_WORDS: &str = "(.*?)"', words.read_text(), re.S).group(1).split())
    out = pathlib.Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(given.jobs, maxtasksperchild=1) as pool:
        waiting = []
        if given.crates:
            waiting.append(pool.apply_async(crates, ((given.crates, out / "crates.txt", re.compile(given.exclude)),)))
        for path in given.checkouts:
            name = pathlib.Path(path).parent.name
            waiting.append(pool.apply_async(checkout, ((path, out / f"{name}.txt"),)))
        for one in waiting:
            print(one.get(), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
