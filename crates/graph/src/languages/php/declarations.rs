//! PHP's declarations: namespaces, imports, traits, constants and properties.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection,
        ReferenceKind, ScopeKind, SupertypeKind, TypeExpr, TypeId,
    },
    languages::php::{class_names::class_type, phpdoc},
    lowering::{LoweringContext, find, index, kids, summary},
    syntax::SyntaxNode,
};

/// Keeps a documentation comment. Its types are read when the definition below it is lowered.
pub(crate) fn comment<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let end = node.end_position().row;
    let text = lower.text(node);
    let raw = if text.starts_with("/**") { text.to_owned() } else { summary(text) };
    if let Some((name, ty)) = phpdoc::declared(lower, &raw, node) {
        let (sym, from) = (lower.sym(&name), index(node.end_byte()));
        lower.bind(sym, from, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
    }
    match &mut lower.doc {
        Some((said, last))
            if *last + 1 == node.start_position().row && !said.starts_with("/**") =>
        {
            *last = end;
        }
        _ => lower.doc = Some((raw, end)),
    }
}

pub(crate) fn namespace<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let name = lower.in_field(node, "name").map_or("", |name| lower.text(name));
    let body = lower.in_field(node, "body");
    let beside = node.parent().into_iter().flat_map(|parent| parent.named_children());
    let only = beside.filter(|other| other.kind() == node.kind()).take(2).count() == 1;
    if only {
        lower.facts.package = name.split('\\').map(|part| lower.sym(part)).collect();
        if name.is_empty() {
            lower.facts.package.clear();
        }
    } else if !name.is_empty() {
        // Of several, each is a definition; one without braces lasts to the next.
        lower.at.scope = crate::facts::ScopeId(0);
        lower.at.owner = None;
        let sym = lower.sym(name);
        let id = lower.new_def(DefKind::Namespace, sym, node, None);
        lower.sign(id, node, body);
        let outer = lower.enter(id, ScopeKind::Block);
        if let Some(body) = body {
            lower.children(body);
            lower.at = outer;
        }
        return;
    }
    if let Some(body) = body {
        lower.children(body);
    }
}

pub(crate) fn uses<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let prefix = find(node, "namespace_name").map_or("", |name| lower.text(name));
    let group = lower.in_field(node, "body").unwrap_or(node);
    for clause in kids(group).into_iter().filter(|c| c.kind() == "namespace_use_clause") {
        let Some(name) = clause.named_child(0) else { continue };
        let full = format!("{prefix}\\{}", lower.text(name));
        let mut module: Vec<_> =
            full.split('\\').filter(|part| !part.is_empty()).map(|part| lower.sym(part)).collect();
        let Some(last) = module.pop() else { continue };
        let local = lower.in_field(clause, "alias").map_or(last, |alias| lower.sym_of(alias));
        let import = lower.import_at(node, module, ImportSelection::Name(last));
        lower.push_import(Import { local: Some(local), ..import });
    }
}

/// Traits come before what a class inherits.
pub(crate) fn traits<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(class) = lower.at.owner else { return };
    let names = kids(node).into_iter().filter(|c| c.kind() != "use_list");
    let mut types = Vec::new();
    for (place, name) in names.enumerate() {
        let ty = lower.annotation(name);
        if ty.is_known() {
            types.push(ty);
            let supers = &mut lower.def_mut(class).supers;
            let place = place.min(supers.len());
            supers.insert(place, (SupertypeKind::Inherits, ty));
        }
    }
    let Some(list) = find(node, "use_list") else { return };
    let of_traits = lower.push_type(TypeExpr::Union(types));
    for clause in kids(list) {
        if lower.kind(clause) == "use_as_clause" {
            method_alias(lower, clause, of_traits);
        }
    }
}

/// `get as private doGet`, `T::get as doGet`: a method of the class that is another name for one of a trait.
fn method_alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, of_traits: TypeId) {
    let mut parts = kids(node);
    parts.retain(|part| part.kind() != "visibility_modifier");
    let &[old, new] = parts.as_slice() else { return };
    let (ty, old) = match kids(old).as_slice() {
        [of, name] => (lower.annotation(*of), *name),
        _ => (of_traits, old),
    };
    let sym = lower.sym_of(new);
    let id = lower.new_def(DefKind::Function, sym, node, Some(new));
    lower.sign(id, node, None);
    let outer = lower.enter(id, ScopeKind::Function);
    let (object, name) = (lower.push(Expr::Typed(ty)), lower.sym_of(old));
    let callee = lower.push(Expr::Member { object, name });
    lower.resolve_expr(ReferenceKind::Call, callee, 0, node.start_position().row);
    let value = lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
    lower.def_mut(id).returns.push(value);
    lower.at = outer;
}

pub(crate) fn constants<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let marks = lower.dialect.flags(lower, node);
    for element in kids(node).into_iter().filter(|c| c.kind() == "const_element") {
        let Some(name) = element.named_child(0) else { continue };
        let sym = lower.sym_of(name);
        let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
        let id = lower.new_def(kind, sym, node, Some(name));
        let doc = summary(&lower.facts.def(id).doc);
        lower.def_mut(id).doc = doc;
        lower.declare(id);
        lower.sign(id, element, None);
        lower.mark(id, marks.with(DefFlags::STATIC));
        let value = element.named_child(1).map_or(ExprId::UNKNOWN, |value| lower.node(value));
        lower.def_mut(id).value = value;
    }
}

pub(crate) fn properties<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let marks = lower.dialect.flags(lower, node);
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    for element in kids(node).into_iter().filter(|c| c.kind() == "property_element") {
        let Some(name) = lower.in_field(element, "name") else { continue };
        let sym = lower.sym_of(name);
        let id = lower.new_def(DefKind::Field, sym, node, Some(name));
        let raw = std::mem::take(&mut lower.def_mut(id).doc);
        lower.sign(id, node, None);
        lower.mark(id, marks);
        attributes(lower, id, node);
        let noted = if ty.is_known() { ty } else { phpdoc::variable(lower, &raw, "", node) };
        let value = lower.child(element, "default_value");
        let def = lower.def_mut(id);
        (def.ty, def.value, def.doc) = (noted, value, summary(&raw));
    }
    if let Some(hooks) = find(node, "property_hook_list") {
        lower.in_block(|lower| lower.children(hooks));
    }
}

/// Lowers the attributes that a definition has.
pub(crate) fn attributes<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    if let Some(list) = lower.in_field(node, "attributes") {
        lower.owned_by(id, |lower| lower.children(list));
    }
}

/// Lowers an attribute of a declaration: a reference to its class, and its arguments.
pub(crate) fn attribute<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(name) = node.named_child(0) {
        let ty = class_type(lower, name);
        let target = lower.push(Expr::Type(ty));
        lower.resolve_expr(ReferenceKind::Decorator, target, 0, node.start_position().row);
    }
    if let Some(args) = lower.in_field(node, "parameters") {
        lower.children(args);
    }
}
