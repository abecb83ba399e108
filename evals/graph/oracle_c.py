#!/usr/bin/env python3
"""Writes the oracle of a C or C++ project: what libclang says of every call in the files that are compiled.

  oracle_c.py ROOT OUT --args '-Isrc -DNAME' FILE…

FILEs are below ROOT, OUT is a prefix as for oracle_python.py. Give the options that the project is built with. Functions that
these options leave out are not judged: score with --same-callers.
"""
import argparse
import collections
import json
import os
import shlex

import clang.cindex
from clang.cindex import CursorKind

FUNCTIONS = {
    CursorKind.FUNCTION_DECL,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CONVERSION_FUNCTION,
}
# Lines behind a call's first in which its name is looked for.
NEAR = 12


class Project:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.defined, self.calls, self.unresolved, self.texts = {}, [], [], {}
        self.files, self.macros = set(), []

    def path_of(self, cursor):
        if not cursor.location.file:
            return None
        path = os.path.realpath(cursor.location.file.name)
        return os.path.relpath(path, self.root) if path.startswith(self.root + '/') else None

    def described(self, cursor):
        return {
            'name': cursor.spelling.split('<')[0],
            'qualified': cursor.spelling,
            'path': self.path_of(cursor),
            'start': cursor.extent.start.line,
            'end': cursor.extent.end.line,
            'kind': 'method' if cursor.kind == CursorKind.CXX_METHOD else 'function',
        }

    def read(self, index, path, options):
        detailed = clang.cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        unit = index.parse(os.path.join(self.root, path), args=options, options=detailed)
        for problem in unit.diagnostics:
            if problem.severity >= clang.cindex.Diagnostic.Fatal:
                print('%s: %s' % (path, problem))
        self.files.add(path)
        for cursor in unit.cursor.get_children():
            if self.path_of(cursor) is None:
                continue
            if cursor.kind == CursorKind.MACRO_INSTANTIATION:
                self.add_macro(cursor)
            else:
                self.walk(cursor, None)

    def add_macro(self, cursor):
        definition = cursor.referenced
        if definition is not None and self.path_of(definition):
            callee = {**self.described(definition), 'kind': 'macro'}
            self.macros.append((self.path_of(cursor), cursor.location.line, callee))

    def walk(self, cursor, function):
        path = self.path_of(cursor)
        if cursor.kind in FUNCTIONS:
            if path and cursor.is_definition():
                function = self.described(cursor)
                self.defined[cursor.get_usr()] = function
        elif cursor.kind == CursorKind.CALL_EXPR and function and path:
            callee = cursor.referenced
            if callee is not None and callee.kind in FUNCTIONS:
                declared = self.described(callee) if self.path_of(callee) else None
                self.calls.append((path, cursor, function, callee.get_usr(), declared))
            else:
                # What a pointer points to isn't known: neither a function of its name nor another is judged.
                for name in {cursor.spelling or None, None}:
                    self.unresolved.append({
                        'path': path,
                        'line': cursor.location.line,
                        'name': name,
                        'caller': function['name'],
                    })
        for child in cursor.get_children():
            self.walk(child, function)

    def text(self, path, first, last):
        if path not in self.texts:
            with open(os.path.join(self.root, path), encoding='utf-8', errors='replace') as file:
                self.texts[path] = file.read().split('\n')
        return ''.join(self.texts[path][first - 1:last])

    def rows(self):
        rows, seen = [], set()

        def add(path, line, start, site, caller, callee):
            key = (path, line, caller['name'], callee['path'], callee['name'])
            if key in seen:
                return
            seen.add(key)
            self.files.update((path, callee['path']))
            rows.append({
                'path': path,
                'line': line,
                'call_start': start,
                'site': site,
                'caller': {name: caller[name] for name in ('name', 'qualified', 'start', 'end')},
                'enclosing': [caller],
                'inner_weak': 0,
                'callee': callee,
                'via': 'name',
            })

        for path, cursor, caller, usr, declared in self.calls:
            callee = self.defined.get(usr) or declared
            if callee:
                line, start = cursor.location.line, cursor.extent.start.line
                near = self.text(path, start, min(line + 3, start + NEAR))
                # A call out of a macro's body isn't written here.
                add(path, line, start, 'call' if callee['name'] in near else 'macro_body', caller, callee)
        callers = collections.defaultdict(list)
        for caller in self.defined.values():
            callers[caller['path']].append(caller)
        for path, line, callee in self.macros:
            for caller in callers[path]:
                if caller['start'] <= line <= caller['end']:
                    add(path, line, line, 'macro', caller, callee)
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root')
    parser.add_argument('out')
    parser.add_argument('file', nargs='+')
    parser.add_argument('--args', default='', help='options of the compiler; relative ones are below ROOT')
    arguments = parser.parse_args()
    project = Project(arguments.root)
    out = os.path.abspath(arguments.out)
    os.chdir(project.root)
    index = clang.cindex.Index.create()
    for path in arguments.file:
        project.read(index, path, shlex.split(arguments.args))
    rows = project.rows()
    for suffix, lines in (('.jsonl', rows), ('.unresolved.jsonl', project.unresolved)):
        with open(out + suffix, 'w', encoding='utf-8') as file:
            file.writelines(json.dumps(line) + '\n' for line in lines)
    with open(out + '.meta.json', 'w', encoding='utf-8') as file:
        json.dump({'files': sorted(project.files)}, file)
    print('%s calls, %s unresolved' % (len(rows), len(project.unresolved)))


main()
