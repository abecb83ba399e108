#!/usr/bin/env python3
"""Measures what each rule of resolution is worth: builds a program with a switch for each, and scores without them.

  ablation.py insert                                  puts the switches into crates/graph; `git checkout crates/graph` takes them out
  ablation.py measure PROGRAM CORPORA ORACLES [TEXT…] prints a row for each rule (whose name has one of TEXTs)
  ablation.py edges PROGRAM RULE CHECKOUT… [--list N]  prints how many edges are others without a rule, and N of them

PROGRAM is the example `code_graph`, built with the switches; `RETRIEVER_WITHOUT=file::function,…` leaves functions out, which
then return nothing, or what they were given, and `capability:name` a capability of all languages. `ablation/rules.txt` says
which switches are a rule, `ablation/projects.txt` which checkouts below CORPORA are scored by what: a prefix below ORACLES, or
a file of judged bodies.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, '..', '..', 'crates', 'graph', 'src')
FUNCTION = re.compile(r'( *)(?:pub(?:\([a-z: ]+\))? )?fn (\w+)')
# What a function returns that is left out, by its type.
NOTHING = {
    '': '', 'bool': 'false', 'Ty': 'Ty::Unknown', 'InferredType': 'InferredType::UNKNOWN', 'ExprId': 'ExprId::UNKNOWN',
    'TypeId': 'TypeId::UNKNOWN', 'StructuralTypingEdges': 'StructuralTypingEdges::default()',
}
SWITCHES = '''//! Switches that leave parts of resolution out.
use crate::facts::language_capabilities::LanguageCapabilities;
use std::sync::{LazyLock, Mutex};
static LIST: LazyLock<Vec<String>> = LazyLock::new(|| {
    std::env::var("RETRIEVER_WITHOUT").unwrap_or_default().split(',').map(str::to_owned).collect()
});
static OFF: LazyLock<Vec<bool>> = LazyLock::new(|| NAMES.iter().map(|name| LIST.iter().any(|it| it == name)).collect());
static MADE: Mutex<Vec<(usize, &'static LanguageCapabilities)>> = Mutex::new(Vec::new());
pub(crate) fn off(id: usize) -> bool {
    OFF[id]
}
pub(crate) fn capabilities(of: &'static LanguageCapabilities) -> &'static LanguageCapabilities {
    if !LIST.iter().any(|it| it.starts_with("capability:")) {
        return of;
    }
    let key = std::ptr::from_ref(of) as usize;
    let mut all = MADE.lock().unwrap();
    if let Some((_, made)) = all.iter().find(|(at, _)| *at == key) {
        return made;
    }
    let mut made = *of;
%s    all.push((key, Box::leak(Box::new(made))));
    all[all.len() - 1].1
}
const NAMES: &[&str] = &[%s];
'''


class Rule:
    def __init__(self, line):
        self.name, languages, switches, *files = [part.strip() for part in line.split('|')]
        self.languages, self.switches = languages.split(), switches.split()
        self.files = files[0].split() if files else []

    def lines(self):
        """The lines of its functions, or of the files that are nothing else."""
        found = sum(len(text_of(path)) for path in self.files)
        names = [switch.split('::') for switch in self.switches if not switch.startswith('capability:')]
        return found or sum(
            last - first + 1
            for file, name in names
            for known, first, last, _ in functions(file)
            if known == name
        )


def text_of(file):
    with open(os.path.join(SOURCE, file + '.rs'), encoding='utf-8') as opened:
        return opened.read().split('\n')


def functions(file):
    """Yields the name of each function that has a body, its first line, its last one, and where its head ends."""
    lines = text_of(file)
    for first, line in enumerate(lines):
        if head := FUNCTION.match(line):
            body = next(at for at in range(first, len(lines)) if lines[at].rstrip().endswith(('{', ';', '}')))
            if lines[body].endswith('{'):
                last = next(at for at in range(body, len(lines)) if lines[at] == head.group(1) + '}')
                yield head.group(2), first, last, body


def nothing(head):
    """What a function returns that does nothing: what it was given to choose from, or nothing."""
    made = re.search(r'\) -> (.*?)(?: where .*)?\{$', head)
    kind = made.group(1).strip() if made else ''
    given = re.search(r'\b(?:mut )?(found|constructors): (Vec<\w+>)', head)
    if given and given.group(2) == kind:
        return given.group(1)
    return 'Vec::new()' if kind.startswith('Vec<') else 'None' if kind.startswith('Option<') else NOTHING[kind]


def rules():
    with open(os.path.join(HERE, 'ablation', 'rules.txt'), encoding='utf-8') as opened:
        return [Rule(line) for line in opened if line.strip() and not line.startswith('#')]


def insert():
    names = sorted({switch for rule in rules() for switch in rule.switches if '::' in switch})
    for file in sorted({name.split('::')[0] for name in names}):
        lines, places = text_of(file), []
        for name, first, last, body in functions(file):
            if f'{file}::{name}' in names and not any(name == known for known, _, _ in places):
                places.append((name, body, ' '.join(line.strip() for line in lines[first:body + 1])))
        for name, body, head in reversed(places):
            switch = names.index(f'{file}::{name}')
            lines.insert(body + 1, f'if crate::ablation::off({switch}) {{ return {nothing(head)}; }}')
        with open(os.path.join(SOURCE, file + '.rs'), 'w', encoding='utf-8') as opened:
            opened.write('\n'.join(lines))
    asked = re.compile(r'((?<![\w.])rules|definition\(self\)\.rules|\(languages\.of\)\(language\))\.capabilities\(\)')
    for path in glob.glob(SOURCE + '/**/*.rs', recursive=True):
        change(path, lambda text: asked.sub(r'crate::ablation::capabilities(\1.capabilities())', text))
    table = os.path.join(SOURCE, 'facts', 'language_capabilities.rs')
    with open(table, encoding='utf-8') as opened:
        held = opened.read().split('struct LanguageCapabilities')[1].split('\n}')[0]
    fields = re.findall(r'^    pub\(crate\) (\w+): ', held, re.M)
    arm = '    if LIST.iter().any(|it| it == "capability:{0}") {{ made.{0} = LanguageCapabilities::NONE.{0}; }}\n'
    with open(os.path.join(SOURCE, 'ablation.rs'), 'w', encoding='utf-8') as opened:
        opened.write(SWITCHES % (''.join(arm.format(field) for field in fields), ', '.join(f'"{name}"' for name in names)))
    derive, name = '#[derive(Debug)]', '\npub(crate) struct LanguageCapabilities'
    change(table, lambda text: text.replace(derive + name, '#[derive(Debug, Clone, Copy)]' + name))
    lib = os.path.join(SOURCE, 'lib.rs')
    change(lib, lambda text: '#![allow(warnings, clippy::all, clippy::pedantic, clippy::restriction)]\n' + text + 'mod ablation;\n')


def change(path, edit):
    with open(path, encoding='utf-8') as opened:
        text = opened.read()
    if edit(text) != text:
        with open(path, 'w', encoding='utf-8') as opened:
            opened.write(edit(text))


class Project:
    def __init__(self, line, corpora, oracles):
        self.name, languages, checkout, kind, truth, *options = line.split()
        self.languages = languages.split(',')
        self.root = os.path.join(corpora, checkout)
        truth = os.path.join(oracles if kind == 'oracle' else HERE, truth + '.jsonl')
        self.truth, self.options = [kind, truth], options

    def graph(self, program, without=()):
        environment = dict(os.environ, RETRIEVER_WITHOUT=','.join(without))
        made = subprocess.run([program, self.root, 'export'], env=environment, capture_output=True, check=False)
        return made.stdout if made.returncode == 0 else None

    def score(self, graph):
        with tempfile.NamedTemporaryFile(suffix='.jsonl') as file:
            file.write(graph)
            file.flush()
            command = [sys.executable, os.path.join(HERE, 'score.py'), *self.truth, file.name, *self.options, '--list', '0']
            printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        found = dict(line.split(' ', 1) for line in printed.splitlines())
        # Of right pairs those count that leniency does not need.
        names = ('precision_judged', 'recall_strict') if self.truth[0] == 'oracle' else ('precision', 'recall')
        return [float(found[name]) for name in names] + [int(found['right']), int(found['wrong'])]


def edges(graph):
    return collections.Counter(line for line in graph.split(b'\n') if line and b'"kind":"node"' not in line)


def measure(arguments):
    with open(os.path.join(HERE, 'ablation', 'projects.txt'), encoding='utf-8') as opened:
        lines = [line for line in opened if line.strip() and not line.startswith('#')]
    projects = [Project(line, arguments.corpora, arguments.oracles) for line in lines]
    chosen = [rule for rule in rules() if not arguments.text or any(text in rule.name for text in arguments.text)]
    used = {language for rule in chosen for language in rule.languages}
    projects = [project for project in projects if 'all' in used or used.intersection(project.languages)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        graphs = dict(zip(projects, pool.map(lambda project: project.graph(arguments.program), projects)))
        scores = dict(zip(projects, pool.map(lambda project: project.score(graphs[project]), projects)))
        for project in projects:
            print('with all', project.name, *scores[project], sep='\t', flush=True)

        def without(rule, project):
            graph = project.graph(arguments.program, rule.switches)
            if graph is None:
                return 'ends'
            if graph == graphs[project]:
                return None
            before, after = edges(graphs[project]), edges(graph)
            return sum((before - after).values()), sum((after - before).values()), project.score(graph)

        tasks = []
        for rule in chosen:
            those = [one for one in projects if 'all' in rule.languages or set(rule.languages) & set(one.languages)]
            tasks.append((rule, [(one, pool.submit(without, rule, one)) for one in those]))
        for rule, results in tasks:
            for project, result in results:
                found = result.result()
                if found is None or found == 'ends':
                    print(rule.name, rule.lines(), project.name, found or 'same', sep='\t', flush=True)
                    continue
                gone, new, now = found
                was = scores[project]
                print(
                    rule.name, rule.lines(), project.name, f'edges -{gone} +{new}',
                    f'precision {now[0] - was[0]:+.4f}', f'recall {now[1] - was[1]:+.4f}',
                    f'right {now[2] - was[2]:+}', f'wrong {now[3] - was[3]:+}', sep='\t', flush=True,
                )


def show_edges(arguments):
    switches = next(rule for rule in rules() if rule.name == arguments.rule).switches
    for root in arguments.checkout:
        project = Project(f'. . {root} oracle .', '', '')
        before, after = (edges(project.graph(arguments.program, off)) for off in ((), switches))
        gone, new = before - after, after - before
        print(root, f'-{sum(gone.values())} +{sum(new.values())}', flush=True)
        for sign, some in (('-', gone), ('+', new)):
            for line in sorted(some)[::max(1, len(some) // max(1, arguments.list))][:arguments.list]:
                print(sign, line.decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest='verb', required=True)
    verbs.add_parser('insert').set_defaults(run=lambda _: insert())
    scored = verbs.add_parser('measure')
    for name in ('program', 'corpora', 'oracles'):
        scored.add_argument(name)
    scored.add_argument('text', nargs='*')
    scored.add_argument('--jobs', type=int, default=2)
    scored.set_defaults(run=measure)
    compared = verbs.add_parser('edges')
    compared.add_argument('program')
    compared.add_argument('rule')
    compared.add_argument('checkout', nargs='+')
    compared.add_argument('--list', type=int, default=0)
    compared.set_defaults(run=show_edges)
    arguments = parser.parse_args()
    arguments.run(arguments)


main()
