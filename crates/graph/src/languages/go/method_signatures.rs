//! Tells Go methods of one name apart by what they take and give back, as far as both types are known.

use crate::{
    facts::{DefKind, TypeExpr, TypeId},
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, ProgramFacts},
        type_inference::TypeInference,
    },
};

/// Types inside one another that are compared.
const MAX_DEPTH: u32 = 6;
/// Names of types that are declared nowhere. `any` is left out: `interface{}` is the same.
const PREDECLARED: &[&str] = &[
    "bool",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Whether two methods can't be the same: one takes or gives back more than the other, or a type that is surely another one.
pub(super) fn differ(inference: &mut TypeInference<'_, '_>, own: DefRef, asked: DefRef) -> bool {
    let program = inference.program;
    let (params, wanted) = (&program.def(own).params, &program.def(asked).params);
    let (results, given) = (results(program, own), results(program, asked));
    if params.len() != wanted.len() || results.len() != given.len() {
        return true;
    }
    let params = params.iter().zip(wanted);
    if params.clone().any(|(own, asked)| own.variadic != asked.variadic) {
        return true;
    }
    let params = params.map(|(own, asked)| (own.ty, asked.ty));
    let pairs: Vec<(TypeId, TypeId)> = params.chain(results.into_iter().zip(given)).collect();
    pairs.into_iter().any(|(left, right)| {
        let left = inference.eval_type(own.file, left);
        let right = inference.eval_type(asked.file, right);
        types_differ(program, &left, &right, 0)
    })
}

/// The types of the results of a method.
fn results(program: &ProgramFacts<'_>, at: DefRef) -> Vec<TypeId> {
    let ty = program.def(at).ty;
    match program.facts(at.file).ty(ty) {
        TypeExpr::Unknown => Vec::new(),
        TypeExpr::Tuple(items) => items.clone(),
        _ => vec![ty],
    }
}

/// Whether two types are surely not the same.
fn types_differ(program: &ProgramFacts<'_>, left: &Ty, right: &Ty, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let differ = |left: &Ty, right: &Ty| types_differ(program, left, right, depth + 1);
    let any_differ = |left: &[Ty], right: &[Ty]| {
        left.len() == right.len() && left.iter().zip(right).any(|(left, right)| differ(left, right))
    };
    match (left, right) {
        // The same name is declared for several platforms.
        (Ty::Union(all), other) | (other, Ty::Union(all)) => {
            all.iter().all(|one| differ(one, other))
        }
        (Ty::List(left), Ty::List(right)) => differ(left, right),
        (Ty::Tuple(left), Ty::Tuple(right)) => any_differ(left, right),
        (Ty::Inst(left, own), Ty::Inst(right, other)) => {
            is_named(program, *left)
                && is_named(program, *right)
                && is_other(program, *left, *right)
                || left == right && any_differ(own, other)
        }
        (Ty::Ext(left, own), Ty::Ext(right, other)) => {
            let (left, right) =
                (predeclared(program.text(*left)), predeclared(program.text(*right)));
            left != right || any_differ(own, other)
        }
        _ => match (form(program, left), form(program, right)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        },
    }
}

/// Whether two types of the repository are not declarations of one type for several platforms.
fn is_other(program: &ProgramFacts<'_>, left: DefRef, right: DefRef) -> bool {
    left != right
        && (program.def_name(left) != program.def_name(right)
            || program.module_of[left.file.index()] != program.module_of[right.file.index()])
}

/// Whether a type has a name of its own, so that no other one is the same.
fn is_named(program: &ProgramFacts<'_>, at: DefRef) -> bool {
    program.def(at).kind != DefKind::Object
}

/// The one name of a type that is declared nowhere.
fn predeclared(name: &str) -> Option<&str> {
    let name = match name {
        "byte" => "uint8",
        "rune" => "int32",
        name => name,
    };
    PREDECLARED.contains(&name).then_some(name)
}

/// How a type is made.
#[derive(PartialEq, Eq)]
enum Form {
    Declared,
    Function,
    Predeclared,
    Row,
}

/// Returns how a type is made, if that is sure.
fn form(program: &ProgramFacts<'_>, ty: &Ty) -> Option<Form> {
    match ty {
        Ty::Inst(at, _) => is_named(program, *at).then_some(Form::Declared),
        Ty::List(_) => Some(Form::Row),
        Ty::FuncType(..) => Some(Form::Function),
        Ty::Ext(name, _) => predeclared(program.text(*name)).map(|_| Form::Predeclared),
        _ => None,
    }
}
