//! C#'s declarations: namespaces, delegates and types that stand for functions, operators, fields and properties, primary
//! constructors, bounds.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, Param,
        ReferenceKind, ScopeKind, TypeExpr, TypeId, TypeUse,
    },
    languages::csharp::{dotted, initial, this_word},
    lowering::{LoweringContext, ReturnTarget, Role, Slot, find, kids},
    syntax::SyntaxNode,
};

/// A file's only namespace is its package; where there are several, each is a definition.
pub(crate) fn namespace<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    // A conditional may be around the whole file.
    let is_conditional = |at: &SyntaxNode<'t>| at.kind().starts_with("preproc_");
    let mut around = std::iter::successors(node.parent(), |at| at.parent());
    let root = around.find(|at| !is_conditional(at));
    let root = root.filter(|root| lower.kind(*root) == "compilation_unit");
    let only = root.is_some_and(|root| {
        let beside = kids(root);
        let spaces =
            beside.iter().filter(|c| lower.kind(**c).contains("namespace_declaration")).count();
        let types = beside.iter().any(|c| {
            lower.kind(*c).ends_with("_declaration") && !lower.kind(*c).contains("namespace")
        });
        let is_alone = node.parent() == Some(root) && spaces == 1 && !types;
        lower.kind(node).starts_with("file_scoped") || is_alone
    });
    let body = lower.in_field(node, "body");
    if only && lower.facts.package.is_empty() {
        lower.facts.package = dotted(lower, name);
        match body {
            Some(body) => lower.children(body),
            None => kids(node).into_iter().filter(|c| *c != name).for_each(|c| {
                lower.node(c);
            }),
        }
        return;
    }
    let Some(body) = body else { return };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Namespace, sym, node, Some(name));
    lower.sign(id, node, Some(body));
    let outer = lower.enter(id, ScopeKind::Block);
    lower.children(body);
    lower.at = outer;
}

pub(crate) fn delegate<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Alias, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, None);
    let outer = lower.enter(id, ScopeKind::Block);
    lower.type_params(id, lower.in_field(node, "type_parameters"));
    let mut params = Vec::new();
    for child in lower.in_field(node, "parameters").map(kids).unwrap_or_default() {
        if lower.kind(child) == "parameter" {
            let ty = lower.in_field(child, "type");
            params.push(ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty)));
        }
    }
    let result = lower.in_field(node, "type");
    let result = result.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let ty = lower.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result });
    lower.def_mut(id).ty = ty;
    lower.at = outer;
}

/// Members that have a sign in place of a name.
pub(crate) fn operator<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let name = match lower.kind(node) {
        "indexer_declaration" => "this[]".to_owned(),
        "destructor_declaration" => {
            format!("~{}", parts.get(Slot::Name).map_or("", |name| lower.text(name)))
        }
        "conversion_operator_declaration" => {
            format!("operator {}", parts.get(Slot::Type).map_or("", |ty| lower.text(ty)))
        }
        _ => {
            let sign = lower.in_field(node, "operator").map_or("", |sign| lower.text(sign));
            format!("operator {sign}")
        }
    };
    let sym = lower.sym(&name);
    let id = lower.new_def(DefKind::Function, sym, node, None);
    lower.function_parts(id, node, &parts);
    if let Some(accessors) = lower.in_field(node, "accessors") {
        let outer = lower.at;
        lower.at.owner = Some(id);
        lower.at.scope = lower.facts.def(id).scope;
        lower.at.body = ReturnTarget::Def(id);
        lower.in_block(|lower| lower.children(accessors));
        lower.at = outer;
        lower.sign(id, node, Some(accessors));
        let def = lower.def_mut(id);
        // What its accessors have is a body.
        def.flags = DefFlags(def.flags.0 & !DefFlags::DECLARATION.0);
    }
}

/// Variables of one declaration: members if `member` is the node of a type's member, else locals.
pub(crate) fn variables<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
    member: Option<SyntaxNode<'t>>,
) {
    let ty_node = lower.in_field(list, "type");
    let ty = ty_node.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let marks = member.map(|node| lower.dialect.flags(lower, node));
    for head in kids(list).into_iter().filter(|c| c.kind() == "variable_declarator") {
        let name = lower.in_field(head, "name");
        let (target, given) = match (name, kids(head).as_slice()) {
            (Some(name), parts) => (
                name,
                parts
                    .iter()
                    .rfind(|c| **c != name && lower.kind(**c) != "bracketed_argument_list")
                    .copied(),
            ),
            (None, [pattern, value]) => (*pattern, Some(*value)),
            _ => continue,
        };
        let outer = lower.at;
        let Some(marks) = marks else {
            let given = match given {
                Some(given) => initial(lower, given, ty),
                None => this_word(lower, head),
            };
            lower.local_pattern(target, ty, given);
            continue;
        };
        let sym = lower.sym_of(target);
        let id = lower.new_def(DefKind::Field, sym, member.unwrap_or(list), Some(target));
        lower.sign(id, member.unwrap_or(list), given);
        lower.mark(id, marks);
        let given = given.map_or(ExprId::UNKNOWN, |given| initial(lower, given, ty));
        lower.declare_lambda(given, ty);
        let def = lower.def_mut(id);
        (def.ty, def.value) = (ty, given);
        lower.at = outer;
    }
}

pub(crate) fn property<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Field, sym, node, Some(name));
    let accessors = lower.in_field(node, "accessors");
    let given = lower.in_field(node, "value");
    lower.sign(id, node, accessors.or(given));
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    lower.def_mut(id).ty = ty;
    let outer = lower.at;
    lower.at.owner = Some(id);
    lower.at.scope = lower.push_scope(ScopeKind::Function, Some(id));
    lower.at.body = ReturnTarget::Def(id);
    for list in kids(node).into_iter().filter(|c| c.kind() == "attribute_list") {
        lower.children(list);
    }
    for accessor in accessors.map(kids).unwrap_or_default() {
        lower.in_block(|lower| {
            let sym = lower.sym("value");
            lower.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
            lower.children(accessor);
        });
    }
    if let Some(given) = given {
        let given = initial(lower, given, ty);
        lower.def_mut(id).value = given;
    }
    lower.at = outer;
}

/// `where T : A, B` bounds a type parameter.
pub(crate) fn constraints<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    for clause in kids(node).into_iter().filter(|c| c.kind() == "type_parameter_constraints_clause")
    {
        let Some(name) = clause.named_child(0) else { continue };
        let name = lower.sym_of(name);
        let mut bounds = Vec::new();
        for bound in kids(clause).into_iter().skip(1) {
            if let Some(ty) = lower.in_field(bound, "type") {
                bounds.push(lower.annotation(ty));
            }
        }
        let bound = match bounds.as_slice() {
            [] => continue,
            [one] => *one,
            _ => lower.push_type(TypeExpr::Union(bounds)),
        };
        if let Some(param) =
            lower.def_mut(id).type_params.iter_mut().find(|param| param.name == name)
        {
            param.bound = bound;
        }
    }
}

/// Lowers the parameters after a type's name: those of a record are its properties, those of a class are in scope in its
/// whole body.
pub(crate) fn primary_constructor<'t>(
    lower: &mut LoweringContext<'t>,
    id: DefId,
    node: SyntaxNode<'t>,
) {
    let list = find(node, "parameter_list");
    for child in list.map(kids).unwrap_or_default() {
        let Some(name) = lower.in_field(child, "name") else { continue };
        let sym = lower.sym_of(name);
        let ty = lower.in_field(child, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        if lower.kind(node) == "record_declaration" {
            let field = lower.new_def(DefKind::Field, sym, child, Some(name));
            lower.sign(field, child, None);
            lower.def_mut(field).ty = ty;
        } else {
            lower.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        }
        let param = Param { name: sym, ty, default: ExprId::UNKNOWN, variadic: false };
        lower.def_mut(id).params.push(param);
    }
    // Arguments for the base's constructor.
    let Some(bases) = find(node, "base_list") else { return };
    let args = find(bases, "argument_list")
        .or(find(bases, "primary_constructor_base_type").and_then(|b| find(b, "argument_list")));
    if let (Some(args), Some((_, base))) = (args, lower.facts.def(id).supers.first().copied()) {
        let callee = lower.push(Expr::Type(base));
        lower.invoke(ReferenceKind::New, callee, Vec::new(), Some(args), args.start_position().row);
    }
}

/// `: base(…)` makes the base; `: this(…)` is the type's own affair.
pub(crate) fn chained<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let base = node.children().any(|child| lower.kind(child) == "base");
    let args = find(node, "argument_list");
    let class = lower.facts.def(id).parent;
    let above = class.and_then(|class| lower.facts.def(class).supers.first().copied());
    let row = node.start_position().row;
    match above {
        Some((_, above)) if base => {
            let callee = lower.push(Expr::Type(above));
            lower.invoke(ReferenceKind::New, callee, Vec::new(), args, row);
        }
        _ => {
            if let Some(args) = args {
                lower.children(args);
            }
        }
    }
}

pub(crate) fn fields<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(list) = find(node, "variable_declaration") {
        variables(lower, list, Some(node));
    }
}

pub(crate) fn using<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let Some(target) = parts.last().copied() else { return };
    let alias = lower.in_field(node, "name").filter(|_| parts.len() > 1);
    if let Some(alias) = alias
        && !matches!(lower.kind(target), "identifier" | "qualified_name" | "alias_qualified_name")
    {
        let sym = lower.sym_of(alias);
        let id = lower.new_def(DefKind::Alias, sym, node, Some(alias));
        lower.declare(id);
        let ty = lower.annotation(target);
        lower.def_mut(id).ty = ty;
        lower.mark(id, DefFlags::FILE_LOCAL);
        return;
    }
    let mut module = dotted(lower, target);
    let (taken, local) = match alias {
        Some(alias) => {
            let Some(last) = module.pop() else { return };
            (ImportSelection::Name(last), Some(lower.sym_of(alias)))
        }
        None => (ImportSelection::All, None),
    };
    let public = node.children().any(|child| lower.kind(child) == "global");
    lower.push_import(Import { local, public, ..lower.import_at(node, module, taken) });
}

pub(crate) fn attribute<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let short = lower.ty(name);
    let mut names = vec![lower.push(Expr::Type(short))];
    if let TypeExpr::Named { path, scope, pos, .. } = lower.facts.ty(short).clone()
        && let Some((last, above)) = path.split_last()
    {
        let full = format!("{}Attribute", lower.facts.text(*last));
        let mut path = above.to_vec();
        path.push(lower.sym(&full));
        let long = lower.push_type(TypeExpr::Named { path, args: Vec::new(), scope, pos });
        names.push(lower.push(Expr::Type(long)));
    }
    // `[Authorize<Requirement>]`
    if let TypeExpr::Named { args, .. } = lower.facts.ty(short).clone() {
        args.into_iter().for_each(|arg| lower.type_use(TypeUse::Annotation, arg, name));
    }
    let target = lower.push(Expr::Either(names));
    lower.resolve_expr(ReferenceKind::Decorator, target, 0, node.start_position().row);
    if let Some(args) = find(node, "attribute_argument_list") {
        lower.children(args);
    }
}

/// A function inside a function; the grammar reads `else if (…) { … }` behind a directive as one.
pub(super) fn local_function<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let is_branch = lower.in_field(node, "type").is_some_and(|ty| lower.text(ty) == "else");
    match lower.parts(node).filter(|_| !is_branch) {
        Some(parts) => {
            lower.definition(Role::Function, node, &parts);
        }
        None => lower.children(node),
    }
}

/// `(A, B)`, and `(A left, B right)`, whose parts have names as well: it counts as an outside type that is named by them.
pub(super) fn tuple_type<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let (mut items, mut names) = (Vec::new(), Vec::new());
    for part in kids(node) {
        let ty = lower.in_field(part, "type");
        items.push(ty.map_or(TypeId::UNKNOWN, |ty| lower.ty(ty)));
        names.push(lower.in_field(part, "name").map_or("", |name| lower.text(name)));
    }
    if names.iter().all(|name| name.is_empty()) {
        return lower.push_type(TypeExpr::Tuple(items));
    }
    let name = lower.sym(&format!("({})", names.join(",")));
    lower.named(vec![name], items, node)
}

/// Delegates of the library are function types.
pub(super) fn function_type(
    lower: &mut LoweringContext<'_>,
    name: SyntaxNode<'_>,
    args: &[TypeId],
) -> Option<TypeId> {
    let (params, result) = match (lower.text(name), args) {
        ("Func", [params @ .., result]) => (params.to_vec(), *result),
        ("Action", params) => (params.to_vec(), TypeId::UNKNOWN),
        ("Predicate", [param]) => (vec![*param], TypeId::UNKNOWN),
        _ => return None,
    };
    Some(lower.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result }))
}
