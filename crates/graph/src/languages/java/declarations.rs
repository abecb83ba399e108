//! Java's imports, records, enum constants and variables.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, ReferenceKind, ScopeKind,
        TypeId,
    },
    lowering::{LoweringContext, ReturnTarget, Slot, SyntaxNodeFields, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn package<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let name = node.named_children().last();
    lower.facts.package = name.map(|name| lower.dotted_of(name)).unwrap_or_default();
}

pub(crate) fn enum_constant<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let Some(name) = parts.get(Slot::Name) else { return };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Variant, sym, node, Some(name));
    lower.sign(id, node, parts.get(Slot::Body));
    if let Some(args) = parts.get(Slot::Args) {
        lower.values(args);
    }
    let outer = lower.enter(id, ScopeKind::Type);
    if let Some(body) = parts.get(Slot::Body) {
        lower.children(body);
    }
    lower.at = outer;
}

/// Notes what annotates a definition, and reads the values in its parentheses.
pub(crate) fn annotations<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    for annotation in find(node, "modifiers").into_iter().flat_map(kids) {
        if matches!(lower.kind(annotation), "annotation" | "marker_annotation") {
            lower.owned_by(id, |lower| annotate(lower, annotation));
        }
    }
}

/// Notes an annotation and those among its values, such as `@All({@One(A.class), @One(B.class)})`.
fn annotate<'t>(lower: &mut LoweringContext<'t>, annotation: SyntaxNode<'t>) {
    let mut open = vec![annotation];
    while let Some(node) = open.pop() {
        match lower.kind(node) {
            "annotation" | "marker_annotation" => {
                let Some(name) = lower.in_field(node, "name") else { continue };
                let path = lower.dotted_of(name);
                let ty = lower.named(path, Vec::new(), name);
                let target = lower.push(Expr::Type(ty));
                let row = name.start_position().row;
                lower.resolve_expr(ReferenceKind::Decorator, target, 0, row);
                open.extend(lower.in_field(node, "arguments"));
            }
            "annotation_argument_list" | "element_value_array_initializer" => {
                open.extend(node.named_children());
            }
            "element_value_pair" => open.extend(lower.in_field(node, "value")),
            _ => {
                lower.node(node);
            }
        }
    }
}

/// A declared type; `var` leaves it to the value.
pub(crate) fn written<'t>(lower: &mut LoweringContext<'t>, ty: SyntaxNode<'t>) -> TypeId {
    if lower.text(ty) == "var" { TypeId::UNKNOWN } else { lower.annotation(ty) }
}

pub(crate) fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = node.named_child(0) else { return };
    let all = node.named_children().any(|child| lower.kind(child) == "asterisk");
    let mut module = lower.dotted_of(name);
    let (taken, local) = if all {
        (ImportSelection::All, None)
    } else {
        let Some(last) = module.pop() else { return };
        (ImportSelection::Name(last), Some(last))
    };
    lower.push_import(Import { local, ..lower.import_at(node, module, taken) });
}

pub(crate) fn record<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let id = lower.type_like(DefKind::Class, node, &parts);
    let Some(list) = parts.get(Slot::Params) else { return };
    let outer = lower.at;
    lower.at.owner = Some(id);
    lower.at.scope = lower.facts.def(id).scope;
    for child in list.named_children() {
        let (Some(name), Some(ty)) = (lower.in_field(child, "name"), lower.in_field(child, "type"))
        else {
            continue;
        };
        let sym = lower.sym_of(name);
        // A component is a field, and a method by its name.
        let field = lower.new_def(DefKind::Field, sym, child, Some(name));
        let ty = lower.annotation(ty);
        lower.def_mut(field).ty = ty;
        lower.mark(field, DefFlags::PROPERTY);
    }
    lower.at = outer;
}

pub(crate) fn variables<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| written(lower, ty));
    let marks = lower.dialect.flags(lower, node);
    let heads: Vec<SyntaxNode<'t>> = node.fields("declarator").collect();
    for head in heads {
        let Some(name) = lower.in_field(head, "name") else { continue };
        let value =
            lower.in_field(head, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
        if lower.kind(node) == "field_declaration"
            && !matches!(lower.at.body, ReturnTarget::Lambda(_))
        {
            let sym = lower.sym_of(name);
            let id = lower.new_def(DefKind::Field, sym, node, Some(name));
            lower.sign(id, node, lower.in_field(head, "value"));
            lower.mark(id, marks);
            annotations(lower, id, node);
            lower.declare_lambda(value, ty);
            let def = lower.def_mut(id);
            (def.ty, def.value) = (ty, value);
        } else {
            lower.bind_local(name, ty, value);
        }
    }
}
