//! Files that hold code of another language: components with script parts, notebooks with code cells. The code is taken out
//! as a text of its own, read as any file of its language, and what was read is put on the lines of the file.

use rustc_hash::FxHashMap;

use super::Language;
use crate::{
    facts::{DefId, DefKind, FileFacts, LexicalScope, LoweredDefinition, ScopeId, ScopeKind, Sym},
    lowering::index,
};

/// How the files of a language hold the code of another.
pub(crate) trait EmbeddedCodeFormat: Sync {
    /// Takes out the code. Whatever the text is, the work is in proportion to its length.
    fn code(&self, text: &str) -> EmbeddedCode;

    /// Adds what the text says outside of the code; `facts` are those of the code.
    fn complete(&self, text: &str, facts: &mut FileFacts) {
        let _ = (text, facts);
    }
}

/// The code of a file.
pub(crate) struct EmbeddedCode {
    pub(crate) language: Language,
    pub(crate) text: String,
    /// The line of the file, from 1, that each line of the text stands on; `None` when it is the same.
    pub(crate) lines: Option<Vec<u32>>,
    /// Parts of the file that the code runs in, in the order of the text.
    pub(crate) parts: Vec<EmbeddedCodeDefinition>,
}

/// A part of a file that is a definition by itself: a component, a cell. Lines are those of the file.
pub(crate) struct EmbeddedCodeDefinition {
    pub(crate) kind: DefKind,
    pub(crate) name: String,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) signature: String,
}

impl EmbeddedCode {
    /// Returns the line of the file for a line of the text. Both count from 1.
    pub(crate) fn line(&self, line: u32) -> u32 {
        let at = line.saturating_sub(1) as usize;
        match &self.lines {
            Some(lines) => lines.get(at).or(lines.last()).copied().unwrap_or(line),
            None => line,
        }
    }

    /// Puts the facts of the code on the lines of the file, adds the parts of the file, and gives them what runs in them
    /// outside of functions.
    pub(crate) fn place(&self, facts: &mut FileFacts) {
        facts.map_lines(|line| self.line(line));
        let first = facts.defs.len();
        for part in &self.parts {
            let name = Sym(index(facts.names.len()));
            facts.names.push(part.name.as_str().into());
            let id = DefId(index(facts.defs.len()));
            let scope = ScopeId(index(facts.scopes.len()));
            let outer = ScopeId(0);
            facts.scopes.push(LexicalScope {
                parent: Some(outer),
                owner: Some(id),
                kind: ScopeKind::Function,
            });
            facts.defs.push(LoweredDefinition {
                kind: part.kind,
                name,
                scope,
                outer,
                start: part.start,
                end: part.end,
                name_line: part.start,
                signature: part.signature.clone(),
                ..LoweredDefinition::empty().clone()
            });
        }
        let part_of = |line: u32| {
            let at = self.parts.partition_point(|part| part.start <= line).checked_sub(1)?;
            (line <= self.parts[at].end).then(|| DefId(index(first + at)))
        };
        let objects = facts.defs[..first].iter_mut().filter(|def| def.kind == DefKind::Object);
        for def in objects.filter(|def| def.parent.is_none()) {
            // What an object has, goes by the name of the part that makes it.
            def.parent = part_of(def.start);
        }
        for reference in facts.refs.iter_mut().filter(|it| it.from.is_none()) {
            reference.from = part_of(reference.line);
        }
        for reference in facts.type_refs.iter_mut().filter(|it| it.from.is_none()) {
            reference.from = part_of(reference.line);
        }
        for used in facts.member_uses.iter_mut().filter(|it| it.from.is_none()) {
            used.from = part_of(used.line);
        }
        for event in facts.events.iter_mut().filter(|it| it.from.is_none()) {
            event.from = part_of(event.line);
        }
        for lambda in facts.lambdas.iter_mut().filter(|it| it.owner.is_none()) {
            lambda.owner = part_of(lambda.line);
        }
    }
}

/// The names that are bound in the outermost scope of a file, by their texts.
pub(crate) fn names_in_file(facts: &FileFacts) -> FxHashMap<Box<str>, Sym> {
    let outermost = facts.bindings.iter().filter(|binding| binding.scope == ScopeId(0));
    outermost.map(|binding| (facts.text(binding.name).into(), binding.name)).collect()
}
