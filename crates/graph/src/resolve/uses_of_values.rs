//! Finds where a file names a value: a variable or a field of the repository. Reading and writing one makes no edge, so its uses are
//! resolved when they are asked for.

use std::collections::BTreeSet;

use crate::{
    facts::{
        DefId, DefKind, Expr, ExprId, FileFacts, ImportId, ImportSelection, PATH_START, ScopeId,
        StructFieldSelector, Sym, TypeExpr,
    },
    resolve::{
        Resolver,
        collect_callback_assignments::fields_of,
        loaded_facts::node_order,
        program_facts::{DefRef, FileId, number},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Members of one another, from the last to the name that the first is of.
const MAX_CHAIN: usize = 64;

/// Where a name of a value stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlaceOfUse<'f> {
    /// At this byte.
    At(u32),
    /// Behind this byte, where the name that it is a member of stands.
    Behind(u32),
    /// In this line, as a member of what its place says.
    InLine(u32),
    /// As a member of the object that runs, or of its member `of`, in these lines.
    OfObject { of: Option<&'f str>, first: u32, last: u32 },
}

/// A use of a value: the name by which the file knows it, and its place.
pub(crate) type UseOfValue<'f> = (&'f str, PlaceOfUse<'f>);

impl Resolver<'_> {
    /// Returns the definition that is a node of a file, by its place among them.
    pub(crate) fn definition_of_node(&self, file: FileId, node: u32) -> Option<DefRef> {
        let place = usize::try_from(node.checked_sub(1)?).ok()?;
        let def = *node_order(self.program.facts(file)).get(place)?;
        Some(DefRef { file, def })
    }

    /// Returns where a file names one of `values`.
    pub(crate) fn uses_of_values(
        &self,
        file: FileId,
        values: &[DefRef],
    ) -> BTreeSet<UseOfValue<'_>> {
        let program = &self.program;
        let facts = program.facts(file);
        let mut inference = self.inference();
        let own: BTreeSet<&str> =
            values.iter().map(|value| program.text(program.def_name(*value))).collect();
        let others = other_names(&mut inference, file, values);
        let mut found = BTreeSet::new();
        for (id, expr) in (0..).map(ExprId).zip(&facts.exprs) {
            let (name, is_named) = match expr {
                Expr::Name { name, .. } => {
                    (*name, own.contains(facts.text(*name)) || others.contains(name))
                }
                Expr::Member { name, .. } => (*name, own.contains(facts.text(*name))),
                _ => continue,
            };
            if !is_named {
                continue;
            }
            inference.begin_question();
            if inference.is_exhausted() {
                break;
            }
            let referents = inference.resolve_expr(file, id).0;
            if referents.iter().any(|referent| is_one_of(referent, values)) {
                let place = place_of(facts, id).or_else(|| line_of(facts, id));
                found.extend(place.map(|place| (facts.text(name), place)));
            }
        }
        for used in facts.named_fields.iter().filter(|it| own.contains(facts.text(it.name))) {
            inference.begin_question();
            let of = inference.eval_type(file, used.ty);
            let named = StructFieldSelector::Named(used.name);
            let fields = fields_of(&mut inference, file, &of, named);
            if fields.iter().any(|field| values.contains(field)) {
                found.insert((facts.text(used.name), PlaceOfUse::At(used.pos)));
            }
        }
        found
    }
}

fn is_one_of(referent: &NameReferent, values: &[DefRef]) -> bool {
    referent.definition().is_some_and(|def| values.contains(&def))
}

/// Returns the names that imports of a file give the values.
fn other_names(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    values: &[DefRef],
) -> BTreeSet<Sym> {
    let mut names = BTreeSet::new();
    for (id, import) in inference.program.facts(file).imports.iter().enumerate() {
        let Some(local) = import.local else { continue };
        inference.begin_question();
        if matches!(import.taken, ImportSelection::Name(_))
            && inference.import(file, ImportId(number(id))).iter().any(|it| is_one_of(it, values))
        {
            names.insert(local);
        }
    }
    names
}

/// Returns the place of a name or member.
fn place_of(facts: &FileFacts, id: ExprId) -> Option<PlaceOfUse<'_>> {
    let mut of = None;
    let mut at = id;
    for _ in 0..MAX_CHAIN {
        at = match facts.expr(at) {
            Expr::Name { name, scope, pos: PATH_START } if at != id => {
                let (first, last) = lines_around(facts, *scope)?;
                let of = of.or(Some(facts.text(*name)));
                return Some(PlaceOfUse::OfObject { of, first, last });
            }
            Expr::Name { pos, .. } if at == id => return Some(PlaceOfUse::At(*pos)),
            Expr::Name { pos, .. } => return Some(PlaceOfUse::Behind(*pos)),
            Expr::This(scope) | Expr::Super(scope) => {
                let (first, last) = lines_around(facts, *scope)?;
                return Some(PlaceOfUse::OfObject { of, first, last });
            }
            Expr::Type(ty) => {
                let TypeExpr::Named { pos, .. } = facts.ty(*ty) else { return None };
                return Some(PlaceOfUse::Behind(*pos));
            }
            Expr::Member { object, name } => {
                if at != id {
                    of = of.or(Some(facts.text(*name)));
                }
                *object
            }
            Expr::Call { callee, .. } | Expr::New { callee, .. } => *callee,
            Expr::Await(inner) | Expr::Index(inner) | Expr::Slice(inner) | Expr::Unwrap(inner) => {
                *inner
            }
            _ => return None,
        };
    }
    None
}

/// Returns the line of a member whose object is not written.
fn line_of(facts: &FileFacts, id: ExprId) -> Option<PlaceOfUse<'_>> {
    let used = facts.member_uses.iter().find(|used| used.member == id)?;
    Some(PlaceOfUse::InLine(used.line))
}

/// Returns the first and last line of the function that a scope stands in, or of the type.
fn lines_around(facts: &FileFacts, scope: ScopeId) -> Option<(u32, u32)> {
    let of = |scope: ScopeId| facts.scopes.get(scope.index());
    let around = std::iter::successors(of(scope), |scope| of(scope.parent?)).take(MAX_CHAIN);
    let owner: DefId = around.filter_map(|scope| scope.owner).next()?;
    let def = facts.def(owner);
    let is_home = def.kind == DefKind::Function || def.kind.is_type();
    is_home.then_some((def.start, def.end))
}
