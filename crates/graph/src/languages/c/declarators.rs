//! Declarators of C and C++: `*name`, `(*name)(int)`, `A::B::name[2]`.

use crate::{
    facts::{TypeExpr, TypeId},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// A lowered declarator.
#[derive(Default)]
pub(crate) struct Declarator<'t> {
    pub(crate) name: Option<SyntaxNode<'t>>,
    /// `A::B` of `A::B::name`.
    pub(crate) scope: Vec<SyntaxNode<'t>>,
    /// The parameter list, if it declares a function.
    pub(crate) params: Option<SyntaxNode<'t>>,
    /// A pointer to a function, not a function.
    pub(crate) pointer: bool,
    /// A pointer or a reference, not a value.
    pub(crate) indirect: bool,
    pub(crate) arrays: u32,
    pub(crate) trailing: Option<SyntaxNode<'t>>,
    /// Values among it: the sizes of arrays, the condition of `noexcept`.
    values: Vec<SyntaxNode<'t>>,
    /// Whether the chain went through a parameter list.
    in_function: bool,
}

pub(crate) fn declarator<'t>(lower: &LoweringContext<'t>, node: SyntaxNode<'t>) -> Declarator<'t> {
    let mut found = Declarator::default();
    let mut next = Some(node);
    while let Some(node) = next {
        next = found.add(lower, node);
    }
    found
}

impl<'t> Declarator<'t> {
    /// Takes over what one node of the chain says; returns the node inside of it.
    fn add(&mut self, lower: &LoweringContext<'t>, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
        let inner = lower.in_field(node, "declarator");
        match lower.kind(node) {
            "function_declarator" | "abstract_function_declarator" => {
                if self.params.is_none() {
                    self.params = lower.in_field(node, "parameters");
                    self.trailing =
                        node.named_children().find(|c| lower.kind(*c) == "trailing_return_type");
                }
                let holds_value =
                    |c: &SyntaxNode<'_>| matches!(c.kind(), "noexcept" | "requires_clause");
                self.values.extend(node.named_children().filter(holds_value));
                self.in_function = true;
                inner
            }
            "parenthesized_declarator" => node.named_child(0),
            "pointer_declarator" => {
                self.add_indirection();
                inner
            }
            "array_declarator" | "abstract_array_declarator" => {
                self.arrays += u32::from(node.kind() == "array_declarator");
                self.values.extend(lower.in_field(node, "size"));
                inner
            }
            "reference_declarator" => {
                self.add_indirection();
                node.named_child(0)
            }
            "init_declarator" | "attributed_declarator" | "bitfield_clause" => {
                inner.or(node.named_child(0))
            }
            "qualified_identifier" => {
                self.scope.extend(lower.in_field(node, "scope"));
                lower.in_field(node, "name")
            }
            "template_function" | "template_method" => {
                self.values.extend(lower.in_field(node, "arguments"));
                lower.in_field(node, "name")
            }
            "identifier" | "field_identifier" | "destructor_name" | "operator_name"
            | "type_identifier" => {
                self.name = Some(node);
                None
            }
            "operator_cast" => {
                self.name = Some(node);
                let mut at = Some(node);
                while let Some(inner) = at {
                    self.params = self.params.or(lower.in_field(inner, "parameters"));
                    // `operator const T&()`: what a reference refers to is in no field.
                    let is_reference = lower.kind(inner) == "abstract_reference_declarator";
                    let referred = if is_reference { inner.named_child(0) } else { None };
                    at = referred.or(lower.in_field(inner, "declarator"));
                }
                None
            }
            _ => inner,
        }
    }

    /// Lowers the values that stand in it.
    pub(crate) fn visit_values(&self, lower: &mut LoweringContext<'t>) {
        for value in &self.values {
            lower.node(*value);
        }
    }

    fn add_indirection(&mut self) {
        self.pointer |= self.in_function;
        self.indirect = true;
    }
}

pub(crate) fn arrayed(
    lower: &mut LoweringContext<'_>,
    ty: TypeId,
    found: Option<&Declarator<'_>>,
) -> TypeId {
    match found {
        Some(found) if found.pointer && found.params.is_some() => {
            lower.push_type(TypeExpr::Function {
                receiver: TypeId::UNKNOWN,
                params: Vec::new(),
                result: ty,
            })
        }
        Some(found) if found.arrays > 0 => lower.push_type(TypeExpr::Array(ty)),
        _ => ty,
    }
}
