//! Swift's declarations: types, extensions, functions with their argument labels, properties and what runs in them.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, ExprId, Import, ImportSelection, Param, ScopeKind,
        SupertypeKind, TypeExpr, TypeId, TypeParam, UNLABELLED,
    },
    languages::swift::{SyntaxChildWithField, binding_patterns, expected, fields, plain},
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn declaration<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    attributes(lower, node);
    match lower.kind(node) {
        "import_declaration" => import(lower, node),
        "class_declaration" | "protocol_declaration" => type_declaration(lower, node),
        "function_declaration" | "protocol_function_declaration" => {
            // Else an operator.
            if let Some(name) = name_of(node).or_else(|| node.fields("name").next()) {
                function(lower, node, Some(name), DefFlags::default());
            }
        }
        "init_declaration" => {
            function(lower, node, None, DefFlags::CONSTRUCTOR.with(DefFlags::STATIC));
        }
        "deinit_declaration" => function(lower, node, None, DefFlags::default()),
        "subscript_declaration" => function(lower, node, None, DefFlags::default()),
        "property_declaration" => property(lower, node),
        "protocol_property_declaration" => property(lower, node),
        "typealias_declaration" | "associatedtype_declaration" => alias(lower, node),
        "enum_entry" => entries(lower, node),
        _ => lower.children(node),
    }
}

/// Lowers the arguments of a declaration's attributes.
fn attributes<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let modifiers = find(node, "modifiers").map(kids).unwrap_or_default();
    for attribute in modifiers.into_iter().filter(|child| child.kind() == "attribute") {
        for value in kids(attribute).into_iter().skip(1) {
            lower.node(value);
        }
    }
}

/// The name of a declaration. Its result has the same field.
fn name_of(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    node.fields("name").find(|name| matches!(name.kind(), "simple_identifier" | "type_identifier"))
}

fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(path) = find(node, "identifier") else { return };
    let parts: Vec<_> = kids(path).into_iter().map(|part| plain(lower, part)).collect();
    let Some((first, rest)) = parts.split_first() else { return };
    // `import struct Module.Name` takes one name.
    let taken = rest.last().map_or(ImportSelection::All, |name| ImportSelection::Name(*name));
    let local = rest.last().copied();
    let module = vec![*first];
    // Tests may see what isn't public.
    let public = lower.text(node).starts_with("@testable");
    lower.push_import(Import { local, public, ..lower.import_at(node, module, taken) });
}

fn type_declaration<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else {
        lower.children(node);
        return;
    };
    let word = lower.in_field(node, "declaration_kind").map_or("protocol", |w| w.kind());
    let kind = match word {
        "extension" => DefKind::Impl,
        "protocol" => DefKind::Interface,
        "struct" => DefKind::Struct,
        "enum" => DefKind::Enum,
        _ => DefKind::Class,
    };
    let body = lower.in_field(node, "body");
    let id = if kind == DefKind::Impl {
        let sym = lower.sym("");
        let id = lower.new_def(kind, sym, node, Some(name));
        let receiver = lower.annotation(name);
        lower.def_mut(id).receiver = receiver;
        id
    } else {
        let sym = plain(lower, name);
        let id = lower.new_def(kind, sym, node, Some(name));
        lower.declare(id);
        id
    };
    lower.sign(id, node, body);
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    // What a private extension adds is private.
    let marks = lower.facts.def(id).flags;
    type_params(lower, id, node);
    for child in kids(node).into_iter().filter(|child| child.kind() == "inheritance_specifier") {
        if let Some(ty) = lower.in_field(child, "inherits_from") {
            let ty = lower.annotation(ty);
            if ty.is_known() {
                lower.def_mut(id).supers.push((SupertypeKind::Inherits, ty));
            }
        }
    }
    constraints(lower, id, node);
    if let Some(body) = body {
        let first = lower.facts.defs.len();
        lower.children(body);
        if kind == DefKind::Impl && marks.has(DefFlags::PRIVATE) {
            for def in &mut lower.facts.defs[first..] {
                if def.parent == Some(id) {
                    def.flags = def.flags.with(DefFlags::PRIVATE);
                }
            }
        }
    }
    lower.at = outer;
}

fn type_params<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let Some(list) = find(node, "type_parameters") else { return };
    for param in kids(list) {
        let Some(name) = find(param, "type_identifier") else { continue };
        let name = plain(lower, name);
        let place = u16::try_from(lower.facts.def(id).type_params.len()).unwrap_or(u16::MAX);
        lower.bind(name, 0, BindingTarget::TypeParam(id, place));
        lower.def_mut(id).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
        if let Some(bound) = lower.in_field(param, "name") {
            let bound = lower.annotation(bound);
            lower.def_mut(id).type_params[usize::from(place)].bound = bound;
        }
    }
    constraints(lower, id, list);
}

/// `where T: P` bounds a type parameter further.
fn constraints<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let Some(list) = find(node, "type_constraints") else { return };
    for constraint in kids(list).into_iter().filter_map(|constraint| constraint.named_child(0)) {
        let (Some(of), Some(bound)) =
            (lower.in_field(constraint, "constrained_type"), lower.in_field(constraint, "name"))
        else {
            continue;
        };
        if of.named_child_count() > 1 {
            continue;
        }
        let name = lower.sym_of(of);
        let bound = lower.annotation(bound);
        let params = &lower.facts.def(id).type_params;
        let Some(place) = params.iter().position(|param| param.name == name) else { continue };
        let old = params[place].bound;
        let joined =
            if old.is_known() { lower.push_type(TypeExpr::Union(vec![old, bound])) } else { bound };
        lower.def_mut(id).type_params[place].bound = joined;
    }
}

fn function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: Option<SyntaxNode<'t>>,
    marks: DefFlags,
) {
    let (sym, shown) = match name {
        Some(name) => (plain(lower, name), Some(name)),
        None => {
            // Attributes may stand on lines above the word.
            let word = lower.kind(node).trim_end_matches("_declaration");
            (lower.sym(word), node.children().find(|part| part.kind() == word))
        }
    };
    let id = lower.new_def(DefKind::Function, sym, node, shown);
    lower.mark(id, marks);
    if name.is_some() {
        lower.declare(id);
    }
    let body = lower.in_field(node, "body").or_else(|| find(node, "computed_property"));
    lower.sign(id, node, body);
    let outer = lower.enter(id, ScopeKind::Function);
    type_params(lower, id, node);
    let mut result = None;
    for (field, child) in fields(node) {
        match (field, lower.kind(child)) {
            (_, "parameter") => parameter(lower, id, child),
            (_, "async") => lower.mark(id, DefFlags::ASYNC),
            (Some("default_value"), _) if child.is_named() => {
                let ty = lower.facts.def(id).params.last().map_or(TypeId::UNKNOWN, |p| p.ty);
                lower.expected = expected(lower, ty);
                let value = lower.kept_value(child);
                lower.expected = ExprId::UNKNOWN;
                let known = if value.is_known() { value } else { lower.literal("default") };
                if let Some(last) = lower.def_mut(id).params.last_mut() {
                    last.default = known;
                }
            }
            (Some("name"), _) if child.is_named() && Some(child) != name => result = Some(child),
            _ => {}
        }
    }
    constraints(lower, id, node);
    let ty = match result {
        Some(result) => lower.annotation(result),
        None if marks.has(DefFlags::CONSTRUCTOR) => {
            let scope = lower.at.scope;
            lower.push_type(TypeExpr::This(scope))
        }
        None => TypeId::UNKNOWN,
    };
    lower.def_mut(id).ty = ty;
    match body {
        Some(body) => run(lower, body, ty),
        None => lower.mark(id, DefFlags::DECLARATION),
    }
    lower.at = outer;
}

/// A body; the only expression of one is its value.
fn run<'t>(lower: &mut LoweringContext<'t>, body: SyntaxNode<'t>, ty: TypeId) {
    let statements = find(body, "statements");
    let is_value = statements.is_some_and(|list| list.named_child_count() == 1);
    if is_value {
        lower.expected = expected(lower, ty);
    }
    match statements {
        Some(list) if is_value => {
            lower.kept_values(list);
        }
        Some(list) => {
            lower.node(list);
        }
        None => {
            for accessor in kids(body) {
                self::accessor(lower, accessor, ty);
            }
        }
    }
    lower.expected = ExprId::UNKNOWN;
}

/// A getter, setter or observer.
fn accessor<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, ty: TypeId) {
    lower.in_block(|lower| {
        let named = find(node, "simple_identifier").map(|name| plain(lower, name));
        let implied = match lower.kind(node) {
            "computed_setter" | "willset_clause" => "newValue",
            _ => "oldValue",
        };
        let name = named.unwrap_or_else(|| lower.sym(implied));
        lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        if let Some(list) = find(node, "statements") {
            if lower.kind(node) == "computed_getter" && list.named_child_count() == 1 {
                lower.expected = expected(lower, ty);
            }
            lower.node(list);
            lower.expected = ExprId::UNKNOWN;
        }
    });
}

fn parameter<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let (mut label, mut name, mut ty, mut variadic) = (None, None, TypeId::UNKNOWN, false);
    for (field, child) in fields(node) {
        match (field, lower.kind(child)) {
            (Some("external_name"), _) => label = Some(plain(lower, child)),
            (Some("name"), "simple_identifier") if name.is_none() => {
                name = Some(plain(lower, child));
            }
            // A value that is worked out later is handed over as it is.
            (Some("name"), "function_type") if lower.text(node).contains("@autoclosure") => {
                ty = lower.in_field(child, "name").map_or(ty, |ty| lower.annotation(ty));
            }
            (Some("name"), _) if child.is_named() => ty = lower.annotation(child),
            (_, "...") => variadic = true,
            _ => {}
        }
    }
    let name = name.unwrap_or_else(|| lower.sym(UNLABELLED));
    // A subscript's parameters have labels only where they are written.
    let label = label.unwrap_or(name);
    let place = u16::try_from(lower.facts.def(id).params.len()).unwrap_or(u16::MAX);
    lower.bind(name, 0, BindingTarget::Param(id, place));
    let def = lower.def_mut(id);
    def.labels.push(label);
    def.params.push(Param { name, ty, default: ExprId::UNKNOWN, variadic });
}

fn property<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let local =
        !lower.in_type() && matches!(lower.at.body, ReturnTarget::Def(_) | ReturnTarget::Lambda(_));
    let parts = fields(node);
    let mut heads = Vec::new();
    for (field, child) in parts {
        match (field, lower.kind(child)) {
            (Some("name"), "pattern") => heads.push((child, Vec::new())),
            (_, "type_annotation" | "willset_didset_block")
            | (Some("value" | "computed_value"), _)
                if child.is_named() =>
            {
                if let Some((_, rest)) = heads.last_mut() {
                    rest.push((field, child));
                }
            }
            _ => {}
        }
    }
    let marks = lower.dialect.flags(lower, node);
    for (pattern, rest) in heads {
        let ty = rest
            .iter()
            .find(|(_, part)| lower.kind(*part) == "type_annotation")
            .and_then(|(_, part)| lower.in_field(*part, "name"))
            .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        let bound = lower.in_field(pattern, "bound_identifier");
        let (Some(name), false) = (bound, local) else {
            let value = initial(lower, &rest, ty);
            binding_patterns::pattern(lower, pattern, ty, value);
            let outer = lower.at;
            lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
            accessors(lower, &rest, ty, ReturnTarget::File);
            lower.at = outer;
            continue;
        };
        let sym = plain(lower, name);
        let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
        let id = lower.new_def(kind, sym, node, Some(name));
        lower.mark(id, marks);
        lower.declare(id);
        let body = rest.iter().find(|(field, _)| *field == Some("computed_value"));
        lower.sign(id, node, body.map(|(_, body)| *body));
        lower.def_mut(id).ty = ty;
        let outer = lower.at;
        lower.at.owner = Some(id);
        lower.at.scope = lower.push_scope(ScopeKind::Function, Some(id));
        lower.def_mut(id).scope = lower.at.scope;
        let value = initial(lower, &rest, ty);
        accessors(lower, &rest, ty, ReturnTarget::Def(id));
        lower.at = outer;
        lower.def_mut(id).value = value;
    }
}

/// What a property runs when it is read or set.
fn accessors<'t>(
    lower: &mut LoweringContext<'t>,
    rest: &[SyntaxChildWithField<'t>],
    ty: TypeId,
    returns_from: ReturnTarget,
) {
    lower.at.body = returns_from;
    if let Some((_, body)) = rest.iter().find(|(field, _)| *field == Some("computed_value")) {
        run(lower, *body, ty);
    }
    for (_, observers) in rest.iter().filter(|(_, part)| part.kind() == "willset_didset_block") {
        for observer in kids(*observers) {
            accessor(lower, observer, ty);
        }
    }
}

fn initial<'t>(
    lower: &mut LoweringContext<'t>,
    rest: &[SyntaxChildWithField<'t>],
    ty: TypeId,
) -> ExprId {
    let value = rest.iter().find(|(field, _)| *field == Some("value"));
    let Some((_, value)) = value else { return ExprId::UNKNOWN };
    lower.expected = expected(lower, ty);
    let value = lower.kept_value(*value);
    lower.expected = ExprId::UNKNOWN;
    value
}

fn alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let names: Vec<SyntaxNode<'t>> = node.fields("name").filter(SyntaxNode::is_named).collect();
    let Some((name, targets)) = names.split_first() else { return };
    let sym = plain(lower, *name);
    let id = lower.new_def(DefKind::Alias, sym, node, Some(*name));
    if lower.kind(node) == "associatedtype_declaration" {
        lower.mark(id, DefFlags::OPAQUE);
    }
    lower.declare(id);
    lower.sign(id, node, None);
    let outer = lower.enter(id, ScopeKind::Block);
    type_params(lower, id, node);
    if let Some(target) = targets.first() {
        let ty = lower.annotation(*target);
        lower.def_mut(id).ty = ty;
    }
    lower.at = outer;
}

fn entries<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let mut last = None;
    for (field, child) in fields(node) {
        match (field, lower.kind(child)) {
            (Some("name"), "simple_identifier") => {
                let sym = plain(lower, child);
                let id = lower.new_def(DefKind::Variant, sym, node, Some(child));
                lower.sign(id, node, None);
                last = Some(id);
            }
            (_, "enum_type_parameters") => {
                let Some(id) = last else { continue };
                payload(lower, id, child);
            }
            (Some("raw_value"), _) if child.is_named() => {
                lower.node(child);
            }
            _ => {}
        }
    }
}

fn payload<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let outer = lower.enter(id, ScopeKind::Type);
    let mut label = None;
    for (field, child) in fields(node) {
        match (field, lower.kind(child)) {
            (_, "simple_identifier" | "wildcard_pattern") => label = Some(plain(lower, child)),
            (Some("name"), _) if child.is_named() => {
                let ty = lower.annotation(child);
                let name = label.take().unwrap_or_else(|| lower.sym(UNLABELLED));
                let param = Param { name, ty, default: ExprId::UNKNOWN, variadic: false };
                let def = lower.def_mut(id);
                def.labels.push(name);
                def.params.push(param);
            }
            _ if child.is_named() => {
                let value = lower.node(child);
                let known = if value.is_known() { value } else { lower.literal("default") };
                if let Some(last) = lower.def_mut(id).params.last_mut() {
                    last.default = known;
                }
            }
            _ => {}
        }
    }
    lower.at = outer;
}
