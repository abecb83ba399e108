//! Brace initialisers of C and C++: the field that each value initialises.

use crate::{
    facts::{StructFieldSelector, TypeId},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Lowers the brace initialiser of a value of type `ty`, or of an array of it with the given dimensions.
pub(crate) fn initializers<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
    ty: TypeId,
    arrays: u32,
) {
    for (place, child) in list.named_children().enumerate() {
        let designator = lower.in_field(child, "designator");
        let node = match lower.kind(child) {
            "initializer_pair" => lower.in_field(child, "value"),
            _ => Some(child),
        };
        let Some(node) = node else { continue };
        if lower.kind(node) == "initializer_list" {
            let element = if arrays > 0 { ty } else { TypeId::UNKNOWN };
            initializers(lower, node, element, arrays.saturating_sub(1));
            continue;
        }
        let value = lower.node(node);
        lower.hand_on(value, node);
        let field = match designator {
            Some(name) if lower.kind(name) == "field_designator" => {
                name.named_child(0).map(|name| StructFieldSelector::Named(lower.sym_of(name)))
            }
            Some(_) => None,
            None => u16::try_from(place).ok().map(StructFieldSelector::Nth),
        };
        if let (0, Some(field)) = (arrays, field) {
            lower.set_field(ty, field, value);
        }
    }
}
