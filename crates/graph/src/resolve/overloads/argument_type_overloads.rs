//! Chooses among overloads with the same number of parameters by the types of the arguments, on the JVM and in C++. An
//! unknown type fits every parameter.

use crate::{
    facts::{DefFlags, DefKind, Expr, Reference},
    resolve::{
        inference_results::Ty,
        library_api_table::{AbovePlainValues, PlainValue},
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

/// Where a kind of numbers stands by its range; 0 when that is not known. `None` for other values.
const fn range(value: PlainValue) -> Option<u32> {
    match value {
        PlainValue::Number => Some(0),
        PlainValue::Byte => Some(1),
        PlainValue::Short => Some(2),
        PlainValue::Int => Some(3),
        PlainValue::Long => Some(4),
        PlainValue::Float => Some(5),
        PlainValue::Double => Some(6),
        PlainValue::Text | PlainValue::Letter | PlainValue::Truth => None,
    }
}

/// Returns how well a plain parameter takes a plain value of another name; `None` when it doesn't.
fn widened(to: PlainValue, from: PlainValue) -> Option<u32> {
    match ((to, range(to)), (from, range(from))) {
        ((_, Some(0)), (_, Some(_))) | ((_, Some(_)), (_, Some(0))) => Some(EXACT),
        // The same kind, boxed.
        ((to, _), (from, _)) if to == from => Some(NEAR),
        ((_, Some(to)), (_, Some(from))) => (to > from).then(|| NEAR + 1 - (to - from)),
        ((_, Some(3..)), (PlainValue::Letter, _)) => Some(1),
        // `char *`
        ((PlainValue::Letter, _), (PlainValue::Text, _)) => Some(1),
        _ => None,
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
        let plain = |name: &str| program.library.plain_values.get(name).copied();
        if let Ty::Union(all) = given {
            // Of what is computed from several numbers, the widest is the type; what is joined to a text is one.
            let rank = |ty: &Ty| match ty {
                Ty::Ext(name, _) => match plain(program.text(*name))? {
                    PlainValue::Letter => Some(0),
                    PlainValue::Text => Some(u32::MAX),
                    number => range(number),
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
                let is_above = match program.library.above_plain.get(to) {
                    Some(AbovePlainValues::All) => true,
                    Some(AbovePlainValues::Texts) => value == PlainValue::Text,
                    Some(AbovePlainValues::Numbers) => range(value).is_some(),
                    None => false,
                };
                return is_above.then_some(1);
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
        let plain = |name: &str| program.library.plain_values.get(name).copied();
        let is_plain =
            |ty: &Ty| matches!(ty, Ty::Ext(name, _) if plain(program.text(*name)).is_some());
        // What all types build on is written by its own name.
        let is_root = |ty: &Ty| matches!(ty, Ty::Ext(name, _) if program.library.roots.contains(program.text(*name)));
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
