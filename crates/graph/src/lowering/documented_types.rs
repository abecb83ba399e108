//! Reads types that comments tell in the notation that PHPDoc and LuaCATS share: `A|B`, `(A)`, `A[]`, `?A`, `A?`, `A<B, C>`.

use crate::{
    facts::{TypeExpr, TypeId},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Types inside one another that are read.
const MAX_DEPTH: u32 = 8;

/// What a language adds to the notation.
pub(crate) struct DocumentedTypes {
    /// Whether a character may be part of a name.
    pub(crate) is_name: fn(char) -> bool,
    /// The type that a name with its arguments stands for at a node.
    pub(crate) named:
        for<'t> fn(&mut LoweringContext<'t>, &str, Vec<TypeId>, SyntaxNode<'t>) -> TypeId,
}

impl DocumentedTypes {
    /// Returns the type that a text starts with; what follows is not looked at.
    pub(crate) fn read<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        text: &str,
        node: SyntaxNode<'t>,
    ) -> TypeId {
        Reader { notation: self, lower, text, node, depth: 0 }.union()
    }
}

struct Reader<'a, 't> {
    notation: &'a DocumentedTypes,
    lower: &'a mut LoweringContext<'t>,
    text: &'a str,
    node: SyntaxNode<'t>,
    depth: u32,
}

impl Reader<'_, '_> {
    fn eat(&mut self, sign: char) -> bool {
        let rest = self.text.strip_prefix(sign);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    /// Takes a separator that may have spaces around it.
    fn eat_spaced(&mut self, sign: char) -> bool {
        let rest = self.text.trim_start().strip_prefix(sign);
        self.text = rest.map_or(self.text, str::trim_start);
        rest.is_some()
    }

    fn union(&mut self) -> TypeId {
        let mut all = Vec::new();
        loop {
            let ty = self.single();
            if ty.is_known() {
                all.push(ty);
            }
            // `A & text` is a sentence.
            if !self.eat_spaced('|') && !self.eat('&') {
                break;
            }
        }
        match all.as_slice() {
            [] => TypeId::UNKNOWN,
            [one] => *one,
            _ => self.lower.push_type(TypeExpr::Union(all)),
        }
    }

    fn single(&mut self) -> TypeId {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return TypeId::UNKNOWN;
        }
        self.eat('?');
        let mut ty = if self.eat('(') {
            let inner = self.union();
            self.eat(')');
            inner
        } else {
            self.named()
        };
        loop {
            if let Some(rest) = self.text.strip_prefix("[]") {
                self.text = rest;
                ty = self.lower.push_type(TypeExpr::Array(ty));
            } else if !self.eat('?') {
                break;
            }
        }
        self.depth -= 1;
        ty
    }

    fn named(&mut self) -> TypeId {
        let is_name = self.notation.is_name;
        let end = self.text.find(|c| !is_name(c)).unwrap_or(self.text.len());
        let (name, rest) = self.text.split_at(end);
        self.text = rest;
        let mut arguments = Vec::new();
        if self.eat('<') {
            loop {
                self.text = self.text.trim_start();
                arguments.push(self.union());
                if !self.eat_spaced(',') {
                    break;
                }
            }
            self.eat_spaced('>');
        }
        (self.notation.named)(self.lower, name, arguments, self.node)
    }
}
