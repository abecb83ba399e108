//! Scala's declarations: packages and imports, objects, classes and traits, methods, values, extensions and givens.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, Param,
        ReferenceKind, ScopeKind, SupertypeKind, Sym, TypeId, TypeParam,
    },
    languages::scala::pattern,
    lowering::{LoweringContext, MAX_PARTS, ReturnTarget, find, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn declaration<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for annotation in node.named_children().filter(|child| child.kind() == "annotation") {
        lower.children(annotation);
    }
    match lower.kind(node) {
        "package_clause" => package(lower, node),
        "import_declaration" => import(lower, node),
        "object_definition" => type_like(lower, node, DefKind::Namespace),
        "package_object" => {
            // What it has belongs to the package of its name, where the file has nothing else.
            let alone = |other: SyntaxNode<'t>| {
                other == node
                    || matches!(other.kind(), "package_clause" | "import_declaration")
                    || other.is_extra()
            };
            let mut beside = node.parent().into_iter().flat_map(|parent| parent.named_children());
            if let Some(name) = lower.in_field(node, "name").filter(|_| beside.all(alone)) {
                let above = lower.facts.package.clone();
                lower.push_import(lower.import_at(node, above, ImportSelection::All));
                let name = lower.sym_of(name);
                lower.facts.package.push(name);
            }
            if let Some(body) = lower.in_field(node, "body") {
                lower.children(body);
            }
        }
        "class_definition" => type_like(lower, node, DefKind::Class),
        "trait_definition" => type_like(lower, node, DefKind::Trait),
        "enum_definition" => type_like(lower, node, DefKind::Enum),
        "simple_enum_case" | "full_enum_case" => type_like(lower, node, DefKind::Variant),
        "function_definition" | "function_declaration" => function(lower, node, None),
        "val_definition" | "var_definition" | "val_declaration" | "var_declaration" => {
            value(lower, node);
        }
        "type_definition" => {
            let Some(name) = lower.in_field(node, "name") else { return };
            let sym = lower.sym_of(name);
            let id = lower.new_def(DefKind::Alias, sym, node, Some(name));
            lower.declare(id);
            lower.sign(id, node, None);
            let outer = lower.enter(id, ScopeKind::Block);
            type_params(lower, id, node);
            if let Some(ty) = lower.in_field(node, "type") {
                let ty = lower.annotation(ty);
                lower.def_mut(id).ty = ty;
            }
            lower.at = outer;
        }
        "extension_definition" => extension(lower, node),
        "given_definition" => given(lower, node),
        "self_type" => self_type(lower, node),
        _ => lower.children(node),
    }
}

fn package<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let name = lower.in_field(node, "name");
    let parts: Vec<Sym> =
        name.map(kids).unwrap_or_default().into_iter().map(|part| lower.sym_of(part)).collect();
    let above = lower.facts.package.clone();
    if !above.is_empty() {
        // A clause below another one sees what that package has.
        lower.push_import(lower.import_at(node, above, ImportSelection::All));
    }
    lower.facts.package.extend(parts);
    lower.facts.package.truncate(MAX_PARTS);
    if let Some(body) = lower.in_field(node, "body") {
        lower.children(body);
    }
}

fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let path: Vec<SyntaxNode<'t>> = node.fields("path").filter(SyntaxNode::is_named).collect();
    let mut module: Vec<Sym> = path.into_iter().map(|part| lower.sym_of(part)).collect();
    let whole = find(node, "namespace_wildcard").or_else(|| find(node, "as_renamed_identifier"));
    match (find(node, "namespace_selectors"), whole) {
        (Some(list), _) => {
            for selector in kids(list) {
                select(lower, selector, &module);
            }
        }
        (None, Some(selector)) => select(lower, selector, &module),
        (None, None) => {
            let Some(last) = module.pop() else { return };
            let import = lower.import_at(node, module, ImportSelection::Name(last));
            lower.push_import(Import { local: Some(last), ..import });
        }
    }
}

fn select<'t>(lower: &mut LoweringContext<'t>, selector: SyntaxNode<'t>, module: &[Sym]) {
    match selector.kind() {
        "namespace_wildcard" => {
            lower.push_import(lower.import_at(selector, module.to_vec(), ImportSelection::All));
        }
        "identifier" => {
            let name = lower.sym_of(selector);
            let import = lower.import_at(selector, module.to_vec(), ImportSelection::Name(name));
            lower.push_import(Import { local: Some(name), ..import });
        }
        _ => {
            let (Some(name), Some(alias)) =
                (lower.in_field(selector, "name"), lower.in_field(selector, "alias"))
            else {
                return;
            };
            let (name, alias) = (lower.sym_of(name), lower.sym_of(alias));
            let import = lower.import_at(selector, module.to_vec(), ImportSelection::Name(name));
            lower.push_import(Import { local: Some(alias), ..import });
        }
    }
}

fn type_like<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, kind: DefKind) {
    let Some(name) = lower.in_field(node, "name") else {
        lower.children(node);
        return;
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(kind, sym, node, Some(name));
    lower.declare(id);
    let body = lower.in_field(node, "body");
    lower.sign(id, node, body);
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    type_params(lower, id, node);
    let lists: Vec<SyntaxNode<'t>> = node.fields("class_parameters").collect();
    for param in lists.into_iter().flat_map(kids).filter(|p| p.kind() == "class_parameter") {
        let Some(name) = lower.in_field(param, "name") else { continue };
        let sym = lower.sym_of(name);
        let ty = lower.in_field(param, "type").map(|ty| lower.annotation(ty));
        if let Some(default) = lower.in_field(param, "default_value") {
            lower.node(default);
        }
        let field = lower.new_def(DefKind::Field, sym, param, Some(name));
        lower.sign(field, param, None);
        lower.def_mut(field).ty = ty.unwrap_or_default();
    }
    supers(lower, id, node);
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
}

fn supers<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let Some(clause) = lower.in_field(node, "extend") else { return };
    for part in kids(clause) {
        if lower.kind(part) == "arguments" {
            lower.children(part);
            continue;
        }
        let ty = lower.annotation(part);
        if ty.is_known() {
            lower.def_mut(id).supers.push((SupertypeKind::Inherits, ty));
        }
    }
}

/// `name: Type =>` at the start of a body: another name for `this`, and what has to be mixed in beside the type.
fn self_type<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let scope = lower.at.scope;
    let Some(id) = lower.facts.scopes[scope.index()].owner else { return };
    if let Some(name) = parts.first().filter(|name| !matches!(lower.text(**name), "this" | "_")) {
        let name = lower.sym_of(*name);
        let value = lower.push(Expr::This(scope));
        lower.bind(name, 0, BindingTarget::Local { ty: TypeId::UNKNOWN, value });
    }
    if let Some(written) = parts.get(1) {
        let ty = lower.annotation(*written);
        if ty.is_known() {
            lower.def_mut(id).supers.push((SupertypeKind::Required, ty));
        }
    }
}

fn type_params<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let list = lower.in_field(node, "type_parameters");
    let Some(list) = list.or_else(|| find(node, "type_parameters")) else { return };
    for part in kids(list) {
        match lower.kind(part) {
            "identifier" | "type_identifier" => {
                let name = lower.sym_of(part);
                let place =
                    u16::try_from(lower.facts.def(id).type_params.len()).unwrap_or(u16::MAX);
                lower.bind(name, 0, BindingTarget::TypeParam(id, place));
                lower.def_mut(id).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
            }
            "upper_bound" => {
                let ty = lower.in_field(part, "type").map(|ty| lower.annotation(ty));
                if let (Some(ty), Some(last)) = (ty, lower.def_mut(id).type_params.last_mut()) {
                    last.bound = ty;
                }
            }
            _ => {}
        }
    }
}

/// A method; `receiver` is what an extension adds it to: the parameter's name and type.
fn function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    receiver: Option<(Sym, TypeId)>,
) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    let body = lower.in_field(node, "body");
    lower.sign(id, node, body);
    if lower.text(name) == "this" {
        lower.mark(id, DefFlags::CONSTRUCTOR);
    } else {
        lower.declare(id);
    }
    let outer = lower.enter(id, ScopeKind::Function);
    type_params(lower, id, node);
    if let Some((name, ty)) = receiver {
        lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        lower.def_mut(id).receiver = ty;
    }
    let lists = node.fields("parameters");
    let lists: Vec<SyntaxNode<'t>> =
        lists.filter(|list| lower.kind(*list) == "parameters").collect();
    // What is found by the compiler isn't given.
    let found = |list: &SyntaxNode<'t>| {
        list.child(1).is_some_and(|word| matches!(word.kind(), "implicit" | "using"))
    };
    if lists.iter().all(found) {
        lower.mark(id, DefFlags::PROPERTY);
    }
    for (place, list) in lists.into_iter().enumerate() {
        for param in kids(list).into_iter().filter(|param| param.kind() == "parameter") {
            parameter(lower, id, param);
            if place > 0 || found(&list) {
                // A call's first list says how many arguments it has.
                let given = lower.literal("default");
                if let Some(last) = lower.def_mut(id).params.last_mut() {
                    last.default = given;
                }
            }
        }
    }
    if let Some(result) = lower.in_field(node, "return_type") {
        let ty = lower.annotation(result);
        lower.def_mut(id).ty = ty;
    }
    match body {
        Some(body) => {
            let value = lower.kept_value(body);
            if value.is_known() {
                lower.def_mut(id).returns.push(value);
            }
        }
        None => lower.mark(id, DefFlags::DECLARATION),
    }
    lower.at = outer;
}

fn parameter<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let name = lower.sym_of(name);
    let written = lower.in_field(node, "type");
    let variadic = written.is_some_and(|ty| lower.kind(ty) == "repeated_parameter_type");
    let element = written.filter(|_| variadic).and_then(|ty| lower.in_field(ty, "type"));
    let ty = element.or(written).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let default = match lower.in_field(node, "default_value") {
        Some(value) => match lower.kept_value(value) {
            ExprId::UNKNOWN => lower.literal("default"),
            value => value,
        },
        None => ExprId::UNKNOWN,
    };
    let place = u16::try_from(lower.facts.def(id).params.len()).unwrap_or(u16::MAX);
    lower.bind(name, 0, BindingTarget::Param(id, place));
    lower.def_mut(id).params.push(Param { name, ty, default, variadic });
}

fn value<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let local =
        !lower.in_type() && matches!(lower.at.body, ReturnTarget::Def(_) | ReturnTarget::Lambda(_));
    let head = lower.in_field(node, "pattern").or_else(|| lower.in_field(node, "name"));
    let Some(head) = head else {
        lower.children(node);
        return;
    };
    let ty = lower.in_field(node, "type").map(|ty| lower.annotation(ty)).unwrap_or_default();
    let given = lower.in_field(node, "value");
    if local || lower.kind(head) != "identifier" {
        let value = given.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
        if lower.kind(head) == "identifier" {
            lower.bind_local(head, ty, value);
            if let Some(last) = lower.facts.bindings.last_mut() {
                last.from = index(node.end_byte());
            }
        } else {
            pattern(lower, head, value);
        }
        return;
    }
    let sym = lower.sym_of(head);
    let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
    let id = lower.new_def(kind, sym, node, Some(head));
    lower.declare(id);
    lower.sign(id, node, given);
    lower.def_mut(id).ty = ty;
    let outer = lower.at;
    lower.at.owner = Some(id);
    lower.at.scope = lower.push_scope(ScopeKind::Function, Some(id));
    lower.def_mut(id).scope = lower.at.scope;
    let value = given.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
    lower.at = outer;
    lower.def_mut(id).value = value;
}

fn extension<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let param = find(node, "parameters").and_then(|list| find(list, "parameter"));
    let name = param.and_then(|param| lower.in_field(param, "name"));
    let ty = param.and_then(|param| lower.in_field(param, "type"));
    let (Some(name), Some(ty)) = (name, ty) else { return };
    let receiver = (lower.sym_of(name), lower.annotation(ty));
    let bodies: Vec<SyntaxNode<'t>> = node.fields("body").collect();
    for body in bodies {
        let functions =
            if lower.kind(body) == "function_definition" { vec![body] } else { kids(body) };
        for part in functions.into_iter().filter(|part| part.kind() == "function_definition") {
            function(lower, part, Some(receiver));
        }
    }
}

fn given<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let written = lower.in_field(node, "return_type");
    let ty = written.map(|ty| lower.annotation(ty)).unwrap_or_default();
    let outer = lower.at;
    if let Some(name) = lower.in_field(node, "name") {
        let sym = lower.sym_of(name);
        let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
        let id = lower.new_def(kind, sym, node, Some(name));
        lower.declare(id);
        lower.sign(id, node, lower.in_field(node, "body"));
        lower.def_mut(id).ty = ty;
        lower.at.owner = Some(id);
        lower.at.scope = lower.push_scope(ScopeKind::Function, Some(id));
    }
    match lower.in_field(node, "body") {
        Some(body) if lower.kind(body) == "with_template_body" => {
            anonymous(lower, node, written, ty, body);
        }
        Some(body) => {
            lower.node(body);
        }
        None => {}
    }
    lower.at = outer;
}

/// `new Type(…)`, with a body or without.
pub(crate) fn instance<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let body = find(node, "template_body");
    let parts = kids(node);
    let Some(made) =
        parts.iter().find(|part| Some(**part) != body && lower.kind(**part) != "arguments")
    else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let compound = made.kind() == "compound_type";
    let base = if compound { lower.in_field(*made, "base").unwrap_or(*made) } else { *made };
    let applied = lower.kind(base) == "applied_constructor_type";
    let written = if applied { base.named_child(0).unwrap_or(base) } else { base };
    let args = if applied { find(base, "arguments") } else { find(node, "arguments") };
    let ty = lower.annotation(written);
    let callee = lower.push(Expr::Type(ty));
    let row = written.end_position().row;
    let value = lower.invoke(ReferenceKind::New, callee, Vec::new(), args, row);
    match body {
        Some(body) => anonymous(lower, node, Some(written), ty, body),
        None => value,
    }
}

/// The name of a type that stands between its arguments: `(A ~> B)`.
fn operator<'t>(lower: &LoweringContext<'t>, written: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let inner = if lower.kind(written) == "tuple_type" { written.named_child(0)? } else { written };
    let is_infix = lower.kind(inner) == "infix_type";
    lower.in_field(inner, "operator").filter(|_| is_infix)
}

fn anonymous<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    written: Option<SyntaxNode<'t>>,
    ty: TypeId,
    body: SyntaxNode<'t>,
) -> ExprId {
    let operator = written.and_then(|written| operator(lower, written));
    let name = operator.or(written).map_or("", |named| lower.text(named));
    let name = name.split(['[', '(']).next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or_default().trim();
    let name = lower.sym(&format!("<{name}>"));
    let id = lower.new_def(DefKind::Class, name, node, None);
    lower.sign(id, node, Some(body));
    lower.def_mut(id).supers.push((SupertypeKind::Inherits, ty));
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    lower.children(body);
    lower.at = outer;
    let callee = lower.push(Expr::Def(id));
    lower.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() })
}
