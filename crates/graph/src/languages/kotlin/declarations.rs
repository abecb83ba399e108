//! Kotlin's declarations: classes with their primary constructors, functions with receivers, properties with accessors.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, Param,
        ReferenceKind, ScopeKind, SupertypeKind, TypeId,
    },
    lowering::{LoweringContext, ReturnTarget, find, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn class<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else {
        lower.children(node);
        return;
    };
    let words: Vec<&str> = node.children().map(|child| lower.kind(child)).collect();
    let enumeration = find(node, "modifiers")
        .is_some_and(|m| lower.text(m).split_whitespace().any(|word| word == "enum"));
    let kind = match () {
        () if words.contains(&"interface") => DefKind::Interface,
        () if enumeration => DefKind::Enum,
        () => DefKind::Class,
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(kind, sym, node, Some(name));
    lower.bind_outside(id);
    let body = find(node, "class_body").or(find(node, "enum_class_body"));
    lower.sign(id, node, body);
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    annotations(lower, id, node);
    lower.type_params(id, find(node, "type_parameters"));
    let primary = find(node, "primary_constructor");
    if let Some(primary) = primary {
        annotations(lower, id, primary);
    }
    if let Some(list) = primary.and_then(|c| find(c, "class_parameters")) {
        for child in kids(list).into_iter().filter(|c| c.kind() == "class_parameter") {
            constructor_param(lower, id, child);
        }
    }
    supers(lower, id, node);
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
}

/// Lowers the annotations of a definition.
fn annotations<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    if let Some(modifiers) = find(node, "modifiers") {
        lower.owned_by(id, |lower| lower.children(modifiers));
    }
}

/// `@Name`, `@Name(value)`, `@[Name Name(value)]`: what stands behind it is decorated by a type.
pub(crate) fn annotation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in kids(node) {
        let (ty, values) = match lower.kind(child) {
            "user_type" => (Some(child), None),
            "constructor_invocation" => (find(child, "user_type"), find(child, "value_arguments")),
            _ => continue,
        };
        let Some(ty) = ty else { continue };
        let row = ty.end_position().row;
        let ty = lower.ty(ty);
        let target = lower.push(Expr::Type(ty));
        lower.resolve_expr(ReferenceKind::Decorator, target, 0, row);
        if let Some(values) = values {
            lower.children(values);
        }
    }
}

fn constructor_param<'t>(lower: &mut LoweringContext<'t>, class: DefId, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let Some(at) = parts.iter().position(|c| lower.kind(*c) == "identifier") else { return };
    let sym = lower.sym_of(parts[at]);
    let ty = parts.get(at + 1).map_or(TypeId::UNKNOWN, |ty| lower.annotation(*ty));
    let default = parts.get(at + 2).map_or(ExprId::UNKNOWN, |value| lower.node(*value));
    annotations(lower, class, node);
    let is_field = node.children().any(|child| matches!(lower.kind(child), "val" | "var"));
    if is_field {
        let field = lower.new_def(DefKind::Field, sym, node, Some(parts[at]));
        lower.sign(field, node, None);
        let def = lower.def_mut(field);
        (def.ty, def.value) = (ty, default);
    } else {
        lower.bind(sym, 0, BindingTarget::Local { ty, value: default });
    }
    lower.def_mut(class).params.push(Param { name: sym, ty, default, variadic: false });
}

pub(crate) fn supers<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    for ty in super_types(lower, node) {
        let ty = lower.annotation(ty);
        if ty.is_known() {
            lower.def_mut(id).supers.push((SupertypeKind::Inherits, ty));
        }
    }
}

/// Lowers what supertypes are given, and returns how they are written.
fn super_types<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let list = find(node, "delegation_specifiers").map(kids).unwrap_or_default();
    let written = list.into_iter().filter_map(|specifier| {
        let inner = specifier.named_child(0)?;
        let inner = if specifier.kind() == "delegation_specifier" { inner } else { specifier };
        match lower.kind(inner) {
            "constructor_invocation" => {
                lower.node(inner);
                find(inner, "user_type")
            }
            "explicit_delegation" => {
                for value in kids(inner).into_iter().skip(1) {
                    lower.node(value);
                }
                inner.named_child(0)
            }
            _ => Some(inner),
        }
    });
    written.collect()
}

pub(crate) fn function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: Option<SyntaxNode<'t>>,
) {
    let Some(name) = name else {
        lower.children(node);
        return;
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    lower.declare(id);
    let body = find(node, "function_body");
    lower.sign(id, node, body);
    let outer = lower.enter(id, ScopeKind::Function);
    annotations(lower, id, node);
    lower.type_params(id, find(node, "type_parameters"));
    let parts = kids(node);
    let at = parts.iter().position(|c| *c == name).unwrap_or(0);
    let is_type = |c: &&SyntaxNode<'t>| c.kind().ends_with("_type");
    if let Some(receiver) = parts[..at].iter().rfind(is_type) {
        let ty = lower.annotation(*receiver);
        lower.def_mut(id).receiver = ty;
        // A condition around it narrows another `this`.
        lower.at.this = TypeId::UNKNOWN;
    }
    params(lower, id, find(node, "function_value_parameters"));
    if let Some(result) = parts[at..].iter().find(is_type) {
        let ty = lower.annotation(*result);
        lower.def_mut(id).ty = ty;
    }
    match body {
        Some(body) => {
            let value = lower.node(body);
            if value.is_known()
                && body.named_child(0).is_none_or(|inner| lower.kind(inner) != "block")
            {
                lower.def_mut(id).returns.push(value);
            }
        }
        None => lower.mark(id, DefFlags::DECLARATION),
    }
    lower.at = outer;
}

pub(crate) fn params<'t>(lower: &mut LoweringContext<'t>, id: DefId, list: Option<SyntaxNode<'t>>) {
    let Some(list) = list else { return };
    let mut variadic = false;
    for child in kids(list) {
        match lower.kind(child) {
            "parameter_modifiers" => {
                variadic = lower.text(child).contains("vararg");
                lower.children(child);
            }
            "parameter" => {
                let parts = kids(child);
                let (Some(name), ty) = (parts.first(), parts.get(1)) else { continue };
                let sym = lower.sym_of(*name);
                let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(*ty));
                let place = u16::try_from(lower.facts.def(id).params.len()).unwrap_or(u16::MAX);
                lower.bind(sym, 0, BindingTarget::Param(id, place));
                lower.def_mut(id).params.push(Param {
                    name: sym,
                    ty,
                    default: ExprId::UNKNOWN,
                    variadic,
                });
                variadic = false;
            }
            // The default of the parameter before it.
            _ => {
                let value = lower.node(child);
                let known = if value.is_known() { value } else { lower.literal("default") };
                if let Some(last) = lower.def_mut(id).params.last_mut() {
                    last.default = known;
                }
            }
        }
    }
}

/// The names of a declaration that its own value doesn't see: `val size = size(1)`.
pub(crate) fn declared_behind<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    value: ExprId,
    whole: SyntaxNode<'t>,
) {
    let first = lower.facts.bindings.len();
    declared_names(lower, node, value);
    for binding in &mut lower.facts.bindings[first..] {
        binding.from = binding.from.max(index(whole.end_byte()));
    }
}

pub(crate) fn declared_names<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    value: ExprId,
) {
    if lower.kind(node) == "multi_variable_declaration" {
        for (place, child) in kids(node).into_iter().enumerate() {
            let item = lower.push(Expr::Item(value, u16::try_from(place).unwrap_or(u16::MAX)));
            declared_names(lower, child, item);
        }
        return;
    }
    let parts = kids(node);
    let Some(name) = parts.iter().find(|c| lower.kind(**c) == "identifier") else { return };
    let ty = parts
        .iter()
        .find(|c| lower.kind(**c).ends_with("_type"))
        .map_or(TypeId::UNKNOWN, |ty| lower.annotation(*ty));
    lower.bind_local(*name, ty, value);
}

pub(crate) fn property<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let Some(at) = parts.iter().position(|c| lower.kind(*c).ends_with("variable_declaration"))
    else {
        lower.children(node);
        return;
    };
    let behind = &parts[at + 1..];
    let accessor = |c: &SyntaxNode<'t>| matches!(c.kind(), "getter" | "setter");
    let local = matches!(lower.at.body, ReturnTarget::Def(_) | ReturnTarget::Lambda(_));
    let declaration = parts[at];
    if local || lower.kind(declaration) == "multi_variable_declaration" {
        find(node, "modifiers").into_iter().for_each(|modifiers| lower.children(modifiers));
        let mut value = ExprId::UNKNOWN;
        for child in behind {
            value = initial(lower, *child);
        }
        declared_behind(lower, declaration, value, node);
        return;
    }
    let inner = kids(declaration);
    let Some(name) = inner.iter().find(|c| lower.kind(**c) == "identifier").copied() else {
        return;
    };
    let sym = lower.sym_of(name);
    let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
    let receiver = parts[..at].iter().rfind(|c| lower.kind(**c).ends_with("_type")).copied();
    let id = lower.new_def(kind, sym, node, Some(name));
    if receiver.is_none() {
        lower.declare(id);
    }
    lower.sign(id, node, behind.first().copied());
    annotations(lower, id, node);
    let outer = lower.at;
    if let Some(receiver) = receiver {
        let ty = lower.annotation(receiver);
        lower.def_mut(id).receiver = ty;
    }
    if let Some(ty) = inner.iter().find(|c| lower.kind(**c).ends_with("_type")) {
        let ty = lower.annotation(*ty);
        lower.def_mut(id).ty = ty;
    }
    for child in behind {
        if accessor(child) {
            lower.at.owner = Some(id);
            lower.at.scope = lower.push_scope(ScopeKind::Function, Some(id));
            lower.node(*child);
            lower.at = outer;
        } else {
            let value = initial(lower, *child);
            lower.def_mut(id).value = value;
        }
    }
}

/// The value of an initialiser or of a delegate: `by lazy { value }`.
fn initial<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    if lower.kind(node) != "property_delegate" {
        return lower.node(node);
    }
    let value = lower.last_child(node);
    let Expr::Call { args, .. } = lower.facts.expr(value) else { return ExprId::UNKNOWN };
    match args.last().map(|last| lower.facts.expr(*last)) {
        Some(Expr::Lambda(id)) => {
            lower.facts.lambdas[id.index()].returns.last().copied().unwrap_or_default()
        }
        _ => ExprId::UNKNOWN,
    }
}

pub(crate) fn package<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(name) = node.named_child(0) {
        lower.facts.package = lower.dotted_of(name);
    }
}

pub(crate) fn companion<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    find(node, "modifiers").into_iter().for_each(|modifiers| lower.children(modifiers));
    let class = lower.at.owner;
    for ty in super_types(lower, node) {
        let ty = lower.annotation(ty);
        if let Some(class) = class.filter(|_| ty.is_known()) {
            lower.def_mut(class).supers.push((SupertypeKind::Companion, ty));
        }
    }
    if let Some(body) = find(node, "class_body") {
        lower.children(body);
    }
}

pub(crate) fn alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let (Some(name), Some(ty)) = (lower.in_field(node, "type"), kids(node).into_iter().next_back())
    else {
        return;
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Alias, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, None);
    annotations(lower, id, node);
    let outer = lower.enter(id, ScopeKind::Block);
    let ty = lower.annotation(ty);
    lower.at = outer;
    lower.def_mut(id).ty = ty;
}

pub(crate) fn secondary_constructor<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let word = "constructor";
    let name = lower.sym(word);
    // Annotations may stand on lines above the word.
    let shown = node.children().find(|part| part.kind() == word);
    let id = lower.new_def(DefKind::Function, name, node, shown);
    lower.mark(id, DefFlags::CONSTRUCTOR);
    lower.sign(id, node, find(node, "block"));
    let outer = lower.enter(id, ScopeKind::Function);
    annotations(lower, id, node);
    params(lower, id, find(node, "function_value_parameters"));
    for child in kids(node) {
        if matches!(lower.kind(child), "block" | "constructor_delegation_call") {
            lower.node(child);
        }
    }
    lower.at = outer;
}

pub(crate) fn enum_entry<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = node.named_child(0) else { return };
    let name =
        if lower.kind(name) == "modifiers" { node.named_child(1).unwrap_or(name) } else { name };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Variant, sym, node, Some(name));
    let outer = lower.enter(id, ScopeKind::Type);
    for child in kids(node) {
        if child != name {
            lower.children(child);
        }
    }
    lower.at = outer;
}

pub(crate) fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let Some(name) = parts.first() else { return };
    let mut module = lower.dotted_of(*name);
    let (taken, local) = if lower.text(node).trim_end().ends_with('*') {
        (ImportSelection::All, None)
    } else {
        let Some(last) = module.pop() else { return };
        let local = parts.get(1).map_or(last, |alias| lower.sym_of(*alias));
        (ImportSelection::Name(last), Some(local))
    };
    lower.push_import(Import { local, ..lower.import_at(node, module, taken) });
}
