//! Swift's patterns, and the names that they bind.

use crate::{
    facts::{BindingTarget, Expr, ExprId, Sym, TypeExpr, TypeId},
    languages::swift::{fields, plain},
    lowering::{LoweringContext, index},
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
    PatternReader { parts: &parts, at: 0, binds: true }.one(lower, value);
    // A name isn't seen by its own initial value: `let size = size + 1`.
    let end = node.parent().map_or(0, |declaration| index(declaration.end_byte()));
    for binding in &mut lower.facts.bindings[first..] {
        binding.from = binding.from.max(end);
    }
}

pub(super) fn bind<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    from: u32,
    ty: TypeId,
    value: ExprId,
) {
    let sym = plain(lower, name);
    lower.bind(sym, from, BindingTarget::Local { ty, value });
}

pub(super) fn children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    fields(node).into_iter().map(|(_, child)| child).collect()
}

/// Reads a pattern whose parts are siblings in the tree: `let .name(a, label: b)`.
pub(super) struct PatternReader<'a, 't> {
    pub(super) parts: &'a [SyntaxNode<'t>],
    pub(super) at: usize,
    /// Whether `let` or `var` stands before.
    pub(super) binds: bool,
}

impl<'t> PatternReader<'_, 't> {
    fn peek(&self) -> Option<SyntaxNode<'t>> {
        self.parts.get(self.at).copied()
    }

    fn is_at(&self, kind: &str) -> bool {
        self.peek().is_some_and(|part| part.kind() == kind)
    }

    /// Binds the names of the pattern to the parts of `subject`.
    pub(super) fn one(&mut self, lower: &mut LoweringContext<'t>, subject: ExprId) {
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
                    PatternReader { parts: &inner, at: 0, binds: self.binds }.one(lower, subject);
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
        lower.row = name.start_position().row;
        let name: Sym = plain(lower, name);
        if subject.is_known() {
            let case = lower.push(Expr::Member { object: subject, name });
            lower.use_member(case);
        }
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
                    PatternReader { parts: &inner, at: 0, binds: self.binds }.one(lower, value);
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
