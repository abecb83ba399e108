#!/usr/bin/env python3
"""Makes labelled cases from repositories that no suite asks about: where fixes were made, and what comments said.

    evals/unseen/cases.py OUT RETRIEVER GITDIR…

A GITDIR is a git directory with its history; the folder above it names the project, as owner+name. OUT gets a tree for
each, and the cases in two suites that share no repository, fit.jsonl and check.jsonl: weights are fitted on the one and
judged on the other. Two kinds of case:

  a fix       the message of a commit that describes a fault; its gold files are those that the fix changed, in a tree
              from before all the fixes that are asked about
  a comment   the first sentence above a function, asked as it stands; the comment is blanked in the tree, and the
              function's lines are the only label
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

CODE = {
    "rs": "rust", "go": "go", "py": "python", "js": "javascript", "mjs": "javascript", "jsx": "javascript", "ts": "typescript",
    "tsx": "typescript", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c", "h": "c", "cs": "csharp", "rb": "ruby",
    "php": "php", "scala": "scala", "cc": "cpp", "cpp": "cpp",
}
NOT_SOURCE = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures?|examples?|docs?|benchmarks?|benches|vendor|third_party|"
    r"node_modules|dist|samples?|[\w.-]*[Tt]ests?)/|([._-](test|spec)s?\.|_test\.|Tests?\.|Spec\.|(^|/)test_)|(^|/)conftest\.py$"
)
FIX = re.compile(r"\b(fix(es|ed|ing)?|bug|crash\w*|wrong\w*|incorrect\w*|leak\w*|race|panic\w*|broken|regression|avoid\w*)\b", re.I)
CHORE = re.compile(
    r"\b(bump|merge|release|format(ting)?|typos?|lint\w*|clippy|revert|changelog|docs?|comments?|spelling|test|tests|ci|"
    r"warnings?|build|deps?|dependency|rename|refactor\w*|cleanup|version)\b", re.I
)
TRAILER = re.compile(r"^\s*([A-Z][\w-]+-([Bb]y|[Ii]d)|Cc|Closes|Fixes|Resolves|Refs?|See|Link|Bug|Reviewers?|Ported|Reported|Signed)\b[^\n]*[:#]", re.I)
PATHLIKE = re.compile(r"\S*/\S+|\b[\w-]+\.(%s|md|toml|json|ya?ml)\b(:\d+)?" % "|".join(CODE))
COMMITS = 6000
FIXES = 10
COMMENTS = 8
LEAST_LINES = 8
MOST_LINES = 120
MOST_BYTES = 1_000_000


def git(folder, *words):
    return subprocess.run(["git", f"--git-dir={folder}", *words], capture_output=True, check=True).stdout.decode(errors="replace")


def is_source(path):
    return path.rsplit(".", 1)[-1] in CODE and not NOT_SOURCE.search(path)


def described(message):
    """The message without what gives the files away; nothing when it describes no fault."""
    subject, _, body = message.partition("\n")
    if CHORE.search(subject) or not FIX.search(message):
        return None
    subject = re.sub(r"^(\[[^\]]*\]\s*|[\w./,* {}-]{1,40}(\([^)]*\))?!?:\s+)+", "", subject)
    subject = re.sub(r"\s*\(?#\d+\)?", "", subject)
    lines = [line for line in body.split("\n") if not TRAILER.match(line) and not line.startswith(("diff ", "---", "+++", "@@"))]
    text = PATHLIKE.sub("", re.sub(r"https?://\S+", "", subject + "\n" + "\n".join(lines)))
    text = re.sub(r"\(?#\d+\)?", "", re.sub(r"\n{3,}", "\n\n", text)).strip()[:1500]
    return text if len(re.findall(r"[A-Za-z]{2,}", text)) >= 18 else None


def fixes(folder):
    """The newest fixes, newest first: commit, parent, message and files."""
    log = git(folder, "log", "--no-merges", f"--max-count={COMMITS}", "--name-status", "--no-renames", "--format=%x01%H%x02%P%x02%B%x03", "HEAD")
    found = []
    for record in log.split("\x01")[1:]:
        head, _, changes = record.partition("\x03")
        commit, parent, message = head.split("\x02", 2)
        rows = [line.split("\t") for line in changes.strip().split("\n") if "\t" in line]
        source = [path for kind, path in rows if is_source(path)]
        if not 1 <= len(source) <= 3 or len(rows) > 12 or any(kind != "M" for kind, path in rows if is_source(path)):
            continue
        text = described(message.strip())
        if text:
            found.append((commit, parent.split()[0], text, source))
        if len(found) == FIXES:
            break
    return found


def tree(folder, commit, target):
    """Writes the files of a commit; those that a copy of the repository left out are left out here, too."""
    rows = [row.split("\t", 1) for row in git(folder, "ls-tree", "-r", "-z", commit).split("\0") if row]
    rows = [(meta.split(), path) for meta, path in rows]
    blobs = [(meta[2], path) for meta, path in rows if meta[0] in ("100644", "100755")]
    asked = "".join(f"{blob}\n" for blob, _ in blobs).encode()
    answer = subprocess.run(["git", f"--git-dir={folder}", "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
    at = 0
    for _, path in blobs:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        at = end + 1
        if head[1] == b"missing":
            continue
        size = int(head[2])
        if size <= MOST_BYTES:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(answer[at:at + size])
        at += size + 1


def comment_of(lines, start, path):
    """The lines of the comment above line `start` (1-based), or of the docstring below it, and what they say."""
    at = start - 2
    while at >= 0 and re.match(r"\s*([@\[]|#\[)", lines[at]):
        at -= 1
    end = at
    mark = re.compile(r"\s*(#(?!\[|!)|//|/?\*)" if path.endswith((".rb", ".php")) else r"\s*(//|/?\*)")
    while at >= 0 and lines[at].strip() and mark.match(lines[at]):
        at -= 1
    if at < end:
        return range(at + 1, end + 1)
    if path.endswith(".py"):
        for first in range(start - 1, min(start + 8, len(lines))):
            if re.match(r'\s*r?"""', lines[first]):
                for last in range(first, min(first + 60, len(lines))):
                    if lines[last].count('"""') >= (2 if last == first else 1):
                        return range(first, last + 1)
                return None
    return None


def sentence(said):
    text = []
    for line in said:
        line = re.sub(r'^\s*(///?!?|/?\*+/?|#+|r?""")\s?|\*/\s*$|"""\s*$', "", line).strip()
        if not line or line.startswith(("@", "-", "Returns:", "Args:", ":param", "```", "# ")):
            if text:
                break
            if line:
                return None
            continue
        text.append(line)
    text = re.sub(r"</?\w[^>]*>|\{@\w+ ([^}]*)\}", r"\1", " ".join(text))
    text = re.split(r"(?<=[.!?])\s", text)[0]
    return text.strip()


def words(text):
    return {word.lower()[:5] for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text) if len(word) > 2}


def comments(folder, target, retriever):
    """Functions with what the comment above them said."""
    out = target.parent / f"{target.name}.graph"
    subprocess.run([retriever, "--quiet", "--root", target, "index", "--export", out], check=True, stdout=subprocess.DEVNULL)
    found, files = [], {}
    for row in out.open():
        node = json.loads(row).get("node", {})
        if node.get("kind") != "function" or not is_source(node["path"]) or node["path"].endswith(".h"):
            continue
        width = node["end"] - node["start"] + 1
        if not LEAST_LINES <= width <= MOST_LINES:
            continue
        path = node["path"]
        if path not in files:
            files[path] = (target / path).read_text(errors="replace").split("\n")
        lines = comment_of(files[path], node["start"], path)
        if not lines:
            continue
        text = sentence([files[path][line] for line in lines])
        if not text or not 8 <= len(text.split()) <= 45 or re.search(r"[{}=;]|TODO|FIXME|licen[cs]e|deprecated|https?:", text, re.I):
            continue
        name = node["name"].rsplit(".", 1)[-1]
        shared = words(name) & words(text)
        if name.lower() in text.lower().split() or len(shared) > max(1, len(words(name)) // 2):
            continue
        found.append((path, node, lines, text))
    out.unlink()
    return found, files


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("retriever")
    arguments.add_argument("gitdirs", nargs="+", type=pathlib.Path)
    given = arguments.parse_args()
    (given.out / "trees").mkdir(parents=True, exist_ok=True)
    suites = {"fit": [], "check": []}
    for order, folder in enumerate(given.gitdirs):
        project = folder.parent.name
        repo = project.replace("+", "/")
        found = fixes(folder)
        if not found:
            print(f"{repo}: no fixes", file=sys.stderr)
            continue
        base = found[-1][1]
        there = set(git(folder, "ls-tree", "-r", "--name-only", base).split("\n"))
        target = given.out / "trees" / f"{project.replace('+', '__')}@{base[:12]}"
        shutil.rmtree(target, ignore_errors=True)
        tree(folder, base, target)
        cases = []
        for commit, _, text, source in found:
            if all(path in there for path in source):
                cases.append({"id": f"{project}-fix-{commit[:8]}", "repo": repo, "base_commit": base,
                              "lang": CODE[source[0].rsplit(".", 1)[-1]], "query": text, "gold_files": source})
        said, files = comments(folder, target, given.retriever)
        # No order of the tree: a hash picks.
        said.sort(key=lambda case: hashlib.sha1(f"{case[0]}:{case[1]['start']}".encode()).hexdigest())
        picked, of_file = [], set()
        for path, node, lines, text in said:
            copies = sum(text[:40] in other for _, _, _, other in said)
            if path in of_file or copies > 1:
                continue
            of_file.add(path)
            picked.append((path, node, lines, text))
            if len(picked) == COMMENTS:
                break
        for path, node, lines, text in picked:
            for line in lines:
                files[path][line] = ""
            (target / path).write_text("\n".join(files[path]))
            cases.append({"id": f"{project}-said-{hashlib.sha1(text.encode()).hexdigest()[:8]}", "repo": repo, "commit": base,
                          "language": CODE[path.rsplit(".", 1)[-1]], "intent": "answer", "question": text,
                          "evidence": [{"role": "handler", "required": True, "any_of": [
                              {"path": path, "symbol": node["name"], "start": node["start"], "end": node["end"]}]}]})
        half = "fit" if order % 2 == 0 else "check"
        suites[half] += cases
        print(f"{repo}: {half}, {sum('fix' in case['id'] for case in cases)} fixes, {len(picked)} of {len(said)} comments", file=sys.stderr, flush=True)
        for name, all_cases in suites.items():
            (given.out / f"{name}.jsonl").write_text("".join(json.dumps(case) + "\n" for case in all_cases))


if __name__ == "__main__":
    main()
