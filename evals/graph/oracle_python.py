#!/usr/bin/env python3
"""Writes the oracle of a Python project: what pyright says of every call that the parser of Python finds.

  oracle_python.py ROOT OUT [FOLDER…] [--pyright 'node …/langserver.index.js --stdio']

OUT is a prefix: OUT.jsonl has the calls that lead into ROOT, OUT.unresolved.jsonl those that pyright can't tell, OUT.meta.json
the files. Tests and documentation are left out; FOLDER limits it further.
"""
import argparse
import ast
import os
import re
import shlex
import urllib.parse

import oracle_output
from language_server import Server

LEFT_OUT = re.compile(
    r'(^|/)(tests?|__tests__|t|testing|test-utils|spec|fixtures|examples|benchmarks|docs?)/'
    r'|(^|/)(test_[^/]*|conftest)\.py$'
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding='utf-8') as file:
            self.text = file.read()
        self.tree = ast.parse(self.text)
        self.lines = self.text.split('\n')
        self.definitions = {}
        self.calls = []
        self.find_definitions(self.tree, [])
        self.find_calls(self.tree, [])

    def find_definitions(self, node, above):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                self.find_definitions(child, above)
                continue
            names = [*above, child.name]
            method = 'method' if isinstance(node, ast.ClassDef) else 'function'
            self.definitions[child.lineno] = {
                'name': child.name,
                'qualified': '.'.join(names),
                'path': self.path,
                'start': min([child.lineno, *(d.lineno for d in child.decorator_list)]),
                'end': child.end_lineno,
                'def_line': child.lineno,
                'kind': 'class' if isinstance(child, ast.ClassDef) else method,
            }
            self.find_definitions(child, names)

    def find_calls(self, node, scopes):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                called = child.func
                if isinstance(called, ast.Name):
                    self.calls.append((child, called.lineno, called.col_offset, called.id, scopes))
                elif isinstance(called, ast.Attribute):
                    column = called.end_col_offset - len(called.attr.encode())
                    self.calls.append((child, called.end_lineno, column, called.attr, scopes))
            if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                self.find_calls(child, scopes)
                continue
            # Decorators, bases and defaults are evaluated outside.
            outside = list(child.decorator_list)
            if isinstance(child, ast.ClassDef):
                outside += child.bases + [keyword.value for keyword in child.keywords]
            else:
                outside += child.args.defaults + [value for value in child.args.kw_defaults if value]
            for value in outside:
                self.find_calls(ast.Expr(value=value), scopes)
            scope = {
                'name': child.name,
                'qualified': '.'.join([*(outer['name'] for outer in scopes), child.name]),
                'start': child.lineno,
                'end': child.end_lineno,
                'kind': 'class' if isinstance(child, ast.ClassDef) else 'function',
            }
            self.find_calls(ast.Module(body=child.body, type_ignores=[]), [*scopes, scope])

    def position(self, line, column):
        """A place of the parser, whose columns are bytes, as the protocol wants it."""
        before = self.lines[line - 1].encode()[:column].decode('utf-8', 'ignore')
        return {'line': line - 1, 'character': len(before.encode('utf-16-le')) // 2}


def python_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith('.') and name != 'node_modules']
        for name in files:
            if name.endswith('.py'):
                yield os.path.relpath(os.path.join(folder, name), root)


def parsed(root):
    sources = {}
    for path in sorted(python_files(root)):
        try:
            sources[path] = Source(root, path)
        except (SyntaxError, ValueError):
            print('%s is no Python that this parser reads; left out' % path)
    return sources


def definitions_at(places, root, sources):
    """The functions and classes at the places of an answer, and what else it led to: None, 'outside' or 'value'."""
    found, other = [], None
    for place in places:
        path = urllib.parse.unquote(place['uri'].removeprefix('file://'))
        if not path.startswith(root + '/'):
            other = other or 'outside'
            continue
        source = sources.get(os.path.relpath(path, root))
        start, end = place['range']['start'], place['range']['end']
        definition = source and source.definitions.get(start['line'] + 1)
        named = source and source.lines[start['line']][start['character']:end['character']]
        if definition and definition['name'] == named:
            found.append(definition)
        else:
            other = 'value'
    return found, other


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root')
    parser.add_argument('out')
    parser.add_argument('folder', nargs='*')
    parser.add_argument('--pyright', default='pyright-langserver --stdio')
    arguments = parser.parse_args()
    root = os.path.realpath(arguments.root)
    sources = parsed(root)
    files = [
        path for path in sources
        if not LEFT_OUT.search(path)
        and (not arguments.folder or any(path.startswith(folder) for folder in arguments.folder))
    ]
    server = Server(shlex.split(arguments.pyright), root)
    rows, unresolved = [], []
    for path in files:
        source = sources[path]
        document = {'uri': 'file://' + os.path.join(root, path)}
        server.tell('textDocument/didOpen', {
            'textDocument': {**document, 'languageId': 'python', 'version': 1, 'text': source.text}
        })
        asked = [
            (server.ask('textDocument/definition', {
                'textDocument': document, 'position': source.position(line, column)
            }), call)
            for call in source.calls for _, line, column, _, _ in [call]
        ]
        for number, (node, line, _, name, scopes) in asked:
            answer = server.wait(number) or []
            places = answer if isinstance(answer, list) else [answer]
            callees, other = definitions_at(places, root, sources)
            caller = scopes[-1] if scopes else {'name': None, 'qualified': None, 'start': 1, 'end': 1}
            if not callees and other != 'outside':
                gave_up = {'path': path, 'line': line, 'name': name, 'why': other, 'caller': caller['name']}
                unresolved.append(gave_up)
                if other == 'value':
                    # What a variable, parameter or attribute holds isn't asked: `cls(…)`, `self.made_by(…)`.
                    unresolved.append({**gave_up, 'name': None})
            rows += [
                oracle_output.call(path, line, caller, callee, start=node.lineno, enclosing=scopes[::-1])
                for callee in callees
            ]
        server.tell('textDocument/didClose', {'textDocument': document})
        print('%s: %s calls' % (path, len(source.calls)), flush=True)
    server.process.kill()
    oracle_output.write(arguments.out, rows, unresolved, files)


main()
