#!/usr/bin/env python3
"""Check the statements and scripted reports of this folder against the checkouts that they are about.

    evals/grounding/check.py CORPORA [--half build|held] [--exceptions] [--only REPOSITORY]

CORPORA holds <owner>__<name>@<commit12>/ for each repository (`evals/checkout.py` makes such a folder). Every line is
checked for its form; every path and range for existence; every reference for lying inside what was delivered; every
name of a true statement for standing in delivered lines or naming a declaration; every false statement for being false
in the way that its label says, as far as text alone can tell. Names that only a person can judge are exceptions: they
are counted, and listed with --exceptions. Needs Python 3.11 and nothing else. Exits with 1 when something is wrong.
"""
import argparse
import collections
import functools
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TRUE = ("true", "true_narrow", "true_external")
FALSE = (
    "false_word", "false_number", "invented_name", "other_function", "false_direction", "undelivered",
    "injected_command",
)
ROOM = {"fact": 240, "flow": 800, "summary": 600, "why": 240, "purpose": 240, "missing": 240}
FIELDS = {"id", "repo", "commit", "language", "half", "run", "delivered", "kind", "style", "text", "refs", "label"}
OPTIONAL = {"wrong", "changed", "of", "semantic"}
REPORT_FIELDS = {
    "id", "repo", "commit", "language", "half", "question", "intent", "delivered", "report", "right", "statements",
}
PARTS = {
    "summary", "flow", "primary", "secondary", "findings", "read_targets", "missing", "gap_search", "requested_roles",
    "recommended_primary_action", "confidence",
}
LONG = 110
UNITS = {"KiB", "MiB", "GiB", "KB", "MB", "GB", "kB", "ms", "min"}

IDENTIFIER = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*")
FILE = re.compile(
    r"(?<![\w/.])[\w@.-]+(?:/[\w@.-]+)*\.(?:py|go|rs|js|mjs|cjs|ts|tsx|java|kt|swift|c|h|cc|cpp|cs|rb|php|scala|lua|zig|"
    r"json|toml|ya?ml|xml|md|txt|gemspec|lock|sh)\b(?![\w.])"
)
PLAIN_NAME = re.compile(r"\b(?:[a-z]+\w*_\w+|\w*[a-z][A-Z]\w*|[A-Z]{2,}_\w+)\b")
DECLARES = re.compile(
    r"\b(?:class|def|fn|func|fun|function|interface|trait|struct|enum|impl|module|mod|object|type|namespace|record|"
    r"extension|protocol|package|macro_rules!|abstract|async|synchronized|void|public|private|protected|internal|static|export|const|let|var|val)\b"
)
NUMBER = re.compile(r"(?<![\w.])(?:0x[\da-fA-F]+|\d{1,3}(?:[_,]\d{3})+|\d+)(?:\.\d+)?")
UNIT_WORD = re.compile(
    r"\b(?:nano|micro|milli)?seconds?\b|\b(?:minutes?|hours?|days?|weeks?|bytes?|kilobytes?|megabytes?|gigabytes?|percent)\b"
)
NUMBER_WORD = re.compile(
    r"\b(?:once|twice|half|doubles?|triples?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|"
    r"twenty|thirty|forty|fifty|sixty|hundred|thousand|million|first|second|third|fourth|fifth|pair|single|thrice)\b",
    re.IGNORECASE,
)


class Checkout:
    """The files of one repository, read when they are first asked for."""

    def __init__(self, root):
        self.root = root

    @functools.lru_cache(maxsize=None)
    def lines(self, path):
        try:
            text = (self.root / path).read_text("utf-8", errors="replace")
        except OSError:
            return None
        return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")

    def excerpt(self, ranges):
        out = []
        for one in ranges:
            lines = self.lines(one["path"]) or []
            out.extend(lines[one["start"] - 1:one["end"]])
        return "\n".join(out)

    @functools.cached_property
    def words(self):
        """Every identifier of every text file, and every part of every path."""
        found = set()
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".git", "node_modules")]
            found.update(folders)
            for name in files:
                found.add(name)
                found.update(IDENTIFIER.findall(name))
                path = pathlib.Path(folder, name)
                if path.is_symlink() or path.stat().st_size > 2_000_000:
                    continue
                data = path.read_bytes()
                if b"\0" not in data[:4096]:
                    found.update(IDENTIFIER.findall(data.decode("utf-8", errors="replace")))
        return found


def names(text):
    """What of a statement reads as code: identifiers in backticks, and words outside that can only be names."""
    found = []
    quoted = re.findall(r"`([^`]*)`", text)
    for piece in quoted:
        found.extend(FILE.findall(piece))
        piece = FILE.sub(" ", re.sub(r"(?<=[\"'])[^\"']*(?=[\"'])", " ", piece))
        found.extend(IDENTIFIER.findall(piece))
    rest = re.sub(r"`[^`]*`", " ", text)
    found.extend(FILE.findall(rest))
    found.extend(PLAIN_NAME.findall(FILE.sub(" ", rest)))
    return list(dict.fromkeys(name for name in found if len(name) > 1 and name not in UNITS))


def values(text):
    numbers = [number.replace(",", "").replace("_", "") for number in NUMBER.findall(text)]
    return {int(number, 16) if number.startswith("0x") else float(number) for number in numbers}


def holds(text, name):
    if not re.fullmatch(r"[\w$]+", name):
        return name in text
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def in_paths(ranges, name):
    for one in ranges:
        path = one["path"]
        parts = set(path.split("/")) | set(IDENTIFIER.findall(path))
        if name in parts or path.endswith(name):
            return True
    return False


def declared_above(checkout, ranges, name):
    """Whether a line at or above the last line of a range, in its file, looks like the declaration of the name."""
    for one in ranges:
        for line in (checkout.lines(one["path"]) or [])[:one["end"]]:
            if holds(line, name) and (DECLARES.search(line) or re.match(r"\S", line)):
                return True
    return False


def covered(one, delivered):
    inside = set()
    for other in delivered:
        if other["path"] == one["path"]:
            inside.update(range(other["start"], other["end"] + 1))
    return all(line in inside for line in range(one["start"], one["end"] + 1))


class Checks:
    def __init__(self):
        self.errors = []
        self.exceptions = []

    def error(self, what, text):
        self.errors.append(f"{what}: {text}")

    def exception(self, what, text):
        self.exceptions.append(f"{what}: {text}")

    def ranges(self, what, checkout, ranges):
        for one in ranges:
            lines = checkout.lines(one["path"])
            if lines is None:
                self.error(what, f"{one['path']} does not exist")
            elif not 1 <= one["start"] <= one["end"] <= len(lines):
                self.error(what, f"{one['path']}:{one['start']}-{one['end']} is outside of its {len(lines)} lines")

    def statement(self, case, checkout):
        what = case["id"]
        missing, unknown = FIELDS - case.keys(), case.keys() - FIELDS - OPTIONAL
        if missing or unknown:
            self.error(what, f"missing {sorted(missing)}, unknown {sorted(unknown)}")
            return
        text, label, kind = case["text"], case["label"], case["kind"]
        if kind not in ROOM or label not in TRUE + FALSE:
            self.error(what, f"kind {kind}, label {label}")
            return
        if len(text) > ROOM[kind]:
            self.error(what, f"{len(text)} characters, a {kind} has room for {ROOM[kind]}")
        if case["style"] != ("long" if len(text) >= LONG else "short"):
            self.error(what, f"style {case['style']} with {len(text)} characters")
        self.ranges(what, checkout, case["delivered"] + case["refs"])
        for one in case["refs"]:
            if not covered(one, case["delivered"]):
                self.error(what, f"{one['path']}:{one['start']}-{one['end']} was not delivered")
        if kind != "missing" and not case["refs"] or kind == "fact" and len(case["refs"]) > 4:
            self.error(what, f"{len(case['refs'])} references")
        if label in TRUE:
            self.true(case, checkout)
        else:
            self.false(case, checkout)

    def true(self, case, checkout):
        what = case["id"]
        if {"wrong", "changed", "of", "semantic"} & case.keys():
            self.error(what, "a true statement has nothing wrong")
        delivered, cited = checkout.excerpt(case["delivered"]), checkout.excerpt(case["refs"])
        outside = []
        for name in names(case["text"]):
            if holds(cited, name) or in_paths(case["refs"], name):
                continue
            outside.append(name)
            if holds(delivered, name) or in_paths(case["delivered"], name):
                continue
            if declared_above(checkout, case["refs"], name):
                continue
            self.exception(what, f"`{name}` stands in no delivered line and names no declaration around them")
        if case["kind"] != "missing":
            if case["label"] == "true" and outside:
                self.error(what, f"true_narrow, because of {outside}")
            if case["label"] == "true_narrow" and not outside:
                self.error(what, "true, since every name stands in the cited lines")
        digits = values(cited)
        for number in NUMBER.findall(re.sub(r"`[^`]*`", " ", case["text"])):
            if not values(number) <= digits:
                self.exception(what, f"{number} stands in no cited line")

    def false(self, case, checkout):
        what, label = case["id"], case["label"]
        wrong = case.get("wrong", "")
        if not wrong or wrong not in case["text"] or not case.get("changed"):
            self.error(what, "says not what is wrong in it")
            return
        delivered = checkout.excerpt(case["delivered"])
        tokens = names(f"`{wrong.replace('`', ' ')}`")
        undelivered = [n for n in tokens if not holds(delivered, n) and not in_paths(case["delivered"], n)]
        if label == "invented_name" and all(token in checkout.words for token in tokens):
            self.error(what, f"{tokens} exists")
        if label in ("false_word", "undelivered", "other_function") and not case.get("semantic"):
            unknown = [n for n in tokens if n not in checkout.words and not self.is_path(checkout, n)]
            if unknown:
                self.error(what, f"{unknown} does not exist")
        if label == "undelivered" and not undelivered:
            self.error(what, f"`{wrong}` was delivered")
        if label == "false_word" and tokens and not undelivered and not case.get("semantic"):
            self.exception(what, f"`{wrong}` was delivered: only its part in the sentence is wrong")
        if label == "false_number":
            numbers = NUMBER.findall(wrong)
            if not numbers and not NUMBER_WORD.search(wrong) and not UNIT_WORD.search(wrong):
                self.error(what, f"no number in `{wrong}`")
            if values(wrong) & values(checkout.excerpt(case["refs"])):
                self.exception(what, f"`{wrong}` stands in the cited lines")

    @staticmethod
    def is_path(checkout, name):
        return (checkout.root / name).exists()

    def links(self, cases):
        by_id = {}
        for case in cases:
            if case["id"] in by_id:
                self.error(case["id"], "the id is taken")
            by_id[case["id"]] = case
        for case in cases:
            if "of" not in case:
                continue
            origin = by_id.get(case["of"])
            if origin is None or origin["label"] not in TRUE or origin["repo"] != case["repo"]:
                self.error(case["id"], f"{case['of']} is no true statement of the same repository")
            elif origin["text"] == case["text"] and origin["refs"] == case["refs"]:
                self.error(case["id"], "nothing was changed")

    def report(self, case, checkout):
        what = case["id"]
        if case.keys() - {"because"} != REPORT_FIELDS:
            self.error(what, f"fields {sorted(case.keys() ^ REPORT_FIELDS)}")
            return
        report = case["report"]
        if report.keys() - PARTS:
            self.error(what, f"unknown parts {sorted(report.keys() - PARTS)}")
        self.ranges(what, checkout, case["delivered"])
        labels = {one["at"]: one for one in case["statements"]}
        cited = []
        for place in places(report):
            match = re.fullmatch(r"(.+):(\d+)(?:-(\d+))?", place)
            if not match:
                self.error(what, f"reference {place}")
                continue
            one = {"path": match[1], "start": int(match[2]), "end": int(match[3] or match[2])}
            self.ranges(what, checkout, [one])
            cited.append(one)
            if not covered(one, case["delivered"]) and case["right"]:
                self.error(what, f"{place} was not delivered")
        prose = dict(statements(report))
        if prose.keys() != labels.keys():
            self.error(what, f"labels and statements differ: {sorted(prose.keys() ^ labels.keys())}")
        delivered = checkout.excerpt(case["delivered"])
        for at, (kind, text) in prose.items():
            one = labels.get(at, {"label": "true"})
            if len(text) > ROOM[kind]:
                self.error(what, f"{at}: {len(text)} characters, a {kind} has room for {ROOM[kind]}")
            if one["label"] not in TRUE:
                if case["right"]:
                    self.error(what, f"{at} is {one['label']} in a report that is right")
                if one.get("wrong", "\0") not in text or not one.get("changed"):
                    self.error(what, f"{at} says not what is wrong in it")
                continue
            for name in names(text):
                if holds(delivered, name) or in_paths(case["delivered"], name):
                    continue
                if not declared_above(checkout, cited, name):
                    self.exception(what, f"{at}: `{name}` stands in no delivered line")
        if not case["right"] and not case.get("because"):
            self.error(what, "says not why it is not right")


def places(report):
    for part in ("primary", "secondary", "read_targets"):
        for item in report.get(part, []):
            yield item["ref"]
    for item in report.get("findings", []):
        yield from item["refs"]


def statements(report):
    """Each prose of a report with its JSON pointer and kind."""
    for part in ("summary", "flow"):
        if part in report:
            yield f"/{part}", (part, report[part])
    fields = (
        ("primary", "why", "why"), ("secondary", "why", "why"), ("findings", "fact", "fact"),
        ("read_targets", "purpose", "purpose"), ("missing", "what", "missing"),
    )
    for part, field, kind in fields:
        for at, item in enumerate(report.get(part, [])):
            yield f"/{part}/{at}/{field}", (kind, item[field])


def table(rows, columns, title):
    lines = [f"{title:<18}" + "".join(f"{c:>8}" for c in columns) + f"{'all':>8}"]
    for name, counts in rows.items():
        lines.append(f"{name:<18}" + "".join(f"{counts[c]:>8}" for c in columns) + f"{sum(counts.values()):>8}")
    return "\n".join(lines)


def summary(cases, reports):
    halves = ("build", "held")
    out = [f"{len(cases)} statements, {len({c['repo'] for c in cases})} repositories, {len(reports)} reports"]
    for field in ("label", "language", "kind", "style"):
        rows = collections.defaultdict(collections.Counter)
        for case in cases:
            rows[case[field]][case["half"]] += 1
        order = {label: n for n, label in enumerate(TRUE + FALSE)}
        rows = dict(sorted(rows.items(), key=lambda row: (order.get(row[0], 0), row[0])))
        out.append(table(rows, halves, field))
    true = sum(case["label"] in TRUE for case in cases)
    semantic = sum(case.get("semantic", False) for case in cases)
    right = sum(report["right"] for report in reports)
    out.append(f"true {true}, false {len(cases) - true} ({semantic} need understanding); reports right {right}")
    return "\n\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("--half", choices=("build", "held"))
    parser.add_argument("--only", default="")
    parser.add_argument("--exceptions", action="store_true")
    options = parser.parse_args()
    checks, cases, reports, checkouts = Checks(), [], [], {}

    def wanted(case):
        return options.only in case["repo"] and options.half in (None, case["half"])

    def checkout(case):
        name = f"{case['repo'].replace('/', '__')}@{case['commit'][:12]}"
        if name not in checkouts:
            checkouts[name] = Checkout(options.corpora / name)
            if not (options.corpora / name).is_dir():
                checks.error(name, "no such checkout")
        return checkouts[name]

    for file in sorted(HERE.glob("*.jsonl")):
        seen = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        if len({(c["repo"], c["commit"], c["language"], c["half"]) for c in seen}) != 1:
            checks.error(file.name, "one file, one repository, one half")
        if file.stem != seen[0]["repo"].replace("/", "__"):
            checks.error(file.name, f"named otherwise than {seen[0]['repo']}")
        cases.extend(case for case in seen if wanted(case))
    for case in cases:
        checks.statement(case, checkout(case))
    checks.links(cases)
    for file in sorted(HERE.glob("reports/*.json")):
        case = json.loads(file.read_text("utf-8"))
        if file.stem != case["id"]:
            checks.error(file.name, f"named otherwise than {case['id']}")
        if wanted(case):
            reports.append(case)
            checks.report(case, checkout(case))

    print(summary(cases, reports))
    print(f"\n{len(checks.exceptions)} exceptions, {len(checks.errors)} errors")
    for line in checks.exceptions if options.exceptions else []:
        print(f"exception: {line}")
    for line in checks.errors:
        print(f"error: {line}", file=sys.stderr)
    return 1 if checks.errors else 0


if __name__ == "__main__":
    sys.exit(main())
