//! Types as far as the resolver knows them, and how annotations become such.

use std::rc::Rc;

use crate::{
    facts::{Bound, DefKind, Flags, LambdaId, Sym, TypeExpr, TypeId},
    resolve::{
        evaluator::{Entity, Evaluator},
        library_types,
        program::{DefRef, FileId, ModId, Name},
        rules::TypeName,
    },
};

/// What a value is. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Unknown,
    /// A value of a type of the repository, with its type arguments.
    Inst(DefRef, Rc<[Ty]>),
    /// The type itself.
    Class(DefRef, Rc<[Ty]>),
    Func(DefRef, Env),
    Lambda(FileId, LambdaId),
    /// A function type: its expression, and what its parameters stand for.
    FuncType(FileId, TypeId, Env),
    Module(ModId),
    /// A value of a type from elsewhere.
    Ext(Name, Rc<[Ty]>),
    /// A type or function from elsewhere itself.
    ExtItem(Name),
    /// Anything that holds elements of one type in a row.
    List(Rc<Ty>),
    Tuple(Rc<[Ty]>),
    Union(Rc<[Ty]>),
    /// A type parameter of a definition.
    Param(DefRef, u16),
}

/// What a definition's type parameters stand for; innermost last.
pub(crate) type Env = Rc<[(DefRef, Rc<[Ty]>)]>;

pub(crate) fn no_args() -> Rc<[Ty]> {
    Rc::from([])
}

pub(crate) fn no_env() -> Env {
    Rc::from([])
}

/// Alternatives that a union keeps: the first ones.
const MAX_ALTERNATIVES: usize = 12;

impl Ty {
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// The union of several types, flat, without repeats or unknown ones.
    pub(crate) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for ty in types {
            match ty {
                Self::Unknown => {}
                Self::Union(inner) => {
                    for ty in inner.iter() {
                        if all.len() < MAX_ALTERNATIVES && !all.contains(ty) {
                            all.push(ty.clone());
                        }
                    }
                }
                ty => {
                    if all.len() < MAX_ALTERNATIVES && !all.contains(&ty) {
                        all.push(ty);
                    }
                }
            }
        }
        match all.len() {
            0 => Self::Unknown,
            1 => all.swap_remove(0),
            _ => Self::Union(all.into()),
        }
    }

    /// The alternatives of a union, or the type itself.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Union(all) => all,
            Self::Unknown => &[],
            other => std::slice::from_ref(other),
        }
    }

    /// Puts in what type parameters stand for.
    pub(crate) fn fill(&self, env: &Env) -> Self {
        if env.is_empty() {
            return self.clone();
        }
        let all =
            |types: &Rc<[Self]>| -> Rc<[Self]> { types.iter().map(|ty| ty.fill(env)).collect() };
        match self {
            Self::Param(def, place) => env
                .iter()
                .rev()
                .find(|(owner, _)| owner == def)
                .and_then(|(_, args)| args.get(usize::from(*place)))
                .filter(|ty| ty.is_known())
                .cloned()
                .unwrap_or_else(|| self.clone()),
            Self::Inst(def, args) => Self::Inst(*def, all(args)),
            Self::Class(def, args) => Self::Class(*def, all(args)),
            Self::Ext(name, args) => Self::Ext(*name, all(args)),
            Self::List(inner) => Self::List(Rc::new(inner.fill(env))),
            Self::Tuple(types) => Self::Tuple(all(types)),
            Self::Union(types) => Self::union(types.iter().map(|ty| ty.fill(env))),
            Self::FuncType(file, ty, inner) => {
                let joined: Vec<_> = inner
                    .iter()
                    .map(|(def, args)| (*def, args.iter().map(|ty| ty.fill(env)).collect()))
                    .chain(env.iter().cloned())
                    .collect();
                Self::FuncType(*file, *ty, joined.into())
            }
            _ => self.clone(),
        }
    }
}

impl Evaluator<'_, '_> {
    pub(super) fn eval_type_at(&mut self, file: FileId, ty: TypeId) -> Ty {
        let facts = self.program.facts(file);
        match facts.ty(ty) {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Named { path, args, scope, pos } => {
                if let Some((first, rest)) = path.split_first()
                    && self.program.capabilities(file).own_type_names.contains(&facts.text(*first))
                {
                    let mut ty = self.this_type(file, *scope);
                    for part in rest {
                        let name = self.program.name_of(file, *part);
                        let found = self.member(&ty, name);
                        ty = Ty::union(
                            found
                                .iter()
                                .map(|entity| self.type_named_by(entity))
                                .collect::<Vec<_>>(),
                        );
                    }
                    return ty;
                }
                let name = TypeName { file, path, scope: *scope, pos: *pos };
                if let Some(ty) = self.program.rules(file).type_name(self, name) {
                    return ty;
                }
                let found = self.type_path(file, path, *scope, *pos);
                let unbound = self.program.capabilities(file).unbound_own_type_names;
                if path.last().is_some_and(|last| unbound.contains(&facts.text(*last)))
                    && found.iter().all(|entity| *entity == Entity::External)
                    && let Some(around) = self.type_around(file, *scope)
                {
                    return Ty::Inst(around, no_args());
                }
                let args: Vec<Ty> = args.iter().map(|arg| self.eval_type(file, *arg)).collect();
                self.applied(file, found, path, args)
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
                match self.program.rules(file).type_member(self, &base, name) {
                    Ty::Unknown => {}
                    item => return item,
                }
                let found = self.member(&base, name);
                Ty::union(
                    found.into_iter().map(|entity| self.type_named_by(&entity)).collect::<Vec<_>>(),
                )
            }
            TypeExpr::This(scope) => self.this_type(file, *scope),
        }
    }

    /// A type met as a member of a type: an associated or nested type, or a field's type.
    fn type_named_by(&mut self, entity: &Entity) -> Ty {
        match entity {
            Entity::Def(def, env) if self.program.def(*def).kind == DefKind::Alias => {
                self.eval_type(def.file, self.program.def(*def).ty).fill(env)
            }
            Entity::Def(def, _) if self.program.def(*def).kind.is_type() => {
                Ty::Inst(*def, no_args())
            }
            // What a pattern takes out of a variant is the variant's own.
            Entity::Def(def, _)
                if self.program.def(*def).kind == DefKind::Variant
                    && self.program.capabilities(def.file).variants_are_types =>
            {
                Ty::Inst(*def, no_args())
            }
            entity => self.type_of_entity(entity).ty,
        }
    }

    /// A named type with its arguments put in.
    fn applied(&mut self, file: FileId, mut found: Vec<Entity>, path: &[Sym], args: Vec<Ty>) -> Ty {
        self.keep_arity(file, &mut found, args.len());
        let mut types = Vec::new();
        let mut outside = found.is_empty();
        for entity in found {
            match entity {
                Entity::Def(def, env) => types.push(self.instance(def, &env, &args)),
                // `F[A]`: what `F` is follows from who calls; it holds an `A`.
                Entity::TypeParam(def, place) if !args.is_empty() => {
                    let param = self.program.def(def).type_params.get(usize::from(place));
                    types.push(param.map_or(Ty::Unknown, |param| {
                        Ty::Ext(self.program.name_of(def.file, param.name), args.clone().into())
                    }));
                }
                Entity::TypeParam(def, place) => types.push(Ty::Param(def, place)),
                Entity::External => outside = true,
                Entity::Value(file, value) => {
                    // A type made by an expression: `X = Union[A, B]`.
                    let value = self.type_of(file, value).ty;
                    types.push(self.instance_of_value(&value));
                }
                Entity::Local(file, Bound::Local { value, .. }) => {
                    let value = self.type_of(file, value).ty;
                    types.push(self.instance_of_value(&value));
                }
                Entity::Module(_) | Entity::Local(..) | Entity::Method(..) => {}
            }
        }
        let types: Vec<Ty> = types.into_iter().filter(Ty::is_known).collect();
        if !types.is_empty() || !outside {
            return Ty::union(types);
        }
        let Some(last) = path.last() else { return Ty::Unknown };
        library_types::external_type(
            self.program,
            self.program.rules(file),
            self.program.text(self.program.name_of(file, *last)),
            args,
        )
    }

    /// The type of values of the type that `def` is.
    pub(crate) fn instance(&mut self, def: DefRef, env: &Env, args: &[Ty]) -> Ty {
        let found = self.program.def(def);
        match found.kind {
            DefKind::Alias if found.flags.has(Flags::OPAQUE) => Ty::Inst(def, Rc::from(args)),
            DefKind::Alias => {
                let target = self.eval_type(def.file, found.ty);
                let own: Env = Rc::from([(def, Rc::from(args))]);
                target.fill(&own).fill(env)
            }
            DefKind::Class
            | DefKind::Struct
            | DefKind::Interface
            | DefKind::Trait
            | DefKind::Enum => Ty::Inst(def, Rc::from(args)),
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
            _ => Ty::Unknown,
        });
        Ty::union(each)
    }
}
