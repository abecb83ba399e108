// Writes the oracle of a Lua project: the calls whose target follows from lexical scopes, from tables that are filled in one file,
// and from `require` of a literal name. It gives up on all else, and says on what.
//
//   node oracle_lua.mjs ROOT OUT --luaparse node_modules/luaparse [FOLDER…]
//
// OUT is a prefix as for oracle_python.py. A local that is assigned again, a member that is assigned twice, and what a function
// gives are not followed; an object that `setmetatable` makes is one of the table that is its metatable.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { luaparse: { type: 'string' } } });
const [root, out, ...folders] = positionals;
const luaparse = createRequire(import.meta.url)(path.resolve(options.luaparse));

const inFolder = (file) => !folders.length || folders.some((folder) => file.startsWith(`${folder}/`));
const files = fs.readdirSync(root, { recursive: true }).filter((file) => file.endsWith('.lua') && inFolder(file)).sort();
const trees = new Map();
for (const file of files) {
  const text = fs.readFileSync(path.join(root, file), 'latin1');
  for (const luaVersion of ['LuaJIT', '5.3', '5.2', '5.1']) {
    try {
      trees.set(file, luaparse.parse(text, { locations: true, luaVersion, comments: false }));
      break;
    } catch { /* the next version may have the syntax */ }
  }
}
const globals = new Map();
const returned = new Map();
const rows = [];
const unresolved = [];

// A file that replaces a function of the standard library does so for itself.
const STANDARD = new Set(['assert', 'error', 'getmetatable', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'rawget', 'rawset',
  'select', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall', 'load', 'loadstring', 'loadfile', 'dofile']);
const isFunction = (node) => node?.type === 'FunctionDeclaration';
const child = (node, visit) => {
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc' || key === 'parent') continue;
    for (const one of Array.isArray(value) ? value : [value]) if (one?.type) visit(one);
  }
};
const moduleFile = (name, from) => {
  const stem = name.replaceAll('.', '/');
  const found = files.filter((file) => [`${stem}.lua`, `${stem}/init.lua`].some((end) => file === end || file.endsWith(`/${end}`)));
  return found.length === 1 && found[0] !== from ? found[0] : null;
};

// A binding: how often it is assigned, and what with. A table: its members, each a list of what is assigned.
class Scope {
  constructor(above, name) { this.above = above; this.names = new Map(); this.function = name ?? above?.function; }
  declare(name, value) { const binding = { name, values: value ? [value] : [], scope: this }; this.names.set(name, binding); return binding; }
  find(name) { return this.names.get(name) ?? this.above?.find(name); }
}

/** Binds every name of a file, notes what each is assigned, and returns the calls with the scopes that they stand in. */
function bind(file, tree) {
  const calls = [];
  const member = (base, key, value, scope) => {
    const to = base.type === 'Identifier' ? scope.find(base.name) ?? globals.get(base.name) : null;
    if (!to) return;
    to.members ??= new Map();
    to.members.set(key, [...to.members.get(key) ?? [], value]);
  };
  const assign = (target, value, scope) => {
    if (target.type === 'Identifier') {
      const local = scope.find(target.name);
      if (local) return local.values.push(value);
      const known = globals.get(target.name) ?? { name: target.name, values: [] };
      globals.set(target.name, known);
      known.values.push(value);
    } else if (target.type === 'MemberExpression') {
      member(target.base, target.identifier.name, value, scope);
    }
  };
  const inside = (node, scope, self) => {
    const name = node.named ?? scope.function;
    const inner = new Scope(scope, name);
    if (self) inner.declare('self', { self, scope });
    for (const parameter of node.parameters ?? []) if (parameter.name) inner.declare(parameter.name, null).isOpen = true;
    block(node.body, inner);
  };
  const value = (node, scope, name) => ({ node, scope, file, name });
  // What a call is given belongs to the name that the call's value gets: `M.name = wrap(function() end)`.
  const wraps = (node) => (node?.type === 'CallExpression' ? node.arguments.find(isFunction) : null);
  const named = (node, target, kind) => { node.named = { name: target, kind, node, file, isStrong: !['object_function', 'wrapped'].includes(kind) }; };
  const block = (body, scope) => body.forEach((one) => visit(one, scope));
  function visit(node, scope) {
    switch (node.type) {
      case 'LocalStatement':
        node.init.forEach((one, at) => { if (isFunction(one) && node.variables[at]) named(one, node.variables[at].name, 'function'); });
        node.init.forEach((one, at) => { if (wraps(one) && node.variables[at]) named(wraps(one), node.variables[at].name, 'wrapped'); });
        node.init.forEach((one) => visit(one, scope));
        node.variables.forEach((one, at) => scope.declare(one.name, node.init[at] && value(node.init[at], scope))
          .isOpen = at >= node.init.length && node.init.length > 0);
        return;
      case 'AssignmentStatement':
        node.init.forEach((one, at) => {
          const target = node.variables[at];
          if (wraps(one) && target?.type === 'MemberExpression') named(wraps(one), target.identifier.name, 'wrapped');
          if (isFunction(one) && target?.type === 'Identifier') named(one, target.name, 'function');
          if (isFunction(one) && target?.type === 'MemberExpression') named(one, target.identifier.name, 'assigned_function');
        });
        node.variables.forEach((one, at) => { if (node.init[at]) assign(one, value(node.init[at], scope), scope); });
        node.variables.forEach((one) => visit(one, scope));
        node.init.forEach((one) => visit(one, scope));
        return;
      case 'FunctionDeclaration': {
        const target = node.identifier;
        if (target?.type === 'Identifier') {
          named(node, target.name, 'function');
          if (node.isLocal) scope.declare(target.name, value(node, scope));
          else assign(target, value(node, scope), scope);
        } else if (target) {
          named(node, target.identifier.name, target.indexer === ':' ? 'method' : 'assigned_function');
          assign(target, value(node, scope), scope);
        }
        return inside(node, scope, target?.indexer === ':' ? target.base : null);
      }
      case 'TableConstructorExpression':
        for (const field of node.fields) {
          if (field.type === 'TableKeyString' && isFunction(field.value)) named(field.value, field.key.name, 'object_function');
          if (field.type === 'TableKey') visit(field.key, scope);
          visit(field.value, scope);
        }
        return;
      case 'ForGenericStatement': case 'ForNumericStatement': {
        const inner = new Scope(scope);
        for (const one of node.iterators ?? [node.start, node.end, node.step]) if (one) visit(one, scope);
        for (const one of node.variables ?? [node.variable]) inner.declare(one.name, null).isOpen = true;
        return block(node.body, inner);
      }
      case 'DoStatement': case 'WhileStatement': case 'RepeatStatement': case 'IfClause': case 'ElseifClause': case 'ElseClause': {
        const inner = new Scope(scope);
        block(node.body, inner);
        if (node.condition) visit(node.condition, node.type === 'RepeatStatement' ? inner : scope);
        return;
      }
      case 'ReturnStatement':
        if (!scope.above && node.arguments[0]) returned.set(file, value(node.arguments[0], scope));
        return child(node, (one) => visit(one, scope));
      case 'CallExpression': case 'StringCallExpression': case 'TableCallExpression':
        calls.push([node, scope]);
        return child(node, (one) => visit(one, scope));
      default:
        return child(node, (one) => visit(one, scope));
    }
  }
  block(tree.body, new Scope(null, null));
  return calls;
}

/** What a value is: a function, or a holder of members; null when it is not known. */
function evaluate(it, depth = 0) {
  if (!it || depth > 12) return null;
  if (it.self) return evaluate({ node: it.self, scope: it.scope, file: it.file }, depth + 1);
  const { node, scope, file } = it;
  switch (node.type) {
    case 'FunctionDeclaration': return { function: node };
    case 'Identifier': {
      const binding = scope.find(node.name) ?? (STANDARD.has(node.name) ? null : globals.get(node.name));
      if (!binding || binding.isOpen || binding.values.length !== 1) return binding?.members && !binding.isOpen && binding.values.length === 1 ? { holder: binding } : null;
      const held = binding.values[0];
      if (held.node?.type === 'TableConstructorExpression' || held.node && metatable(held.node)?.own) return { holder: binding, table: held };
      return evaluate(held, depth + 1) ?? (binding.members ? { holder: binding } : null);
    }
    case 'MemberExpression': return memberOf(evaluate({ node: node.base, scope, file }, depth + 1), node.identifier.name, depth);
    case 'TableConstructorExpression': return { table: it };
    case 'CallExpression': case 'StringCallExpression': {
      const argument = node.argument ?? node.arguments[0];
      if (node.base.name === 'require' && argument?.type === 'StringLiteral') {
        const module = moduleFile(argument.value ?? argument.raw.slice(1, -1), file);
        return module ? evaluate(returned.get(module), depth + 1) : null;
      }
      const made = metatable(node);
      return made ? evaluate({ node: made.own ?? made.of, scope, file }, depth + 1) : null;
    }
    default: return null;
  }
}

/** `setmetatable(x, M)`: an object of `M`; with a literal as metatable, `x` itself. */
function metatable(node) {
  if (node.type !== 'CallExpression' || node.base.name !== 'setmetatable' || node.arguments.length !== 2) return null;
  const [own, of] = node.arguments;
  return of.type === 'Identifier' ? { of } : own.type === 'TableConstructorExpression' || own.type === 'Identifier' ? { own } : null;
}

function memberOf(value, name, depth) {
  if (!value) return null;
  const found = [...value.holder?.members?.get(name) ?? []];
  const table = value.table;
  for (const field of table?.node.fields ?? []) {
    if (field.type === 'TableKeyString' && field.key.name === name) found.push({ node: field.value, scope: table.scope, file: table.file });
  }
  return found.length === 1 ? evaluate(found[0], depth + 1) : null;
}

const all = [];
for (const [file, tree] of trees) for (const [node, scope] of bind(file, tree)) all.push([file, node, scope]);
const place = ({ name, kind, node, file }) => (
  { path: file, name, qualified: name, kind, start: node.loc.start.line, end: node.loc.end.line }
);
for (const [file, node, scope] of all) {
  const base = node.base;
  const line = (base.identifier ?? base).loc.start.line;
  const enclosing = [];
  for (let at = scope; at; at = at.above) if (at.function && enclosing.at(-1) !== at.function) enclosing.push(at.function);
  const caller = { name: enclosing[0]?.name ?? null };
  if (base.name === 'require' || base.name === 'setmetatable') continue;
  const target = evaluate({ node: base, scope, file })?.function?.named;
  const name = base.type === 'Identifier' ? base.name : base.identifier?.name ?? null;
  if (!target) {
    unresolved.push({ path: file, line, name, caller: caller.name });
    continue;
  }
  rows.push({
    path: file, line, site: 'call', caller,
    enclosing: enclosing.map((one) => ({ name: one.name })),
    inner_weak: enclosing.findIndex((one) => one.isStrong) < 0 ? enclosing.length : enclosing.findIndex((one) => one.isStrong),
    callee: place(target), via: target.name === name ? 'name' : 'value',
  });
}
const write = (suffix, lines) => fs.writeFileSync(out + suffix, lines.map((line) => JSON.stringify(line) + '\n').join(''));
write('.jsonl', rows);
write('.unresolved.jsonl', unresolved);
fs.writeFileSync(`${out}.meta.json`, JSON.stringify({ files: [...trees.keys()] }));
console.log(`${rows.length} calls, ${unresolved.length} unresolved, ${trees.size} of ${files.length} files`);
