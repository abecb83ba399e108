//! Calls in Ruby's class bodies that define something: mixins, accessors, delegation, aliases, classes made by a call.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, ReferenceKind, ScopeKind,
        SupertypeKind, TypeExpr, TypeId,
    },
    languages::ruby::{
        enclosing_class::{class_around, on_class},
        framework_calls,
        local_variables::block,
    },
    lowering::{LoweringContext, ReturnTarget, index, kids},
    syntax::SyntaxNode,
};

/// Calls of `Forwardable` that define methods.
const FORWARDABLE: &[&str] =
    &["def_delegator", "def_delegators", "def_instance_delegator", "def_instance_delegators"];
/// Names of a literal list that methods are defined for.
const MAX_ITEMS: usize = 16;
/// Nodes around a definition that are looked at.
const MAX_AROUND: usize = 32;
/// Characters of what stands for a name that is not known.
const MAX_UNNAMED: usize = 60;

/// The name in a symbol or string.
pub(crate) fn symbol(text: &str) -> &str {
    text.trim_start_matches(':').trim_matches(['"', '\''])
}

/// Reads a call without a receiver; whether it was one of those that define.
pub(crate) fn run<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, name: &str) -> bool {
    let args = lower.in_field(node, "arguments").map(kids).unwrap_or_default();
    let given = lower.in_field(node, "block");
    match (name, args.as_slice()) {
        ("require" | "require_relative" | "load", [path]) => require(lower, *path, name),
        ("autoload", [_, path]) => require(lower, *path, name),
        ("include" | "prepend", [_, ..]) if in_class(lower) => mix(lower, &args, Mixin::Instances),
        ("extend", [_, ..]) if in_class(lower) => mix(lower, &args, Mixin::Class),
        ("attr_reader" | "attr_writer" | "attr_accessor", [_, ..]) => {
            args.iter().for_each(|arg| accessor(lower, *arg, name));
        }
        (
            "cattr_accessor" | "mattr_accessor" | "mattr_reader" | "cattr_reader"
            | "class_attribute",
            [_, ..],
        ) => {
            for arg in args.iter().filter(|arg| arg.kind() == "simple_symbol") {
                class_accessor(lower, *arg);
            }
        }
        ("delegate", [_, ..]) => delegate(lower, &args),
        (kind, [to, methods @ ..]) if FORWARDABLE.contains(&kind) => {
            forwarded(lower, kind, *to, methods);
        }
        ("alias_method", [new, old]) => {
            let (new, old) = (lower.text(*new), lower.text(*old));
            alias(lower, node, symbol(new), symbol(old));
        }
        ("define_method", [made, rest @ ..]) => {
            for name in method_names(lower, *made) {
                define_method(lower, (node, *made), &name, given);
            }
            rest.iter().for_each(|value| _ = lower.node(*value));
        }
        ("class_methods", []) if in_class(lower) => {
            let Some(given) = given else { return false };
            class_methods(lower, node, given);
        }
        ("private" | "protected" | "private_class_method", [_, ..]) => private(lower, &args),
        ("module_function", [_, ..]) => {
            for arg in &args {
                lower.node(*arg);
            }
            extend_self(lower);
        }
        ("send" | "public_send" | "__send__" | "method", [first, rest @ ..])
            if lower.kind(*first) == "simple_symbol" =>
        {
            send(lower, *first, rest);
        }
        (hook, [_, ..]) if framework_calls::hands_over(hook) && in_class(lower) => {
            framework_calls::callbacks(lower, &args, hook);
            if let Some(given) = given {
                block(lower, given, None);
            }
        }
        _ => return false,
    }
    true
}

fn define_method<'t>(
    lower: &mut LoweringContext<'t>,
    (node, made): (SyntaxNode<'t>, SyntaxNode<'t>),
    name: &str,
    given: Option<SyntaxNode<'t>>,
) {
    let sym = lower.sym(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(made));
    lower.sign(id, node, given);
    let outer = lower.enter(id, ScopeKind::Function);
    if let Some(given) = given {
        block(lower, given, None);
    }
    lower.at = outer;
}

/// Returns the names of the methods that a call defines by an argument: one for each item of a literal list that a block around it
/// goes through. A name that only shows when it runs is that of the argument in brackets.
fn method_names<'t>(lower: &LoweringContext<'t>, made: SyntaxNode<'t>) -> Vec<String> {
    let text = lower.text(made);
    let (start, variable, end) = match made.kind() {
        "simple_symbol" => return vec![symbol(text).to_owned()],
        "identifier" => ("", text, ""),
        _ => {
            let parts = symbol(text).split_once("#{").and_then(|(start, rest)| {
                let (variable, end) = rest.split_once('}')?;
                (!end.contains("#{")).then_some((start, variable, end))
            });
            let Some(parts) = parts else {
                let is_plain = made.kind() == "string" && !text.contains("#{");
                return vec![if is_plain { symbol(text).to_owned() } else { unnamed(text) }];
            };
            parts
        }
    };
    // The block of a method that is one of many is lowered for each: its own methods are not multiplied again.
    let items = match is_in_made_method(lower) {
        true => Vec::new(),
        false => items_of_variable(lower, made, variable),
    };
    if items.is_empty() {
        return vec![unnamed(text)];
    }
    items.into_iter().map(|item| format!("{start}{item}{end}")).collect()
}

/// Whether a method that is defined by a call is around.
fn is_in_made_method(lower: &LoweringContext<'_>) -> bool {
    let mut around = std::iter::successors(lower.at.owner, |id| lower.facts.def(*id).parent);
    around.any(|id| lower.facts.def(id).signature.starts_with("define_method"))
}

fn unnamed(text: &str) -> String {
    let name: String = text.chars().take(MAX_UNNAMED).collect();
    format!("<{}>", symbol(&name))
}

/// Returns the items of the literal list that the block with the parameter `variable` around a node goes through.
fn items_of_variable<'t>(
    lower: &LoweringContext<'t>,
    node: SyntaxNode<'t>,
    variable: &str,
) -> Vec<&'t str> {
    let mut next = node.parent();
    for _ in 0..MAX_AROUND {
        let Some(at) = next else { break };
        next = at.parent();
        if !matches!(at.kind(), "block" | "do_block") {
            continue;
        }
        let params = at.field("parameters").map(kids).unwrap_or_default();
        if params.first().is_none_or(|param| lower.text(*param) != variable) {
            continue;
        }
        let Some(list) = next.and_then(|call| call.field("receiver")) else { break };
        return items(lower, list).into_iter().take(MAX_ITEMS).collect();
    }
    Vec::new()
}

/// Returns the symbols and strings of a literal list, also by the constant that holds it.
fn items<'t>(lower: &LoweringContext<'t>, list: SyntaxNode<'t>) -> Vec<&'t str> {
    let list = if list.kind() == "constant" { value_of(lower, list) } else { Some(list) };
    // `%i[a b].freeze`
    let list = list.and_then(|list| match list.kind() {
        "call" => list.field("receiver"),
        _ => Some(list),
    });
    let Some(list) =
        list.filter(|it| matches!(it.kind(), "array" | "symbol_array" | "string_array"))
    else {
        return Vec::new();
    };
    let names = kids(list);
    let is_plain = |item: &SyntaxNode<'t>| {
        is_name(*item) || matches!(item.kind(), "bare_symbol" | "bare_string")
    };
    if !names.iter().all(is_plain) {
        return Vec::new();
    }
    names.into_iter().map(|item| symbol(lower.text(item))).collect()
}

/// Returns what a constant of a body around a node is assigned there.
fn value_of<'t>(lower: &LoweringContext<'t>, constant: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let mut next = constant.parent();
    for _ in 0..MAX_AROUND {
        let at = next?;
        next = at.parent();
        if !matches!(at.kind(), "body_statement" | "program") {
            continue;
        }
        let is_it = |it: &SyntaxNode<'t>| {
            it.kind() == "assignment"
                && it.field("left").is_some_and(|left| lower.text(left) == lower.text(constant))
        };
        if let Some(assigned) = kids(at).into_iter().find(is_it) {
            return assigned.field("right");
        }
    }
    None
}

fn is_name(node: SyntaxNode<'_>) -> bool {
    matches!(node.kind(), "simple_symbol" | "string")
}

/// `class_methods do … end`: a module whose methods become class methods of the class that includes this one.
fn class_methods<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, given: SyntaxNode<'t>) {
    let sym = lower.sym("ClassMethods");
    let id = lower.new_def(DefKind::Trait, sym, node, None);
    lower.sign(id, node, Some(given));
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    if let Some(body) = lower.in_field(given, "body") {
        lower.children(body);
    }
    lower.at = outer;
}

/// `private def name … end`.
fn private<'t>(lower: &mut LoweringContext<'t>, args: &[SyntaxNode<'t>]) {
    for arg in args {
        let first = lower.facts.defs.len();
        lower.node(*arg);
        if lower.kind(*arg).ends_with("method") && first < lower.facts.defs.len() {
            lower.mark(DefId(index(first)), DefFlags::PRIVATE);
        }
    }
}

/// `send :name, …`: a method by its name.
fn send<'t>(lower: &mut LoweringContext<'t>, first: SyntaxNode<'t>, rest: &[SyntaxNode<'t>]) {
    let text = lower.text(first);
    let name = lower.sym(symbol(text));
    let (scope, pos) = (lower.at.scope, index(first.start_byte()));
    let target = lower.push(Expr::Name { name, scope, pos });
    lower.resolve_expr(ReferenceKind::Value, target, 0, first.start_position().row);
    for arg in rest {
        lower.node(*arg);
    }
}

fn in_class(lower: &LoweringContext<'_>) -> bool {
    class_around(lower).is_some() && !matches!(lower.at.body, ReturnTarget::Def(_))
}

fn require<'t>(lower: &mut LoweringContext<'t>, path: SyntaxNode<'t>, name: &str) {
    let text = lower.text(path);
    if path.kind() != "string" || text.contains("#{") {
        lower.node(path);
        return;
    }
    let module = vec![lower.sym(symbol(text))];
    let level = u8::from(name == "require_relative");
    lower.push_import(Import { level, ..lower.import_at(path, module, ImportSelection::Module) });
}

/// The receiver of the methods of a module that is mixed in.
#[derive(Clone, Copy, PartialEq)]
enum Mixin {
    /// `include`, `prepend`.
    Instances,
    /// `extend`.
    Class,
}

/// Notes what is mixed into the class; methods for the class itself are kept as a tuple of the module.
fn mix<'t>(lower: &mut LoweringContext<'t>, args: &[SyntaxNode<'t>], into: Mixin) {
    let Some((class, scope)) = class_around(lower) else { return };
    for arg in args {
        let ty = match lower.kind(*arg) {
            "constant" | "scope_resolution" => lower.annotation(*arg),
            "self" => lower.push_type(TypeExpr::This(scope)),
            _ => {
                lower.node(*arg);
                continue;
            }
        };
        let for_class = into == Mixin::Class || on_class(*arg);
        let ty = if for_class { lower.push_type(TypeExpr::Tuple(vec![ty])) } else { ty };
        lower.def_mut(class).supers.push((SupertypeKind::Implements, ty));
    }
}

/// The methods of a module are its own as well.
pub(crate) fn extend_self(lower: &mut LoweringContext<'_>) {
    let Some((class, scope)) = class_around(lower) else { return };
    let own = lower.push_type(TypeExpr::This(scope));
    let ty = lower.push_type(TypeExpr::Tuple(vec![own]));
    lower.def_mut(class).supers.push((SupertypeKind::Implements, ty));
}

/// A method that is defined by a call, and its result.
fn define<'t>(
    lower: &mut LoweringContext<'t>,
    name: &str,
    node: SyntaxNode<'t>,
    value: impl FnOnce(&mut LoweringContext<'t>) -> ExprId,
) -> DefId {
    let sym = lower.sym(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(node));
    let around = node.parent().and_then(|list| list.parent()).unwrap_or(node);
    lower.sign(id, around, None);
    if on_class(node) {
        lower.mark(id, DefFlags::STATIC);
    }
    let outer = lower.enter(id, ScopeKind::Function);
    let value = value(lower);
    if value.is_known() {
        lower.def_mut(id).returns.push(value);
    }
    lower.at = outer;
    id
}

fn accessor<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, kind: &str) {
    if lower.kind(node) != "simple_symbol" {
        lower.node(node);
        return;
    }
    let name = symbol(lower.text(node));
    if kind != "attr_writer" {
        define(lower, name, node, |lower| {
            let (object, name) =
                (lower.push(Expr::This(lower.at.scope)), lower.sym(&format!("@{name}")));
            lower.push(Expr::Member { object, name })
        });
    }
    if kind != "attr_reader" {
        define(lower, &format!("{name}="), node, |_| ExprId::UNKNOWN);
    }
}

fn class_accessor<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let name = symbol(lower.text(node));
    for (name, on_class) in [
        (name.to_owned(), true),
        (name.to_owned(), false),
        (format!("{name}="), true),
        (format!("{name}="), false),
    ] {
        let value = format!("@@{name}");
        let id = define(lower, &name, node, |lower| {
            let (object, name) = (lower.push(Expr::This(lower.at.scope)), lower.sym(&value));
            lower.push(Expr::Member { object, name })
        });
        if on_class {
            lower.mark(id, DefFlags::STATIC);
        }
    }
}

/// `delegate :a, :b, to: :target`, `delegate :a, to: :target, prefix: true`
fn delegate<'t>(lower: &mut LoweringContext<'t>, args: &[SyntaxNode<'t>]) {
    let option = |lower: &LoweringContext<'t>, name: &str| {
        args.iter().filter(|arg| lower.kind(**arg) == "pair").find_map(|pair| {
            let key = lower.in_field(*pair, "key")?;
            (lower.text(key) == name).then(|| lower.in_field(*pair, "value")).flatten()
        })
    };
    let Some(target) = option(lower, "to") else { return };
    let target = symbol(lower.text(target)).to_owned();
    let prefix = match option(lower, "prefix").map_or("", |prefix| lower.text(prefix)) {
        "" | "false" | "nil" => String::new(),
        "true" => format!("{target}_"),
        given => format!("{}_", symbol(given)),
    };
    for arg in args.iter().filter(|arg| arg.kind() == "simple_symbol") {
        let called = symbol(lower.text(*arg));
        delegated(lower, *arg, (&format!("{prefix}{called}"), called), &target);
    }
}

/// `def_delegators :@target, :a, :b`, `def_delegator :@target, :a, :new_name`
fn forwarded<'t>(
    lower: &mut LoweringContext<'t>,
    kind: &str,
    to: SyntaxNode<'t>,
    methods: &[SyntaxNode<'t>],
) {
    let target = symbol(lower.text(to));
    let text = |lower: &LoweringContext<'t>, node: SyntaxNode<'t>| symbol(lower.text(node));
    match methods {
        [method, new @ ..] if kind.ends_with("delegator") && is_name(*method) => {
            let called = text(lower, *method);
            let name = new.first().map_or(called, |new| text(lower, *new));
            delegated(lower, *method, (name, called), target);
        }
        methods => {
            for method in methods.iter().filter(|method| is_name(**method)) {
                let name = text(lower, *method);
                delegated(lower, *method, (name, name), target);
            }
        }
    }
}

/// A method that calls one of `target`: its name and that of the method called.
fn delegated<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    (name, called): (&str, &str),
    target: &str,
) {
    let row = node.start_position().row;
    define(lower, name, node, |lower| {
        let (scope, pos) = (lower.at.scope, index(node.start_byte()));
        let object = match target.strip_prefix("self.").unwrap_or(target) {
            "class" => lower.push(Expr::Unknown),
            field if field.starts_with('@') => {
                let (object, name) = (lower.push(Expr::This(scope)), lower.sym(field));
                lower.push(Expr::Member { object, name })
            }
            other => {
                let name = lower.sym(other);
                let object = lower.push(Expr::Name { name, scope, pos });
                lower.resolve_expr(ReferenceKind::Call, object, 0, row);
                object
            }
        };
        let name = lower.sym(called);
        let callee = lower.push(Expr::Member { object, name });
        lower.resolve_expr(ReferenceKind::Call, callee, 0, row);
        lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() })
    });
}

pub(crate) fn alias<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    new: &str,
    old: &str,
) {
    let sym = lower.sym(new);
    let id = lower.new_def(DefKind::Function, sym, node, None);
    lower.sign(id, node, None);
    if on_class(node) {
        lower.mark(id, DefFlags::STATIC);
    }
    let outer = lower.enter(id, ScopeKind::Function);
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    let name = lower.sym(old);
    let target = lower.push(Expr::Name { name, scope, pos });
    lower.resolve_expr(ReferenceKind::Call, target, 0, node.start_position().row);
    lower.def_mut(id).returns.push(target);
    lower.at = outer;
}

/// A constant; `Struct.new`, `Class.new` and `Module.new` make it a class.
pub(crate) fn constant<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) -> ExprId {
    let made = value.filter(|value| lower.kind(*value) == "call").and_then(|call| {
        let (object, method) = (lower.in_field(call, "receiver")?, lower.in_field(call, "method")?);
        let class = lower.text(object);
        (lower.text(method) == "new" && matches!(class, "Struct" | "Class" | "Module"))
            .then_some((call, class))
    });
    let sym = lower.sym_of(name);
    let Some((call, class)) = made else {
        let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
        let id = lower.new_def(kind, sym, node, Some(name));
        lower.sign(id, node, None);
        lower.mark(id, DefFlags::STATIC);
        let value = value.map_or(ExprId::UNKNOWN, |value| lower.node(value));
        lower.def_mut(id).value = value;
        return value;
    };
    let kind = if class == "Module" { DefKind::Trait } else { DefKind::Class };
    let args = lower.in_field(call, "arguments").map(kids).unwrap_or_default();
    if let Some(receiver) = lower.in_field(call, "receiver") {
        let made = lower.node(receiver);
        lower.resolve_expr(ReferenceKind::New, made, args.len(), receiver.end_position().row);
    }
    let base = args.first().filter(|_| class == "Class").map(|base| lower.annotation(*base));
    let id = lower.new_def(kind, sym, node, Some(name));
    lower.sign(id, node, lower.in_field(call, "block"));
    if let Some(base) = base.filter(|base| *base != TypeId::UNKNOWN) {
        lower.def_mut(id).supers.push((SupertypeKind::Inherits, base));
    }
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    if class == "Struct" {
        for arg in args {
            accessor(lower, arg, "attr_accessor");
        }
    }
    let body = lower.in_field(call, "block").and_then(|block| lower.in_field(block, "body"));
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
    lower.push(Expr::Def(id))
}
