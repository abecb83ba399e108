"""The files that an oracle consists of, as README.md describes them."""
import json

CALLER = ('name', 'qualified', 'start', 'end')


def call(path, line, caller, callee, *, start=None, site='call', enclosing=None):
    """A call of `callee` by `caller` on a line; `start` is the line that its expression begins on."""
    return {
        'path': path,
        'line': line,
        'call_start': start or line,
        'site': site,
        'caller': {key: caller[key] for key in CALLER},
        'enclosing': [caller] if enclosing is None else enclosing,
        'inner_weak': 0,
        'callee': callee,
        'via': 'name',
    }


def write(out, calls, unresolved, files, **other):
    """Writes OUT.jsonl, OUT.unresolved.jsonl, OUT.meta.json, and OUT.NAME.jsonl for each further list."""
    lists = {'': calls, '.unresolved': unresolved, **{'.' + name: lines for name, lines in other.items()}}
    for suffix, lines in lists.items():
        with open(f'{out}{suffix}.jsonl', 'w', encoding='utf-8') as file:
            file.writelines(json.dumps(line) + '\n' for line in lines)
    with open(out + '.meta.json', 'w', encoding='utf-8') as file:
        json.dump({'files': sorted(files)}, file)
