#!/usr/bin/env python3
"""Compares the definitions of a C or C++ project's graph with what universal-ctags finds.

  outline_c.py CHECKOUT EXPORT [--list N] [--leave-out GLOB]…

EXPORT is what `retriever index --export` wrote. Prints, for functions and for types, how many of the definitions of ctags the graph
has under the same name within two lines, and how many nodes of the graph end behind the end that ctags gives the same definition.
Needs universal-ctags with JSON. ctags is wrong at times, too: read what is listed.
"""
import argparse
import collections
import fnmatch
import json
import os
import subprocess

SUFFIXES = ('.c', '.h', '.cc', '.hh', '.cpp', '.hpp', '.cxx', '.hxx', '.inl', '.ipp')
KINDS = {'function': 'functions', 'class': 'types', 'struct': 'types', 'union': 'types'}
# Lines between the places that both give to one definition.
NEAR = 2


def tags(root, paths):
    """The definitions that ctags finds in files below the root."""
    command = [
        'ctags', '--output-format=json', '--fields=+ne', '--kinds-C=fsu', '--kinds-C++=fcsu',
        '--langmap=C++:+.h.inl.ipp', '-L', '-', '-f', '-',
    ]
    run = subprocess.run(
        command, cwd=root, input='\n'.join(paths), capture_output=True, text=True, check=True, errors='replace'
    )
    for line in run.stdout.splitlines():
        tag = json.loads(line)
        if tag.get('kind') in KINDS and not tag['name'].startswith('__anon'):
            yield tag


def name_of(tag):
    """A name as the graph has it: without what qualifies it."""
    return tag['name'].replace('operator ', 'operator').strip()


def read_export(name):
    """The nodes of a graph by path and name, and the files that it read in part only."""
    nodes, partly = collections.defaultdict(list), set()
    with open(name) as lines:
        for line in lines:
            record = json.loads(line)
            if record['kind'] == 'node':
                node = record['node']
                key = (node['path'], node['name'].replace('operator ', 'operator'))
                nodes[key].append((node['start'], node['end']))
            elif record['kind'] == 'omission':
                partly.add(record['path'])
    return nodes, partly


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkout')
    parser.add_argument('export')
    parser.add_argument('--list', type=int, default=0)
    parser.add_argument('--leave-out', action='append', default=[])
    options = parser.parse_args()
    nodes, partly = read_export(options.export)
    paths = sorted({path for path, _ in nodes if path.endswith(SUFFIXES)})
    paths = [one for one in paths if not any(fnmatch.fnmatch(one, glob) for glob in options.leave_out)]
    found, missed, over = collections.Counter(), collections.defaultdict(list), []
    for tag in tags(options.checkout, paths):
        group = KINDS[tag['kind']]
        places = nodes.get((tag['path'], name_of(tag)), [])
        near = [(start, end) for start, end in places if abs(start - tag['line']) <= NEAR
                or start <= tag['line'] <= start + 12 and end >= tag['line']]
        if not near:
            missed[group].append(f"{tag['path']}:{tag['line']} {tag['name']}")
            continue
        found[group] += 1
        if 'end' in tag and min(end for _, end in near) > tag['end']:
            over.append(f"{tag['path']}:{tag['line']} {tag['name']} ends at {tag['end']}, here at {min(end for _, end in near)}")
    print(f'{os.path.basename(options.checkout)}: {len(paths)} files, {len(partly)} read in part')
    for group in ('functions', 'types'):
        total = found[group] + len(missed[group])
        if total:
            print(f'  {group}: {found[group]} of {total} ({found[group] / total:.4f})')
            step = max(1, len(missed[group]) // options.list) if options.list else 1
            for one in missed[group][::step][:options.list]:
                print(f'    missed {one}')
            per_file = collections.Counter(one.split(':')[0] for one in missed[group])
            if options.list:
                print('    most in', per_file.most_common(5))
    print(f'  over the end: {len(over)}')
    for one in over[:options.list]:
        print(f'    over {one}')


if __name__ == '__main__':
    main()
