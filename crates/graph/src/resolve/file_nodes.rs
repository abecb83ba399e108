//! The nodes of a file: the file itself, then its definitions.

use crate::{
    facts::{DefFlags, DefKind},
    graph_model::{Node, NodeKind},
    resolve::{
        loaded_facts::node_order,
        program_facts::{DefRef, FileId, ProgramFacts},
        qualified_names::qualified_name,
        resolved_edge::EdgeEnd,
    },
};

/// A node by its file and its place among the file's nodes; the file's own is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeRef {
    pub(crate) file: FileId,
    pub(crate) node: u32,
}

pub(super) fn node_ref(program: &ProgramFacts<'_>, end: EdgeEnd) -> Option<NodeRef> {
    match end {
        EdgeEnd::File(file) => Some(NodeRef { file, node: 0 }),
        EdgeEnd::Def(at) => program.node_index(at).map(|node| NodeRef { file: at.file, node }),
    }
}

/// The nodes of a file.
pub(crate) fn nodes(program: &ProgramFacts<'_>, file: FileId) -> Vec<Node> {
    let defs =
        node_order(program.facts(file)).into_iter().map(|def| node(program, DefRef { file, def }));
    std::iter::once(file_node(program, file)).chain(defs).collect()
}

fn file_node(program: &ProgramFacts<'_>, file: FileId) -> Node {
    let path = program.path(file);
    let module = program.module(program.module_of[file.index()]);
    let facts = program.facts(file);
    Node {
        kind: NodeKind::File,
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        qname: if module.files.len() == 1 && !module.name.is_empty() {
            module.name.clone()
        } else {
            path.to_owned()
        },
        path: path.to_owned(),
        start: 1,
        end: facts.lines.max(1),
        name_line: 1,
        signature: String::new(),
        doc: String::new(),
        language: facts.language,
        is_method: false,
        is_async: false,
        is_private: false,
        is_declaration: false,
    }
}

fn node(program: &ProgramFacts<'_>, at: DefRef) -> Node {
    let def = program.def(at);
    let kind = match def.kind {
        DefKind::Function => NodeKind::Function,
        DefKind::Class => NodeKind::Class,
        DefKind::Struct => NodeKind::Struct,
        DefKind::Interface => NodeKind::Interface,
        DefKind::Trait if program.capabilities(at.file).traits_are_modules => NodeKind::Module,
        DefKind::Trait => NodeKind::Trait,
        DefKind::Enum => NodeKind::Enum,
        DefKind::Variant => NodeKind::Variant,
        DefKind::Alias => NodeKind::Alias,
        DefKind::Field => NodeKind::Field,
        DefKind::Variable => NodeKind::Variable,
        DefKind::Macro => NodeKind::Macro,
        DefKind::Namespace | DefKind::Impl | DefKind::Object => NodeKind::Module,
    };
    let in_type = program.parent(at).is_some_and(|parent| program.def(parent).kind.is_type());
    let flags = def.flags;
    Node {
        kind,
        name: program.text(program.def_name(at)).to_owned(),
        qname: qualified_name(program, at),
        path: program.path(at.file).to_owned(),
        start: def.start,
        end: def.end,
        name_line: def.name_line,
        signature: def.signature.clone(),
        doc: def.doc.clone(),
        language: program.facts(at.file).language,
        is_method: def.kind == DefKind::Function && (in_type || def.receiver.is_known()),
        is_async: flags.has(DefFlags::ASYNC),
        is_private: flags.has(DefFlags::PRIVATE),
        is_declaration: flags.has(DefFlags::DECLARATION),
    }
}
