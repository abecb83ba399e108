//! The flow of values within one file: from locals, loops, collections and wrappers back to parameters, functions, and
//! names that only the resolver knows.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use rustc_hash::FxHasher;

use crate::facts::{
    BindingTarget, DefId, DefKind, Expr, ExprId, FileFacts, LambdaId, ScopeId, StructFieldSelector,
    Sym, TypeExpr, TypeId, library_method_effects::library_method_effects,
};

/// Steps that a value is followed back.
const MAX_STEPS: u32 = 12;
/// Origins that one value may have before it says nothing.
const MAX_ORIGINS: usize = 8;

/// What a value is followed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueFlowPath {
    /// Collections that it is in.
    Parts,
    /// Functions that may give back something that runs it as well.
    Wrappers,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueOrigin {
    Param(DefId, u16),
    Lambda(LambdaId),
    Function(DefId),
    /// A name or member that isn't a local.
    Named(ExprId),
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueFlowTarget {
    /// What an expression names, or the collection that it names.
    Place(ExprId),
    /// A field or variable that is declared with it.
    Field(DefId),
    /// A field of a type.
    Slot(TypeId, StructFieldSelector),
    /// An argument of a call.
    Argument(ExprId, u16),
}

/// The flow of values in a file.
#[derive(Debug, Default)]
pub(crate) struct ValueFlow {
    /// Where parameters go.
    takes: BTreeMap<(DefId, u16), Vec<ValueFlowTarget>>,
}

impl ValueFlow {
    /// Reads the value flow of a file.
    pub(crate) fn of(facts: &FileFacts) -> Self {
        let mut flow = Self::default();
        moves(facts, &mut |value, into| {
            for origin in origins(facts, value, ValueFlowPath::Wrappers) {
                if let ValueOrigin::Param(def, place) = origin {
                    let known = flow.takes.entry((def, place)).or_default();
                    if !known.contains(&into) {
                        known.push(into);
                    }
                }
            }
        });
        flow
    }

    /// Returns where the value of a parameter goes.
    pub(crate) fn of_param(&self, def: DefId, place: u16) -> &[ValueFlowTarget] {
        self.takes.get(&(def, place)).map_or(&[], Vec::as_slice)
    }

    /// Hashes of where parameters go, by their functions' names.
    pub(crate) fn described<'f>(&self, facts: &'f FileFacts) -> Vec<(u64, &'f str)> {
        let one = |((def, place), ways): (&(DefId, u16), &Vec<ValueFlowTarget>)| {
            let mut hasher = FxHasher::default();
            (def, place).hash(&mut hasher);
            for into in ways {
                match into {
                    ValueFlowTarget::Place(expr) => (0, print(facts, *expr)).hash(&mut hasher),
                    ValueFlowTarget::Field(field) => (1, field).hash(&mut hasher),
                    ValueFlowTarget::Slot(ty, StructFieldSelector::Named(name)) => {
                        (2, print_type(facts, *ty), facts.text(*name)).hash(&mut hasher);
                    }
                    ValueFlowTarget::Slot(ty, StructFieldSelector::Nth(at)) => {
                        (3, print_type(facts, *ty), at).hash(&mut hasher);
                    }
                    ValueFlowTarget::Argument(call, at) => {
                        let (Expr::Call { callee, args, .. } | Expr::New { callee, args, .. }) =
                            facts.expr(*call)
                        else {
                            continue;
                        };
                        let labels = facts.labels.get(callee).map(|labels| &labels.names);
                        let labels = labels.into_iter().flatten().map(|label| facts.text(*label));
                        (4, print(facts, *callee), args.len(), at).hash(&mut hasher);
                        labels.for_each(|label| label.hash(&mut hasher));
                    }
                }
            }
            (hasher.finish(), facts.text(facts.def(*def).name))
        };
        self.takes.iter().map(one).collect()
    }
}

/// Whether a method of this name stores its arguments in its receiver.
pub(crate) fn keeps(name: &str) -> bool {
    library_method_effects().keeps.contains(name)
}

/// Calls `see` with every value that goes somewhere, and where.
pub(crate) fn moves(facts: &FileFacts, see: &mut impl FnMut(ExprId, ValueFlowTarget)) {
    for put in &facts.field_writes {
        see(put.value, ValueFlowTarget::Place(place(facts, put.into)));
    }
    for slot in &facts.field_values {
        see(slot.value, ValueFlowTarget::Slot(slot.ty, slot.field));
    }
    for (id, def) in (0..).zip(&facts.defs) {
        if matches!(def.kind, DefKind::Field | DefKind::Variable) && def.value.is_known() {
            see(def.value, ValueFlowTarget::Field(DefId(id)));
        }
    }
    for (call, expr) in (0..).map(ExprId).zip(&facts.exprs) {
        let (Expr::Call { args, .. } | Expr::New { args, .. }) = expr else { continue };
        for (at, value) in (0..).zip(args) {
            if may_run(facts, *value) {
                see(*value, ValueFlowTarget::Argument(call, at));
            }
        }
    }
}

/// Whether a value can be a function, or hold some, by how it is written.
fn may_run(facts: &FileFacts, value: ExprId) -> bool {
    !matches!(
        facts.expr(value),
        Expr::Unknown
            | Expr::Literal(_)
            | Expr::This(_)
            | Expr::New { .. }
            | Expr::Typed(_)
            | Expr::Type(_)
    )
}

/// The collection that an element is put into.
fn place(facts: &FileFacts, into: ExprId) -> ExprId {
    match *facts.expr(into) {
        Expr::Index(object) => place(facts, object),
        _ => into,
    }
}

/// Returns where a value comes from, as far as the file says; nothing when it comes from too many places.
pub(crate) fn origins(
    facts: &FileFacts,
    value: ExprId,
    through: ValueFlowPath,
) -> Vec<ValueOrigin> {
    let mut found = Vec::new();
    follow(facts, value, through, 0, &mut found);
    if found.len() > MAX_ORIGINS {
        found.clear();
    }
    found
}

fn follow(
    facts: &FileFacts,
    value: ExprId,
    through: ValueFlowPath,
    steps: u32,
    found: &mut Vec<ValueOrigin>,
) {
    if steps > MAX_STEPS || found.len() > MAX_ORIGINS {
        return;
    }
    let mut add = |origin| {
        if !found.contains(&origin) {
            found.push(origin);
        }
    };
    let named = ValueOrigin::Named(value);
    let next = steps + 1;
    match facts.expr(value) {
        Expr::Name { name, scope, pos } => match bound(facts, *scope, *name, *pos) {
            Some(BindingTarget::Param(def, at)) => add(ValueOrigin::Param(def, at)),
            Some(BindingTarget::LambdaParam(id, _)) => {
                if let Some(object) = iterated_by(facts, id) {
                    follow(facts, object, through, next, found);
                }
            }
            Some(BindingTarget::Local { value, .. }) => follow(facts, value, through, next, found),
            Some(BindingTarget::TypeParam(..)) => {}
            Some(BindingTarget::Def(_) | BindingTarget::Import(_)) | None => add(named),
        },
        Expr::Member { .. } => add(named),
        Expr::Lambda(id) => add(ValueOrigin::Lambda(*id)),
        Expr::Def(def) if facts.def(*def).kind == DefKind::Function => {
            add(ValueOrigin::Function(*def));
        }
        Expr::Await(inner)
        | Expr::Unwrap(inner)
        | Expr::Elem(inner)
        | Expr::Index(inner)
        | Expr::Slice(inner)
        | Expr::Key(inner)
        | Expr::Enter(inner)
        | Expr::Item(inner, _) => follow(facts, *inner, through, next, found),
        Expr::Either(values) | Expr::Array(values) | Expr::Tuple(values) => {
            for value in values {
                follow(facts, *value, through, next, found);
            }
        }
        Expr::Call { callee, args, .. } => {
            for value in passed_on(facts, *callee, args, through) {
                follow(facts, value, through, next, found);
            }
        }
        _ => {}
    }
}

/// The values that the result of a call may be: those of a call that passes its object and arguments on.
fn passed_on(
    facts: &FileFacts,
    callee: ExprId,
    args: &[ExprId],
    through: ValueFlowPath,
) -> Vec<ExprId> {
    let passes = |name: &Sym| library_method_effects().passes.contains(facts.text(*name));
    let object = match facts.expr(callee) {
        Expr::Member { object, name } if passes(name) => Some(*object),
        Expr::Member { .. } => return Vec::new(),
        Expr::Name { name, .. } if passes(name) => None,
        _ if through == ValueFlowPath::Wrappers => None,
        _ => return Vec::new(),
    };
    object.into_iter().chain(args.iter().copied()).collect()
}

/// The object whose method a lambda is handed to: what a collection's method calls its argument with are the elements.
fn iterated_by(facts: &FileFacts, lambda: LambdaId) -> Option<ExprId> {
    let (call, _) = facts.lambdas[lambda.index()].context?;
    let Expr::Call { callee, .. } = facts.expr(call) else { return None };
    match *facts.expr(*callee) {
        Expr::Member { object, .. } => Some(object),
        _ => None,
    }
}

/// Returns what a name is bound to in the innermost scope that has it.
fn bound(facts: &FileFacts, scope: ScopeId, name: Sym, pos: u32) -> Option<BindingTarget> {
    let mut next = Some(scope);
    while let Some(scope) = next {
        let bindings = facts.bindings_of(scope, name);
        if !bindings.is_empty() {
            let visible = bindings.partition_point(|binding| binding.from <= pos);
            return Some(bindings[visible.saturating_sub(1)].what);
        }
        next = facts.scopes[scope.index()].parent;
    }
    None
}

/// A hash of how an expression is written, which stays the same when it moves.
pub(crate) fn print(facts: &FileFacts, expr: ExprId) -> u64 {
    print_at(facts, expr, 0)
}

fn print_at(facts: &FileFacts, expr: ExprId, depth: u32) -> u64 {
    let mut hasher = FxHasher::default();
    if depth > MAX_STEPS {
        return 0;
    }
    match facts.expr(expr) {
        Expr::Name { name, scope, pos } => {
            let bindings = facts.bindings_of(*scope, *name);
            let visible = bindings.partition_point(|binding| binding.from <= *pos);
            (1, facts.text(*name), scope, visible).hash(&mut hasher);
        }
        Expr::Member { object, name } => {
            (2, print_at(facts, *object, depth + 1), facts.text(*name)).hash(&mut hasher);
        }
        Expr::Call { callee, args, .. } | Expr::New { callee, args, .. } => {
            (3, print_at(facts, *callee, depth + 1)).hash(&mut hasher);
            args.iter().for_each(|arg| print_at(facts, *arg, depth + 1).hash(&mut hasher));
        }
        Expr::Index(inner)
        | Expr::Slice(inner)
        | Expr::Elem(inner)
        | Expr::Unwrap(inner)
        | Expr::Await(inner) => {
            (4, print_at(facts, *inner, depth + 1)).hash(&mut hasher);
        }
        Expr::Lambda(id) => {
            let lambda = &facts.lambdas[id.index()];
            (5, lambda.owner).hash(&mut hasher);
        }
        other => {
            (6, std::mem::discriminant(other)).hash(&mut hasher);
            match other {
                Expr::Type(ty) | Expr::Typed(ty) => print_type(facts, *ty).hash(&mut hasher),
                Expr::Either(values) | Expr::Array(values) | Expr::Tuple(values) => {
                    values.iter().for_each(|v| print_at(facts, *v, depth + 1).hash(&mut hasher));
                }
                _ => {}
            }
        }
    }
    hasher.finish()
}

fn print_type(facts: &FileFacts, ty: TypeId) -> u64 {
    let mut hasher = FxHasher::default();
    match facts.ty(ty) {
        TypeExpr::Named { path, scope, .. } => {
            scope.hash(&mut hasher);
            path.iter().for_each(|part| facts.text(*part).hash(&mut hasher));
        }
        TypeExpr::TypeOf(value) => print_at(facts, *value, 0).hash(&mut hasher),
        _ => ty.hash(&mut hasher),
    }
    hasher.finish()
}
