//! Evaluates the expressions of one file: to types, and to the referents of names. Final results are memoised. A result
//! that a cycle or a limit cut short is kept until the head of the cycle, or the question, ends.

pub(crate) mod resolution_rules;

use std::rc::Rc;

use retriever_workspace::{BudgetLimits, Exhausted, WorkBudget};
use rustc_hash::FxHashMap;

pub(crate) use crate::resolve::evaluated_expression::{
    Certainty, InferredType, MethodOrder, MethodSide, NameReferent, class_of,
};
use crate::{
    facts::{BindingTarget, DefFlags, DefKind, Expr, ExprId, ImportId, Param, TypeId},
    resolve::{
        attached_members::AttachedMemberTable,
        cycle_memo::{CycleMemo, MemoState, WHOLE},
        library_types,
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts},
        resolution_read_set,
        resolution_rules::ResolutionRules,
        scip_overlay::ScipOverlay,
        types::{Ty, TypeEnv, no_args, no_env},
    },
};

/// Evaluations inside one another.
const MAX_DEPTH: u32 = 48;
/// Evaluations that one reference may cause.
const FUEL: u32 = 4_000;
/// Operations that the references of one file may cause: evaluations, and candidates that are compared. No file of ordinary
/// code comes near it. What is left of a file that needs more stays unresolved.
const FILE_LIMITS: BudgetLimits = BudgetLimits { operations: 10_000_000, ..BudgetLimits::GENEROUS };

/// Items of a list that are looked at for one operation.
const SEARCHED: usize = 16;

pub(crate) struct ExpressionEvaluator<'w, 'p> {
    pub(crate) program: &'w ProgramFacts<'p>,
    pub(crate) attached: &'w AttachedMemberTable,
    pub(super) overlay: &'w ScipOverlay<'p>,
    /// By file.
    rules: &'w [&'static dyn ResolutionRules],
    types: CycleMemo<(FileId, TypeId), Ty>,
    values: CycleMemo<(FileId, ExprId), InferredType>,
    /// Where methods of a type, or of its values, are looked for, where that is not found by supertypes alone.
    pub(crate) ancestry: CycleMemo<(DefRef, MethodSide), MethodOrder>,
    /// What imports bring that stands on its own, see [`ExpressionEvaluator::spent`].
    pub(super) imports: FxHashMap<(FileId, ImportId), Vec<NameReferent>>,
    /// Imports that are being followed, and those that came round to one of them, with what is known of them so far.
    pub(super) open_imports: FxHashMap<(FileId, ImportId), Vec<NameReferent>>,
    pub(super) met_open_import: bool,
    /// What runs when a value of a type without arguments is called, likewise.
    pub(super) callables: FxHashMap<DefRef, Vec<DefRef>>,
    /// The modules that imports lead to.
    pub(super) modules: FxHashMap<(FileId, ImportId), Vec<ModId>>,
    /// What imports of everything bring, and what the search that is going on has met so far.
    pub(super) glob_imports: FxHashMap<(ModId, Name), Vec<NameReferent>>,
    pub(super) open_glob_imports: FxHashMap<(ModId, Name), Vec<NameReferent>>,
    pub(crate) depth: u32,
    /// The depth of the outermost open evaluation that a cycle was cut at.
    cut: u32,
    fuel: u32,
    budget: WorkBudget,
    /// A budget before this one ran out of operations.
    ran_out: bool,
}

impl<'w, 'p> ExpressionEvaluator<'w, 'p> {
    pub(crate) fn new(
        program: &'w ProgramFacts<'p>,
        rules: &'w [&'static dyn ResolutionRules],
        overlay: &'w ScipOverlay<'p>,
        attached: &'w AttachedMemberTable,
    ) -> Self {
        Self {
            program,
            attached,
            overlay,
            rules,
            types: CycleMemo::default(),
            values: CycleMemo::default(),
            ancestry: CycleMemo::default(),
            imports: FxHashMap::default(),
            open_imports: FxHashMap::default(),
            met_open_import: false,
            callables: FxHashMap::default(),
            modules: FxHashMap::default(),
            glob_imports: FxHashMap::default(),
            open_glob_imports: FxHashMap::default(),
            depth: 0,
            cut: WHOLE,
            fuel: FUEL,
            budget: WorkBudget::new(FILE_LIMITS, &program.cancellation),
            ran_out: false,
        }
    }

    /// Returns what the language of a file decides itself.
    pub(crate) fn rules(&self, file: FileId) -> &'static dyn ResolutionRules {
        resolution_read_set::note_file(file);
        self.rules[file.index()]
    }

    /// Starts a new question.
    pub(crate) fn begin_question(&mut self) {
        self.fuel = FUEL;
        self.cut = WHOLE;
        self.forget(0);
    }

    /// Opens an evaluation; `None` at the limit.
    pub(crate) fn begin(&mut self) -> Option<u32> {
        if self.depth >= MAX_DEPTH || self.fuel == 0 || self.budget.spend(1).is_err() {
            self.cut = 0;
            return None;
        }
        self.depth += 1;
        self.fuel -= 1;
        Some(std::mem::replace(&mut self.cut, WHOLE))
    }

    /// Starts a new budget, for work that does not depend on what was done so far.
    pub(crate) fn renew_budget(&mut self) {
        self.ran_out = self.ran_out();
        self.budget = WorkBudget::new(FILE_LIMITS, &self.program.cancellation);
    }

    /// Whether the budget is used up, or the work was cancelled.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.exhausted().is_some()
    }

    /// Whether this budget or one before it ran out of operations, so that something is left unresolved.
    pub(crate) fn ran_out(&self) -> bool {
        self.ran_out || self.budget.exhausted() == Some(Exhausted::Operations)
    }

    /// Spends one operation for each of `candidates`, which are about to be compared. Returns whether the budget lasted;
    /// if not, every later evaluation ends at once.
    pub(crate) fn charge(&self, candidates: usize) -> bool {
        self.budget.spend(candidates as u64).is_ok()
    }

    /// Takes operations for a search through a list of `items`. To look at one costs far less than an evaluation.
    pub(crate) fn charge_search(&self, items: usize) -> bool {
        self.charge(1 + items / SEARCHED)
    }

    /// Closes an evaluation. Returns the depth that its result was cut at, if that is outside of this evaluation.
    pub(crate) fn end(&mut self, outer: u32) -> u32 {
        let own = if self.cut >= self.depth { WHOLE } else { self.cut };
        self.forget(self.depth);
        self.cut = outer.min(own);
        self.depth -= 1;
        own
    }

    /// Runs `work` and returns the number of evaluations that it took, or `None` if a cycle or a limit cut it short. A
    /// result without new evaluations rests on final answers only, so it can be memoised.
    pub(super) fn spent<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Option<u32>) {
        let (fuel, outer) = (self.fuel, std::mem::replace(&mut self.cut, WHOLE));
        let is_open = !self.open_glob_imports.is_empty();
        let done = work(self);
        let is_whole = self.cut == WHOLE && !is_open;
        self.cut = self.cut.min(outer);
        (done, is_whole.then_some(fuel - self.fuel))
    }

    /// Notes that an import led back to one that is being followed, so that its result is not final.
    pub(super) fn meet_open_import(&mut self) {
        self.met_open_import = true;
        self.cut = 0;
    }

    /// Charges the evaluations of a memoised result; `false` when the limits would not have allowed them.
    pub(super) fn spend(&mut self, evaluations: u32) -> bool {
        let can = self.depth < MAX_DEPTH && self.fuel >= evaluations;
        if can {
            self.fuel -= evaluations;
        }
        can
    }

    /// Returns what is memoised of a question: `None` when it has to be answered, `Some(None)` while it is being
    /// answered.
    pub(crate) fn recall<V>(&mut self, known: MemoState<V>) -> Option<Option<V>> {
        let (answer, cut) = match known {
            MemoState::Answer(answer, cut) => (Some(answer), cut),
            MemoState::Open(depth) => (None, depth),
            MemoState::Nothing => return None,
        };
        self.cut = self.cut.min(cut);
        Some(answer)
    }

    /// Forgets results that hold only within the evaluation at `depth`.
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
        self.charge(1);
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
    pub(crate) fn type_of(&mut self, file: FileId, expr: ExprId) -> InferredType {
        if !expr.is_known() {
            return InferredType::UNKNOWN;
        }
        let key = (file, expr);
        self.charge(1);
        if let Some(known) = self.recall(self.values.get(key)) {
            return known.unwrap_or(InferredType::UNKNOWN);
        }
        let Some(outer) = self.begin() else { return InferredType::UNKNOWN };
        self.values.open(key, self.depth);
        let value = self.type_of_at(file, expr);
        let cut = self.end(outer);
        self.values.close(key, value.clone(), cut);
        value
    }

    fn type_of_at(&mut self, file: FileId, expr: ExprId) -> InferredType {
        let facts = self.program.facts(file);
        match facts.expr(expr) {
            Expr::Unknown => InferredType::UNKNOWN,
            Expr::Name { .. } | Expr::Member { .. } | Expr::Module(_) | Expr::Super(_) => {
                let (mut entities, certainty) = self.resolve_expr(file, expr);
                self.keep_values(file, &mut entities);
                let mut worst = certainty;
                let mut types = Vec::new();
                for entity in &entities {
                    let value = self.type_of_entity(entity);
                    worst = worst.max(value.certainty);
                    types.push(value.ty);
                }
                InferredType::new(Ty::union(types), worst)
            }
            Expr::Call { callee, args, type_args } => {
                self.call_type(file, *callee, args, type_args)
            }
            Expr::New { callee, args, type_args } => {
                let value = self.call_type(file, *callee, args, type_args);
                InferredType::new(value.ty, value.certainty.max(Certainty::Inferred))
            }
            Expr::This(scope) => InferredType::new(self.this_type(file, *scope), Certainty::Exact),
            Expr::Await(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(library_types::awaited(self.program, &value.ty), value.certainty)
            }
            Expr::Unwrap(inner) => {
                let value = self.type_of(file, *inner);
                let ty = if self.program.capabilities(file).labels_arguments {
                    library_types::unwrapped_optional(self.program, &value.ty)
                } else {
                    library_types::unwrapped(self.program, &value.ty)
                };
                InferredType::new(ty, value.certainty)
            }
            Expr::Elem(inner) => {
                let value = self.type_of(file, *inner);
                let item = self.element_of(&value.ty);
                // An item of what is expected is expected, too.
                let item = match facts.expr(*inner) {
                    Expr::Expected(_) | Expr::ExpectedBy(..) => {
                        Ty::union(item.each().iter().map(class_of))
                    }
                    _ => item,
                };
                InferredType::new(item, value.certainty.max(Certainty::Inferred))
            }
            Expr::Index(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.index_of(&value.ty), value.certainty)
            }
            Expr::Key(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.key_of(&value.ty), value.certainty)
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
                        Ty::Inst(def, _) if self.program.def(*def).kind == DefKind::Variant => {
                            let carried = self.program.def(*def).params.get(usize::from(*place));
                            carried.map_or(Ty::Unknown, |param| self.eval_type(def.file, param.ty))
                        }
                        other => self.element_of(other),
                    })
                    .collect();
                InferredType::new(Ty::union(each), value.certainty)
            }
            Expr::Enter(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.entered(&value.ty), value.certainty.max(Certainty::Inferred))
            }
            Expr::Typed(ty) => InferredType::new(self.eval_type(file, *ty), Certainty::Exact),
            Expr::Type(ty) => {
                let each: Vec<Ty> = self.eval_type(file, *ty).each().iter().map(class_of).collect();
                InferredType::new(Ty::union(each), Certainty::Exact)
            }
            Expr::Expected(ty) => {
                let ty = self.eval_type(file, *ty);
                let ty = library_types::unwrapped_optional(self.program, &ty);
                InferredType::new(Ty::union(ty.each().iter().map(class_of)), Certainty::Exact)
            }
            Expr::ExpectedBy(call, argument) => {
                InferredType::new(self.expected_argument(file, *call, *argument), Certainty::Exact)
            }
            Expr::Lambda(id) => InferredType::new(Ty::Lambda(file, *id), Certainty::Exact),
            Expr::Either(values) => {
                let mut worst = Certainty::Exact;
                let mut types = Vec::new();
                for value in values {
                    let value = self.type_of(file, *value);
                    worst = worst.max(value.certainty);
                    types.push(value.ty);
                }
                InferredType::new(Ty::union(types), worst)
            }
            Expr::Array(values) => {
                let types: Vec<Ty> =
                    values.iter().take(4).map(|value| self.type_of(file, *value).ty).collect();
                InferredType::new(Ty::List(Rc::new(Ty::union(types))), Certainty::Inferred)
            }
            Expr::Tuple(values) => {
                let types: Vec<Ty> =
                    values.iter().map(|value| self.type_of(file, *value).ty).collect();
                InferredType::new(Ty::Tuple(types.into()), Certainty::Inferred)
            }
            Expr::Def(def) => {
                self.type_of_entity(&NameReferent::Def(DefRef { file, def: *def }, no_env()))
            }
            Expr::Literal(name) => InferredType::new(
                Ty::Ext(self.program.name_of(file, *name), no_args()),
                Certainty::Exact,
            ),
        }
    }

    /// The type of a name's referent.
    pub(crate) fn type_of_entity(&mut self, entity: &NameReferent) -> InferredType {
        match entity {
            NameReferent::Module(module) => {
                InferredType::new(Ty::Module(*module), Certainty::Exact)
            }
            NameReferent::Value(file, value) => self.type_of(*file, *value),
            NameReferent::TypeParam(def, place) => {
                InferredType::new(Ty::Param(*def, *place), Certainty::Exact)
            }
            NameReferent::Method(receiver, name) => InferredType::new(
                library_types::property(self.program, receiver, *name),
                Certainty::Inferred,
            ),
            NameReferent::External => InferredType::UNKNOWN,
            NameReferent::Local(file, bound) => self.bound_type(*file, *bound),
            NameReferent::Def(def, env) => self.def_type(*def, env),
        }
    }

    fn def_type(&mut self, at: DefRef, env: &TypeEnv) -> InferredType {
        let def = self.program.def(at);
        match def.kind {
            DefKind::Function
                if def.flags.has(DefFlags::PROPERTY)
                    || self.program.capabilities(at.file).names_call_methods =>
            {
                self.result(at, env, None)
            }
            DefKind::Function | DefKind::Macro => {
                InferredType::new(Ty::Func(at, env.clone()), Certainty::Exact)
            }
            DefKind::Class
            | DefKind::Struct
            | DefKind::Interface
            | DefKind::Trait
            | DefKind::Enum
            | DefKind::Namespace => InferredType::new(Ty::Class(at, no_args()), Certainty::Exact),
            DefKind::Alias if def.flags.has(DefFlags::OPAQUE) => {
                InferredType::new(Ty::Class(at, no_args()), Certainty::Exact)
            }
            DefKind::Alias => {
                let each: Vec<Ty> =
                    self.eval_type(at.file, def.ty).each().iter().map(class_of).collect();
                InferredType::new(Ty::union(each), Certainty::Exact)
            }
            DefKind::Object | DefKind::Impl => {
                InferredType::new(Ty::Inst(at, no_args()), Certainty::Exact)
            }
            DefKind::Variant => {
                let parent = self.program.parent(at);
                InferredType::new(
                    parent.map_or(Ty::Unknown, |parent| Ty::Inst(parent, no_args())),
                    Certainty::Exact,
                )
            }
            DefKind::Field | DefKind::Variable => {
                if def.ty.is_known() {
                    let declared = self.eval_type(at.file, def.ty).fill(env);
                    if declared.is_known() {
                        return InferredType::new(declared, Certainty::Exact);
                    }
                }
                let value = self.type_of(at.file, def.value);
                InferredType::new(value.ty.fill(env), value.certainty.max(Certainty::Inferred))
            }
        }
    }

    fn bound_type(&mut self, file: FileId, bound: BindingTarget) -> InferredType {
        let facts = self.program.facts(file);
        match bound {
            BindingTarget::Def(def) => {
                self.type_of_entity(&NameReferent::Def(DefRef { file, def }, no_env()))
            }
            BindingTarget::Import(import) => {
                let entities = self.import(file, import);
                let types: Vec<Ty> =
                    entities.iter().map(|entity| self.type_of_entity(entity).ty).collect();
                InferredType::new(Ty::union(types), Certainty::Exact)
            }
            BindingTarget::TypeParam(def, place) => {
                InferredType::new(Ty::Param(DefRef { file, def }, place), Certainty::Exact)
            }
            BindingTarget::Local { ty, value } => {
                if ty.is_known() {
                    let declared = self.eval_type(file, ty);
                    if declared.is_known() {
                        return InferredType::new(declared, Certainty::Exact);
                    }
                }
                let value = self.type_of(file, value);
                InferredType::new(value.ty, value.certainty.max(Certainty::Inferred))
            }
            BindingTarget::Param(def, place) => self.param_type(DefRef { file, def }, place),
            BindingTarget::LambdaParam(id, place) => {
                let lambda = &facts.lambdas[id.index()];
                let Some(param) = lambda.params.get(usize::from(place)) else {
                    return InferredType::UNKNOWN;
                };
                if param.ty.is_known() {
                    let ty = self.eval_type(file, param.ty);
                    return InferredType::new(
                        spread(ty, param, file, self.program),
                        Certainty::Exact,
                    );
                }
                let Some((call, argument)) = lambda.context else { return InferredType::UNKNOWN };
                InferredType::new(
                    self.expected_param(file, call, argument, place),
                    Certainty::Inferred,
                )
            }
        }
    }

    fn param_type(&mut self, at: DefRef, place: u16) -> InferredType {
        let def = self.program.def(at);
        let Some(param) = def.params.get(usize::from(place)) else { return InferredType::UNKNOWN };
        if param.ty.is_known() {
            let ty = self.eval_type(at.file, param.ty);
            return InferredType::new(spread(ty, param, at.file, self.program), Certainty::Exact);
        }
        if place == 0 && def.flags.has(DefFlags::SELF_PARAM) {
            let ty = self.this_type(at.file, def.scope);
            let name = self.program.text(self.program.name_of(at.file, param.name));
            return InferredType::new(
                if matches!(name, "cls" | "mcs") { class_of(&ty) } else { ty },
                Certainty::Exact,
            );
        }
        if def.receiver.is_known() {
            // A variable annotated as a function whose value is this one.
            let annotated = self.eval_type(at.file, def.receiver);
            let ty = self.function_param(&annotated, place);
            if ty.is_known() {
                return InferredType::new(ty, Certainty::Exact);
            }
        }
        if def.flags.has(DefFlags::SELF_PARAM) {
            // An override without annotations takes what the method above it says.
            return InferredType::UNKNOWN;
        }
        let value = self.type_of(at.file, param.default);
        InferredType::new(value.ty, value.certainty.max(Certainty::Inferred))
    }

    /// The type of parameter `place` of values of a function type.
    pub(crate) fn function_param(&mut self, ty: &Ty, place: u16) -> Ty {
        let each: Vec<Ty> = library_types::unwrapped_optional(self.program, ty)
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::FuncType(file, id, env) => {
                    let crate::facts::TypeExpr::Function { params, .. } =
                        self.program.facts(*file).ty(*id)
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

/// A rest parameter holds a list; an annotation that names the list itself is kept.
fn spread(ty: Ty, param: &Param, file: FileId, program: &ProgramFacts<'_>) -> Ty {
    if param.variadic && !program.capabilities(file).rest_is_annotated_whole {
        Ty::List(Rc::new(ty))
    } else {
        ty
    }
}
