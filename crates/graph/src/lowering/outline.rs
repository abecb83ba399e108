//! Declarations that single lines of a text show, for a file that takes more than it may: no tree, no scopes, no calls. A
//! table of each language says by which words its declarations begin.

use crate::{
    facts::{
        Binding, BindingTarget, DefId, DefKind, FileFacts, FileOmission, LoweredDefinition,
        ScopeId, Sym,
    },
    graph_model::Language,
    lowering::index,
    syntax::parse::lines,
};

/// Declarations of one file that are kept.
const MAX_DECLARATIONS: usize = 2_000;
/// Bytes of a line that are looked at.
const MAX_LINE: usize = 400;
/// Bytes of a signature.
const MAX_SIGNATURE: usize = 200;
/// Words of a line among which the one that declares something is looked for.
const MAX_WORDS: usize = 8;

/// The line of a table whose language has functions without a word of their own: a type, the name and parameters, from the
/// first column on.
const PLAIN_FUNCTIONS: &str = "() function";

/// Returns the kind that a word declares. A table has one line per word: the word, and the kind of the name after it.
fn kind_of(table: &str, word: &str) -> Option<DefKind> {
    let kind = table.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))?;
    Some(match kind.trim() {
        "function" => DefKind::Function,
        "class" => DefKind::Class,
        "struct" => DefKind::Struct,
        "interface" => DefKind::Interface,
        "trait" => DefKind::Trait,
        "enum" => DefKind::Enum,
        "alias" => DefKind::Alias,
        "variable" => DefKind::Variable,
        "namespace" => DefKind::Namespace,
        "macro" => DefKind::Macro,
        _ => return None,
    })
}

/// Reads the declarations that single lines show, by the words in `table`. The same text always gives the same ones.
pub(crate) fn outline(language: Language, table: &str, text: &str) -> FileFacts {
    let mut facts = FileFacts::empty(language);
    facts.lines = index(lines(text));
    facts.omission = Some(FileOmission::Bodies);
    let has_plain_functions = table.lines().any(|line| line == PLAIN_FUNCTIONS);
    let mut in_comment = false;
    for (row, line) in text.split('\n').enumerate() {
        if facts.defs.len() >= MAX_DECLARATIONS {
            break;
        }
        if in_comment || line.trim_start().starts_with("/*") {
            in_comment = !line.contains("*/");
            continue;
        }
        let line = line[..line.floor_char_boundary(MAX_LINE)].trim_end();
        let function = has_plain_functions.then(|| plain_function(line)).flatten();
        let function = function.map(|name| (DefKind::Function, name));
        let line = line.trim_start();
        if let Some((kind, name)) = function.or_else(|| declared(table, line)) {
            declare(&mut facts, kind, name, row, line);
        }
    }
    facts.bindings.sort_by_key(|binding| (binding.scope, binding.name, binding.from));
    facts
}

/// Returns the declaration of a line: the kind of the first leading word that the table has, and the name after it.
fn declared<'l>(table: &str, line: &'l str) -> Option<(DefKind, &'l str)> {
    if line.starts_with(['/', '*', '#', '"', '\'', '<']) && !line.starts_with("#define") {
        return None;
    }
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '#' | '$');
    let mut words =
        line.split(|char: char| !is_part(char)).filter(|word| !word.is_empty()).take(MAX_WORDS);
    let kind = words.by_ref().find_map(|word| kind_of(table, word))?;
    let name = words.find(|word| kind_of(table, word).is_none())?;
    let is_name = name.starts_with(|char: char| char.is_alphabetic() || char == '_');
    is_name.then_some((kind, name))
}

/// Returns the name of the function that a line defines by its type, its name and its parameters.
fn plain_function(line: &str) -> Option<&str> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let (head, _) = line.split_once('(')?;
    let head = head.trim_end();
    let name = &head[head.rfind(|char| !is_part(char))? + 1..];
    let before = head[..head.len() - name.len()].trim_end();
    let is_declared = line.starts_with(is_part)
        && name.starts_with(|char: char| char.is_alphabetic() || char == '_')
        && before.ends_with(|char| is_part(char) || matches!(char, '*' | '&' | '>' | ':'))
        && !before.contains(['=', '"', ',', ';'])
        && !matches!(before, "return" | "else" | "case" | "typedef" | "using")
        && !line.ends_with(';');
    is_declared.then_some(name)
}

fn declare(facts: &mut FileFacts, kind: DefKind, name: &str, row: usize, line: &str) {
    let sym = Sym(index(facts.names.len()));
    facts.names.push(name.into());
    let id = DefId(index(facts.defs.len()));
    let line_number = index(row) + 1;
    facts.defs.push(LoweredDefinition {
        kind,
        name: sym,
        start: line_number,
        end: line_number,
        name_line: line_number,
        signature: line[..line.floor_char_boundary(MAX_SIGNATURE)]
            .trim_end_matches(['{', ' '])
            .to_owned(),
        ..LoweredDefinition::EMPTY
    });
    facts.bindings.push(Binding {
        scope: ScopeId(0),
        name: sym,
        from: 0,
        what: BindingTarget::Def(id),
    });
}
