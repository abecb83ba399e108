//! What the lowering of JavaScript and TypeScript adds to the common walk.

use retriever_workspace::WorkBudgetExhausted;

use super::{
    JavaScript, binding_patterns, grammar_workarounds,
    types::{cases, conditional_type, made_class},
};
use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, ModuleExport, ScopeKind, TypeExpr, TypeId},
    languages::javascript::{
        constructor_functions::{
            MemberAssignment, PROTOTYPE, bind_this, exported_value, prototype,
        },
        expressions::{
            assertion, assigned_constant, binary, call, construct_signature, method_definition,
            method_signature, object, opening_element, property_signature, spread, string,
            subscript,
        },
        imports_and_exports::{export, import, namespace},
        statements::{catch, conditional},
    },
    lowering::{LoweringContext, LoweringDialect, Role},
    syntax::SyntaxNode,
};

/// Nodes of a condition that are read for what it narrows, from its end on: each `&&` of a long chain reads the part before it.
const MAX_CONDITION_NODES: usize = 32;

impl LoweringDialect for JavaScript {
    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        if root.has_error() {
            return grammar_workarounds::separated(source, root.budget());
        }
        Ok(None)
    }

    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "import_statement" => import(lower, node),
            "export_statement" => export(lower, node),
            "object" => return object(lower, node),
            "call_expression" => return call(lower, node, &parts),
            "method_definition" => method_definition(lower, node, &parts),
            "property_signature" => property_signature(lower, node, &parts),
            "method_signature" | "abstract_method_signature" => {
                method_signature(lower, node, &parts);
            }
            "construct_signature" => construct_signature(lower, node, &parts),
            "as_expression" | "satisfies_expression" => return assertion(lower, node),
            "binary_expression" => return binary(lower, node, &parts),
            "subscript_expression" => return subscript(lower, &parts),
            "spread_element" => return spread(lower, node),
            "for_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "catch_clause" => catch(lower, &parts),
            "if_statement" | "ternary_expression" => return conditional(lower, node, &parts),
            "module" => namespace(lower, node, &parts),
            "jsx_opening_element" | "jsx_self_closing_element" => {
                opening_element(lower, node, &parts);
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let value = if ty.is_known() { lower.push(Expr::Typed(ty)) } else { value };
        match lower.kind(node) {
            "object_pattern" => binding_patterns::object(lower, node, value),
            "array_pattern" => binding_patterns::array(lower, node, value),
            "assignment_pattern" => binding_patterns::with_default(lower, node, value),
            _ => {
                lower.node(node);
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "object_type" => {
                let name = lower.sym("");
                let id = lower.new_def(DefKind::Object, name, node, None);
                let outer = lower.enter(id, ScopeKind::Type);
                lower.children(node);
                lower.at = outer;
                lower.push_type(TypeExpr::Object(id))
            }
            "type_query" => {
                let value = node.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
                lower.push_type(TypeExpr::TypeOf(value))
            }
            "lookup_type" => {
                let base = node.named_child(0).map_or(TypeId::UNKNOWN, |base| lower.ty(base));
                let key = node.named_child(1).filter(|key| lower.kind(*key) == "literal_type");
                match key
                    .and_then(|key| key.named_child(0))
                    .filter(|key| lower.kind(*key) == "string")
                {
                    Some(key) => {
                        let name = string(lower, key);
                        lower.push_type(TypeExpr::Member(base, name))
                    }
                    None => {
                        let name = lower.sym("[]");
                        lower.push_type(TypeExpr::Member(base, name))
                    }
                }
            }
            "conditional_type" => conditional_type(lower, node),
            "call_expression" => match lower.in_field(node, "function") {
                // `import("./a").B`
                Some(import) if lower.kind(import) == "import" => lower.type_of(node),
                _ => made_class(lower, node),
            },
            "mapped_type_clause" | "template_literal_type" | "infer_type" => TypeId::UNKNOWN,
            // `keyof A`
            "index_type_query" => {
                if let Some(of) = node.named_child(0) {
                    lower.annotation(of);
                }
                TypeId::UNKNOWN
            }
            // `x is A`, `asserts x is A`: what the function gives is a truth value or nothing.
            "type_predicate" => {
                if let Some(proved) = lower.in_field(node, "type") {
                    lower.annotation(proved);
                }
                TypeId::UNKNOWN
            }
            "asserts" => {
                let proved = node.named_child(0).filter(|it| lower.kind(*it) == "type_predicate");
                proved.map_or(TypeId::UNKNOWN, |proved| lower.ty(proved))
            }
            "interface_body" => TypeId::UNKNOWN,
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        for child in node.children() {
            match lower.kind(child) {
                "static" => flags = flags.with(DefFlags::STATIC),
                "async" => flags = flags.with(DefFlags::ASYNC),
                "abstract" => flags = flags.with(DefFlags::ABSTRACT),
                "get" | "set" => flags = flags.with(DefFlags::PROPERTY),
                "*" => flags = flags.with(DefFlags::GENERATOR),
                "accessibility_modifier" if lower.text(child) != "public" => {
                    flags = flags.with(DefFlags::PRIVATE);
                }
                "private_property_identifier" => flags = flags.with(DefFlags::PRIVATE),
                // Marks stand in front of the name.
                "identifier"
                | "property_identifier"
                | "type_identifier"
                | "formal_parameters"
                | "statement_block"
                | "class_body"
                | "object_type" => break,
                _ => {}
            }
        }
        flags
    }

    fn members_run(&self) -> bool {
        true
    }

    fn is_param(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
        lower.table.role(node) == Role::Ident
            || matches!(lower.kind(node), "object_pattern" | "array_pattern" | "rest_pattern")
    }

    fn param<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
        for child in node.named_children() {
            if lower.kind(child) == "decorator" {
                lower.node(child);
            }
        }
        // It is the function that is decorated.
        lower.waiting_decorators.clear();
        // `constructor(private x: T)` declares a field.
        let marked = node.children().any(|child| {
            matches!(lower.kind(child), "accessibility_modifier" | "readonly" | "override_modifier")
        });
        let Some(name) = marked.then(|| lower.in_field(node, "pattern")).flatten() else { return };
        let ty = lower
            .at
            .owner
            .and_then(|id| lower.facts.def(id).params.last().map(|param| param.ty))
            .unwrap_or_default();
        let value = lower.name_expr(name);
        lower.assigned_field(node, name, ty, value);
    }

    fn assign<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        left: SyntaxNode<'t>,
        right: Option<SyntaxNode<'t>>,
    ) -> Option<ExprId> {
        let right = right?;
        // `[a, b] = …` and `({a} = …)` assign to what exists.
        let (object, name) = match lower.kind(left) {
            "subscript_expression" => return assigned_constant(lower, node, left, right),
            "member_expression" => {
                (lower.in_field(left, "object")?, lower.in_field(left, "property")?)
            }
            _ => return None,
        };
        let base = lower.text(object);
        let own = lower.text(name);
        if base == "module" && own == "exports" {
            let value = exported_value(lower, node, right, "exports");
            let default = lower.sym("default");
            lower.push_export(ModuleExport::Value { name: default, value });
            return Some(value);
        }
        if own == PROTOTYPE {
            return Some(prototype(lower, left, right));
        }
        let exports = base == "exports" || base == "module.exports";
        let functional = lower.table.role(right) == Role::Lambda;
        if !(exports || functional && lower.kind(object) != "this") {
            return None;
        }
        if !exports && !matches!(lower.kind(object), "identifier" | "member_expression") {
            return None;
        }
        if exports && !functional {
            let name = lower.sym_of(name);
            let value = lower.kept_value(right);
            lower.push_export(ModuleExport::Value { name, value });
            return Some(value);
        }
        let object = (!exports).then_some(object);
        Some(MemberAssignment { node, object, name, function: right }.lower(lower))
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        bind_this(lower, id, node);
        if lower.kind(node) == "enum_declaration" {
            cases(lower, node);
        }
    }

    fn narrow<'t>(&self, lower: &mut LoweringContext<'t>, condition: SyntaxNode<'t>) {
        let mut open = vec![condition];
        for _ in 0..MAX_CONDITION_NODES {
            let Some(node) = open.pop() else { return };
            match lower.kind(node) {
                "parenthesized_expression" => open.extend(node.named_child(0)),
                "binary_expression" => {
                    let (Some(left), Some(right)) =
                        (lower.in_field(node, "left"), lower.in_field(node, "right"))
                    else {
                        continue;
                    };
                    match lower.in_field(node, "operator").map(|operator| operator.kind()) {
                        Some("&&") => open.extend([left, right]),
                        Some("instanceof") if lower.kind(left) == "identifier" => {
                            let ty = lower.ty(right);
                            lower.bind_local(left, ty, ExprId::UNKNOWN);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}
