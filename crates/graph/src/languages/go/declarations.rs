//! Go's imports, types, fields, variables and methods.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, ScopeKind,
        SupertypeKind, TypeExpr, TypeId, TypeParam,
    },
    languages::go::statements::bind_all,
    lowering::{DeclaredName, LoweringContext, ReturnTarget, Role, Slot, SyntaxNodeFields, kids},
    syntax::SyntaxNode,
};

pub(crate) fn package<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(name) = node.named_child(0) {
        let name = lower.sym_of(name);
        lower.facts.package = vec![name];
    }
}

pub(crate) fn method<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    // Methods have names of their own: a type or function may have the same.
    let name = parts.get(Slot::Name);
    let id = lower.new_named(DefKind::Function, node, name);
    lower.function_parts(id, node, parts);
}

/// `func (s *Store[K, T]) …`: the receiver names the type parameters of its type for the method, by their places.
pub(crate) fn receiver_type_params<'t>(
    lower: &mut LoweringContext<'t>,
    method: DefId,
    receiver: SyntaxNode<'t>,
) {
    let mut ty = receiver;
    while matches!(lower.kind(ty), "pointer_type" | "parenthesized_type")
        && let Some(inner) = ty.named_child(0)
    {
        ty = inner;
    }
    let Some(list) = lower.in_field(ty, "type_arguments") else { return };
    for (place, name) in (0..).zip(kids(list)) {
        let name = lower.sym_of(name);
        lower.bind(name, 0, BindingTarget::TypeParam(method, place));
        lower.def_mut(method).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
    }
}

pub(crate) fn imports<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in kids(node) {
        if lower.kind(child) == "import_spec_list" {
            imports(lower, child);
            continue;
        }
        let Some(path) = lower.in_field(child, "path") else { continue };
        let text = lower.text(path).trim_matches(['"', '`']);
        let mut last = text.rsplit('/').next().unwrap_or(text);
        if last.len() > 1 && last.starts_with('v') && last[1..].chars().all(|c| c.is_ascii_digit())
        {
            last = text.rsplit('/').nth(1).unwrap_or(last);
        }
        let module = lower.sym(text);
        let (taken, local) = match lower.in_field(child, "name") {
            Some(name) if lower.kind(name) == "dot" => (ImportSelection::All, None),
            Some(name) if lower.kind(name) == "blank_identifier" => (ImportSelection::Module, None),
            Some(name) => (ImportSelection::Module, Some(lower.sym_of(name))),
            None => (ImportSelection::Module, Some(lower.sym(last))),
        };
        lower.push_import(Import { local, ..lower.import_at(child, vec![module], taken) });
    }
}

pub(crate) fn type_spec<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let (Some(name), Some(ty)) = (parts.get(Slot::Name), parts.get(Slot::Type)) else { return };
    let kind = match lower.kind(ty) {
        "struct_type" => DefKind::Struct,
        "interface_type" => DefKind::Interface,
        _ => DefKind::Alias,
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(kind, sym, node, Some(name));
    lower.declare(id);
    let outer =
        lower.enter(id, if kind == DefKind::Alias { ScopeKind::Block } else { ScopeKind::Type });
    lower.type_params(id, parts.get(Slot::TypeParams));
    if kind == DefKind::Alias {
        lower.mark(id, DefFlags::OPAQUE);
        lower.sign(id, node, None);
        let ty = lower.annotation(ty);
        lower.def_mut(id).ty = ty;
    } else {
        lower.sign(id, node, ty.named_child(0).filter(|_| kind == DefKind::Struct).or(ty.child(1)));
        for child in kids(ty) {
            if lower.kind(child) == "type_elem" {
                for up in kids(child) {
                    let up = lower.annotation(up);
                    lower.def_mut(id).supers.push((SupertypeKind::Inherits, up));
                }
            } else {
                lower.node(child);
            }
        }
    }
    lower.at = outer;
}

pub(crate) fn fields<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(ty_node) = lower.in_field(node, "type") else { return };
    let ty = lower.annotation(ty_node);
    let names: Vec<SyntaxNode<'t>> = node.fields("name").collect();
    let owner = lower.at.owner;
    if names.is_empty() {
        // Embedded: a field by the type's name whose members are promoted.
        let TypeExpr::Named { path, .. } = lower.facts.ty(ty) else { return };
        let Some(name) = path.last().copied() else { return };
        let field = lower.new_def(DefKind::Field, name, node, None);
        lower.def_mut(field).ty = ty;
        if let Some(owner) = owner {
            lower.def_mut(owner).supers.push((SupertypeKind::Inherits, ty));
        }
    }
    for name in names {
        let sym = lower.sym_of(name);
        let field = lower.new_def(DefKind::Field, sym, node, Some(name));
        lower.sign(field, node, None);
        lower.def_mut(field).ty = ty;
    }
}

pub(crate) fn variables<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let names: Vec<SyntaxNode<'t>> = node.fields("name").collect();
    let values = lower.in_field(node, "value").map(kids).unwrap_or_default();
    if !matches!(lower.at.body, ReturnTarget::File) {
        let values = values.into_iter().map(|value| lower.kept_value(value)).collect::<Vec<_>>();
        bind_all(lower, &names, ty, &values, node);
        return;
    }
    if let ([name], [value]) = (names.as_slice(), values.as_slice())
        && lower.table.role(*value) == Role::Lambda
    {
        let sym = lower.sym_of(*name);
        lower.valued(DefKind::Variable, DeclaredName::at(sym, *name), node, None, Some(*value));
        return;
    }
    let lowered: Vec<ExprId> = values.into_iter().map(|value| lower.kept_value(value)).collect();
    for (place, name) in names.iter().enumerate() {
        let sym = lower.sym_of(*name);
        let id = lower.new_def(DefKind::Variable, sym, node, Some(*name));
        lower.declare(id);
        lower.sign(id, node, None);
        let value = match lowered.as_slice() {
            [one] if names.len() > 1 => {
                lower.push(Expr::Item(*one, u16::try_from(place).unwrap_or(u16::MAX)))
            }
            values => values.get(place).copied().unwrap_or(ExprId::UNKNOWN),
        };
        let def = lower.def_mut(id);
        (def.ty, def.value) = (ty, value);
    }
}

/// `func open() (s *Store, err error) {`: the results are variables of the body.
pub(crate) fn named_results<'t>(lower: &mut LoweringContext<'t>, function: SyntaxNode<'t>) {
    let list = lower.in_field(function, "result");
    for result in
        list.filter(|list| lower.kind(*list) == "parameter_list").map(kids).unwrap_or_default()
    {
        let names: Vec<SyntaxNode<'t>> = result.fields("name").collect();
        let Some(ty) = lower.in_field(result, "type").filter(|_| !names.is_empty()) else {
            continue;
        };
        let ty = lower.ty(ty);
        for name in names {
            lower.bind_local(name, ty, ExprId::UNKNOWN);
        }
    }
}

/// Returns the types of a list of parameters, one for each name.
pub(crate) fn param_types<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
) -> Vec<TypeId> {
    let mut types = Vec::new();
    for child in kids(list) {
        let names = child.fields("name").count().max(1);
        let ty = lower.in_field(child, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
        types.extend(std::iter::repeat_n(ty, names));
    }
    types
}
