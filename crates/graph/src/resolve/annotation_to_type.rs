//! Converts annotations to types.

use std::rc::Rc;

use crate::{
    facts::{BindingTarget, DefFlags, DefKind, Sym, TypeExpr, TypeId},
    resolve::{
        inference_results::{Ty, TypeEnv, no_args, no_env},
        language_resolution_rules::TypeName,
        library_element_types,
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    pub(super) fn eval_type_at(&mut self, file: FileId, ty: TypeId) -> Ty {
        let facts = self.program.facts(file);
        match facts.ty(ty) {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Named { path, args, scope, pos } => {
                self.named_type(TypeName { file, path, scope: *scope, pos: *pos }, args)
            }
            TypeExpr::Array(inner) => Ty::List(Rc::new(self.eval_type(file, *inner))),
            TypeExpr::Tuple(items) => {
                Ty::Tuple(items.iter().map(|item| self.eval_type(file, *item)).collect())
            }
            TypeExpr::Union(items) => {
                Ty::union(items.iter().map(|item| self.eval_type(file, *item)).collect::<Vec<_>>())
            }
            TypeExpr::Function { .. } => Ty::FuncType(file, ty, no_env()),
            TypeExpr::Object(def) => Ty::Inst(DefRef { file, def: *def }, no_args()),
            TypeExpr::TypeOf(value) => self.type_of(file, *value).ty,
            TypeExpr::Member(base, name) => {
                let name = self.program.name_of(file, *name);
                let base = self.eval_type(file, *base);
                if self.program.text(name) == "[]" {
                    return self.index_of(&base);
                }
                match self.rules(file).type_member(self, &base, name) {
                    Ty::Unknown => {}
                    item => return item,
                }
                self.member_type(&base, name)
            }
            TypeExpr::This(scope) => self.this_type(file, *scope),
        }
    }

    fn named_type(&mut self, at: TypeName<'_>, args: &[TypeId]) -> Ty {
        let TypeName { file, path, scope, pos } = at;
        let facts = self.program.facts(file);
        if let Some((first, rest)) = path.split_first()
            && self.program.capabilities(file).own_type_names.contains(&facts.text(*first))
        {
            let mut ty = self.this_type(file, scope);
            // As a type it means its values, also where a body runs on the type itself.
            if rest.is_empty()
                && let Ty::Class(def, args) = ty
            {
                return Ty::Inst(def, args);
            }
            for part in rest {
                let name = self.program.name_of(file, *part);
                ty = self.member_type(&ty, name);
            }
            return ty;
        }
        if let Some(ty) = self.rules(file).type_name(self, at) {
            return ty;
        }
        let found = self.type_path(file, path, scope, pos);
        let unbound = self.program.capabilities(file).unbound_own_type_names;
        if path.last().is_some_and(|last| unbound.contains(&facts.text(*last)))
            && found.iter().all(|referent| *referent == NameReferent::External)
            && let Some(around) = self.type_around(file, scope)
        {
            return Ty::Inst(around, no_args());
        }
        let args: Vec<Ty> = args.iter().map(|arg| self.eval_type(file, *arg)).collect();
        self.applied(file, found, path, args)
    }

    /// Evaluates a member of a type: an associated or nested type, or a field's type.
    fn member_type(&mut self, base: &Ty, name: Name) -> Ty {
        let found = self.member(base, name);
        Ty::union(found.iter().map(|referent| self.type_named_by(referent)).collect::<Vec<_>>())
    }

    /// A type met as a member of a type: an associated or nested type, or a field's type.
    fn type_named_by(&mut self, referent: &NameReferent) -> Ty {
        match referent {
            NameReferent::Def(def, env) if self.program.def(*def).kind == DefKind::Alias => {
                self.eval_type(def.file, self.program.def(*def).ty).fill(env)
            }
            NameReferent::Def(def, _) if self.program.def(*def).kind.is_type() => {
                Ty::Inst(*def, no_args())
            }
            // A pattern of a variant takes out fields of the variant, not of its enumeration.
            NameReferent::Def(def, _)
                if self.program.def(*def).kind == DefKind::Variant
                    && self.program.capabilities(def.file).variants_are_types =>
            {
                Ty::Inst(*def, no_args())
            }
            referent => self.type_of_referent(referent).ty,
        }
    }

    /// A named type with its arguments put in.
    pub(super) fn applied(
        &mut self,
        file: FileId,
        mut found: Vec<NameReferent>,
        path: &[Sym],
        args: Vec<Ty>,
    ) -> Ty {
        self.keep_arity(file, &mut found, args.len());
        // Each becomes a type that is compared with the others.
        if !self.charge(4 * found.len()) {
            return Ty::Unknown;
        }
        let mut types = Vec::new();
        let mut outside = found.is_empty();
        for referent in found {
            match referent {
                NameReferent::Def(def, env) => types.push(self.instance(def, &env, &args)),
                // `F[A]`: what `F` is follows from who calls; it holds an `A`.
                NameReferent::TypeParam(def, place) if !args.is_empty() => {
                    let param = self.program.def(def).type_params.get(usize::from(place));
                    types.push(param.map_or(Ty::Unknown, |param| {
                        Ty::Ext(self.program.name_of(def.file, param.name), args.clone().into())
                    }));
                }
                NameReferent::TypeParam(def, place) => types.push(Ty::Param(def, place)),
                NameReferent::External => outside = true,
                NameReferent::Value(file, value) => {
                    // A type made by an expression: `X = Union[A, B]`.
                    let value = self.type_of(file, value).ty;
                    types.push(self.instance_of_value(&value));
                }
                NameReferent::Local(file, BindingTarget::Local { value, .. }) => {
                    let value = self.type_of(file, value).ty;
                    types.push(self.instance_of_value(&value));
                }
                NameReferent::Module(_) | NameReferent::Local(..) | NameReferent::Method(..) => {}
            }
        }
        let types: Vec<Ty> = types.into_iter().filter(Ty::is_known).collect();
        if !types.is_empty() || !outside {
            return Ty::union(types);
        }
        let Some(last) = path.last() else { return Ty::Unknown };
        let name = self.program.text(self.program.name_of(file, *last));
        let args = library_element_types::content_types(name, args);
        match self.rules(file).library_type(self.program, name, &args) {
            Some(ty) => ty,
            None => library_element_types::external_type(self.program, name, args),
        }
    }

    /// The type of values of the type that `def` is.
    pub(crate) fn instance(&mut self, def: DefRef, env: &TypeEnv, args: &[Ty]) -> Ty {
        let found = self.program.def(def);
        match found.kind {
            DefKind::Alias if found.flags.has(DefFlags::OPAQUE) => Ty::Inst(def, Rc::from(args)),
            DefKind::Alias => {
                let target = self.eval_type(def.file, found.ty);
                let own: TypeEnv = Rc::from([(def, Rc::from(args))]);
                target.fill(&own).fill(env)
            }
            DefKind::Class
            | DefKind::Struct
            | DefKind::Interface
            | DefKind::Trait
            | DefKind::Enum => Ty::Inst(def, Rc::from(args)),
            DefKind::Function if self.program.capabilities(def.file).prototype.is_some() => {
                Ty::Func(def, env.clone())
            }
            // Only patterns name a variant as a type: what they take apart is its own.
            DefKind::Variant => Ty::Inst(def, no_args()),
            DefKind::Variable | DefKind::Field => {
                let value = self.type_of(def.file, found.value).ty;
                self.instance_of_value(&value)
            }
            _ => Ty::Unknown,
        }
    }

    fn instance_of_value(&mut self, value: &Ty) -> Ty {
        let each = value.each().iter().map(|ty| match ty {
            Ty::Class(def, args) => Ty::Inst(*def, args.clone()),
            Ty::Func(def, _) if self.program.capabilities(def.file).prototype.is_some() => {
                ty.clone()
            }
            _ => Ty::Unknown,
        });
        Ty::union(each)
    }
}
