//! Facts that another machine has made: before they are used, it is made sure that all numbers are those of rows, and that no walk
//! over parents or parts goes on for ever, which the lowering of a text guarantees. What they say is not judged here.

use std::cell::Cell;

use super::{Expr, FactsError, FileFacts, Table, TypeExpr};

/// Number of tables.
const TABLES: usize = Table::ALL.len();
/// Most rows above or inside of one another: some ten for each of the levels of syntax that lowering goes down.
const MAX_DEPTH: u32 = 1600;
/// The depth of a row whose own rows are being looked at.
const OPEN: u32 = u32::MAX;

thread_local! {
    /// For each table, how many rows the numbers that were read last need.
    static NEEDED: [Cell<usize>; TABLES] = const { [const { Cell::new(0) }; TABLES] };
}

/// Notes that a number was read.
pub(super) fn note(table: Table, id: u32) {
    NEEDED.with(|needed| {
        let rows = &needed[table as usize];
        rows.set(rows.get().max(id as usize + 1));
    });
}

impl FileFacts {
    /// Reads what [`FileFacts::to_bytes`] wrote on another machine, which may have been made to do harm.
    ///
    /// # Errors
    ///
    /// When these are no facts, or none that a text has.
    pub(crate) fn from_foreign_bytes(bytes: &[u8]) -> Result<Self, FactsError> {
        NEEDED.with(|needed| needed.iter().for_each(|rows| rows.set(0)));
        let facts = Self::from_bytes(bytes)?;
        let rows = |table| match table {
            Table::Sym => facts.names.len(),
            Table::DefId => facts.defs.len(),
            Table::ScopeId => facts.scopes.len(),
            Table::ExprId => facts.exprs.len(),
            Table::TypeId => facts.types.len(),
            Table::ImportId => facts.imports.len(),
            Table::LambdaId => facts.lambdas.len(),
        };
        let are_there = |needed: &[Cell<usize>; TABLES]| {
            Table::ALL.iter().all(|table| needed[*table as usize].get() <= rows(*table))
        };
        let is_sound = NEEDED.with(are_there)
            && facts.defs.iter().all(|def| def.start <= def.end)
            && ends(facts.scopes.len(), |at, found| {
                found.extend(facts.scopes[at].parent.map(|it| it.index()));
            })
            && ends(facts.defs.len(), |at, found| {
                found.extend(facts.defs[at].parent.map(|it| it.index()));
            })
            && ends(facts.types.len(), |at, found| {
                let ty = &facts.types[at];
                found.extend(ty.inner().iter().map(|it| it.index()));
                if let TypeExpr::Function { receiver, params, result } = ty {
                    found.extend(params.iter().chain([receiver, result]).map(|it| it.index()));
                }
            })
            && ends(facts.exprs.len(), |at, found| parts(&facts.exprs[at], found));
        if is_sound { Ok(facts) } else { Err(FactsError::unsound()) }
    }
}

/// The expressions inside of one. That an argument names its call is no part: who follows it counts its steps.
fn parts(expr: &Expr, found: &mut Vec<usize>) {
    match expr {
        Expr::Member { object: inner, .. }
        | Expr::Await(inner)
        | Expr::Unwrap(inner)
        | Expr::Elem(inner)
        | Expr::Index(inner)
        | Expr::Slice(inner)
        | Expr::Key(inner)
        | Expr::Item(inner, _)
        | Expr::Enter(inner) => found.push(inner.index()),
        Expr::Call { callee, args, .. } | Expr::New { callee, args, .. } => {
            found.extend(args.iter().chain([callee]).map(|it| it.index()));
        }
        Expr::Either(inner) | Expr::Array(inner) | Expr::Tuple(inner) => {
            found.extend(inner.iter().map(|it| it.index()));
        }
        Expr::Both(first, second) => found.extend([first.index(), second.index()]),
        Expr::ExpectedBy(..)
        | Expr::SetBy(..)
        | Expr::Unknown
        | Expr::Name { .. }
        | Expr::This(_)
        | Expr::Super(_)
        | Expr::Type(_)
        | Expr::Typed(_)
        | Expr::Expected(_)
        | Expr::Lambda(_)
        | Expr::Def(_)
        | Expr::Literal(_)
        | Expr::Module(_) => {}
    }
}

/// Whether every walk from a row to those that it names comes to an end soon.
fn ends(rows: usize, named: impl Fn(usize, &mut Vec<usize>)) -> bool {
    let mut depths = vec![0; rows];
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for row in 0..rows {
        open.push(row);
        while let Some(at) = open.last().copied() {
            if depths[at] != 0 && depths[at] != OPEN {
                open.pop();
                continue;
            }
            found.clear();
            named(at, &mut found);
            if depths[at] == OPEN {
                let depth = found.iter().map(|row| depths[*row]).max().unwrap_or_default() + 1;
                if depth > MAX_DEPTH {
                    return false;
                }
                depths[at] = depth;
                open.pop();
                continue;
            }
            depths[at] = OPEN;
            if found.iter().any(|row| depths[*row] == OPEN) {
                return false;
            }
            open.extend(found.iter().filter(|row| depths[**row] == 0));
        }
    }
    true
}
