#!/usr/bin/env python3
"""Writes the oracle of a PHP project: what intelephense says of every name that is called.

  oracle_php.py ROOT OUT [FOLDER…] [--server 'node …/intelephense/lib/intelephense.js --stdio']

OUT is a prefix as for oracle_python.py. Calls are found in the text without its strings, comments and attributes: a name before a
parenthesis, or behind `new`. What is declared is what the server lists. Tests are left out; FOLDER limits it further.
"""
import argparse
import collections
import os
import re
import shlex
import tempfile
import urllib.parse

import oracle_output
from language_server import Server

LEFT_OUT = re.compile(r'(^|/)(tests?|vendor|fixtures|examples|docs?|tools|grammar)/', re.IGNORECASE)
# Strings, comments and attributes.
NO_CODE = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|/\*.*?\*/|//[^\n]*|\#(?!\[)[^\n]*|\#\[[^\]\n]*\]"
    r'|<<<\s*[\'"]?(\w+)[\'"]?\n.*?\n\s*\1\b',
    re.DOTALL,
)
CALL = re.compile(r'(?<![\w$\\])(?P<new>new\s+)?(?P<path>\\?(?:\w+\\)*)(?P<name>[A-Za-z_]\w*)(?P<open>\s*\()?')
# What stands before parentheses and is no call.
WORDS = {
    'array', 'as', 'catch', 'class', 'declare', 'die', 'echo', 'else', 'elseif', 'empty', 'eval', 'exit', 'fn', 'for', 'foreach',
    'function', 'if', 'include', 'include_once', 'isset', 'list', 'match', 'parent', 'print', 'require', 'require_once', 'return',
    'self', 'static', 'switch', 'unset', 'use', 'while', 'and', 'or', 'xor', 'yield', 'throw', 'new', 'case', 'instanceof',
}
# Kinds of symbols of the protocol.
CLASS, METHOD, CONSTRUCTOR, INTERFACE, FUNCTION, ENUM = 5, 6, 9, 11, 12, 10
KINDS = {CLASS: 'class', INTERFACE: 'class', ENUM: 'class', METHOD: 'method', CONSTRUCTOR: 'method', FUNCTION: 'function'}


def blanked(text):
    """The text with spaces in place of what is no code."""
    return NO_CODE.sub(lambda found: re.sub(r'[^\n]', ' ', found.group()), text)


class Source:
    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding='utf-8', newline='') as file:
            self.text = file.read()
        self.lines = self.text.split('\n')
        self.definitions = []
        self.calls = list(self.find_calls())

    def find_calls(self):
        """Calls as line and column from 0, name, and whether something is made."""
        text = blanked(self.text)
        for found in CALL.finditer(text):
            name, before = found['name'], text[max(0, found.start() - 24):found.start()]
            declares = re.search(r'\b(function|fn)\s*&?\s*$', before)
            # `new static` makes an object of the class around; `new class` has no name.
            makes_own = found['new'] and name.lower() in ('static', 'self', 'parent')
            is_word = name.lower() in WORDS and not makes_own and not re.search(r'(->|::)\s*$', before)
            if not (found['open'] or found['new']) or is_word or declares:
                continue
            start = found.start('name')
            line = text.count('\n', 0, start)
            yield line, start - (text.rfind('\n', 0, start) + 1), name, bool(found['new'])

    def declare(self, symbols, above):
        for symbol in symbols or []:
            kind = KINDS.get(symbol['kind']) if symbol['name'] != 'Closure' else None
            names = [*above, symbol['name']] if kind else above
            if kind:
                extent, named = symbol['range'], symbol['selectionRange']
                self.definitions.append({
                    'name': symbol['name'],
                    'qualified': '.'.join(names),
                    'path': self.path,
                    'start': extent['start']['line'] + 1,
                    'end': extent['end']['line'] + 1,
                    'named': named['start']['line'] + 1,
                    'kind': kind,
                })
            self.declare(symbol.get('children'), names)

    def classes(self, line):
        """The innermost class around a line, in a list."""
        return [one for one in self.around(line) if one['kind'] == 'class'][:1]

    def around(self, line):
        """The declarations around a line from 1, the innermost first."""
        found = [one for one in self.definitions if one['start'] <= line <= one['end']]
        return sorted(found, key=lambda one: one['end'] - one['start'])


def php_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith('.') and name != 'node_modules']
        for name in files:
            if name.endswith('.php'):
                yield os.path.relpath(os.path.join(folder, name), root)


def declarations_at(answer, root, sources):
    found, other = [], None
    for place in answer if isinstance(answer, list) else [answer] if answer else []:
        path = urllib.parse.unquote(place['uri'].removeprefix('file://'))
        source = sources.get(os.path.relpath(path, root)) if path.startswith(root + '/') else None
        if source is None:
            other = other or 'outside'
            continue
        line = place['range']['start']['line'] + 1
        # The server leads to a declaration's first line, its comment included, or to its name.
        named = [one for one in source.definitions if line in (one['start'], one['named'])]
        if named:
            found.append(min(named, key=lambda one: (one['start'] != line, one['end'] - one['start'])))
        else:
            other = 'value'
    return found, other


def row(source, call, callee):
    line, _, _, makes = call
    scopes = [
        {key: one[key] for key in ('name', 'qualified', 'start', 'end', 'kind')}
        for one in source.around(line + 1) if one['kind'] != 'class'
    ]
    caller = scopes[0] if scopes else {'name': None, 'qualified': None, 'start': 1, 'end': 1}
    site = 'new' if makes else 'call'
    return oracle_output.call(source.path, line + 1, caller, callee, site=site, enclosing=scopes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root')
    parser.add_argument('out')
    parser.add_argument('folder', nargs='*')
    parser.add_argument('--server', default='intelephense --stdio')
    options = parser.parse_args()
    root = os.path.realpath(options.root)
    sources = {path: Source(root, path) for path in sorted(php_files(root))}
    files = [
        path for path in sources
        if not LEFT_OUT.search(path)
        and (not options.folder or any(path.startswith(folder) for folder in options.folder))
    ]
    storage = tempfile.mkdtemp()
    server = Server(shlex.split(options.server), root, {'storagePath': storage, 'clearCache': True})
    server.wait_until_told('indexingEnded')
    for path, source in sources.items():
        document = {'uri': 'file://' + os.path.join(root, path)}
        opened = {**document, 'languageId': 'php', 'version': 1, 'text': source.text}
        server.tell('textDocument/didOpen', {'textDocument': opened})
        source.declare(server.wait(server.ask('textDocument/documentSymbol', {'textDocument': document})), [])
        if path not in files:
            server.tell('textDocument/didClose', {'textDocument': document})
    classes = collections.defaultdict(list)
    for one in (one for source in sources.values() for one in source.definitions if one['kind'] == 'class'):
        classes[one['name']].append(one)
    rows, unresolved = [], []
    for path in files:
        source = sources[path]
        document = {'uri': 'file://' + os.path.join(root, path)}
        asked = [
            (server.ask('textDocument/definition', {
                'textDocument': document, 'position': {'line': call[0], 'character': call[1]}
            }), call)
            for call in source.calls
        ]
        for number, call in asked:
            callees, other = declarations_at(server.wait(number), root, sources)
            if call[3]:
                # What makes an object counts as its class, also where that inherits what is run.
                made = [(call[0] + 1, path)] if call[2].lower() in ('self', 'static') else [
                    (callee['start'], callee['path']) for callee in callees
                ]
                callees = [found for line, where in made for found in sources[where].classes(line)]
                # The server leads to the class whose constructor runs, also where the one that is named inherits it.
                if callees and len(classes[call[2]]) == 1:
                    callees = classes[call[2]]
            if not callees and other != 'outside':
                caller = row(source, call, None)['caller']['name']
                unresolved.append({'path': path, 'line': call[0] + 1, 'name': call[2], 'why': other, 'caller': caller})
            rows += [row(source, call, callee) for callee in callees]
        print('%s: %s calls' % (path, len(source.calls)), flush=True)
    server.process.kill()
    oracle_output.write(options.out, rows, unresolved, files)


main()
