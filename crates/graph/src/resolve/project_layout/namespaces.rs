//! Namespaces that are definitions: those of a file that opens several of them.

use crate::{
    facts::{DefKind, top_level_summary::FileSummary},
    resolve::program_facts::{DefRef, FileId, ModId, ProgramFacts},
};

/// Joins the namespaces that `file` opens into the tree below its package.
pub(crate) fn join(program: &mut ProgramFacts<'_>, file: FileId, outline: &FileSummary) {
    let package = program.module_of[file.index()];
    let separator = program.capabilities(file).separator;
    for def in &outline.defs {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let above = def.parent.and_then(|def| program.inline.get(&DefRef { file, def }).copied());
        let mut at = above.unwrap_or(package);
        for part in outline.text(def.name).split(separator).filter(|part| !part.is_empty()) {
            at = child(program, at, part, separator);
        }
        program.modules[at.index()].files.push(file);
        program.inline.insert(DefRef { file, def: def.id }, at);
    }
}

/// The module `name` in `above`, made if there is none.
pub(crate) fn child(
    program: &mut ProgramFacts<'_>,
    above: ModId,
    name: &str,
    separator: &str,
) -> ModId {
    let number = program.intern(name);
    if let Some(child) = program.module(above).children.get(&number) {
        return *child;
    }
    let outer = &program.module(above).name;
    let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}{separator}{name}") };
    let module = program.add_module(full, Some(above));
    program.modules[above.index()].children.insert(number, module);
    module
}
