#!/usr/bin/env python3
"""Writes the oracle of a Rust project from a SCIP index: the calls that `rust-analyzer scip` knows.

  oracle_scip.py CHECKOUT INDEX OUT

OUT is a prefix as for oracle_python.py. A call is an occurrence of a function's symbol with parentheses behind it; a name with
parentheses that has no occurrence, as in code that is left out of this build, is one that the oracle gave up on.
"""
import argparse
import bisect
import os
import re

import oracle_output

DEFINITION = 1
# A call's parentheses, behind the arguments of a generic function.
CALLED = re.compile(rb'\s*(::\s*<[^;{}]*?>)?\s*\(')
NAMED = re.compile(rb'\b([A-Za-z_]\w*)(?=\s*(?:::\s*<[^;{}()]*>)?\s*\()')
# The last part of a symbol: `Type#name().`, `Type#`, `Type#Variant#`.
NAME = re.compile(r'`?(\w+)`?(\([+\d]*\)\.|#)$')
# A method of a type or a trait, and one of a trait for a type: the trait and the method.
DECLARED = re.compile(r'(\w+)#(\w+)\(\)\.$')
IMPLEMENTED = re.compile(r'impl#\[.*\]\[`?(\w+)[^\]]*\](\w+)\(\)\.$')


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """The fields of a message of protobuf: numbers, and values or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            length = {1: 8, 5: 4}[key & 7]
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def numbers(data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


class Occurrence:
    def __init__(self, data):
        self.roles, self.symbol, self.around = 0, '', None
        for number, value in fields(data):
            if number == 1:
                spot = numbers(value)
            elif number == 2:
                self.symbol = value.decode()
            elif number == 3:
                self.roles = value
            elif number == 7:
                around = numbers(value)
                self.around = (around[0] + 1, (around[2] if len(around) == 4 else around[0]) + 1)
        self.row, self.start, self.end = spot[0], spot[1], spot[-1]
        name = NAME.search(self.symbol)
        self.name = name and name.group(1)
        # Values in parentheses are made by types and variants, too, which run nothing.
        self.kind = 'tuple' if name and name.group(2) == '#' else 'function'


def documents(data):
    for number, value in fields(data):
        if number == 2:
            path, occurrences = '', []
            for inner, part in fields(value):
                if inner == 1:
                    path = part.decode()
                elif inner == 2:
                    occurrences.append(Occurrence(part))
            yield path, occurrences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkout')
    parser.add_argument('index')
    parser.add_argument('out')
    arguments = parser.parse_args()
    with open(arguments.index, 'rb') as file:
        found = dict(documents(file.read()))
    defined, bases = {}, {}
    for path, occurrences in found.items():
        for one in occurrences:
            if one.roles & DEFINITION and one.name:
                start, end = one.around or (one.row + 1, one.row + 1)
                place = {'path': path, 'name': one.name, 'qualified': one.symbol, 'start': start, 'end': end}
                place['kind'] = one.kind
                defined.setdefault(one.symbol, []).append(place)
                if declared := DECLARED.search(one.symbol):
                    bases.setdefault(declared.groups(), []).append(place)
    # A trait's method, and those of its implementations.
    implementations = [
        {'base': base, 'impl': place}
        for symbol, places in defined.items() if IMPLEMENTED.search(symbol)
        for base in bases.get(IMPLEMENTED.search(symbol).groups(), []) for place in places
    ]
    rows, unresolved = [], []
    for path, occurrences in sorted(found.items()):
        with open(os.path.join(arguments.checkout, path), 'rb') as file:
            text = file.read()
        starts = [0, *(match.end() for match in re.finditer(rb'\n', text))]
        here = sorted(
            (place for places in defined.values() for place in places if place['path'] == path),
            key=lambda place: (place['start'], -place['end']),
        )
        known = set()
        for one in occurrences:
            if one.name:
                known.add(starts[one.row] + one.start)
            line = one.row + 1
            if not one.name or one.roles & DEFINITION or not CALLED.match(text, starts[one.row] + one.end):
                continue
            around = [
                place for place in here
                if place['start'] <= line <= place['end'] and place['kind'] == 'function'
            ]
            places = defined.get(one.symbol, [])
            if len(places) != 1 or not around:
                unresolved.append({'path': path, 'line': line, 'name': one.name})
                continue
            rows.append(oracle_output.call(path, line, around[-1], places[0], enclosing=around[::-1]))
        for match in NAMED.finditer(text):
            if match.start() not in known:
                line = bisect.bisect_right(starts, match.start())
                unresolved.append({'path': path, 'line': line, 'name': match.group(1).decode()})
    oracle_output.write(arguments.out, rows, unresolved, found, impl=implementations)
    print('%s calls, %s unresolved' % (len(rows), len(unresolved)))


main()
