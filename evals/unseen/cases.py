#!/usr/bin/env python3
"""Makes labelled cases from repositories that no suite asks about: where fixes were made, and what comments said.

    evals/unseen/cases.py OUT RETRIEVER GITDIR…

A GITDIR is a git directory with its history; the folder above it names the project, as owner+name. OUT gets a tree for
each, and the cases in two suites that share no repository, fit.jsonl and check.jsonl: weights are fitted on the one and
judged on the other. Two kinds of case:

  a fix       the message of a commit that describes a fault; its gold files are those that the fix changed, in a tree
              from before all the fixes that are asked about
  a comment   the first sentence above a function or a type, as it stands or put as a question, sometimes without the words
              of the name; its lines are the only label. The comments of more than half of the files are blanked in the
              tree, so that having none tells nothing

A fix's functions, those that held the lines it took away or stood around those it added, are labels, too, where they can be
found in the older tree.
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
COMMITS = 3000
LEAST_LINES = 5
MOST_LINES = 120
STRIPPED = 0.6
TYPES = {"class", "struct", "interface", "trait", "enum", "type"}
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


def fixes(folder, most):
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
        if len(found) == most:
            break
    return found


def changed(folder, commit, paths, files, functions):
    """The functions of the older tree in which a commit changed something, told by lines that are there once."""
    diff = git(folder, "show", "--format=", "--no-color", "-U2", commit, "--", *paths)
    labels, path, before, after = {}, None, [], []

    def close():
        near = [line for line in before if len(line.strip()) > 6]
        for line in near:
            places = files[path].get(line.strip(), [])
            if len(places) == 1:
                inside = [node for node in functions.get(path, []) if node["start"] <= places[0] <= node["end"]]
                if inside:
                    node = min(inside, key=lambda node: node["end"] - node["start"])
                    labels[(path, node["start"])] = node
                    if after:
                        return
    for line in diff.split("\n"):
        if line.startswith("--- "):
            continue
        if line.startswith("+++ "):
            path, before, after = line[6:], [], []
        elif line.startswith("@@"):
            before, after = [], []
        elif path in files and line.startswith("-"):
            before.append(line[1:])
            after = []
            close()
            before = []
        elif path in files and line.startswith("+"):
            if not after:
                after.append(line)
                before = before[::-1]
                close()
                before = []
        elif path in files:
            after = []
            before.append(line[1:])
    return list(labels.values())


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


def nodes_of(target, retriever):
    """What the graph says is declared: functions and types, by file."""
    out = target.parent / f"{target.name}.graph"
    subprocess.run([retriever, "--quiet", "--root", target, "index", "--export", out], check=True, stdout=subprocess.DEVNULL)
    declared = {}
    for row in out.open():
        node = json.loads(row).get("node", {})
        if (node.get("kind") == "function" or node.get("kind") in TYPES) and is_source(node["path"]):
            declared.setdefault(node["path"], []).append(node)
    out.unlink()
    return declared


def share_of(*words):
    """A number between 0 and 1 that depends on nothing but the words."""
    return int(hashlib.sha1(":".join(map(str, words)).encode()).hexdigest()[:8], 16) / 2**32


def asked(text, name):
    """A comment's sentence as a question, in one of several ways."""
    way = share_of("way", text)
    plain = text.rstrip(".!: ")
    if share_of("drop", text) < 0.4:
        own = words(name)
        kept = [word for word in plain.split() if not words(word) & own]
        if len(kept) >= 6:
            plain = " ".join(kept)
    first, _, rest = plain.partition(" ")
    small = first[:1].lower() + first[1:]
    if way < 0.35:
        return plain + "."
    if re.fullmatch(r"[A-Z]?[a-z]{2,}s", first) and rest:
        return (f"Where is the code that {small} {rest}?" if way < 0.7 else f"Which part of the program {small} {rest}, and how?")
    return f"How is this done: {small} {rest}?" if way < 0.7 else f"Where does it {small} {rest}?"


def comments(target, declared):
    """Functions and types with what the comment above them said, and the lines of all comments by file."""
    found, lines_of, blank = [], {}, {}
    # A header of C only announces what it declares.
    is_cpp = any(path.endswith((".cc", ".cpp", ".cxx")) for path in declared)
    for path, nodes in declared.items():
        if path.endswith(".h") and not is_cpp or share_of("strip", path) >= STRIPPED:
            continue
        lines_of[path] = (target / path).read_text(errors="replace").split("\n")
        for node in nodes:
            width = node["end"] - node["start"] + 1
            lines = comment_of(lines_of[path], node["start"], path)
            if not lines:
                continue
            blank.setdefault(path, set()).update(lines)
            least = LEAST_LINES if share_of("short", path, node["start"]) < 0.5 else 10
            if not least <= width <= MOST_LINES or (node["kind"] != "function" and share_of("type", path, node["start"]) < 0.6):
                continue
            text = sentence([lines_of[path][line] for line in lines])
            if not text or not 6 <= len(text.split()) <= 45 or re.search(r"[{}=;]|TODO|FIXME|licen[cs]e|deprecated|https?:|copyright", text, re.I):
                continue
            name = node["name"].rsplit(".", 1)[-1]
            # Go's comments begin with the name.
            text = re.sub(rf"^{re.escape(name)}\s+", "", text or "") or None
            if not text or len(text.split()) < 6:
                continue
            shared = words(name) & words(text)
            if name.lower() in text.lower().split() or len(shared) > max(1, len(words(name)) // 2):
                continue
            found.append((path, node, text))
    return found, lines_of, blank


def label(role, node):
    return {"role": role, "required": True, "any_of": [
        {"path": node["path"], "symbol": node["name"], "start": node["start"], "end": node["end"]}]}


def cases_of(folder, given):
    """Writes a project's tree and returns its cases."""
    project = folder.parent.name
    repo = project.replace("+", "/")
    found = fixes(folder, given.fixes)
    base = found[-1][1] if found else git(folder, "rev-parse", "HEAD").strip()
    target = given.out / "trees" / f"{project.replace('+', '__')}@{base[:12]}"
    shutil.rmtree(target, ignore_errors=True)
    tree(folder, base, target)
    declared = nodes_of(target, given.retriever)
    functions = {path: [node for node in nodes if node["kind"] == "function"] for path, nodes in declared.items()}
    cases = []
    for commit, _, text, source in found:
        if not all((target / path).exists() for path in source):
            continue
        files = {}
        for path in source:
            files[path] = {}
            for number, line in enumerate((target / path).read_text(errors="replace").split("\n"), 1):
                files[path].setdefault(line.strip(), []).append(number)
        held = changed(folder, commit, source, files, functions)
        held = [node for node in held if node["end"] - node["start"] < 2 * MOST_LINES][:6]
        case = {"id": f"{project}-fix-{commit[:8]}", "repo": repo, "commit": base, "language": CODE[source[0].rsplit(".", 1)[-1]],
                "question": text, "intent": "debug", "gold_files": source}
        if held:
            case["evidence"] = [label("handler", node) for node in held]
        cases.append(case)
    said, lines_of, blank = comments(target, declared)
    # No order of the tree: a hash picks.
    said.sort(key=lambda case: hashlib.sha1(f"{case[0]}:{case[1]['start']}".encode()).hexdigest())
    picked, of_file = 0, {}
    for path, node, text in said:
        copies = sum(text[:40] in other for _, _, other in said)
        if of_file.get(path, 0) >= 3 or copies > 1:
            continue
        of_file[path] = of_file.get(path, 0) + 1
        picked += 1
        question = asked(text, node["name"].rsplit(".", 1)[-1])
        cases.append({"id": f"{project}-said-{hashlib.sha1(text.encode()).hexdigest()[:8]}", "repo": repo, "commit": base,
                      "language": CODE[path.rsplit(".", 1)[-1]], "intent": "answer", "question": question,
                      "evidence": [label("type" if node["kind"] in TYPES else "handler", node)]})
        if picked == given.comments:
            break
    cases += shorts(project, repo, base, said, given.short)
    for path, lines in blank.items():
        for line in lines:
            lines_of[path][line] = ""
        (target / path).write_text("\n".join(lines_of[path]))
    plain = list(cases)
    cases += [case for case in (harder(case, target) for case in cases) if case]
    ranged = sum("-fix-" in case["id"] and "evidence" in case for case in plain)
    fixed = sum("-fix-" in case["id"] for case in plain)
    print(f"{repo}: {fixed} fixes ({ranged} with functions), {picked} of {len(said)} comments, {len(cases) - len(plain)} harder", file=sys.stderr, flush=True)
    return cases


def shorts(project, repo, base, said, most):
    """A few words each, as they are typed into a search: the beginning of a comment's sentence, half of them behind the name of the
    type. The file is the answer."""
    cases, of_file = [], {}
    for path, node, text in sorted(said, key=lambda case: (case[1]["kind"] not in TYPES, share_of("short", case[0], case[2]))):
        typed = [word for word in re.sub(r"[.,:;!?()]", " ", text).split()][:9]
        name = node["name"].rsplit(".", 1)[-1]
        if node["kind"] in TYPES and share_of("named", path, text) < 0.5:
            typed = [name] + typed[:6]
        query = re.sub(r"(\s(an?|the|and|or|of|to|for|in|on|by|with|that|which|is|are))+$", "", " ".join(typed))
        if of_file.get(path, 0) >= 2 or len(query.split()) < 3:
            continue
        of_file[path] = of_file.get(path, 0) + 1
        cases.append({"id": f"{project}-short-{hashlib.sha1(query.encode()).hexdigest()[:8]}", "repo": repo, "commit": base,
                      "language": CODE[path.rsplit(".", 1)[-1]], "question": query, "intent": "answer", "gold_files": [path]})
    return cases[:most]


def harder(case, target):
    """The same case in a shorter question with fewer of the words that stand in what it asks for; none when too few are left."""
    question = case["question"].split("\n")[0]
    there = set()
    for row in case.get("evidence", []):
        for place in row["any_of"]:
            lines = (target / place["path"]).read_text(errors="replace").split("\n")[place["start"] - 1:place["end"]]
            there |= words("\n".join(lines))
    if not there:
        return None
    kept, left = [], 0
    for word in question.split():
        said = words(word)
        is_name = re.search(r"[a-z][A-Z]|\w[_.(:]\w|`", word)
        if is_name or (said & there and share_of("harder", question, word) < 0.6):
            continue
        kept.append(word)
        left += bool(said)
    question = " ".join(kept)
    return {**case, "id": f"{case['id']}-hard", "question": question} if left >= 5 and question != case["question"] else None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("retriever")
    arguments.add_argument("gitdirs", nargs="+", type=pathlib.Path)
    arguments.add_argument("--fixes", type=int, default=10, help="most of a project")
    arguments.add_argument("--comments", type=int, default=8, help="most of a project")
    arguments.add_argument("--short", type=int, default=0, help="most of a project that are asked in a few words")
    given = arguments.parse_args()
    (given.out / "trees").mkdir(parents=True, exist_ok=True)
    suites = {"fit": [], "check": []}
    for order, folder in enumerate(given.gitdirs):
        half = "fit" if order % 2 == 0 else "check"
        suites[half] += cases_of(folder, given)
        for name, all_cases in suites.items():
            (given.out / f"{name}.jsonl").write_text("".join(json.dumps(case) + "\n" for case in all_cases))


if __name__ == "__main__":
    main()
