//! The evaluation of one file's expressions. A session remembers what it worked out; what was cut short at a
//! cycle or by a limit it remembers only as long as the head of the cycle, or the question, lasts.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{
    known,
    links::Links,
    memo::{Known, Memo, WHOLE},
    types::{Env, Ty, no_args, no_env},
    world::{DefRef, FileId, ModId, Name, World},
};
use crate::{
    facts::{Bound, DefKind, Expr, ExprId, Flags, ImportId, TypeId},
    languages::{Family, ruby::resolution::Line},
};

/// Evaluations inside one another.
const MAX_DEPTH: u32 = 48;
/// Evaluations that one reference may cause.
const FUEL: u32 = 4_000;

/// How sure a finding is. Ordered from sure to structural.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum How {
    #[default]
    Exact,
    Inferred,
    Dynamic,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entity {
    Def(DefRef, Env),
    Module(ModId),
    Local(FileId, Bound),
    Value(FileId, ExprId),
    TypeParam(DefRef, u16),
    /// A method that values of a known outside type have.
    Method(Rc<Ty>, Name),
    /// Known to come from outside the repository.
    External,
}

/// A type and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) ty: Ty,
    pub(crate) how: How,
}

impl Val {
    pub(crate) const UNKNOWN: Self = Self { ty: Ty::Unknown, how: How::Exact };

    fn new(ty: Ty, how: How) -> Self {
        Self { ty, how }
    }
}

pub(crate) struct Session<'w, 'p> {
    pub(crate) world: &'w World<'p>,
    pub(crate) links: &'w Links,
    types: Memo<(FileId, TypeId), Ty>,
    values: Memo<(FileId, ExprId), Val>,
    /// Where Ruby looks for methods of a class, or of its values.
    pub(crate) ancestry: Memo<(DefRef, bool), Line>,
    /// What imports bring that stands on its own, see [`Session::spent`].
    pub(super) imports: FxHashMap<(FileId, ImportId), Vec<Entity>>,
    /// Imports that are being followed, and those that came round to one of them, with what is known of them so far.
    pub(super) open: FxHashMap<(FileId, ImportId), Vec<Entity>>,
    pub(super) met_open: bool,
    /// What runs when a value of a type without arguments is called, likewise.
    pub(super) callables: FxHashMap<DefRef, Vec<DefRef>>,
    /// The modules that imports lead to.
    pub(super) modules: FxHashMap<(FileId, ImportId), Vec<ModId>>,
    /// What imports of everything bring, and what the search that is going on has met so far.
    pub(super) stars: FxHashMap<(ModId, Name), Vec<Entity>>,
    pub(super) trail: FxHashMap<(ModId, Name), Vec<Entity>>,
    pub(crate) depth: u32,
    /// The depth of the outermost open evaluation that a cycle was cut at.
    cut: u32,
    fuel: u32,
}

impl<'w, 'p> Session<'w, 'p> {
    pub(crate) fn new(world: &'w World<'p>, links: &'w Links) -> Self {
        Self {
            world,
            links,
            types: Memo::default(),
            values: Memo::default(),
            ancestry: Memo::default(),
            imports: FxHashMap::default(),
            open: FxHashMap::default(),
            met_open: false,
            callables: FxHashMap::default(),
            modules: FxHashMap::default(),
            stars: FxHashMap::default(),
            trail: FxHashMap::default(),
            depth: 0,
            cut: WHOLE,
            fuel: FUEL,
        }
    }

    /// Starts a new question.
    pub(crate) fn refuel(&mut self) {
        self.fuel = FUEL;
        self.cut = WHOLE;
        self.forget(0);
    }

    /// Opens an evaluation; `None` at the limit.
    pub(crate) fn begin(&mut self) -> Option<u32> {
        if self.depth >= MAX_DEPTH || self.fuel == 0 {
            self.cut = 0;
            return None;
        }
        self.depth += 1;
        self.fuel -= 1;
        Some(std::mem::replace(&mut self.cut, WHOLE))
    }

    /// Closes it; gives the depth that its result was cut at, if that is outside of it.
    pub(crate) fn end(&mut self, outer: u32) -> u32 {
        let own = if self.cut >= self.depth { WHOLE } else { self.cut };
        self.forget(self.depth);
        self.cut = outer.min(own);
        self.depth -= 1;
        own
    }

    /// Does something, and says how many evaluations that took, unless a cycle or a limit cut it short. What took none but those
    /// that it always takes comes to the same when it is done again: all else was known for good.
    pub(super) fn spent<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Option<u32>) {
        let (fuel, outer) = (self.fuel, std::mem::replace(&mut self.cut, WHOLE));
        let is_open = !self.trail.is_empty();
        let done = work(self);
        let is_whole = self.cut == WHOLE && !is_open;
        self.cut = self.cut.min(outer);
        (done, is_whole.then_some(fuel - self.fuel))
    }

    /// Notes that an import came round to one that is being followed: what is made of it doesn't stand on its own.
    pub(super) fn met_open_import(&mut self) {
        self.met_open = true;
        self.cut = 0;
    }

    /// Counts evaluations that needn't be made because their result is known; `false` when they couldn't have been made.
    pub(super) fn spend(&mut self, evaluations: u32) -> bool {
        let can = self.depth < MAX_DEPTH && self.fuel >= evaluations;
        if can {
            self.fuel -= evaluations;
        }
        can
    }

    /// Takes what is known of a question: `None` when it is to be answered, nothing when that is going on.
    pub(crate) fn recall<V>(&mut self, known: Known<V>) -> Option<Option<V>> {
        let (answer, cut) = match known {
            Known::Answer(answer, cut) => (Some(answer), cut),
            Known::Open(depth) => (None, depth),
            Known::Nothing => return None,
        };
        self.cut = self.cut.min(cut);
        Some(answer)
    }

    /// Forgets what holds only inside of the evaluation at `depth`.
    fn forget(&mut self, depth: u32) {
        self.types.end(depth);
        self.values.end(depth);
        self.ancestry.end(depth);
    }

    /// The type that an annotation names.
    pub(crate) fn eval_type(&mut self, file: FileId, ty: TypeId) -> Ty {
        if !ty.is_known() {
            return Ty::Unknown;
        }
        let key = (file, ty);
        if let Some(known) = self.recall(self.types.get(key)) {
            return known.unwrap_or(Ty::Unknown);
        }
        let Some(outer) = self.begin() else { return Ty::Unknown };
        self.types.open(key, self.depth);
        let ty = self.eval_type_at(file, ty);
        let cut = self.end(outer);
        self.types.close(key, ty.clone(), cut);
        ty
    }

    /// The type of an expression.
    pub(crate) fn type_of(&mut self, file: FileId, expr: ExprId) -> Val {
        if !expr.is_known() {
            return Val::UNKNOWN;
        }
        let key = (file, expr);
        if let Some(known) = self.recall(self.values.get(key)) {
            return known.unwrap_or(Val::UNKNOWN);
        }
        let Some(outer) = self.begin() else { return Val::UNKNOWN };
        self.values.open(key, self.depth);
        let value = self.type_of_at(file, expr);
        let cut = self.end(outer);
        self.values.close(key, value.clone(), cut);
        value
    }

    fn type_of_at(&mut self, file: FileId, expr: ExprId) -> Val {
        let facts = self.world.facts(file);
        match facts.expr(expr) {
            Expr::Unknown => Val::UNKNOWN,
            Expr::Name { .. } | Expr::Member { .. } | Expr::Module(_) | Expr::Super(_) => {
                let (mut entities, how) = self.refer(file, expr);
                self.keep_values(file, &mut entities);
                let mut worst = how;
                let mut types = Vec::new();
                for entity in &entities {
                    let value = self.type_of_entity(entity);
                    worst = worst.max(value.how);
                    types.push(value.ty);
                }
                Val::new(Ty::union(types), worst)
            }
            Expr::Call { callee, args, type_args } => {
                self.call_type(file, *callee, args, type_args)
            }
            Expr::New { callee, args, type_args } => {
                let value = self.call_type(file, *callee, args, type_args);
                Val::new(value.ty, value.how.max(How::Inferred))
            }
            Expr::This(scope) => Val::new(self.this_type(file, *scope), How::Exact),
            Expr::Await(inner) => {
                let value = self.type_of(file, *inner);
                Val::new(known::awaited(self.world, &value.ty), value.how)
            }
            Expr::Unwrap(inner) => {
                let value = self.type_of(file, *inner);
                let ty = if self.world.family(file).labels_arguments() {
                    known::unwrapped_optional(self.world, &value.ty)
                } else {
                    known::unwrapped(self.world, &value.ty)
                };
                Val::new(ty, value.how)
            }
            Expr::Elem(inner) => {
                let value = self.type_of(file, *inner);
                let item = self.elem_of(&value.ty);
                // An item of what is expected is expected, too.
                let item = match facts.expr(*inner) {
                    Expr::Expected(_) | Expr::ExpectedBy(..) => {
                        Ty::union(item.each().iter().map(class_of))
                    }
                    _ => item,
                };
                Val::new(item, value.how.max(How::Inferred))
            }
            Expr::Index(inner) => {
                let value = self.type_of(file, *inner);
                Val::new(self.index_of(&value.ty), value.how)
            }
            Expr::Key(inner) => {
                let value = self.type_of(file, *inner);
                Val::new(self.key_of(&value.ty), value.how)
            }
            Expr::Item(inner, place) => {
                let value = self.type_of(file, *inner);
                let each: Vec<Ty> = value
                    .ty
                    .each()
                    .iter()
                    .map(|ty| match ty {
                        Ty::Tuple(items) => {
                            items.get(usize::from(*place)).cloned().unwrap_or(Ty::Unknown)
                        }
                        Ty::Inst(def, _) if self.world.def(*def).kind == DefKind::Variant => {
                            let carried = self.world.def(*def).params.get(usize::from(*place));
                            carried.map_or(Ty::Unknown, |param| self.eval_type(def.file, param.ty))
                        }
                        other => self.elem_of(other),
                    })
                    .collect();
                Val::new(Ty::union(each), value.how)
            }
            Expr::Enter(inner) => {
                let value = self.type_of(file, *inner);
                Val::new(self.entered(&value.ty), value.how.max(How::Inferred))
            }
            Expr::Typed(ty) => Val::new(self.eval_type(file, *ty), How::Exact),
            Expr::Type(ty) => {
                let each: Vec<Ty> = self.eval_type(file, *ty).each().iter().map(class_of).collect();
                Val::new(Ty::union(each), How::Exact)
            }
            Expr::Expected(ty) => {
                let ty = self.eval_type(file, *ty);
                let ty = known::unwrapped_optional(self.world, &ty);
                Val::new(Ty::union(ty.each().iter().map(class_of)), How::Exact)
            }
            Expr::ExpectedBy(call, argument) => {
                Val::new(self.expected_argument(file, *call, *argument), How::Exact)
            }
            Expr::Lambda(id) => Val::new(Ty::Lambda(file, *id), How::Exact),
            Expr::Either(values) => {
                let mut worst = How::Exact;
                let mut types = Vec::new();
                for value in values {
                    let value = self.type_of(file, *value);
                    worst = worst.max(value.how);
                    types.push(value.ty);
                }
                Val::new(Ty::union(types), worst)
            }
            Expr::Array(values) => {
                let types: Vec<Ty> =
                    values.iter().take(4).map(|value| self.type_of(file, *value).ty).collect();
                Val::new(Ty::List(Rc::new(Ty::union(types))), How::Inferred)
            }
            Expr::Tuple(values) => {
                let types: Vec<Ty> =
                    values.iter().map(|value| self.type_of(file, *value).ty).collect();
                Val::new(Ty::Tuple(types.into()), How::Inferred)
            }
            Expr::Def(def) => {
                self.type_of_entity(&Entity::Def(DefRef { file, def: *def }, no_env()))
            }
            Expr::Literal(name) => {
                Val::new(Ty::Ext(self.world.sym(file, *name), no_args()), How::Exact)
            }
        }
    }

    /// The type of what a name stands for.
    pub(crate) fn type_of_entity(&mut self, entity: &Entity) -> Val {
        match entity {
            Entity::Module(module) => Val::new(Ty::Module(*module), How::Exact),
            Entity::Value(file, value) => self.type_of(*file, *value),
            Entity::TypeParam(def, place) => Val::new(Ty::Param(*def, *place), How::Exact),
            Entity::Method(receiver, name) => {
                Val::new(known::property(self.world, receiver, *name), How::Inferred)
            }
            Entity::External => Val::UNKNOWN,
            Entity::Local(file, bound) => self.bound_type(*file, *bound),
            Entity::Def(def, env) => self.def_type(*def, env),
        }
    }

    fn def_type(&mut self, at: DefRef, env: &Env) -> Val {
        let def = self.world.def(at);
        match def.kind {
            DefKind::Function
                if def.flags.has(Flags::PROPERTY) || self.world.family(at.file) == Family::Ruby =>
            {
                self.result(at, env, None)
            }
            DefKind::Function | DefKind::Macro => Val::new(Ty::Func(at, env.clone()), How::Exact),
            DefKind::Class
            | DefKind::Struct
            | DefKind::Interface
            | DefKind::Trait
            | DefKind::Enum
            | DefKind::Namespace => Val::new(Ty::Class(at, no_args()), How::Exact),
            DefKind::Alias if def.flags.has(Flags::OPAQUE) => {
                Val::new(Ty::Class(at, no_args()), How::Exact)
            }
            DefKind::Alias => {
                let each: Vec<Ty> =
                    self.eval_type(at.file, def.ty).each().iter().map(class_of).collect();
                Val::new(Ty::union(each), How::Exact)
            }
            DefKind::Object | DefKind::Impl => Val::new(Ty::Inst(at, no_args()), How::Exact),
            DefKind::Variant => {
                let parent = self.world.parent(at);
                Val::new(
                    parent.map_or(Ty::Unknown, |parent| Ty::Inst(parent, no_args())),
                    How::Exact,
                )
            }
            DefKind::Field | DefKind::Variable => {
                if def.ty.is_known() {
                    let declared = self.eval_type(at.file, def.ty).fill(env);
                    if declared.is_known() {
                        return Val::new(declared, How::Exact);
                    }
                }
                let value = self.type_of(at.file, def.value);
                Val::new(value.ty.fill(env), value.how.max(How::Inferred))
            }
        }
    }

    fn bound_type(&mut self, file: FileId, bound: Bound) -> Val {
        let facts = self.world.facts(file);
        match bound {
            Bound::Def(def) => self.type_of_entity(&Entity::Def(DefRef { file, def }, no_env())),
            Bound::Import(import) => {
                let entities = self.import(file, import);
                let types: Vec<Ty> =
                    entities.iter().map(|entity| self.type_of_entity(entity).ty).collect();
                Val::new(Ty::union(types), How::Exact)
            }
            Bound::TypeParam(def, place) => {
                Val::new(Ty::Param(DefRef { file, def }, place), How::Exact)
            }
            Bound::Local { ty, value } => {
                if ty.is_known() {
                    let declared = self.eval_type(file, ty);
                    if declared.is_known() {
                        return Val::new(declared, How::Exact);
                    }
                }
                let value = self.type_of(file, value);
                Val::new(value.ty, value.how.max(How::Inferred))
            }
            Bound::Param(def, place) => self.param_type(DefRef { file, def }, place),
            Bound::LambdaParam(id, place) => {
                let lambda = &facts.lambdas[id.index()];
                let Some(param) = lambda.params.get(usize::from(place)) else {
                    return Val::UNKNOWN;
                };
                if param.ty.is_known() {
                    let ty = self.eval_type(file, param.ty);
                    return Val::new(spread(ty, param.variadic, file, self.world), How::Exact);
                }
                let Some((call, argument)) = lambda.context else { return Val::UNKNOWN };
                Val::new(self.expected_param(file, call, argument, place), How::Inferred)
            }
        }
    }

    fn param_type(&mut self, at: DefRef, place: u16) -> Val {
        let def = self.world.def(at);
        let Some(param) = def.params.get(usize::from(place)) else { return Val::UNKNOWN };
        if param.ty.is_known() {
            let ty = self.eval_type(at.file, param.ty);
            return Val::new(spread(ty, param.variadic, at.file, self.world), How::Exact);
        }
        if place == 0 && def.flags.has(Flags::SELF_PARAM) {
            let ty = self.this_type(at.file, def.scope);
            let name = self.world.text(self.world.sym(at.file, param.name));
            return Val::new(
                if matches!(name, "cls" | "mcs") { class_of(&ty) } else { ty },
                How::Exact,
            );
        }
        if def.receiver.is_known() {
            // A variable annotated as a function whose value is this one.
            let annotated = self.eval_type(at.file, def.receiver);
            let ty = self.function_param(&annotated, place);
            if ty.is_known() {
                return Val::new(ty, How::Exact);
            }
        }
        if def.flags.has(Flags::SELF_PARAM) {
            // An override without annotations takes what the method above it says.
            return Val::UNKNOWN;
        }
        let value = self.type_of(at.file, param.default);
        Val::new(value.ty, value.how.max(How::Inferred))
    }

    /// The type of parameter `place` of values of a function type.
    pub(crate) fn function_param(&mut self, ty: &Ty, place: u16) -> Ty {
        let each: Vec<Ty> = known::unwrapped_optional(self.world, ty)
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::FuncType(file, id, env) => {
                    let crate::facts::TypeExpr::Function { params, .. } =
                        self.world.facts(*file).ty(*id)
                    else {
                        return Ty::Unknown;
                    };
                    params
                        .get(usize::from(place))
                        .map_or(Ty::Unknown, |param| self.eval_type(*file, *param).fill(env))
                }
                Ty::Func(def, env) => self.param_type(*def, place).ty.fill(env),
                Ty::Inst(def, args) | Ty::Class(def, args) => match self.only_method(*def) {
                    Some(method) => {
                        let env = Rc::from([(*def, args.clone())]);
                        self.param_type(method, place).ty.fill(&env)
                    }
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }
}

/// The type itself of a value's type.
pub(crate) fn class_of(ty: &Ty) -> Ty {
    match ty {
        Ty::Inst(def, args) => Ty::Class(*def, args.clone()),
        Ty::Ext(name, _) => Ty::ExtItem(*name),
        other => other.clone(),
    }
}

/// A parameter that takes the rest holds many; where the annotation says so already it is kept.
fn spread(ty: Ty, variadic: bool, file: FileId, world: &World<'_>) -> Ty {
    match (variadic, world.family(file)) {
        (true, Family::EcmaScript) | (false, _) => ty,
        (true, _) => Ty::List(Rc::new(ty)),
    }
}
