//! Kotlin: primary constructors, properties, extension functions, lambdas behind calls, smart casts.

pub(crate) mod calls;
pub(crate) mod declarations;
pub(crate) mod rules;

use retriever_workspace::Exhausted;

use crate::{
    facts::{
        Bound, DefKind, Expr, ExprId, Flags, Import, ImportId, RefKind, ScopeKind, Taken, TypeExpr,
        TypeId,
    },
    languages::kotlin::{
        calls::{call, lambda, lambda_param},
        declarations::{
            class, declared_behind, declared_names, function, params, property, supers,
        },
    },
    lowering::{Body, Dialect, Lower, find, index, kids},
    syntax::Node,
};

pub(crate) struct Kotlin;

impl Dialect for Kotlin {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        match lower.kind(node) {
            "package_header" => {
                if let Some(name) = node.named_child(0) {
                    lower.facts.package = lower.dotted_of(name);
                }
            }
            "import" => import(lower, node),
            "class_declaration" | "object_declaration" => class(lower, node),
            // What a companion has belongs to its class.
            "companion_object" => {
                if let Some(body) = find(node, "class_body") {
                    lower.children(body);
                }
            }
            "type_alias" => {
                let (Some(name), Some(ty)) =
                    (lower.in_field(node, "type"), kids(node).into_iter().next_back())
                else {
                    return ExprId::UNKNOWN;
                };
                let sym = lower.sym_of(name);
                let id = lower.new_def(DefKind::Alias, sym, node, Some(name));
                lower.declare(id);
                lower.sign(id, node, None);
                let ty = lower.annotation(ty);
                lower.def_mut(id).ty = ty;
            }
            "function_declaration" => {
                function(lower, node, lower.in_field(node, "name"));
            }
            "secondary_constructor" => {
                let name = lower.sym("constructor");
                let id = lower.new_def(DefKind::Function, name, node, None);
                lower.mark(id, Flags::CONSTRUCTOR);
                lower.sign(id, node, find(node, "block"));
                let outer = lower.enter(id, ScopeKind::Function);
                params(lower, id, find(node, "function_value_parameters"));
                for child in kids(node) {
                    if matches!(lower.kind(child), "block" | "constructor_delegation_call") {
                        lower.node(child);
                    }
                }
                lower.at = outer;
            }
            "property_declaration" => property(lower, node),
            "setter" => {
                lower.in_block(|lower| lower.children(node));
            }
            "enum_entry" => {
                let Some(name) = node.named_child(0) else { return ExprId::UNKNOWN };
                let name = if lower.kind(name) == "modifiers" {
                    node.named_child(1).unwrap_or(name)
                } else {
                    name
                };
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
            "for_statement" => {
                lower.in_block(|lower| {
                    let parts = kids(node);
                    let declared =
                        parts.iter().position(|c| lower.kind(*c).ends_with("variable_declaration"));
                    let value = declared
                        .and_then(|at| parts.get(at + 1))
                        .map_or(ExprId::UNKNOWN, |value| lower.node(*value));
                    let item = lower.push(Expr::Elem(value));
                    if let Some(at) = declared {
                        declared_names(lower, parts[at], item);
                        for rest in parts.into_iter().skip(at + 2) {
                            lower.node(rest);
                        }
                    }
                });
            }
            "if_expression" => {
                let condition = lower.in_field(node, "condition").or(node.named_child(0));
                if let Some(condition) = condition {
                    lower.node(condition);
                }
                let mut values = Vec::new();
                for (place, child) in
                    kids(node).into_iter().filter(|c| Some(*c) != condition).enumerate()
                {
                    values.push(lower.in_block(|lower| {
                        if let (0, Some(condition)) = (place, condition) {
                            lower.dialect.narrow(lower, condition);
                        }
                        lower.node(child)
                    }));
                }
                return lower.push(Expr::Either(values));
            }
            "when_expression" => return when(lower, node),
            "catch_block" => {
                lower.in_block(|lower| {
                    let parts = kids(node);
                    if let (Some(name), Some(ty)) = (
                        parts.iter().find(|c| lower.kind(**c) == "identifier"),
                        parts.iter().find(|c| lower.kind(**c).ends_with("_type")),
                    ) {
                        let ty = lower.annotation(*ty);
                        lower.bind_local(*name, ty, ExprId::UNKNOWN);
                    }
                    if let Some(block) = find(node, "block") {
                        lower.node(block);
                    }
                });
            }
            "call_expression" => return call(lower, node),
            "this_expression" => {
                let known = lower.at.this;
                return lower.push(if known.is_known() && lower.text(node) == "this" {
                    Expr::Typed(known)
                } else {
                    Expr::This(lower.at.scope)
                });
            }
            "constructor_invocation" => {
                let Some(ty) = find(node, "user_type") else { return ExprId::UNKNOWN };
                let written = lower.annotation(ty);
                let callee = lower.push(Expr::Type(written));
                let row = ty.end_position().row;
                return lower.invoke(
                    RefKind::New,
                    callee,
                    Vec::new(),
                    find(node, "value_arguments"),
                    row,
                );
            }
            "navigation_expression" => {
                let parts = kids(node);
                let (Some(object), Some(name)) = (parts.first(), parts.last()) else {
                    return ExprId::UNKNOWN;
                };
                if parts.len() < 2 {
                    return lower.node(*object);
                }
                let object = lower.node(*object);
                let name = lower.sym_of(*name);
                return lower.push(Expr::Member { object, name });
            }
            "as_expression" => {
                let parts = kids(node);
                if let [value, .., ty] = parts.as_slice() {
                    lower.node(*value);
                    let ty = lower.annotation(*ty);
                    return lower.push(Expr::Typed(ty));
                }
            }
            "unary_expression" => {
                let value = lower.last_child(node);
                return if lower.text(node).ends_with("!!") {
                    lower.push(Expr::Unwrap(value))
                } else {
                    // The grammar reads `!ready()` as a call of `!ready`.
                    value
                };
            }
            "infix_expression" => {
                let parts = kids(node);
                if let [left, name, right] = parts.as_slice() {
                    let object = lower.node(*left);
                    let name_sym = lower.sym_of(*name);
                    let callee = lower.push(Expr::Member { object, name: name_sym });
                    let value = lower.node(*right);
                    lower.resolve_expr(RefKind::Call, callee, 1, name.start_position().row);
                    return lower.push(Expr::Call {
                        callee,
                        args: vec![value],
                        type_args: Vec::new(),
                    });
                }
                lower.children(node);
            }
            "binary_expression" => {
                let elvis = node.child(1).is_some_and(|operator| operator.kind() == "?:");
                let both = node.child(1).is_some_and(|operator| operator.kind() == "&&");
                let parts = kids(node);
                let [left, right] = parts.as_slice() else {
                    lower.children(node);
                    return ExprId::UNKNOWN;
                };
                let first = lower.node(*left);
                let second = lower.in_block(|lower| {
                    if both {
                        lower.dialect.narrow(lower, *left);
                    }
                    lower.node(*right)
                });
                if elvis {
                    return lower.push(Expr::Either(vec![first, second]));
                }
            }
            "lambda_literal" => return lambda(lower, node),
            "anonymous_function" => {
                let id = lower.new_lambda(node);
                let outer = lower.at;
                lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
                lower.at.body = Body::Lambda(id);
                for child in kids(find(node, "function_value_parameters").unwrap_or(node)) {
                    if lower.kind(child) == "parameter" {
                        lambda_param(lower, id, child);
                    }
                }
                if let Some(body) = find(node, "function_body") {
                    lower.node(body);
                }
                lower.at = outer;
                return lower.push(Expr::Lambda(id));
            }
            "object_literal" => {
                let list = find(node, "delegation_specifiers");
                let name = list.map_or("object", |list| lower.text(list));
                let name = name
                    .split(['<', '(', ',', ' '])
                    .next()
                    .unwrap_or_default()
                    .rsplit('.')
                    .next()
                    .unwrap_or_default();
                let name = lower.sym(&format!("<{}>", name.trim()));
                let id = lower.new_def(DefKind::Class, name, node, None);
                lower.sign(id, node, find(node, "class_body"));
                let outer = lower.enter(id, ScopeKind::Type);
                supers(lower, id, node);
                if let Some(body) = find(node, "class_body") {
                    lower.at.body = Body::File;
                    lower.children(body);
                }
                lower.at = outer;
                let callee = lower.push(Expr::Def(id));
                return lower.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() });
            }
            "callable_reference" => {
                let parts = kids(node);
                let (object, name) = match parts.as_slice() {
                    [object, name] => (Some(*object), *name),
                    [name] => (None, *name),
                    _ => return ExprId::UNKNOWN,
                };
                let target = match object {
                    Some(object) => {
                        let object = if lower.kind(object) == "user_type" {
                            let ty = lower.ty(object);
                            lower.push(Expr::Type(ty))
                        } else {
                            lower.node(object)
                        };
                        let name = lower.sym_of(name);
                        lower.push(Expr::Member { object, name })
                    }
                    None => lower.name_expr(name),
                };
                lower.resolve_expr(RefKind::Value, target, 0, node.start_position().row);
                return target;
            }
            "user_type" => {}
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "user_type" => {
                let mut path = Vec::new();
                let mut args = Vec::new();
                for child in kids(node) {
                    match lower.kind(child) {
                        "type_arguments" => args = lower.type_list(child),
                        _ => path.push(lower.sym_of(child)),
                    }
                }
                lower.named(path, args, node)
            }
            // A parameter of a function type may have a name.
            "parameter" => kids(node).last().map_or(TypeId::UNKNOWN, |ty| lower.ty(*ty)),
            "function_type" => {
                let parts = kids(node);
                let result = parts.last().map_or(TypeId::UNKNOWN, |ty| lower.ty(*ty));
                let list = find(node, "function_type_parameters");
                let params = list.map(|list| lower.type_list(list)).unwrap_or_default();
                lower.push_type(TypeExpr::Function { params, result })
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let Some(modifiers) = find(node, "modifiers") else { return Flags::default() };
        let mut flags = Flags::default();
        for word in lower.text(modifiers).split_whitespace() {
            flags = flags.with(match word {
                "private" | "protected" => Flags::PRIVATE,
                "suspend" => Flags::ASYNC,
                "abstract" => Flags::ABSTRACT,
                "expect" => Flags::DECLARATION,
                _ => Flags::default(),
            });
        }
        flags
    }

    fn narrow<'t>(&self, lower: &mut Lower<'t>, condition: Node<'t>) {
        match lower.kind(condition) {
            "parenthesized_expression" => {
                if let Some(inner) = condition.named_child(0) {
                    self.narrow(lower, inner);
                }
            }
            "binary_expression" if condition.child(1).is_some_and(|o| o.kind() == "&&") => {
                for side in kids(condition) {
                    self.narrow(lower, side);
                }
            }
            "is_expression" if condition.child(1).is_some_and(|o| o.kind() == "is") => {
                let parts = kids(condition);
                let [subject, ty] = parts.as_slice() else { return };
                match subject.kind() {
                    "identifier" => {
                        let ty = lower.ty(*ty);
                        lower.bind_local(*subject, ty, ExprId::UNKNOWN);
                    }
                    "this_expression" => lower.at.this = lower.ty(*ty),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn rewrite(&self, source: &str, root: Node<'_>) -> Result<Option<String>, Exhausted> {
        if !root.has_error() {
            return Ok(None);
        }
        // The grammar doesn't know `fun interface`, and takes `in` off a line that begins with a name like `in1`.
        let plain = separated(&source.replace("fun interface", "    interface"));
        Ok((plain != source).then_some(plain))
    }

    fn body_is_value(&self) -> bool {
        false
    }
}

/// Puts a semicolon before lines that begin with a name that begins with `in` and no letter, in place of a blank; takes
/// lines out that say the context of what follows.
fn separated(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let name = line.trim_start_matches([' ', '\t']);
        let blank = line.len() - name.len();
        let rest = name.strip_prefix("in");
        if name.starts_with("context(") && name.trim_end().ends_with(')') {
            let text = line.trim_end_matches('\n');
            plain.extend(std::iter::repeat_n(' ', text.len()));
            plain.push_str(&line[text.len()..]);
            continue;
        }
        if blank > 0
            && rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
        {
            plain.push_str(&line[..blank - 1]);
            plain.push(';');
            plain.push_str(name);
        } else {
            plain.push_str(line);
        }
    }
    plain
}

fn import<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let parts = kids(node);
    let Some(name) = parts.first() else { return };
    let mut module = lower.dotted_of(*name);
    let (taken, local) = if lower.text(node).trim_end().ends_with('*') {
        (Taken::All, None)
    } else {
        let Some(last) = module.pop() else { return };
        let local = parts.get(1).map_or(last, |alias| lower.sym_of(*alias));
        (Taken::Name(last), Some(local))
    };
    let id = ImportId(index(lower.facts.imports.len()));
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    lower.push_import(Import { module, level: 0, taken, local, scope, line, public: false });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
}

fn when<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    lower.in_block(|lower| {
        let mut subject_name = None;
        let mut values = Vec::new();
        for child in kids(node) {
            match lower.kind(child) {
                "when_subject" => {
                    let parts = kids(child);
                    if let [declaration, value] = parts.as_slice()
                        && lower.kind(*declaration) == "variable_declaration"
                    {
                        let value = lower.node(*value);
                        declared_behind(lower, *declaration, value, child);
                        subject_name = declaration.named_child(0);
                    } else if let Some(subject) = parts.first() {
                        lower.node(*subject);
                        subject_name = Some(*subject)
                            .filter(|s| matches!(s.kind(), "identifier" | "this_expression"));
                    }
                }
                "when_entry" => values.push(lower.in_block(|lower| {
                    let parts = kids(child);
                    let mut value = ExprId::UNKNOWN;
                    for part in parts {
                        if lower.kind(part) == "type_test" {
                            let ty = lower.only_child_type(part);
                            if subject_name.is_some_and(|s| s.kind() == "this_expression") {
                                lower.at.this = ty;
                            } else if let Some(subject) = subject_name {
                                lower.bind_local(subject, ty, ExprId::UNKNOWN);
                                let from = index(part.end_byte());
                                if let Some(last) = lower.facts.bindings.last_mut() {
                                    last.from = from;
                                }
                            }
                        } else {
                            value = lower.node(part);
                        }
                    }
                    value
                })),
                _ => {
                    lower.node(child);
                }
            }
        }
        lower.push(Expr::Either(values))
    })
}
