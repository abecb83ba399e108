#!/usr/bin/env python3
"""Writes the oracle of a C or C++ project: what libclang says of every call in the files that are compiled.

  oracle_c.py ROOT OUT --args '-Isrc -DNAME' FILE…

FILEs are below ROOT, OUT is a prefix as for oracle_python.py. Give the options that the project is built with. Functions and lines
that these options leave out are not judged: score with --same-callers. README.md says which constructions count as calls.
"""
import argparse
import collections
import ctypes
import os
import re
import shlex

import clang.cindex
from clang.cindex import CursorKind

import oracle_output

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
OPERATOR = re.compile(r'operator\b')
# A type with arguments: `a::B<C>(`, `B{`.
MADE = re.compile(r'[\w:]*?(\w+)\s*(<.*?>)?\s*[({]', re.DOTALL)


class RangeList(ctypes.Structure):
    _fields_ = [('count', ctypes.c_uint), ('ranges', ctypes.POINTER(clang.cindex.SourceRange))]


def skipped_ranges(unit):
    """The parts of a unit's files that its options leave out."""
    get = clang.cindex.conf.lib.clang_getAllSkippedRanges
    get.argtypes, get.restype = [clang.cindex.TranslationUnit], ctypes.POINTER(RangeList)
    found = get(unit)
    if found:
        for at in range(found.contents.count):
            yield found.contents.ranges[at]


def is_implicit(constructor):
    """Whether nobody has written a constructor down."""
    return constructor.location == constructor.semantic_parent.location


class Project:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.defined, self.calls, self.unresolved, self.texts = {}, [], [], {}
        self.bytes, self.problems = {}, 0
        self.files, self.macros = set(), []
        # By file, the lines that no unit has compiled.
        self.skipped = {}

    def path_of(self, cursor):
        if not cursor.location.file:
            return None
        path = os.path.realpath(cursor.location.file.name)
        return os.path.relpath(path, self.root) if path.startswith(self.root + '/') else None

    def described(self, cursor):
        return {
            'name': cursor.spelling if OPERATOR.match(cursor.spelling) else cursor.spelling.split('<')[0],
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
            elif problem.severity == clang.cindex.Diagnostic.Error:
                self.problems += 1
        self.files.add(path)
        for cursor in unit.cursor.get_children():
            if self.path_of(cursor) is None:
                continue
            if cursor.kind == CursorKind.MACRO_INSTANTIATION:
                self.add_macro(cursor)
            else:
                self.walk(cursor, None, [])
        self.add_skipped(unit)

    def add_skipped(self, unit):
        skipped = collections.defaultdict(set)
        for part in skipped_ranges(unit):
            path = self.path_of(argparse.Namespace(location=part.start))
            if path:
                skipped[path].update(range(part.start.line, part.end.line + 1))
        included = (self.path_of(argparse.Namespace(location=each.location)) for each in unit.get_includes())
        for path in {*included, *skipped} - {None}:
            self.skipped[path] = self.skipped.get(path, skipped[path]) & skipped[path]

    def add_macro(self, cursor):
        definition = cursor.referenced
        if definition is not None and self.path_of(definition):
            callee = {**self.described(definition), 'kind': 'macro'}
            self.macros.append((self.path_of(cursor), cursor.location.line, callee))

    def walk(self, cursor, function, above):
        path = self.path_of(cursor)
        if cursor.kind in FUNCTIONS:
            if path and cursor.is_definition():
                function = self.described(cursor)
                # The first declaration's name for it: the definition's own may differ in what doesn't matter.
                self.defined[cursor.canonical.get_usr()] = function
        elif cursor.kind == CursorKind.CALL_EXPR and function and path:
            callee = cursor.referenced
            if callee is not None and callee.kind in FUNCTIONS:
                declared = self.described(callee) if self.path_of(callee) else None
                site = self.site_of(path, cursor, callee, above)
                self.calls.append((path, cursor, function, callee.canonical.get_usr(), declared, site))
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
            self.walk(child, function, [*above[-3:], cursor])

    def site_of(self, path, cursor, callee, above):
        """How a call is written; one of the sites that score.py counts, or another."""
        if callee.kind == CursorKind.CONVERSION_FUNCTION:
            return 'conversion'
        if callee.kind == CursorKind.CONSTRUCTOR or callee.spelling == callee.semantic_parent.spelling:
            return self.construction(path, cursor, callee, above)
        start, line = cursor.extent.start.line, cursor.location.line
        near = self.text(path, start, min(line + 3, start + NEAR))
        if OPERATOR.match(callee.spelling):
            return 'call' if callee.spelling == 'operator()' or callee.spelling in near else 'operator'
        # A call out of a macro's body isn't written here.
        return 'call' if callee.spelling.split('<')[0] in near else 'macro_body'

    def construction(self, path, cursor, constructor, above):
        text = self.written(path, cursor)
        parent = above[-1]
        made = MADE.match(text)
        if parent.kind == CursorKind.CXX_NEW_EXPR:
            site = 'new'
        elif parent.kind == CursorKind.CONSTRUCTOR:
            site = 'initializer'
        elif parent.kind == CursorKind.VAR_DECL and parent.location == cursor.location:
            site = 'declaration' if text.startswith(parent.spelling) else 'macro_body'
        elif made and (
            made.group(1) == constructor.spelling.split('<')[0]
            or any(
                each.kind == CursorKind.CXX_FUNCTIONAL_CAST_EXPR and each.extent.start == cursor.extent.start
                for each in above
            )
            or any(each.kind == CursorKind.TYPE_REF for each in list(cursor.get_children())[:1])
        ):
            site = 'new'
        else:
            return 'implicit'
        copies = constructor.is_copy_constructor() or constructor.is_move_constructor()
        if is_implicit(constructor) and (site != 'new' or copies):
            return 'implicit'
        return 'call' if site in ('initializer', 'declaration') else site

    def written(self, path, cursor):
        self.text(path, 1, 1)
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        return self.bytes[path][start:end].decode('utf-8', 'replace')

    def text(self, path, first, last):
        if path not in self.texts:
            with open(os.path.join(self.root, path), 'rb') as file:
                self.bytes[path] = file.read()
            self.texts[path] = self.bytes[path].decode('utf-8', 'replace').split('\n')
        return ''.join(self.texts[path][first - 1:last])

    def rows(self):
        rows, seen = [], set()

        def add(path, line, start, site, caller, callee):
            key = (path, line, caller['name'], callee['path'], callee['name'], site)
            if key in seen:
                return
            seen.add(key)
            self.files.update((path, callee['path']))
            rows.append(oracle_output.call(path, line, caller, callee, start=start, site=site))

        for path, cursor, caller, usr, declared, site in self.calls:
            callee = self.defined.get(usr) or declared
            if callee:
                add(path, cursor.location.line, cursor.extent.start.line, site, caller, callee)
        callers = collections.defaultdict(list)
        for caller in self.defined.values():
            callers[caller['path']].append(caller)
        for path, line, callee in self.macros:
            for caller in callers[path]:
                if caller['start'] <= line <= caller['end']:
                    add(path, line, line, 'macro', caller, callee)
        for path, lines in sorted(self.skipped.items()):
            for line in sorted(lines):
                self.unresolved.append({'path': path, 'line': line, 'name': None})
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
    oracle_output.write(out, rows, project.unresolved, project.files)
    print('%s calls, %s unresolved, %s errors' % (len(rows), len(project.unresolved), project.problems))


main()
