//! What the facts say of one definition, and of the definitions around it.

use super::ProgramFacts;
use super::read_set_recorder::parameter_flow_key;
use crate::resolve::file_and_definition_ids::{DefRef, FileId, Name};
use crate::{
    facts::{
        DefFlags, DefKind, Expr, ExprId, LoweredDefinition, language_capabilities::FieldCalls,
        value_flow::ValueFlow,
    },
    resolve::resolution_read_set,
};

impl<'p> ProgramFacts<'p> {
    pub(crate) fn def(&self, at: DefRef) -> &LoweredDefinition {
        self.facts(at.file).def(at.def)
    }

    pub(crate) fn def_name(&self, at: DefRef) -> Name {
        self.name_of(at.file, self.def(at).name)
    }

    pub(crate) fn parent(&self, at: DefRef) -> Option<DefRef> {
        self.def(at).parent.map(|def| DefRef { file: at.file, def })
    }

    /// Whether none of these definitions takes as many parameters as a declaration, so that it is another overload.
    pub(crate) fn differs_in_arity(&self, declaration: DefRef, definitions: &[DefRef]) -> bool {
        let count = |def: DefRef| self.def(def).params.len();
        definitions.iter().all(|def| count(*def) != count(declaration))
    }

    /// Whether a function is assigned to a member of a value: `value.run = …`.
    pub(crate) fn is_assigned_member(&self, at: DefRef) -> bool {
        let def = self.def(at);
        def.kind == DefKind::Function
            && def.flags.has(DefFlags::ASSIGNED)
            && def.receiver.is_known()
    }

    /// Returns which values go where in the file of a function. Reading where its parameters go is noted by its name.
    pub(crate) fn value_flow(&self, function: DefRef) -> &ValueFlow {
        resolution_read_set::note_file(function.file);
        self.name(&parameter_flow_key(self.text(self.def_name(function))));
        self.loaded(function.file).value_flow()
    }

    /// Returns the place of a definition among the nodes of its file; `None` for one that is no node.
    pub(crate) fn node_index(&self, at: DefRef) -> Option<u32> {
        resolution_read_set::note_file(at.file);
        self.loaded(at.file).node_index(at.def)
    }

    /// The definition that is named on a line of a file by a word.
    pub(crate) fn named_at(&self, file: FileId, line: u32, name: Name) -> Option<DefRef> {
        self.loaded(file).named_at(file, line, name)
    }

    /// The chain of definitions from the outermost to `at`, without those that have no name.
    pub(crate) fn chain(&self, at: DefRef) -> Vec<DefRef> {
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(def) = next {
            if self.is_named(def) {
                chain.push(def);
            }
            next = self.parent(def);
        }
        chain.reverse();
        chain
    }

    /// The definition that a reference belongs to. A property of an object belongs to the function that makes the object.
    pub(crate) fn caller(&self, at: DefRef) -> Option<DefRef> {
        let named = self.named(at)?;
        let mut next = Some(named);
        while let Some(def) = next {
            match self.def(def).kind {
                DefKind::Function => return Some(def),
                DefKind::Field | DefKind::Object => next = self.parent(def),
                _ => break,
            }
        }
        Some(named)
    }

    /// The word that is called or named.
    pub(crate) fn called_name(&self, file: FileId, target: ExprId) -> Option<&str> {
        let facts = self.facts(file);
        match facts.expr(target) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(facts.text(*name)),
            _ => None,
        }
    }

    /// Whether a call of `target` may run what a field holds.
    pub(crate) fn may_call_field(&self, file: FileId, target: ExprId) -> bool {
        match self.capabilities(file).field_calls {
            FieldCalls::Never => false,
            FieldCalls::ByName => true,
            // A part of a tuple has no method beside it.
            FieldCalls::InParentheses => match self.facts(file).expr(target) {
                Expr::Member { name, .. } => {
                    self.facts(file).text(*name).starts_with(|first: char| first.is_ascii_digit())
                }
                _ => true,
            },
        }
    }

    /// Whether a definition is a node of the graph.
    pub(crate) fn is_named(&self, at: DefRef) -> bool {
        self.facts(at.file).is_named(at.def)
    }

    /// The innermost definition around `at`, itself included, that is a node of the graph.
    pub(crate) fn named(&self, at: DefRef) -> Option<DefRef> {
        let mut next = Some(at);
        while let Some(def) = next {
            if self.is_named(def) {
                return Some(def);
            }
            next = self.parent(def);
        }
        None
    }
}
