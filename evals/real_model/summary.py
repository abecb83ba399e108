"""Checks every map of a run against the schema and the project, and prints what became of the model's reports."""

import json
import sys
from collections import Counter
from pathlib import Path

from jsonschema import Draft202012Validator


def main() -> None:
    project, schema, *files = map(Path, sys.argv[1:])
    validator = Draft202012Validator(json.loads(schema.read_text()))
    broken = 0
    for file in files:
        maps = [json.loads(line) for line in file.read_text().splitlines()]
        problems = [problem for one in maps for problem in check(one, project, validator)]
        broken += len(problems)
        own = [one for one in maps if one.get("meta", {}).get("author") == "model"]
        cited = [one for one in own if one["primary"] or one["findings"]]
        reasons = Counter(code.split()[0] for one in maps for code in one.get("meta", {}).get("reasons", []))
        total = lambda key: sum(one.get("meta", {}).get(key, 0) for one in maps)
        print(f"{file.stem}: {len(maps)} runs, {len(maps) - len(problems)} valid maps")
        print(f"  the model's own report survived {len(own)} times, with places or facts {len(cited)} times")
        print(f"  status {dict(Counter(one.get('status') for one in maps))}, confidence {dict(Counter(one.get('confidence') for one in maps))}")
        print(f"  ended by {dict(Counter(one.get('meta', {}).get('stop_reason') for one in maps))}, reasons {dict(reasons)}")
        print(f"  {total('steps')} steps, {total('tool_calls')} tool calls, {total('elapsed_ms') / 1000:.0f} s in all")
        for problem in problems:
            print(f"  BROKEN: {problem}")
    sys.exit(1 if broken else 0)


def check(one: dict, project: Path, validator: Draft202012Validator) -> list:
    """At most one problem of a map: it is valid, and every place that it cites is there."""
    for error in validator.iter_errors(one):
        return [f"{one.get('question')}: {error.message}"]
    places = one["primary"] + one["secondary"] + one["read_targets"]
    places += [place for finding in one["findings"] for place in finding["refs"]]
    for place in places:
        file = project / place["path"]
        lines = len(file.read_text().splitlines()) if file.is_file() else 0
        if not 1 <= place["start"] <= place["end"] <= lines:
            return [f"{one['question']}: {place['path']}:{place['start']}-{place['end']} is not there"]
    return []


main()
