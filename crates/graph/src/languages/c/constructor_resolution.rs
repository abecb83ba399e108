//! C++: the class that a declaration constructs, and its constructors.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, TypeExpr, TypeId},
    languages::c::standard_library,
    resolve::{
        inference_results::{CallArguments, Ty},
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Values that a variable is made of whose types are looked at.
const MAX_DEDUCED: usize = 8;
/// Other names for a type that are followed one after another.
const MAX_ALIASES: u32 = 8;

impl TypeInference<'_, '_> {
    /// The class that a declared type, or a name in a constructor's initialisers, constructs; not one behind a pointer or
    /// a smart pointer.
    pub(crate) fn made_class(&mut self, file: FileId, target: ExprId) -> Option<DefRef> {
        match *self.program.facts(file).expr(target) {
            Expr::Type(ty) => self.named_class(file, ty, 0),
            Expr::Name { name: sym, scope, pos } => {
                let name = self.program.name_of(file, sym);
                let Ty::Inst(own, _) = self.this_type(file, scope) else { return None };
                if self.program.def_name(own) == name {
                    return Some(own);
                }
                let field = self
                    .program
                    .members_named(own, name)
                    .iter()
                    .copied()
                    .find(|def| self.program.def(*def).kind == DefKind::Field);
                if let Some(field) = field {
                    let def = self.program.def(field);
                    let direct = !def.flags.has(DefFlags::INDIRECT);
                    return direct.then(|| self.named_class(field.file, def.ty, 0)).flatten();
                }
                let found = self.type_path(file, &[sym], scope, pos);
                self.class_among(found, 0)
            }
            _ => None,
        }
    }

    /// The class that another name for a type means.
    pub(crate) fn aliased_class(&mut self, alias: DefRef) -> Option<DefRef> {
        self.class_among(vec![NameReferent::Def(alias, Rc::from([]))], 0)
    }

    fn named_class(&mut self, file: FileId, ty: TypeId, depth: u32) -> Option<DefRef> {
        let TypeExpr::Named { path, scope, pos, .. } = self.program.facts(file).ty(ty) else {
            return None;
        };
        let found = self.type_path(file, path, *scope, *pos);
        self.class_among(found, depth)
    }

    fn class_among(&mut self, found: Vec<NameReferent>, depth: u32) -> Option<DefRef> {
        found.into_iter().find_map(|referent| {
            let NameReferent::Def(at, _) = referent else { return None };
            let def = self.program.def(at);
            match def.kind {
                DefKind::Class | DefKind::Struct => Some(at),
                DefKind::Alias if depth < MAX_ALIASES && !def.flags.has(DefFlags::INDIRECT) => {
                    self.named_class(at.file, def.ty, depth + 1)
                }
                _ => None,
            }
        })
    }

    /// Replaces constructors by their classes: inside a class, its name and those of its bases name the classes.
    pub(crate) fn constructed_classes(&mut self, found: Vec<NameReferent>) -> Vec<NameReferent> {
        let mut named = OrderedSet::new(NameReferent::definition);
        for referent in found {
            let class = match &referent {
                NameReferent::Def(at, _)
                    if self.program.def(*at).flags.has(DefFlags::CONSTRUCTOR) =>
                {
                    self.class_of_member(*at)
                }
                _ => None,
            };
            named.push(class.map_or(referent, |class| NameReferent::Def(class, Rc::from([]))));
        }
        named.into_vec()
    }

    fn class_of_member(&mut self, member: DefRef) -> Option<DefRef> {
        let receiver = self.program.def(member).receiver;
        if !receiver.is_known() {
            return self.program.parent(member);
        }
        match self.eval_type(member.file, receiver) {
            Ty::Inst(class, _) => Some(class),
            _ => None,
        }
    }

    /// Keeps only copy constructors when a value is made from one of its own type: the compiler calls one or elides the
    /// copy. One without a body copies nothing of another type.
    pub(crate) fn without_copies(
        &mut self,
        file: FileId,
        target: ExprId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        let call = self.program.facts(file).exprs.get(target.index() + 1);
        let Some(Expr::New { callee, args, .. }) = call else { return found };
        let ([value], true) = (args.as_slice(), *callee == target) else { return found };
        let Some(made) = found.first().and_then(|def| self.class_of_member(*def)) else {
            return found;
        };
        let is_copied =
            matches!(self.type_of(file, *value).ty, Ty::Inst(given, _) if given == made);
        let (copies, others): (Vec<DefRef>, Vec<DefRef>) = found.into_iter().partition(|def| {
            let param = self.program.def(*def).params.first().map(|param| param.ty);
            let taken = param.map_or(Ty::Unknown, |ty| self.eval_type(def.file, ty));
            matches!(taken, Ty::Inst(class, _) if class == made)
        });
        if is_copied || others.is_empty() {
            return copies;
        }
        let has_body = |def: &DefRef| !self.program.def(*def).flags.has(DefFlags::DECLARATION);
        copies.into_iter().filter(has_body).chain(others).collect()
    }

    /// The type of a variable whose class is a template without arguments: they follow from what it is made of.
    pub(crate) fn deduced_arguments(
        &mut self,
        file: FileId,
        declared: &Ty,
        value: ExprId,
    ) -> Option<Ty> {
        let count = match declared {
            Ty::Ext(_, args) if args.is_empty() => 0,
            Ty::Inst(class, args) if args.is_empty() => {
                let count = self.program.def(*class).type_params.len();
                (count > 0).then_some(count)?
            }
            _ => return None,
        };
        let values = match self.program.facts(file).expr(value) {
            Expr::Tuple(values) => values.as_slice(),
            _ => &[value],
        };
        let Ty::Inst(class, _) = declared else {
            let Ty::Ext(name, _) = declared else { return None };
            let values = values.iter().take(MAX_DEDUCED);
            let given: Vec<Ty> = values.map(|value| self.type_of(file, *value).ty).collect();
            let is_known = given.iter().all(Ty::is_known);
            return standard_library::made_of(self.program.text(*name), &given)
                .filter(|_| is_known);
        };
        if let [copied] = values
            && let ty @ Ty::Inst(given, _) = self.type_of(file, *copied).ty
            && given == *class
        {
            return Some(ty);
        }
        let arguments = CallArguments { file, values, types: &[], callee: ExprId::UNKNOWN };
        let mut found = vec![Ty::Unknown; count];
        for constructor in self.c_constructors(*class) {
            if self.program.def(constructor).params.len() == values.len() {
                self.match_arguments(constructor, *class, arguments, &mut found);
            }
        }
        found.iter().all(Ty::is_known).then(|| Ty::Inst(*class, found.into()))
    }

    /// The constructors that are written for a class.
    pub(crate) fn c_constructors(&mut self, class: DefRef) -> Vec<DefRef> {
        let name = self.program.def_name(class);
        let own = self.member(&Ty::Class(class, Rc::from([])), name);
        let constructor = |referent| match referent {
            NameReferent::Def(def, _) if self.program.def(def).flags.has(DefFlags::CONSTRUCTOR) => {
                Some(def)
            }
            _ => None,
        };
        own.into_iter().filter_map(constructor).collect()
    }
}
