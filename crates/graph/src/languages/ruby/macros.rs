//! Calls in Ruby's class bodies that define something: mixins, accessors, delegation, aliases, classes made by a call.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection, ReferenceKind, ScopeKind,
        SupertypeKind, TypeExpr, TypeId,
    },
    languages::ruby::{
        define_method::{define_method, method_names},
        delegation::{FORWARDABLE, delegate, forwarded},
        enclosing_class::{class_around, on_class},
        framework_calls,
        local_variables::block,
    },
    lowering::{LoweringContext, ReturnTarget, index, kids},
    syntax::SyntaxNode,
};

/// The name in a symbol or string.
pub(crate) fn symbol(text: &str) -> &str {
    text.trim_start_matches(':').trim_matches(['"', '\''])
}

/// Lowers a call without a receiver if it defines something. Returns whether it does.
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
                define_method(lower, node, *made, &name, given);
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

pub(super) fn is_name(node: SyntaxNode<'_>) -> bool {
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
pub(super) fn define<'t>(
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

/// Returns what a call makes a class or module with, if it does.
fn made_class<'t>(lower: &LoweringContext<'t>, call: SyntaxNode<'t>) -> Option<&'t str> {
    if lower.kind(call) != "call" {
        return None;
    }
    let (object, method) = (lower.in_field(call, "receiver")?, lower.in_field(call, "method")?);
    let class = lower.text(object).trim_start_matches("::");
    let makes = match lower.text(method) {
        "new" => matches!(class, "Struct" | "Class" | "Module"),
        "define" => class == "Data",
        _ => false,
    };
    makes.then_some(class)
}

/// Defines the members that `args` name of what `Struct.new` or `Data.define` makes, in the class around.
fn members_of_made<'t>(lower: &mut LoweringContext<'t>, class: &str, args: Vec<SyntaxNode<'t>>) {
    let kind = match class {
        "Struct" => "attr_accessor",
        "Data" => "attr_reader",
        _ => return,
    };
    for arg in args {
        accessor(lower, arg, kind);
    }
}

/// Defines the members of the class around that its superclass brings: `class A < Struct.new(:a)`.
pub(crate) fn members_of_superclass<'t>(lower: &mut LoweringContext<'t>, above: SyntaxNode<'t>) {
    let Some(class) = made_class(lower, above) else { return };
    let mut args = lower.in_field(above, "arguments").map(kids).unwrap_or_default();
    args.retain(|arg| lower.kind(*arg) == "simple_symbol");
    members_of_made(lower, class, args);
}

/// A constant; `Struct.new`, `Data.define`, `Class.new` and `Module.new` make it a class.
pub(crate) fn constant<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) -> ExprId {
    let made = value.and_then(|value| Some((value, made_class(lower, value)?)));
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
    members_of_made(lower, class, args);
    let body = lower.in_field(call, "block").and_then(|block| lower.in_field(block, "body"));
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
    lower.push(Expr::Def(id))
}
