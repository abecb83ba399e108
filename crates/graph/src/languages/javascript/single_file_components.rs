//! Components of Vue and Svelte. Scripts, and the code in templates, are read as one TypeScript or JavaScript text in which
//! all else is blank, so that every place keeps its line. A component is a function named by its file: it is what the
//! module exports, and it runs what its scripts run outside of functions.

use super::component_markup::{ComponentMarkup, TemplateSyntax, read_markup};
use retriever_workspace::clip;

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, FILE_NAME, FileFacts, ModuleExport, Reference,
        ReferenceKind, ScopeId, Sym,
    },
    languages::{
        Language,
        embedded_code::{EmbeddedCode, EmbeddedCodeDefinition, EmbeddedCodeFormat, names_in_file},
        line_numbers::LineNumbers,
    },
    lowering::index,
    syntax::parse::lines,
};

/// Characters of a signature.
const MAX_SIGNATURE: usize = 160;

pub(crate) struct Vue;

pub(crate) struct Svelte;

impl EmbeddedCodeFormat for Vue {
    fn code(&self, text: &str) -> EmbeddedCode {
        code(text, TemplateSyntax::Vue)
    }

    fn complete(&self, text: &str, facts: &mut FileFacts) {
        complete(text, TemplateSyntax::Vue, facts);
    }
}

impl EmbeddedCodeFormat for Svelte {
    fn code(&self, text: &str) -> EmbeddedCode {
        code(text, TemplateSyntax::Svelte)
    }

    fn complete(&self, text: &str, facts: &mut FileFacts) {
        complete(text, TemplateSyntax::Svelte, facts);
    }
}

fn code(text: &str, syntax: TemplateSyntax) -> EmbeddedCode {
    let markup = read_markup(text, syntax);
    let language = match markup.script_language.as_str() {
        "ts" | "typescript" => Language::TypeScript,
        "tsx" => Language::Tsx,
        _ => Language::JavaScript,
    };
    let tag = markup.first_script_tag.clone().map_or("", |tag| text[tag].trim_end());
    let part = EmbeddedCodeDefinition {
        kind: DefKind::Function,
        name: FILE_NAME.to_owned(),
        start: 1,
        end: index(lines(text)).max(1),
        signature: clip(tag, MAX_SIGNATURE),
    };
    EmbeddedCode { language, text: blanked(text, &markup), lines: None, parts: vec![part] }
}

/// Returns the scripts at their places. Each piece of a template's code is a block.
fn blanked(text: &str, markup: &ComponentMarkup) -> String {
    let blank = |byte: u8| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
    let mut code: Vec<u8> = text.bytes().map(blank).collect();
    for piece in &markup.template_code {
        code[piece.clone()].copy_from_slice(&text.as_bytes()[piece.clone()]);
        (code[piece.start - 1], code[piece.end]) = (b'{', b'}');
    }
    for script in &markup.scripts {
        code[script.clone()].copy_from_slice(&text.as_bytes()[script.clone()]);
    }
    String::from_utf8(code).unwrap_or_default()
}

fn complete(text: &str, syntax: TemplateSyntax, facts: &mut FileFacts) {
    let component = DefId(index(facts.defs.len().saturating_sub(1)));
    export_component(facts, component);
    let markup = read_markup(text, syntax);
    let names = names_in_file(facts);
    let mut lines = LineNumbers::new(text);
    for tag in &markup.tags {
        let written = &text[tag.clone()];
        let (name, member) = match written.split_once('.') {
            Some((object, member)) if !member.contains('.') => {
                let Some(object) = names.get(object) else { continue };
                (*object, Some(member))
            }
            _ => match names.get(&*component_name(written)) {
                Some(name) => (*name, None),
                None => continue,
            },
        };
        let line = lines.line_of(tag.start);
        let used = ComponentUse { component, line, kind: ReferenceKind::Element };
        refer(facts, used, name, member);
    }
    let mut lines = LineNumbers::new(text);
    for piece in &markup.template_code {
        if let Some(name) = names.get(text[piece.clone()].trim()) {
            let line = lines.line_of(piece.start);
            let used = ComponentUse { component, line, kind: ReferenceKind::Value };
            refer(facts, used, *name, None);
        }
    }
}

/// Makes the component what the module exports as its default. A class that a script exports is the component's own.
fn export_component(facts: &mut FileFacts, component: DefId) {
    let is_default = |facts: &FileFacts, name: Sym| facts.text(name) == "default";
    let class = facts.exports.iter().any(|export| match export {
        ModuleExport::Value { name, value } if is_default(facts, *name) => {
            matches!(facts.expr(*value), Expr::Def(id) if facts.is_named(*id))
        }
        _ => false,
    });
    if class {
        return;
    }
    let mut exports = std::mem::take(&mut facts.exports);
    exports.retain(|export| match export {
        ModuleExport::Value { name, .. } | ModuleExport::Local { name, .. } => {
            !is_default(facts, *name)
        }
        _ => true,
    });
    let name = Sym(index(facts.names.len()));
    facts.names.push("default".into());
    let value = push(facts, Expr::Def(component));
    exports.push(ModuleExport::Value { name, value });
    facts.exports = exports;
    let def = &mut facts.defs[component.index()];
    def.flags = def.flags.with(DefFlags::EXPORTED);
}

fn push(facts: &mut FileFacts, expr: Expr) -> ExprId {
    facts.exprs.push(expr);
    ExprId(index(facts.exprs.len() - 1))
}

/// Where the template of a component uses a name of its script.
#[derive(Clone, Copy)]
struct ComponentUse {
    component: DefId,
    line: u32,
    kind: ReferenceKind,
}

/// Adds a reference from the component to a name of the file, or to a member of what has the name.
fn refer(facts: &mut FileFacts, used: ComponentUse, name: Sym, member: Option<&str>) {
    let ComponentUse { component, line, kind } = used;
    let mut target = push(facts, Expr::Name { name, scope: ScopeId(0), pos: u32::MAX });
    if let Some(member) = member {
        let name = Sym(index(facts.names.len()));
        facts.names.push(member.into());
        target = push(facts, Expr::Member { object: target, name });
    }
    facts.refs.push(Reference { kind, target, args: 0, line, from: Some(component) });
}

/// Returns the name by which a script knows the component of a tag: `foo-bar` is `FooBar`.
fn component_name(tag: &str) -> String {
    if !tag.contains('-') {
        return tag.to_owned();
    }
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    tag.split('-').map(capital).collect()
}
