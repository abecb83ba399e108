//! Where Swift binds names: patterns, conditions, loops, cases and handlers.

use crate::{
    facts::{BindingTarget, Expr, ExprId, Sym, TypeExpr, TypeId},
    languages::swift::{SyntaxChildWithField, fields, plain},
    lowering::{LoweringContext, index, kids},
    syntax::SyntaxNode,
};

/// Binds the names of a pattern that stands in a declaration.
pub(crate) fn pattern<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    ty: TypeId,
    value: ExprId,
) {
    let value = if ty.is_known() { lower.push(Expr::Typed(ty)) } else { value };
    let parts = children(node);
    let first = lower.facts.bindings.len();
    Reader { parts: &parts, at: 0, binds: true }.one(lower, value);
    // A name isn't seen by its own initial value: `let size = size + 1`.
    let end = node.parent().map_or(0, |declaration| index(declaration.end_byte()));
    for binding in &mut lower.facts.bindings[first..] {
        binding.from = binding.from.max(end);
    }
}

/// `if`, as a statement or as a value.
pub(crate) fn if_statement<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let mut values = Vec::new();
    let parts = fields(node);
    let otherwise = parts.iter().position(|(_, part)| lower.kind(*part) == "else");
    let (head, tail) = parts.split_at(otherwise.unwrap_or(parts.len()));
    values.push(lower.in_block(|lower| {
        conditions(lower, head);
        body(lower, head, expected)
    }));
    for (_, part) in tail {
        match lower.kind(*part) {
            "statements" => {
                values.push(lower.in_block(|lower| {
                    lower.expected = expected;
                    lower.node(*part)
                }));
            }
            "if_statement" => {
                lower.expected = expected;
                values.push(lower.node(*part));
            }
            _ => {}
        }
    }
    lower.push(Expr::Either(values))
}

/// `guard` and `while`: what the conditions bind is seen by all that follows.
pub(crate) fn guard_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = fields(node);
    conditions(lower, &parts);
    lower.in_block(|lower| body(lower, &parts, ExprId::UNKNOWN));
}

fn body<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &[SyntaxChildWithField<'t>],
    expected: ExprId,
) -> ExprId {
    match parts.iter().find(|(_, part)| lower.kind(*part) == "statements") {
        Some((_, list)) => {
            if list.named_child_count() == 1 {
                lower.expected = expected;
            }
            let value = lower.node(*list);
            lower.expected = ExprId::UNKNOWN;
            value
        }
        None => ExprId::UNKNOWN,
    }
}

/// The conditions of a statement, which the grammar puts among its parts without nodes of their own.
fn conditions<'t>(lower: &mut LoweringContext<'t>, parts: &[SyntaxChildWithField<'t>]) {
    let items: Vec<SyntaxNode<'t>> = parts
        .iter()
        .filter(|(field, part)| {
            matches!(field, Some("condition" | "bound_identifier")) || lower.kind(*part) == ","
        })
        .map(|(_, part)| *part)
        .collect();
    let mut depth = 0;
    let groups = items.split(|part| {
        match lower.kind(*part) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        lower.kind(*part) == "," && depth == 0
    });
    let groups: Vec<&[SyntaxNode<'t>]> = groups.collect();
    for group in groups {
        condition(lower, group);
    }
}

fn condition<'t>(lower: &mut LoweringContext<'t>, parts: &[SyntaxNode<'t>]) {
    let equals = parts.iter().position(|part| lower.kind(*part) == "=");
    let (left, right) = match equals {
        Some(at) => (&parts[..at], parts.get(at + 1).copied()),
        None => (parts, None),
    };
    match left.first().map(SyntaxNode::kind) {
        Some("case") => {
            let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
            Reader { parts: &left[1..], at: 0, binds: false }.one(lower, value);
        }
        Some("value_binding_pattern") => {
            let Some(name) = left.iter().rfind(|part| lower.kind(**part) == "simple_identifier")
            else {
                // `let (a, b) = …`
                let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
                let value = lower.push(Expr::Unwrap(value));
                Reader { parts: &left[1..], at: 0, binds: true }.one(lower, value);
                return;
            };
            let ty = left
                .iter()
                .find(|part| lower.kind(**part) == "type_annotation")
                .and_then(|part| lower.in_field(*part, "name"))
                .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
            let value = match right {
                Some(right) => lower.node(right),
                // `if let name` unwraps what goes by that name already.
                None => lower.node(*name),
            };
            let value = lower.push(Expr::Unwrap(value));
            let end = right.unwrap_or(*name).end_byte();
            bind(lower, *name, index(end), ty, value);
        }
        _ => {
            for part in parts.iter().filter(|part| part.is_named()) {
                lower.node(*part);
            }
        }
    }
}

fn bind<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    from: u32,
    ty: TypeId,
    value: ExprId,
) {
    let sym = plain(lower, name);
    lower.bind(sym, from, BindingTarget::Local { ty, value });
}

pub(crate) fn for_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let collection = lower.in_field(node, "collection");
    let value = collection.map_or(ExprId::UNKNOWN, |collection| lower.node(collection));
    lower.in_block(|lower| {
        let item = lower.push(Expr::Elem(value));
        if let Some(pattern) = lower.in_field(node, "item") {
            let parts = children(pattern);
            let case = parts.first().is_some_and(|part| lower.kind(*part) == "case");
            Reader { parts: &parts[usize::from(case)..], at: 0, binds: !case }.one(lower, item);
        }
        for child in kids(node) {
            if matches!(lower.kind(child), "where_clause" | "statements") {
                lower.node(child);
            }
        }
    });
}

pub(crate) fn switch_statement<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let subject = lower.in_field(node, "expr").map_or(ExprId::UNKNOWN, |s| lower.node(s));
    let mut values = Vec::new();
    for entry in kids(node).into_iter().filter(|child| child.kind() == "switch_entry") {
        values.push(lower.in_block(|lower| {
            let mut value = ExprId::UNKNOWN;
            for part in kids(entry) {
                match lower.kind(part) {
                    "switch_pattern" => {
                        let inner = part.named_child(0).map(children).unwrap_or_default();
                        Reader { parts: &inner, at: 0, binds: false }.one(lower, subject);
                    }
                    "statements" => {
                        if part.named_child_count() == 1 {
                            lower.expected = expected;
                        }
                        value = lower.node(part);
                        lower.expected = ExprId::UNKNOWN;
                    }
                    _ => {
                        lower.node(part);
                    }
                }
            }
            value
        }));
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn do_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in kids(node) {
        lower.in_block(|lower| {
            if lower.kind(child) != "catch_block" {
                lower.node(child);
                return;
            }
            let any = lower.sym("Error");
            let ty = lower.named(vec![any], Vec::new(), child);
            let thrown = lower.push(Expr::Typed(ty));
            match lower.in_field(child, "error") {
                Some(pattern) => {
                    let parts = children(pattern);
                    Reader { parts: &parts, at: 0, binds: false }.one(lower, thrown);
                }
                None => {
                    let name = lower.sym("error");
                    lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
                }
            }
            for part in kids(child) {
                if matches!(lower.kind(part), "where_clause" | "statements") {
                    lower.node(part);
                }
            }
        });
    }
}

fn children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    fields(node).into_iter().map(|(_, child)| child).collect()
}

/// Reads a pattern whose parts are siblings in the tree: `let .name(a, label: b)`.
struct Reader<'a, 't> {
    parts: &'a [SyntaxNode<'t>],
    at: usize,
    /// Whether `let` or `var` stands before.
    binds: bool,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Option<SyntaxNode<'t>> {
        self.parts.get(self.at).copied()
    }

    fn is_at(&self, kind: &str) -> bool {
        self.peek().is_some_and(|part| part.kind() == kind)
    }

    fn one(&mut self, lower: &mut LoweringContext<'t>, subject: ExprId) {
        // `pattern as Type` stands at the end, and says what the pattern takes.
        let cast = self.parts.iter().position(|part| lower.kind(*part) == "as");
        let mut subject = subject;
        if let Some(ty) = cast.and_then(|at| self.parts.get(at + 1)) {
            let ty = lower.annotation(*ty);
            subject = lower.push(Expr::Typed(ty));
        }
        while let Some(part) = self.peek() {
            self.at += 1;
            match lower.kind(part) {
                "value_binding_pattern" => self.binds = true,
                "pattern" => {
                    let inner = children(part);
                    Reader { parts: &inner, at: 0, binds: self.binds }.one(lower, subject);
                }
                "." => {
                    if let Some(name) =
                        self.peek().filter(|n| lower.kind(*n) == "simple_identifier")
                    {
                        self.at += 1;
                        self.case(lower, name, subject);
                    }
                }
                "simple_identifier" if self.binds => {
                    let from = index(part.end_byte());
                    bind(lower, part, from, TypeId::UNKNOWN, subject);
                }
                "(" => self.items(lower, |lower, place| lower.push(Expr::Item(subject, place))),
                "is" | "as" => {
                    if let Some(ty) = self.peek().filter(|_| cast.is_none()) {
                        lower.annotation(ty);
                    }
                    return;
                }
                "?" => {}
                "user_type" => {
                    lower.annotation(part);
                }
                _ if part.is_named() => {
                    lower.node(part);
                }
                _ => {}
            }
        }
    }

    /// A case of an enumeration, with the values that it carries.
    fn case(&mut self, lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>, subject: ExprId) {
        let name: Sym = plain(lower, name);
        if !self.is_at("(") {
            return;
        }
        self.at += 1;
        if lower.facts.text(name) == "some" {
            // An optional's own.
            let inner = lower.push(Expr::Unwrap(subject));
            self.items(lower, |_, _| inner);
            return;
        }
        let of = if subject.is_known() {
            lower.push_type(TypeExpr::TypeOf(subject))
        } else {
            TypeId::UNKNOWN
        };
        let carried = lower.push_type(TypeExpr::Member(of, name));
        let carried = lower.push(Expr::Typed(carried));
        self.items(lower, |lower, place| lower.push(Expr::Item(carried, place)));
    }

    /// Patterns in a row up to the closing parenthesis.
    fn items(
        &mut self,
        lower: &mut LoweringContext<'t>,
        value: impl Fn(&mut LoweringContext<'t>, u16) -> ExprId,
    ) {
        let mut place = 0;
        while let Some(part) = self.peek() {
            self.at += 1;
            match lower.kind(part) {
                ")" => return,
                "," => place += 1,
                "pattern" => {
                    let value = value(lower, place);
                    let inner = children(part);
                    Reader { parts: &inner, at: 0, binds: self.binds }.one(lower, value);
                }
                // A label, or a word of a pattern that is no node.
                "simple_identifier" | ":" => {}
                _ if part.is_named() => {
                    lower.node(part);
                }
                _ => {}
            }
        }
    }
}
