//! Calls of the method by which a framework draws a component.

use crate::{
    facts::{DefFlags, DefKind, Expr, Reference},
    resolve::{
        indirect_calls::IndirectCalls,
        inference_results::{Ty, no_args},
        program_facts::DefRef,
        resolved_edge::EdgeEnd,
        type_inference::NameReferent,
    },
};

impl IndirectCalls<'_, '_, '_> {
    /// A call on the object itself of what only its base outside the repository can have.
    pub(super) fn request(&mut self, reference: &Reference) {
        let program = self.inference.program;
        let facts = program.facts(self.file);
        let (scope, name) = match *facts.expr(reference.target) {
            Expr::Member { object, name } => match *facts.expr(object) {
                Expr::This(scope) => (scope, name),
                _ => return,
            },
            Expr::Name { name, scope, .. } if program.capabilities(self.file).members_in_scope => {
                (scope, name)
            }
            _ => return,
        };
        let name = facts.text(name);
        let Some(drawn) = program.library.redraws.get(name) else { return };
        let Some(class) = self.inference.type_around(self.file, scope) else { return };
        let from = self.caller(reference);
        for method in drawn {
            for to in self.methods(class, method) {
                self.put(from, EdgeEnd::Def(to), reference.line);
            }
        }
    }

    fn methods(&mut self, class: DefRef, name: &str) -> Vec<DefRef> {
        let program = self.inference.program;
        let name = program.name(name);
        let found = self.inference.member(&Ty::Inst(class, no_args()), name);
        let methods = found.into_iter().filter_map(|referent| match referent {
            NameReferent::Def(def, _) if program.def(def).kind == DefKind::Function => Some(def),
            _ => None,
        });
        methods.collect()
    }

    /// A component that is a class, by its tag.
    pub(super) fn drawn(&mut self, reference: &Reference) {
        let program = self.inference.program;
        let Some(targets) = self.bound.targets.get(&reference.target) else { return };
        let from = self.caller(reference);
        for target in targets {
            let class = match program.def(*target).kind {
                DefKind::Class => Some(*target),
                DefKind::Function if program.def(*target).flags.has(DefFlags::CONSTRUCTOR) => {
                    program.parent(*target)
                }
                _ => None,
            };
            let Some(class) = class else { continue };
            for method in &program.library.drawn_by {
                for to in self.methods(class, method) {
                    self.put(from, EdgeEnd::Def(to), reference.line);
                }
            }
        }
    }
}
