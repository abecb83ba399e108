//! The definitions of a file without a grammar, as its lines show them.

use retriever_graph::NodeKind;
use retriever_search::{NestedDeclaration, declarations};
use retriever_workspace::RepoPath;

use super::graph_answer::Definition;
use crate::tools::ToolContext;

/// Returns the definitions in a file, by line; empty when it cannot be read.
pub(super) fn definitions_in_text(context: &ToolContext, path: &RepoPath) -> Vec<Definition> {
    let Ok(file) = context.workspace.read(path) else { return Vec::new() };
    let declared = declarations(file.extension(), file.text(), &context.cancellation);
    let definition = |found: &NestedDeclaration| {
        let range = found.declaration.range;
        Definition {
            qname: full_name(found, &declared),
            kind: kind(&found.declaration.kind),
            path: path.to_string(),
            start: range.start(),
            end: range.end(),
            line: range.start(),
            owner: None,
            repository: None,
            signature: None,
        }
    };
    declared.iter().map(definition).collect()
}

/// Returns the name of a declaration after those of the type that its line names and of what is around it. A declaration comes
/// after the one around it.
fn full_name(found: &NestedDeclaration, declared: &[NestedDeclaration]) -> String {
    let mut names = Vec::new();
    let mut next = Some(found);
    while let Some(at) = next {
        names.push(at.declaration.name.as_str());
        names.extend(at.named_owner.as_deref());
        next = at.parent.and_then(|parent| declared.get(parent));
    }
    names.reverse();
    names.join(".")
}

/// Returns the kind of a declaration by a language's keyword.
fn kind(declared: &str) -> NodeKind {
    match declared {
        "mod" | "module" | "namespace" | "package" | "defmodule" => NodeKind::Module,
        "class" | "impl" | "instance" | "extension" | "@interface" | "@implementation" => {
            NodeKind::Class
        }
        "struct" | "record" | "table" | "data" => NodeKind::Struct,
        "interface" | "protocol" | "@protocol" => NodeKind::Interface,
        "trait" => NodeKind::Trait,
        "enum" => NodeKind::Enum,
        "type" | "newtype" | "view" => NodeKind::Alias,
        "const" | "let" | "val" | "var" | "variable" => NodeKind::Variable,
        "macro" => NodeKind::Macro,
        _ => NodeKind::Function,
    }
}
