//! Which of several functions by one name and number of parameters a call means on the JVM: by what is known of its
//! arguments' types. A type that isn't known fits everywhere.

use super::{
    session::Session,
    types::Ty,
    world::{DefRef, FileId},
};
use crate::index::facts::{DefKind, Expr, Flags, Ref};

/// What plain values of either language are, however they are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Number,
    Text,
    Letter,
    Truth,
}

fn plain(name: &str) -> Option<Plain> {
    match name {
        "int" | "long" | "short" | "byte" | "float" | "double" | "Integer" | "Int" | "Long"
        | "Short" | "Byte" | "Float" | "Double" | "number" => Some(Plain::Number),
        "String" | "string" => Some(Plain::Text),
        "char" | "Character" | "Char" => Some(Plain::Letter),
        "boolean" | "Boolean" | "bool" => Some(Plain::Truth),
        _ => None,
    }
}

impl Session<'_, '_> {
    /// Keeps the functions whose parameters take the arguments, and of these the ones that do so most surely; all when
    /// nothing tells them apart.
    pub(crate) fn by_arguments(
        &mut self,
        file: FileId,
        found: Vec<DefRef>,
        reference: &Ref,
    ) -> Vec<DefRef> {
        let facts = self.world.facts(file);
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
        if found.iter().any(|def| self.world.def(*def).kind != DefKind::Function) {
            return found;
        }
        let given: Vec<Ty> = values
            .iter()
            .map(|value| match facts.expr(*value) {
                Expr::Lambda(id) => Ty::Lambda(file, *id),
                _ => self.type_of(file, *value).ty,
            })
            .collect();
        let scores: Vec<Option<u32>> =
            found.iter().map(|def| self.taken_surely(*def, &given)).collect();
        let Some(best) = scores.iter().flatten().max().copied() else { return found };
        let kept = found.into_iter().zip(scores).filter(|(_, score)| *score == Some(best));
        kept.map(|(def, _)| def).collect()
    }

    /// How surely a function takes these arguments; `None` when it can't.
    fn taken_surely(&mut self, def: DefRef, given: &[Ty]) -> Option<u32> {
        let function = self.world.def(def);
        let skip = usize::from(function.flags.has(Flags::SELF_PARAM));
        let mut sure = 0;
        for (param, given) in function.params.iter().skip(skip).zip(given) {
            if param.variadic {
                break;
            }
            let wanted = self.eval_type(def.file, param.ty);
            sure += self.fits(&wanted, given)?;
        }
        Some(sure)
    }

    /// 0 when nothing is known, more the nearer the types are; `None` when the value can't be of the type.
    fn fits(&mut self, wanted: &Ty, given: &Ty) -> Option<u32> {
        let world = self.world;
        let text = |ty: &Ty| match ty {
            Ty::Ext(name, _) => Some(world.text(*name)),
            _ => None,
        };
        let (to, from) = (text(wanted), text(given));
        match (to.and_then(plain), from.and_then(plain)) {
            (Some(to_kind), Some(from_kind)) if to_kind == from_kind => {
                return Some(if to == from { 2 } else { 1 });
            }
            (Some(Plain::Number), Some(Plain::Letter)) => return Some(0),
            (Some(_), Some(_)) => return None,
            _ => {}
        }
        let made = |ty: &Ty| matches!(ty, Ty::Inst(..) | Ty::Lambda(..) | Ty::List(_));
        match (wanted, given) {
            (Ty::Inst(up, _), Ty::Inst(down, _)) if up == down => Some(2),
            (Ty::Inst(up, _), Ty::Inst(down, _)) => self.builds_on(*down, *up).then_some(1),
            (Ty::Inst(up, _), Ty::Lambda(..)) => {
                (world.def(*up).kind == DefKind::Interface).then_some(1)
            }
            (Ty::Inst(..), _) if from.is_some_and(|name| plain(name).is_some()) => None,
            _ if to.is_some_and(|name| plain(name).is_some()) && made(given) => None,
            _ => Some(u32::from(to.is_some() && to == from)),
        }
    }
}
