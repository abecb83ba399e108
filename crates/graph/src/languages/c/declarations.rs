//! Declarations of C and C++: declarators, functions, variables and members, those defined outside their classes, too.
//! Types and namespaces are [`crate::languages::c::types`]'s.

use super::namespaces_and_templates::opened_namespaces;
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, LambdaId, Param, ScopeId, ScopeKind,
        Sym, TypeExpr, TypeId, TypeUse,
    },
    indexing::Language,
    languages::c::{
        declarators::{Declarator, arrayed, declarator},
        expressions::{self, initializers},
        macro_functions::defined_by_macro,
        namespaces_and_templates::template_params,
        specifier_macros::is_capital,
        statements::bindings,
    },
    lowering::{LoweringContext, ReturnTarget, Slot, SyntaxNodeFields, find, index},
    syntax::SyntaxNode,
};

/// What the grammar may take for a function's name, where it reads a statement as a heading.
const KEYWORDS: &[&str] =
    &["if", "for", "while", "switch", "return", "else", "do", "sizeof", "catch"];

pub(crate) fn function<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    match lower.in_field(node, "declarator") {
        Some(head) if defined_by_macro(lower, node, head) => {}
        Some(head) => {
            let body = lower.in_field(node, "body");
            definition(lower, node, head, body);
        }
        None => lower.children(node),
    }
}

/// Lowers a function with its head and its body.
fn definition<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    head: SyntaxNode<'t>,
    body: Option<SyntaxNode<'t>>,
) {
    let found = declarator(lower, head);
    let name = found.name.filter(|name| !KEYWORDS.contains(&lower.text(*name)));
    let (Some(name), Some(params)) = (name, found.params) else {
        // A macro that looks like a heading: the body still counts.
        lower.children(node);
        return;
    };
    let ty = lower.in_field(node, "type");
    let around = lower.at;
    leave_function(lower);
    let sym = function_name(lower, name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, body);
    if !found.scope.is_empty() {
        let receiver = scope_type(lower, &found.scope, node);
        lower.def_mut(id).receiver = receiver;
    }
    if ty.is_none() {
        constructor(lower, id);
    }
    lower.enter(id, ScopeKind::Function);
    template_params(lower, id);
    result(lower, id, ty, &found);
    parameters(lower, DeclarationOwner::Def(id), params);
    found.visit_values(lower);
    specifier_values(lower, node);
    for child in node.named_children() {
        if lower.kind(child) == "field_initializer_list" {
            lower.node(child);
        }
    }
    // `A() try : b(1) { … } catch (…) { … }`
    match body.or_else(|| find(node, "try_statement")) {
        Some(body) => {
            lower.node(body);
        }
        None => {
            // `= default`, `= delete`
            lower.mark(id, DefFlags::DECLARATION);
        }
    }
    lower.at = around;
}

/// Lowers the values in the specifiers of a declaration: `alignas(f())`, `explicit(f())`, `: f()`.
pub(crate) fn specifier_values<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in node.named_children() {
        match lower.kind(child) {
            "alignas_qualifier"
            | "bitfield_clause"
            | "explicit_function_specifier"
            | "type_qualifier" => {
                lower.children(child);
            }
            "compound_statement" | "field_declaration_list" => return,
            _ => {}
        }
    }
}

/// There are no functions inside functions: the one before wasn't read to its end.
fn leave_function(lower: &mut LoweringContext<'_>) {
    if lower.in_type() || !matches!(lower.at.body, ReturnTarget::Def(_)) {
        return;
    }
    let mut scope = lower.at.scope;
    while let Some(up) = lower.facts.scopes[scope.index()].parent
        && lower.facts.scopes[scope.index()].kind != ScopeKind::File
    {
        scope = up;
    }
    lower.at.scope = scope;
    lower.at.owner = None;
    lower.at.body = ReturnTarget::File;
}

/// Marks a function without a result type that is named like its class.
fn constructor(lower: &mut LoweringContext<'_>, id: DefId) {
    let def = lower.facts.def(id);
    let class = match (lower.facts.ty(def.receiver), def.parent) {
        (TypeExpr::Named { path, .. }, _) => path.last().copied(),
        (_, Some(parent)) => Some(lower.facts.def(parent).name),
        _ => None,
    };
    if class == Some(def.name) {
        lower.mark(id, DefFlags::CONSTRUCTOR);
    }
}

pub(crate) fn scope_type<'t>(
    lower: &mut LoweringContext<'t>,
    scope: &[SyntaxNode<'t>],
    node: SyntaxNode<'t>,
) -> TypeId {
    let mut path = Vec::new();
    for part in scope {
        let ty = lower.ty(*part);
        if let TypeExpr::Named { path: own, .. } = lower.facts.ty(ty) {
            path.extend(own.iter().copied());
        }
    }
    lower.named(path, Vec::new(), node)
}

pub(crate) fn result<'t>(
    lower: &mut LoweringContext<'t>,
    id: DefId,
    ty: Option<SyntaxNode<'t>>,
    found: &Declarator<'t>,
) {
    let written = found.trailing.and_then(|trailing| trailing.named_child(0)).or(ty);
    if let Some(written) = written {
        let ty = lower.annotation(written);
        lower.def_mut(id).ty = ty;
    }
}

#[derive(Clone, Copy)]
pub(crate) enum DeclarationOwner {
    Def(DefId),
    Lambda(LambdaId),
}

pub(crate) fn parameters<'t>(
    lower: &mut LoweringContext<'t>,
    owner: DeclarationOwner,
    list: SyntaxNode<'t>,
) {
    for child in list.children() {
        let variadic = lower.kind(child) == "..." || lower.kind(child) == "variadic_parameter";
        let known = matches!(
            lower.kind(child),
            "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration"
        );
        if !known && !variadic {
            continue;
        }
        if lower.text(child) == "void" {
            continue;
        }
        let ty = lower.in_field(child, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        let declared = lower.in_field(child, "declarator").map(|head| declarator(lower, head));
        let ty = arrayed(lower, ty, declared.as_ref());
        if let Some(found) = &declared {
            found.visit_values(lower);
        }
        let name = declared.and_then(|found| found.name);
        let default =
            child.field("default_value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
        let sym = lower.sym_of_optional(name);
        let variadic = variadic || lower.kind(child) == "variadic_parameter_declaration";
        let param = Param { name: sym, ty, default, variadic };
        let place = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
        let bound = match owner {
            DeclarationOwner::Def(id) => {
                lower.def_mut(id).params.push(param);
                BindingTarget::Param(id, place(lower.facts.def(id).params.len() - 1))
            }
            DeclarationOwner::Lambda(id) => {
                lower.facts.lambdas[id.index()].params.push(param);
                BindingTarget::LambdaParam(
                    id,
                    place(lower.facts.lambdas[id.index()].params.len() - 1),
                )
            }
        };
        if name.is_some() {
            lower.bind(sym, 0, bound);
        }
    }
}

pub(crate) fn declaration<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty_node = lower.in_field(node, "type");
    let heads: Vec<SyntaxNode<'t>> = node.fields("declarator").collect();
    if heads.is_empty()
        && let Some(body) = ty_node.and_then(|ty| unnamed_body(lower, ty))
    {
        return lower.children(body);
    }
    let ty = ty_node.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    specifier_values(lower, node);
    for head in heads {
        let found = declarator(lower, head);
        let value = head
            .field("value")
            .or(lower.in_field(node, "default_value"))
            .or(lower.in_field(node, "value"));
        let Some(name) = found.name else {
            let value = value.map_or(ExprId::UNKNOWN, |value| lower.node(value));
            let inner = lower.in_field(head, "declarator").unwrap_or(head);
            if !bindings(lower, inner, value) && !value.is_known() {
                lower.node(head);
            }
            continue;
        };
        let is_function = found.params.is_some() && !found.pointer;
        let listed = value.filter(|value| lower.kind(*value) == "initializer_list");
        if is_function && !is_local(lower) && listed.is_some() {
            // A body of macros alone looks like a list of values: `void f(int n) { UNUSED(n) TRACE() }`.
            definition(lower, node, head, listed);
            continue;
        }
        if is_function && !is_local(lower) {
            let id = prototype(lower, node, name, &found, ty);
            if ty_node.is_none() {
                constructor(lower, id);
            }
            continue;
        }
        found.visit_values(lower);
        if let Some(listed) = listed.filter(|_| !found.indirect) {
            lower.type_use(TypeUse::Construction, ty, listed);
        }
        let declared = Variable { declaration: node, head, name, value, ty };
        let given = if constructs(lower, &declared, &found) {
            let made = expressions::variable(lower, ty, head);
            made_of(lower, ty, made)
        } else {
            value.map_or(ExprId::UNKNOWN, |value| initial(lower, value, ty, found.arrays))
        };
        if let (true, Some(params)) = (is_function, found.params) {
            // Inside a function this is a variable with arguments more often than a prototype.
            for child in params.named_children() {
                if let Some(value) = lower.in_field(child, "default_value") {
                    lower.node(value);
                }
            }
        }
        variable(lower, &declared, &found, given);
    }
}

/// The members of a struct or union without a name; they are those of what it stands in.
fn unnamed_body<'t>(lower: &LoweringContext<'t>, ty: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let is_unnamed = matches!(lower.kind(ty), "struct_specifier" | "union_specifier")
        && lower.in_field(ty, "name").is_none();
    lower.in_field(ty, "body").filter(|_| is_unnamed)
}

/// One declared variable or member.
struct Variable<'t> {
    declaration: SyntaxNode<'t>,
    head: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
    /// The type that all declarators of the declaration share.
    ty: TypeId,
}

/// A function that is defined as a friend is written inside a class and belongs to the enclosing namespace.
pub(crate) fn friend<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(defined) = find(node, "function_definition") else { return };
    let inside = lower.at;
    if let Some(class) = lower.at.owner {
        let class = lower.facts.def(class);
        (lower.at.owner, lower.at.scope) = (class.parent, class.outer);
    }
    lower.node(defined);
    lower.at = inside;
}

pub(super) fn is_local(lower: &LoweringContext<'_>) -> bool {
    matches!(lower.at.body, ReturnTarget::Def(_) | ReturnTarget::Lambda(_)) && !lower.in_type()
}

/// Whether a declaration calls a constructor: `T x;`, `T x(1);`, `T x{1};`.
fn constructs<'t>(
    lower: &LoweringContext<'t>,
    declared: &Variable<'t>,
    found: &Declarator<'t>,
) -> bool {
    let listed = declared.value.is_some_and(|value| lower.kind(value) == "initializer_list");
    let ty = lower.in_field(declared.declaration, "type");
    lower.facts.language == Language::Cpp
        && !found.indirect
        && !(listed && found.arrays > 0)
        && ty.is_some_and(|ty| is_class_name(lower.kind(ty)))
        && (is_local(lower) || !lower.in_type())
        && !is_extern(lower, declared.declaration)
        && !declared.value.is_some_and(|value| is_copied(lower.kind(value)))
}

/// What a variable is made of, in parentheses or braces, where its type may be a template without arguments.
fn made_of(lower: &mut LoweringContext<'_>, ty: TypeId, made: ExprId) -> ExprId {
    match (lower.facts.ty(ty), lower.facts.expr(made)) {
        (TypeExpr::Named { args: given, .. }, Expr::New { args, .. })
            if given.is_empty() && !args.is_empty() =>
        {
            let args = args.clone();
            lower.push(Expr::Tuple(args))
        }
        _ => ExprId::UNKNOWN,
    }
}

/// Lowers the value that a variable begins with.
fn initial<'t>(
    lower: &mut LoweringContext<'t>,
    value: SyntaxNode<'t>,
    ty: TypeId,
    arrays: u32,
) -> ExprId {
    match lower.kind(value) {
        "argument_list" => {
            lower.kept_values(value);
            ExprId::UNKNOWN
        }
        "initializer_list" => {
            initializers(lower, value, ty, arrays);
            ExprId::UNKNOWN
        }
        _ => lower.kept_value(value),
    }
}

fn variable<'t>(
    lower: &mut LoweringContext<'t>,
    declared: &Variable<'t>,
    found: &Declarator<'t>,
    value: ExprId,
) {
    let ty = arrayed(lower, declared.ty, Some(found));
    if is_local(lower) {
        let from = index(declared.head.end_byte());
        let sym = lower.sym_of(declared.name);
        lower.bind(sym, from, BindingTarget::Local { ty, value });
    } else if found.scope.is_empty() {
        let sym = lower.sym_of(declared.name);
        let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
        let id = lower.new_def(kind, sym, declared.declaration, Some(declared.name));
        lower.declare(id);
        lower.sign(id, declared.declaration, declared.value);
        let def = lower.def_mut(id);
        (def.ty, def.value) = (ty, value);
        if found.indirect {
            lower.mark(id, DefFlags::INDIRECT);
        }
    }
}

/// A function's name. The name of a conversion is `operator` and the type.
fn function_name<'t>(lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>) -> Sym {
    if lower.kind(name) != "operator_cast" {
        return lower.sym_of(name);
    }
    let text = lower.text(name).split('(').next().unwrap_or_default().trim();
    lower.sym(text)
}

/// Whether what a declaration begins with can name a class.
fn is_class_name(kind: &str) -> bool {
    matches!(kind, "type_identifier" | "qualified_identifier" | "template_type")
}

/// Whether a variable is made from another value: `T x = value;`.
fn is_copied(kind: &str) -> bool {
    !matches!(kind, "argument_list" | "initializer_list")
}

fn is_extern(lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
    node.named_children().any(|child| {
        lower.kind(child) == "storage_class_specifier" && lower.text(child) == "extern"
    })
}

fn prototype<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    found: &Declarator<'t>,
    ty: TypeId,
) -> DefId {
    let sym = function_name(lower, name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, None);
    lower.mark(id, DefFlags::DECLARATION);
    let outer = lower.enter(id, ScopeKind::Function);
    template_params(lower, id);
    lower.def_mut(id).ty = ty;
    result(lower, id, None, found);
    if let Some(params) = found.params {
        parameters(lower, DeclarationOwner::Def(id), params);
    }
    found.visit_values(lower);
    lower.at = outer;
    id
}

/// A macro with parameters is called like a function; one without may be a constant, or open namespaces.
pub(super) fn macro_definition<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let value = lower.in_field(node, "value");
    let is_plain = lower.kind(node) == "preproc_def";
    if let Some(value) = value.filter(|_| is_plain) {
        opened_namespaces(lower, node, lower.text(value));
    }
    if let Some(name) = parts.get(Slot::Name)
        && (!is_plain || value.is_some_and(|value| is_constant(name.text(), value.text())))
    {
        // Macros know no namespaces.
        let (scope, owner) = (lower.at.scope, lower.at.owner.take());
        lower.at.scope = ScopeId(0);
        let sym = lower.sym_of(name);
        let kind = if is_plain { DefKind::Variable } else { DefKind::Macro };
        let id = lower.new_def(kind, sym, node, Some(name));
        lower.sign(id, node, value.filter(|_| !is_plain));
        lower.declare(id);
        (lower.at.scope, lower.at.owner) = (scope, owner);
    }
}

/// Whether a macro without parameters is a constant: its name is in capitals, and its value no code and no other word.
fn is_constant(name: &str, value: &str) -> bool {
    let value = value.trim();
    let inner = value.trim_start_matches(['(', ' ']);
    let begins = inner.starts_with(|first: char| first.is_ascii_digit() || "\"'-~".contains(first));
    // `((size_t) 1)`
    let converts = value.starts_with("((") && value.contains(|char: char| char.is_ascii_digit());
    let word = inner.split(|char: char| !char.is_alphanumeric() && char != '_').next();
    let is_joined = word.is_some_and(|word| word != value && is_capital(word.as_bytes()));
    is_capital(name.as_bytes()) && (begins || converts || is_joined) && !value.contains(['{', ';'])
}

pub(super) fn enumerator<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    if let Some(name) = parts.get(Slot::Name) {
        let sym = lower.sym_of(name);
        let id = lower.new_def(DefKind::Variant, sym, node, Some(name));
        lower.bind_outside(id);
        lower.part(parts, Slot::Value);
    }
}
