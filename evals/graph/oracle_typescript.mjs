// Writes the oracle of a TypeScript project: what the TypeScript checker says of every call.
//
//   node oracle_typescript.mjs ROOT OUT --typescript node_modules/typescript [--project tsconfig.json] [FOLDER…]
//
// OUT is a prefix as for oracle_python.py. The files are those of the project's tsconfig; FOLDERs limit them further.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { typescript: { type: 'string' }, project: { type: 'string', default: 'tsconfig.json' } },
});
const [rootName, out, ...folders] = positionals;
const ts = createRequire(import.meta.url)(path.resolve(options.typescript));
const root = fs.realpathSync(rootName);
const config = ts.getParsedCommandLineOfConfigFile(
  path.join(root, options.project),
  { noEmit: true, composite: false, incremental: false, allowJs: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => console.error(problem.messageText) },
);
const program = ts.createProgram(config.fileNames, config.options);
const checker = program.getTypeChecker();
const K = ts.SyntaxKind;

const relative = (file) => path.relative(root, file.fileName);
const isOwn = (file) => !relative(file).startsWith('..') && !relative(file).includes('node_modules');
const lineOf = (file, position) => file.getLineAndCharacterOfPosition(position).line + 1;
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const unwrapped = (node) => {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)
    || ts.isSatisfiesExpression(node) || ts.isTypeAssertionExpression(node))) node = node.expression;
  return node;
};
// A call that is given a function: `const name = memo(() => …)`.
const wraps = (node) => node && ts.isCallExpression(node) && node.arguments.some((one) => isFunction(unwrapped(one)));
const textOf = (name) => {
  if (name && ts.isComputedPropertyName(name)) return name.getText();
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isPrivateIdentifier(name)) ? name.text : null;
};

/** What holds a value, as [name, kind, whether its name is a strong one: that of a function itself]. */
function held(node) {
  const value = unwrapped(node.initializer ?? (ts.isBinaryExpression(node) ? node.right : undefined));
  const kind = isFunction(value) ? 'function' : wraps(value) ? 'wrapped' : 'variable';
  if (ts.isVariableDeclaration(node)) return [textOf(node.name), kind, kind === 'function'];
  if (ts.isPropertyDeclaration(node)) {
    return [textOf(node.name), kind === 'function' ? 'method' : kind === 'wrapped' ? kind : 'field', kind === 'function'];
  }
  if (ts.isPropertyAssignment(node)) {
    return [textOf(node.name), kind === 'function' ? 'object_function' : 'object_property', false];
  }
  const left = ts.isPropertyAccessExpression(node.left) ? textOf(node.left.name) : textOf(node.left);
  return [left, kind === 'function' ? 'assigned_function' : 'assigned', false];
}

const isHolder = (node) => ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)
  || ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken;

/** What a declaration is called and what it is; null for one that has no part in a call graph. */
function described(node) {
  if (ts.isFunctionDeclaration(node)) return [textOf(node.name) ?? 'default', 'function', true];
  if (ts.isFunctionExpression(node) && node.name) return [textOf(node.name), 'function', true];
  if (ts.isMethodDeclaration(node)) {
    const free = ts.isObjectLiteralExpression(node.parent);
    return [textOf(node.name), free ? 'object_function' : 'method', !free];
  }
  if (ts.isConstructorDeclaration(node)) return ['constructor', 'method', true];
  if (ts.isAccessor(node)) return [textOf(node.name), 'accessor', true];
  if (ts.isClassLike(node)) return [textOf(node.name), 'class', false];
  if (ts.isMethodSignature(node)) return [textOf(node.name), 'interface_method', false];
  if (ts.isPropertySignature(node)) return [textOf(node.name), 'interface_property', false];
  if (ts.isBindingElement(node) || ts.isParameter(node)) return [textOf(node.name), 'binding', false];
  return isHolder(node) ? held(node) : null;
}

function place(node) {
  const file = node.getSourceFile();
  const names = [];
  for (let at = node; at; at = at.parent) {
    const found = described(at);
    if (found?.[0]) names.unshift(found[0]);
  }
  const [name, kind] = described(node);
  const [start, end] = [lineOf(file, node.getStart()), lineOf(file, node.end)];
  return { name, qualified: names.join('.'), path: relative(file), start, end, kind };
}

/** The named scopes around a call, from inside, and how many of them stand before the function that it belongs to. */
function scopesOf(node) {
  const scopes = [];
  let weak = null;
  for (let at = node.parent; at; at = at.parent) {
    const found = described(at);
    if (!found?.[0] || found[1] === 'binding') continue;
    scopes.push(place(at));
    if (found[2]) weak ??= scopes.length - 1;
  }
  return [scopes, weak ?? scopes.length];
}

/** The declarations that a name stands for. */
const declarationsOf = (name) => declared(checker.getSymbolAtLocation(name));

function declared(symbol) {
  return (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)?.declarations ?? [];
}

/** The declarations of what a holder may hold, as far as they are written: other names, defaults, properties. */
function followed(holder, depth = 0) {
  if (depth > 4) return [];
  const next = (list) => list.flatMap((one) => [one, ...followed(one, depth + 1)]);
  if (ts.isShorthandPropertyAssignment(holder)) {
    return next(declared(checker.getShorthandAssignmentValueSymbol(holder)));
  }
  const found = [];
  const value = (node) => {
    const at = unwrapped(node);
    if (!at) return;
    if (ts.isConditionalExpression(at)) [at.whenTrue, at.whenFalse].forEach(value);
    else if (ts.isBinaryExpression(at)) [at.left, at.right].forEach(value);
    else if (ts.isIdentifier(at)) found.push(...next(declarationsOf(at)));
    else if (ts.isPropertyAccessExpression(at)) found.push(...next(declarationsOf(at.name)));
  };
  value(holder.initializer);
  if (ts.isBindingElement(holder) && ts.isObjectBindingPattern(holder.parent)) {
    const key = textOf(holder.propertyName ?? holder.name);
    const property = key && checker.getTypeAtLocation(holder.parent).getProperty(key);
    if (property) found.push(...next(declared(property)));
  }
  return found;
}

const rows = [];
const unresolved = [];
const files = program.getSourceFiles().filter((file) => isOwn(file) && !file.isDeclarationFile);
const wanted = files.filter((file) => !folders.length || folders.some((one) => relative(file).startsWith(one)));

function call(file, node, callee, site) {
  const target = unwrapped(callee);
  const name = ts.isPropertyAccessExpression(target) ? target.name
    : ts.isElementAccessExpression(target) && ts.isStringLiteral(target.argumentExpression) ? target.argumentExpression
    : ts.isIdentifier(target) || target.kind === K.SuperKeyword ? target : null;
  const line = lineOf(file, (name ?? target).getStart());
  const [enclosing, inner_weak] = scopesOf(node);
  const caller = enclosing[inner_weak] ?? { name: null, qualified: null, start: 1, end: lineOf(file, file.end) };
  const gaveUp = () => unresolved.push({
    path: relative(file), line, name: name && target.kind !== K.SuperKeyword ? name.text : null, caller: caller.name,
  });
  if (!name) return gaveUp();
  const all = declarationsOf(name);
  let found = all.filter((one) => isOwn(one.getSourceFile()) && described(one)?.[0]);
  // Overloads are one function, the one that has a body.
  const bodies = found.filter((one) => one.body || !ts.isFunctionDeclaration(one) && !ts.isMethodDeclaration(one));
  if (bodies.length) found = bodies;
  const { name: spelled, qualified, start, end } = caller;
  const add = (one, via) => rows.push({
    path: relative(file), line, call_start: lineOf(file, node.getStart()), site,
    caller: { name: spelled, qualified, start, end }, enclosing, inner_weak, callee: place(one), via,
  });
  if (ts.isPropertyAccessExpression(target) && /^(call|apply)$/.test(name.text)) {
    // `f.call(x)` runs `f`.
    const run = unwrapped(target.expression);
    const named = ts.isPropertyAccessExpression(run) ? run.name : run;
    const functions = ts.isIdentifier(named) ? declarationsOf(named) : [];
    functions.filter((one) => isOwn(one.getSourceFile()) && described(one)?.[0]).forEach((one) => add(one, 'value'));
  }
  if (!found.length && !all.some((one) => ts.isShorthandPropertyAssignment(one))) {
    if (!all.length || all.some((one) => isOwn(one.getSourceFile()))) gaveUp();
    return;
  }
  for (const one of found) add(one, target.kind === K.SuperKeyword ? 'super' : 'name');
  for (const one of all.flatMap((holder) => followed(holder))) {
    if (isOwn(one.getSourceFile()) && described(one)?.[0] && !found.includes(one)) add(one, 'value');
  }
}

for (const file of wanted) {
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.kind !== K.ImportKeyword) {
      call(file, node, node.expression, ts.isDecorator(node.parent) ? 'decorator_call' : 'call');
    } else if (ts.isNewExpression(node)) {
      call(file, node, node.expression, 'new');
    } else if (ts.isTaggedTemplateExpression(node)) {
      call(file, node, node.tag, 'tag');
    } else if ((ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node))
      && !(ts.isIdentifier(node.tagName) && /^[a-z]/.test(node.tagName.text))) {
      call(file, node, node.tagName, 'jsx');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

const overriding = [];
function overrides(file) {
  const visit = (node) => {
    if (ts.isClassLike(node)) {
      const ups = (node.heritageClauses ?? []).flatMap((clause) => clause.types);
      for (const member of node.members) {
        const own = described(member);
        if (!own?.[0] || own[1] === 'field') continue;
        for (const up of ups) {
          const base = checker.getTypeAtLocation(up).getProperty(own[0]);
          for (const one of base?.declarations ?? []) {
            if (isOwn(one.getSourceFile()) && described(one)?.[0]) overriding.push({ base: place(one), impl: place(member) });
          }
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
files.forEach(overrides);

const write = (suffix, lines) => fs.writeFileSync(out + suffix, lines.map((line) => JSON.stringify(line) + '\n').join(''));
write('.jsonl', rows);
write('.unresolved.jsonl', unresolved);
write('.impl.jsonl', overriding);
fs.writeFileSync(`${out}.meta.json`, JSON.stringify({ files: wanted.map(relative).sort() }));
console.log(`${rows.length} calls, ${unresolved.length} unresolved, ${wanted.length} files`);
