#!/usr/bin/env python3
"""Scores the call edges that `retriever index --export` writes.

  score.py oracle ORACLE.jsonl EXPORT.jsonl [--no-tests]   against what a compiler or type checker says
  score.py bodies JUDGED.jsonl EXPORT.jsonl [--root DIR]   against the callees of bodies that were judged by reading

README.md says what the formats are and what the numbers mean. Files that end in .xz are read as they are.
"""
import argparse
import collections
import json
import lzma
import os
import re
import sys

TESTS = (
    r'(^|/)(tests?|__tests__|t|testing|test-utils|spec|fixtures|examples|benchmarks)/'
    r'|(^|/)(test_[^/]*|conftest)\.py$|[._-](test|spec)\.[^/]+$|_test\.[^/]+$'
)
CONSTRUCTORS = {'constructor', '__init__', '__new__', '<init>'}
# What counts as a callee, how its name was reached, and what a call looks like; other lines of an oracle are neutral.
KINDS = {
    'function', 'method', 'class', 'interface_method', 'object_function', 'wrapped', 'assigned_function', 'declaration',
}
VIAS = {'name'}
SITES = {'call', 'new', 'jsx', 'decorator_call', 'tag', 'construct_explicit'}
# Values whose function the oracle doesn't know either.
HOLDERS = {'variable', 'binding', 'interface_property'}
# A guess is unjudged when the oracle gave up on a call of that name so many lines away.
NEAR = 3


def text_of(path):
    opened = lzma.open(path, 'rt') if path.endswith('.xz') else open(path, encoding='utf-8')
    with opened as file:
        return file.read()


def lines_of(path):
    return [json.loads(line) for line in text_of(path).split('\n') if line.strip()]


def beside(path, suffix):
    """The file that belongs to an oracle: `x.jsonl` has `x.meta.json`, `x.impl.jsonl` and `x.unresolved.jsonl`."""
    packed = '.xz' if path.endswith('.xz') else ''
    return re.sub(r'\.jsonl(\.xz)?$', '', path) + suffix + packed


def optional_lines(path):
    return lines_of(path) if os.path.exists(path) else []


def last(name):
    if not name:
        return None
    operator = re.match(r'(?:.*(?:::|[.#/]))?operator\b\s*(.*)', name, re.DOTALL)
    if operator:
        converted = re.match(r'[a-z_]', operator.group(1), re.IGNORECASE)
        return 'operator' + (last_of_type(operator.group(1)) if converted else operator.group(1))
    # `name=` is Ruby's writer of what `attr_accessor :name` declares.
    return re.sub(r'(?<=\w)=$', '', re.split(r'::|[.#/]', name.rstrip('()'))[-1].lstrip('~'))


def last_of_type(name):
    """What a conversion converts to: `const std::locale &` is `locale`."""
    return re.split(r'::|\s', name.split('<')[0].removesuffix('()').rstrip(' &*'))[-1]


def caller_name(name, path):
    """The last component of a caller's name; None for code outside all functions."""
    file = os.path.basename(path)
    stem = os.path.splitext(file)[0]
    outside = name in (None, '', '<module>', '<file>', 'module', path, file, stem + '.<module>')
    return None if outside else last(name)


def place(node, overloads=False):
    """What an end of a call is known by: overloads have a line, too."""
    return (node['path'], last(node['name']), *([node['start']] if overloads else []))


def ratio(part, whole):
    return round(part / whole, 4) if whole else None


class Oracle:
    """The pairs (caller, callee) of an oracle; an end is (path, last component of the name)."""

    def __init__(self, path, no_tests, overloads=False):
        self.overloads = overloads
        self.files = set(json.loads(text_of(beside(path, '.meta.json')))['files'])
        # Files that calls lead to: declaration files, too, of which the oracle has no calls.
        self.led_to = set(self.files)
        self.tests = re.compile(TESTS) if no_tests else None
        self.core = {}
        self.right = collections.defaultdict(list)
        self.lenient = collections.defaultdict(set)
        self.neutral = set()
        self.callers = set()
        self.classes = collections.defaultdict(set)
        self.gave_up = collections.defaultdict(list)
        self.nameless = collections.defaultdict(list)
        self.left_out = set()
        overriding = collections.defaultdict(set)
        for line in optional_lines(beside(path, '.impl.jsonl')):
            overriding[line['base']['path'], line['base']['qualified']].add(place(line['impl']))
        for row in lines_of(path):
            callee = row['callee']
            if callee['kind'] == 'class':
                self.classes[callee['path']].add((callee['start'], callee['end'], last(callee['name'])))
            if callee['kind'] in HOLDERS:
                unknown = (row['line'], row['caller']['name'])
                self.gave_up[row['path'], last(callee['name'])].append(unknown)
            self.led_to.add(callee['path'])
            if self.covers_caller(row['path']):
                self.add(row, overriding[callee['path'], callee['qualified']])
        for line in optional_lines(beside(path, '.unresolved.jsonl')):
            if line.get('left_out'):
                self.left_out.add((line['path'], line['line']))
            if line['name']:
                unknown = (line['line'], line.get('caller'))
                self.gave_up[line['path'], line['name'].lstrip('#')].append(unknown)
            else:
                self.nameless[line['path']].append(line['line'])

    def covers_caller(self, path):
        return path in self.files and not (self.tests and self.tests.search(path))

    def add(self, row, overriders):
        path, to = row['path'], place(row['callee'], self.overloads)
        caller = (path, caller_name(row['caller']['name'], path))
        scopes = [(path, last(scope['name'])) for scope in row['enclosing']] + [(path, None)]
        # Inside the innermost function with a strong name, weakly named ones are as good.
        same = [caller] + scopes[:row['inner_weak']]
        if caller[1] in CONSTRUCTORS and len(row['enclosing']) > row['inner_weak'] + 1:
            same.append(scopes[row['inner_weak'] + 1])
        self.callers.add(caller)
        if row['callee']['kind'] in KINDS and row['via'] in VIAS and row['site'] in SITES:
            pair = (caller, to)
            self.core.setdefault(pair, row)
            for one in same:
                self.right[one, to].append(pair)
            for one in scopes:
                self.lenient[one, to].add(pair)
            for one in same + scopes:
                for other in overriders:
                    self.lenient[one, other].add(pair)
        else:
            for one in same[:1] + scopes + same[1:]:
                self.neutral.update((one, other) for other in {to} | overriders)

    def is_unjudged(self, pair, edges):
        (path, caller), (_, callee, *_) = pair
        unknown = self.gave_up.get((path, callee), [])
        for edge in edges:
            # What the oracle's options leave out is the other branch of a conditional.
            if (edge['to']['path'], edge['to'].get('start')) in self.left_out:
                return True
            at = edge.get('line')
            for line, known_caller in unknown:
                if at is not None and abs(at - line) <= NEAR or known_caller and last(known_caller) == caller:
                    return True
            if at is not None and any(abs(at - line) <= 1 for line in self.nameless.get(path, [])):
                return True
        return False

    def pair_of(self, edge):
        start, end = edge['from'], edge['to']
        caller = (start['path'], caller_name(start.get('name'), start['path']))
        callee = last(end.get('name'))
        if callee in CONSTRUCTORS:
            # A constructor is its class, unless the oracle names it.
            around = [c for c in self.classes[end['path']] if c[0] <= (end.get('start') or 0) <= c[1]]
            named = (caller, (end['path'], callee))
            if around and named not in self.right and named not in self.neutral:
                callee = max(around)[2]
        return (caller, place({**end, 'name': callee or ''}, self.overloads))


def score_oracle(arguments):
    oracle = Oracle(arguments.oracle, arguments.no_tests, arguments.overloads)
    guessed = collections.defaultdict(list)
    skipped = collections.Counter()
    lines = lines_of(arguments.export)
    nodes = (line['node'] for line in lines if line['kind'] == 'node')
    functions = {(node['path'], node['name'], node['start']) for node in nodes if node['kind'] == 'function'}
    for edge in lines:
        if edge.get('kind') != 'calls':
            continue
        if arguments.functions and tuple(edge['to'].get(key) for key in ('path', 'name', 'start')) not in functions:
            skipped['a callee that is no function'] += 1
            continue
        if not oracle.covers_caller(edge['from']['path']) or edge['to'].get('path') not in oracle.led_to:
            skipped['a file that the oracle does not cover'] += 1
            continue
        pair = oracle.pair_of(edge)
        if arguments.same_callers and pair[0] not in oracle.callers:
            skipped['a caller that the oracle knows no call of'] += 1
            continue
        guessed[pair].append(edge)
    verdicts = collections.defaultdict(list)
    found, found_leniently = set(), set()
    for pair, edges in guessed.items():
        if pair in oracle.right:
            verdict = 'right'
            found.update(oracle.right[pair])
        elif pair in oracle.neutral:
            verdict = 'neutral'
            found_leniently |= oracle.lenient.get(pair, set())
        elif pair in oracle.lenient:
            verdict = 'lenient'
            found_leniently |= oracle.lenient[pair]
        else:
            verdict = 'unjudged' if oracle.is_unjudged(pair, edges) else 'wrong'
        verdicts[verdict].append(pair)
    found_leniently |= found
    count = {name: len(verdicts[name]) for name in ('right', 'lenient', 'neutral', 'unjudged', 'wrong')}
    judged = count['right'] + count['lenient'] + count['wrong']
    scores = {
        'core_pairs': len(oracle.core),
        'candidate_pairs': len(guessed),
        **count,
        'skipped': dict(skipped),
        'precision_judged': ratio(count['right'], judged),
        'precision_strict': ratio(count['right'], judged + count['unjudged']),
        'precision_lenient': ratio(count['right'] + count['lenient'], judged),
        'recall_strict': ratio(len(found), len(oracle.core)),
        'recall_lenient': ratio(len(found_leniently & set(oracle.core)), len(oracle.core)),
    }
    wrong = [(pair, guessed[pair][0].get('line')) for pair in verdicts['wrong']]
    missed = [(pair, row['line']) for pair, row in oracle.core.items() if pair not in found_leniently]
    print_scores(arguments, scores, wrong, missed)


def score_bodies(arguments):
    rows = [row for row in lines_of(arguments.judged) if arguments.repo in (None, row['repo'])]
    repos = sorted({row['repo'] for row in rows})
    if len(repos) != 1:
        every = sorted({row['repo'] for row in lines_of(arguments.judged)})
        sys.exit('say with --repo which one the export is of: ' + ', '.join(every))
    if arguments.root:
        check_places(rows, arguments.root)
    functions = {(row['path'], last(row['function']), row['line']) for row in rows}
    macros, edges = set(), []
    for line in lines_of(arguments.export):
        if line['kind'] == 'node':
            node = line['node']
            if node['kind'] == 'macro':
                macros.add((node['path'], node['name'], node['start']))
        elif line['kind'] == 'calls':
            edges.append(line)
    judged = collections.defaultdict(list)
    for row in rows:
        judged[row['path'], last(row['function']), row['line']].append(row)
    known = collections.defaultdict(list)
    for path, name, line in functions:
        known[path].append((line, name))
    got = collections.defaultdict(dict)
    for edge in edges:
        start, end = edge['from'], edge['to']
        if (end['path'], end['name'], end['start']) in macros:
            continue
        for line, name in known.get(start['path'], []):
            if start['name'] == name and start['start'] <= line <= start['end']:
                to = (end['path'], last(end['name']), end['start'], end['end'])
                got[start['path'], name, line].setdefault(to, edge['line'])
    right, wrong, missed, total = 0, [], [], 0
    for function in sorted(functions):
        expected = {}
        for row in judged[function]:
            if row.get('callee'):
                expected[row['callee_path'], last(row['callee']), row['callee_line']] = row
        hit = set()
        for (path, name, start, end), line in got[function].items():
            here = {key for key in expected if key[:2] == (path, name) and start <= key[2] <= end}
            hit |= here
            if not here:
                wrong.append(((function[:2], (path, name)), line))
            elif not all(expected[key].get('neutral') for key in here):
                right += 1
        required = [key for key in expected if not expected[key].get('neutral')]
        total += len(required)
        missed += [((function[:2], key[:2]), expected[key]['call_line']) for key in required if key not in hit]
    scores = {
        'bodies': len(functions),
        'callees': total,
        'right': right,
        'wrong': len(wrong),
        'missed': len(missed),
        'precision': ratio(right, right + len(wrong)),
        'recall': ratio(total - len(missed), total),
    }
    print_scores(arguments, scores, wrong, missed)


def check_places(rows, root):
    """Ends the program when a judged place isn't what the checkout has there."""
    problems = []
    texts = {}

    def has(path, line, name):
        if path not in texts:
            with open(os.path.join(root, path), encoding='utf-8', errors='replace') as file:
                texts[path] = file.read().split('\n')
        return 0 < line <= len(texts[path]) and last(name) in texts[path][line - 1]

    for row in rows:
        places = [('path', 'line', 'function')]
        if row.get('callee'):
            places += [('callee_path', 'callee_line', 'callee'), ('path', 'call_line', 'callee')]
        for path, line, name in places:
            # A call can be written with another word than its callee's name: `get` for an operator, an alias.
            expected = row.get('written', row[name]) if line == 'call_line' else row[name]
            if not has(row[path], row[line], expected):
                problems.append('%s:%s does not have %s' % (row[path], row[line], expected))
    if problems:
        sys.exit('\n'.join(problems) + '\nthe judged places belong to commit %s' % rows[0]['commit'])


def print_scores(arguments, scores, wrong, missed):
    def shown(found):
        return [
            '%s:%s -> %s:%s (line %s)' % (start[0], start[1] or '<module>', *end[:2], line)
            for (start, end), line in sorted(found, key=str)
        ]

    if arguments.json:
        print(json.dumps({**scores, 'wrong_edges': shown(wrong), 'missed_edges': shown(missed)}, indent=1))
        return
    for name, value in scores.items():
        print(name, value)
    for title, found in (('wrong', wrong), ('missed', missed)):
        for line in shown(found)[:arguments.list]:
            print(title + ':', line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest='verb', required=True)
    oracle = verbs.add_parser('oracle', help='against what a compiler or type checker says')
    oracle.add_argument('oracle')
    oracle.add_argument('--no-tests', action='store_true', help='leave out callers in test files')
    oracle.add_argument(
        '--same-callers', action='store_true',
        help='leave out callers of which the oracle has no call: C code that was not compiled',
    )
    oracle.add_argument(
        '--overloads', action='store_true', help='tell functions by one name in one file apart by their first lines',
    )
    oracle.add_argument(
        '--functions', action='store_true', help='leave out callees that are no functions: macros, types, variants',
    )
    oracle.set_defaults(run=score_oracle)
    bodies = verbs.add_parser('bodies', help='against bodies that were judged by reading')
    bodies.add_argument('judged')
    bodies.add_argument('--repo', metavar='OWNER/NAME', help='score the bodies of this one, where the file has several')
    bodies.add_argument('--root', help='checkout of the commit; ends with an error when a judged place is not there')
    bodies.set_defaults(run=score_bodies)
    for verb in (oracle, bodies):
        verb.add_argument('export')
        verb.add_argument('--list', type=int, default=20, metavar='N', help='show so many wrong and missed edges')
        verb.add_argument('--json', action='store_true', help='everything as JSON')
    arguments = parser.parse_args()
    arguments.run(arguments)


main()
