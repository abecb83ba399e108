//! Chooses among overloads with the same number of parameters by the types of the arguments, on the JVM and in C++. An
//! unknown type fits every parameter.

use crate::{
    facts::{DefFlags, DefKind, Expr, Reference},
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

/// The kinds of plain values, boxed or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    /// Ordered by range; 0 when the range is not known.
    Number(u32),
    Text,
    Letter,
    Truth,
}

/// Types that all others build on.
const ROOTS: &[&str] = &["Any", "Object", "object"];

fn plain(name: &str) -> Option<Plain> {
    match name {
        "number" => Some(Plain::Number(0)),
        "byte" | "Byte" => Some(Plain::Number(1)),
        "short" | "Short" => Some(Plain::Number(2)),
        "int" | "Integer" | "Int" => Some(Plain::Number(3)),
        "long" | "Long" => Some(Plain::Number(4)),
        "float" | "Float" => Some(Plain::Number(5)),
        "double" | "Double" => Some(Plain::Number(6)),
        "String" | "string" => Some(Plain::Text),
        "char" | "Character" | "Char" => Some(Plain::Letter),
        "boolean" | "Boolean" | "bool" => Some(Plain::Truth),
        _ => None,
    }
}

/// Returns how well a plain parameter takes a plain value of another name; `None` when it doesn't.
fn widened(to: Plain, from: Plain) -> Option<u32> {
    match (to, from) {
        (Plain::Number(0), Plain::Number(_)) | (Plain::Number(_), Plain::Number(0)) => Some(EXACT),
        // The same kind, boxed.
        (to, from) if to == from => Some(NEAR),
        (Plain::Number(to), Plain::Number(from)) => (to > from).then(|| NEAR + 1 - (to - from)),
        (Plain::Number(3..), Plain::Letter) => Some(1),
        // `char *`
        (Plain::Letter, Plain::Text) => Some(1),
        _ => None,
    }
}

/// Whether a type from elsewhere may be one that plain values have above them.
fn is_above(name: &str, value: Plain) -> bool {
    match name {
        "Object" | "Any" | "AnyVal" | "Comparable" | "Serializable" | "Constable" => true,
        "CharSequence" => value == Plain::Text,
        "Number" => matches!(value, Plain::Number(_)),
        _ => false,
    }
}

const EXACT: u32 = 8;
const NEAR: u32 = 6;

impl TypeInference<'_, '_> {
    /// Keeps the functions whose parameters take the arguments, and of these the ones that do so most surely; all when
    /// nothing tells them apart.
    pub(crate) fn by_arguments(
        &mut self,
        file: FileId,
        found: Vec<DefRef>,
        reference: &Reference,
    ) -> Vec<DefRef> {
        let facts = self.program.facts(file);
        // A call stands right behind what it calls.
        let call = facts.exprs.get(reference.target.index() + 1);
        let values = match call {
            Some(Expr::Call { callee, args, .. } | Expr::New { callee, args, .. })
                if *callee == reference.target =>
            {
                args
            }
            _ => return found,
        };
        if found.iter().any(|def| self.program.def(*def).kind != DefKind::Function) {
            return found;
        }
        let given: Vec<Ty> = values
            .iter()
            .map(|value| match facts.expr(*value) {
                Expr::Lambda(id) => Ty::Lambda(file, *id),
                _ => self.type_of(file, *value).ty,
            })
            .collect();
        let scores: Vec<Option<(bool, u32)>> =
            found.iter().map(|def| self.taken_surely(*def, &given)).collect();
        let Some(best) = scores.iter().flatten().max().copied() else { return found };
        let kept = found.into_iter().zip(scores).filter(|(_, score)| *score == Some(best));
        kept.map(|(def, _)| def).collect()
    }

    /// Whether a function takes these arguments one by one, and how surely; `None` when it can't.
    fn taken_surely(&mut self, def: DefRef, given: &[Ty]) -> Option<(bool, u32)> {
        let function = self.program.def(def);
        let skip = usize::from(function.flags.has(DefFlags::SELF_PARAM));
        let mut sure = 0;
        for (param, given) in function.params.iter().skip(skip).zip(given) {
            if param.variadic {
                return Some((false, sure));
            }
            let wanted = self.eval_type(def.file, param.ty);
            sure += self.fits(&wanted, given)?;
        }
        Some((true, sure))
    }

    /// 0 when nothing is known, more the nearer the types are; `None` when the value can't be of the type.
    fn fits(&mut self, wanted: &Ty, given: &Ty) -> Option<u32> {
        let program = self.program;
        if let Ty::Union(all) = given {
            // Of what is computed from several numbers, the widest is the type; what is joined to a text is one.
            let rank = |ty: &Ty| match ty {
                Ty::Ext(name, _) => match plain(program.text(*name)) {
                    Some(Plain::Number(rank)) => Some(rank),
                    Some(Plain::Letter) => Some(0),
                    Some(Plain::Text) => Some(u32::MAX),
                    _ => None,
                },
                _ => None,
            };
            let widest = all.iter().filter(|ty| rank(ty).is_some()).max_by_key(|ty| rank(ty));
            return match widest {
                Some(widest) if rank(widest) == Some(u32::MAX) => self.fits(wanted, widest),
                Some(widest) if all.iter().all(|ty| rank(ty).is_some()) => {
                    self.fits(wanted, widest)
                }
                _ => Some(0),
            };
        }
        let text = |ty: &Ty| match ty {
            Ty::Ext(name, _) => Some(program.text(*name)),
            _ => None,
        };
        let (to, from) = (text(wanted), text(given));
        match (to.and_then(plain), from.and_then(plain)) {
            (Some(_), Some(_)) if to == from => return Some(EXACT),
            (Some(to), Some(from)) => return widened(to, from),
            (None, Some(value)) if let Some(to) = to => {
                return is_above(to, value).then_some(1);
            }
            _ => {}
        }
        let made = |ty: &Ty| matches!(ty, Ty::Inst(..) | Ty::Lambda(..) | Ty::List(_));
        match (wanted, given) {
            (Ty::Inst(up, _), Ty::Inst(down, _)) if up == down => Some(EXACT),
            (Ty::Inst(up, _), Ty::Inst(down, _)) => self.builds_on(*down, *up).then_some(NEAR),
            (Ty::Inst(up, _), Ty::Lambda(..)) => {
                (program.def(*up).kind == DefKind::Interface).then_some(NEAR)
            }
            (Ty::List(wanted), Ty::List(given)) => self.fits(wanted, given),
            (Ty::Inst(..) | Ty::List(_), _) if from.is_some_and(|name| plain(name).is_some()) => {
                None
            }
            (Ty::List(_), Ty::Inst(..) | Ty::Lambda(..)) | (Ty::Inst(..), Ty::List(_)) => None,
            _ if to.is_some_and(|name| plain(name).is_some()) && made(given) => None,
            _ if to.is_some() && to == from => Some(EXACT),
            _ if to == Some("Type") && from == Some("Class") => Some(1),
            _ => Some(0),
        }
    }

    /// Whether a function hides one of the same name in a supertype, because both take the same parameters.
    pub(super) fn hides(&mut self, near: DefRef, far: DefRef) -> bool {
        let program = self.program;
        let (a, b) = (program.def(near), program.def(far));
        if a.flags.has(DefFlags::PROPERTY) || b.flags.has(DefFlags::PROPERTY) {
            return true;
        }
        a.params.len() == b.params.len()
            && a.params.iter().zip(&b.params).all(|(a, b)| {
                let (a, b) = (self.eval_type(near.file, a.ty), self.eval_type(far.file, b.ty));
                !self.are_apart(&a, &b)
            })
    }

    /// Whether two types are surely not the same.
    fn are_apart(&self, one: &Ty, other: &Ty) -> bool {
        let program = self.program;
        let is_plain =
            |ty: &Ty| matches!(ty, Ty::Ext(name, _) if plain(program.text(*name)).is_some());
        // What all types build on is written by its own name.
        let is_root =
            |ty: &Ty| matches!(ty, Ty::Ext(name, _) if ROOTS.contains(&program.text(*name)));
        match (one, other) {
            (Ty::Ext(a, _), Ty::Ext(b, _)) => {
                match (plain(program.text(*a)), plain(program.text(*b))) {
                    (Some(a), Some(b)) => a != b,
                    (None, None) => false,
                    _ => true,
                }
            }
            (Ty::Inst(a, _), Ty::Inst(b, _)) => {
                let known = |def| {
                    matches!(
                        program.def(def).kind,
                        DefKind::Class | DefKind::Interface | DefKind::Enum
                    )
                };
                a != b && known(*a) && known(*b)
            }
            (Ty::List(a), Ty::List(b)) => self.are_apart(a, b),
            (Ty::Inst(..), Ty::List(_)) | (Ty::List(_), Ty::Inst(..)) => true,
            (Ty::Inst(..) | Ty::List(_), other) => is_plain(other) || is_root(other),
            (one, Ty::Inst(..) | Ty::List(_)) => is_plain(one) || is_root(one),
            _ => false,
        }
    }
}
