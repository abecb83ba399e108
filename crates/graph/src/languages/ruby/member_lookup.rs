//! Ruby's members: methods on both sides of a class, mixins, and constants of ancestors. A receiver whose class isn't known
//! has no methods.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, SupertypeKind},
    graph_model::LanguageFamily,
    resolve::{
        inference_results::{Ty, no_env},
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, Name},
        type_inference::{
            InstanceOrClass, MethodResolutionOrder, NameReferent, TypeInference, class_of,
        },
    },
};

/// Ancestors of one class that are looked at.
const MAX_ANCESTORS: usize = 64;

impl TypeInference<'_, '_> {
    /// The class of a value, where `callee` asks for it: `value.class`.
    pub(crate) fn ruby_class_of(&mut self, file: FileId, callee: ExprId) -> Option<Ty> {
        let facts = self.program.facts(file);
        let Expr::Member { object, name } = facts.expr(callee) else { return None };
        if facts.text(*name) != "class" || self.program.family(file) != LanguageFamily::Ruby {
            return None;
        }
        let value = self.type_of(file, *object).ty;
        Some(Ty::union(value.each().iter().map(class_of).collect::<Vec<_>>()))
    }

    /// Returns what `name` is on a class, or on its instances.
    pub(crate) fn ruby_member(
        &mut self,
        class: DefRef,
        side: InstanceOrClass,
        name: Name,
    ) -> Vec<NameReferent> {
        if self.program.text(name).starts_with(char::is_uppercase) {
            let found = self.constant(class, name);
            if !found.is_empty() {
                return found;
            }
        }
        for (at, side) in self.ancestors(class, side).iter().copied() {
            let found = self.own_methods(at, side, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns what `super` in a method of `class` calls.
    pub(crate) fn ruby_above(
        &mut self,
        class: DefRef,
        side: InstanceOrClass,
        name: Name,
    ) -> Vec<NameReferent> {
        for (at, other) in self.ancestors(class, side).iter().copied() {
            if (at, other) == (class, side) {
                continue;
            }
            let found = self.own_methods(at, other, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn own_methods(&self, class: DefRef, side: InstanceOrClass, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let members = program.members_named(class, name);
        self.count_search(members.len());
        let mut found: Vec<DefRef> = members
            .iter()
            .filter(|member| {
                let def = program.def(**member);
                match def.kind {
                    DefKind::Function => {
                        def.flags.has(DefFlags::STATIC) == (side == InstanceOrClass::Class)
                    }
                    // Variables of an instance, and of the class itself.
                    DefKind::Field => program.text(name).starts_with('@'),
                    _ => false,
                }
            })
            .copied()
            .collect();
        // A method that is defined again replaces the earlier one; across files the order is unknown.
        if let Some(first) = found.first().copied() {
            found.retain(|def| def.file != first.file || program.def(*def).kind == DefKind::Field);
            found.insert(0, first);
            found.dedup();
        }
        found.into_iter().map(|def| NameReferent::Def(def, no_env())).collect()
    }

    pub(super) fn own_constants(&self, class: DefRef, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let own =
            program.members_named(class, name).iter().chain(self.attached.members(class, name));
        let mut found = OrderedSet::new(NameReferent::definition);
        for def in own.filter(|def| program.def(**def).kind != DefKind::Function) {
            found.push(NameReferent::Def(program.look_up_canonical(*def), no_env()));
        }
        let found = found.into_vec();
        self.count_search(found.len());
        found
    }

    pub(super) fn constant(&mut self, class: DefRef, name: Name) -> Vec<NameReferent> {
        for (at, _) in self.ancestors(class, InstanceOrClass::Instance).iter().copied() {
            let found = self.own_constants(at, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns where methods are looked for, in order: the class, what it mixes in, what it inherits from.
    fn ancestors(&mut self, class: DefRef, side: InstanceOrClass) -> MethodResolutionOrder {
        let key = (class, side);
        match self.recall(self.ancestry.get(key)) {
            Some(Some(order)) => return order,
            // A constant that is looked up along the ancestors of a class may itself be looked for among them: the ancestors
            // that are known so far are used.
            Some(None) => return self.line_of(class, side),
            None => {}
        }
        let Some(outer) = self.begin() else { return Rc::default() };
        self.ancestry.open(key, self.depth);
        let order = self.line_of(class, side);
        let cut = self.end(outer);
        self.ancestry.close(key, order.clone(), cut);
        order
    }

    fn line_of(&mut self, class: DefRef, side: InstanceOrClass) -> MethodResolutionOrder {
        let mut order = Vec::new();
        self.add_ancestors(class, side, &mut order, 0);
        order.into()
    }

    fn add_ancestors(
        &mut self,
        class: DefRef,
        side: InstanceOrClass,
        order: &mut Vec<(DefRef, InstanceOrClass)>,
        depth: u32,
    ) {
        if depth > 16 || order.len() > MAX_ANCESTORS || order.contains(&(class, side)) {
            return;
        }
        order.push((class, side));
        let program = self.program;
        let parts = program.parts_of(class);
        if !self.charge(parts.len()) {
            return;
        }
        let (mut mixed, mut extended, mut above) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            if !self.charge(program.def(part).supers.len()) {
                return;
            }
            for (kind, ty) in &program.def(part).supers {
                match (self.eval_type(part.file, *ty), kind) {
                    (Ty::Tuple(items), _) => extended.extend(defs(&items)),
                    (ty, SupertypeKind::Implements) => mixed.extend(defs(&[ty])),
                    (ty, _) => above.extend(defs(&[ty])),
                }
            }
        }
        if side == InstanceOrClass::Class {
            for module in extended.into_iter().rev() {
                self.add_ancestors(module, InstanceOrClass::Instance, order, depth + 1);
            }
            // A module's methods for the class that includes it.
            self.add_class_methods(&mixed, program.name("ClassMethods"), order, depth);
        } else {
            for module in mixed.into_iter().rev() {
                self.add_ancestors(module, InstanceOrClass::Instance, order, depth + 1);
            }
        }
        for class in above {
            self.add_ancestors(class, side, order, depth + 1);
        }
    }

    fn add_class_methods(
        &mut self,
        mixed: &[DefRef],
        name: Name,
        order: &mut Vec<(DefRef, InstanceOrClass)>,
        depth: u32,
    ) {
        for module in mixed.iter().rev() {
            for (module, _) in self.ancestors(*module, InstanceOrClass::Instance).iter().copied() {
                for found in self.own_constants(module, name) {
                    if let NameReferent::Def(found, _) = found {
                        self.add_ancestors(found, InstanceOrClass::Instance, order, depth + 1);
                    }
                }
            }
        }
    }
}

fn defs(types: &[Ty]) -> Vec<DefRef> {
    let each = types.iter().flat_map(Ty::each);
    each.filter_map(|ty| match ty {
        Ty::Inst(def, _) | Ty::Class(def, _) => Some(*def),
        _ => None,
    })
    .collect()
}
