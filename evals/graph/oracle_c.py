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
OPERATOR = re.compile(r'operator\b')
TEMPLATES = {
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    CursorKind.FUNCTION_TEMPLATE,
}
REFERENCES = {CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF}
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


def pattern_of(function):
    """The function of a template that `function` is an instance of, or itself."""
    get = clang.cindex.conf.lib.clang_getSpecializedCursorTemplate
    while pattern := get(function):
        function = pattern
    return function


def class_name(spelling):
    """The last component of a type's name."""
    return re.split(r'::|\s', spelling.split('<')[0].rstrip(' &*'))[-1]


def is_implicit(constructor):
    """Whether nobody has written a constructor down."""
    return constructor.location == constructor.semantic_parent.location


class Project:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.defined, self.calls, self.unresolved = {}, [], []
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
        name = cursor.spelling
        if cursor.kind == CursorKind.CONVERSION_FUNCTION:
            name = 'operator ' + class_name(cursor.result_type.spelling)
        return {
            'name': name if OPERATOR.match(name) else name.split('<')[0],
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
                self.walk(cursor, None, [], False)
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

    def walk(self, cursor, function, above, in_template):
        path = self.path_of(cursor)
        in_template = in_template or cursor.kind in TEMPLATES
        if cursor.kind in FUNCTIONS:
            in_template = in_template or cursor.semantic_parent.kind in TEMPLATES
            if path and cursor.is_definition():
                function = self.described(cursor)
                # The first declaration's name for it: the definition's own may differ in what doesn't matter.
                self.defined[cursor.canonical.get_usr()] = function
            if cursor.is_default_method():
                # What is written there is `default`.
                return
        elif cursor.kind == CursorKind.CALL_EXPR and path:
            callee = cursor.referenced
            if function and callee is not None and callee.kind in FUNCTIONS:
                self.add_call(path, cursor, function, callee, above)
            else:
                self.give_up(path, cursor, function)
        if in_template and path:
            self.add_dependent(path, cursor)
        for child in cursor.get_children():
            self.walk(child, function, [*above[-3:], cursor], in_template)

    def add_call(self, path, cursor, function, callee, above):
        site = self.site_of(path, cursor, callee, above)
        pattern = pattern_of(callee)
        is_own = self.path_of(pattern) and not pattern.spelling.startswith('__builtin_')
        declared = self.described(pattern) if is_own else None
        self.calls.append((path, cursor, function, pattern.canonical.get_usr(), declared, site))

    def give_up(self, path, cursor, function):
        """What a pointer points to isn't known, and calls outside of functions have no caller: no name is judged there."""
        callee = next(cursor.get_children(), cursor)
        for line in {cursor.location.line, callee.extent.end.line}:
            for name in {cursor.spelling or None, None}:
                self.unresolved.append({
                    'path': path,
                    'line': line,
                    'name': name,
                    'caller': function['name'] if function else None,
                })

    def add_dependent(self, path, cursor):
        """In a template libclang shows what variables and initialisers hold, and not which constructor they run."""
        named = []
        if cursor.kind == CursorKind.VAR_DECL:
            named = [(cursor.location.line, cursor.type.spelling)]
        elif cursor.kind in (CursorKind.CONSTRUCTOR, CursorKind.FUNCTION_TEMPLATE):
            for child in cursor.get_children():
                referred = child.referenced if child.kind in {*REFERENCES, CursorKind.MEMBER_REF} else None
                if referred is not None:
                    names = (referred.spelling, referred.type.spelling, referred.type.get_canonical().spelling)
                    named += ((child.location.line, name) for name in names)
        for line, name in named:
            self.unresolved.append({'path': path, 'line': line, 'name': class_name(name)})

    def site_of(self, path, cursor, callee, above):
        """How a call is written; one of the sites that score.py counts, or another."""
        if callee.kind == CursorKind.CONVERSION_FUNCTION:
            return 'conversion'
        if callee.kind == CursorKind.CONSTRUCTOR or callee.spelling == callee.semantic_parent.spelling:
            return self.construction(path, cursor, callee, above)
        written = self.written(path, cursor)
        if callee.spelling == 'operator()':
            if callee.semantic_parent.location == callee.location or '(lambda' in callee.semantic_parent.type.spelling:
                return 'lambda'
            return 'call' if written.endswith((')', '}')) else 'macro_body'
        if OPERATOR.match(callee.spelling):
            return 'call' if callee.spelling in written else 'operator'
        # A call out of a macro's body isn't written here.
        name = r'(?<!\w)%s(?!\w)' % re.escape(callee.spelling.split('<')[0])
        return 'call' if re.search(name, written) else 'macro_body'

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
            or any(
                each.kind == CursorKind.TYPE_REF and class_name(each.spelling) in text
                for each in list(cursor.get_children())[:1]
            )
        ):
            site = 'new'
        else:
            return 'implicit'
        copies = constructor.is_copy_constructor() or constructor.is_move_constructor()
        if is_implicit(constructor) and (site != 'new' or copies):
            return 'implicit'
        return 'call' if site in ('initializer', 'declaration') else site

    def written(self, path, cursor):
        if path not in self.bytes:
            with open(os.path.join(self.root, path), 'rb') as file:
                self.bytes[path] = file.read()
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        return self.bytes[path][start:end].decode('utf-8', 'replace')

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
                self.unresolved.append({'path': path, 'line': line, 'name': None, 'left_out': True})
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
