//! What the rules of a macro by example do with the arguments of a call in the same file: they may bind a variable for code
//! that they are given (`let $name = $value.inner()`), and define a function by a name that they are given.

use super::macros::without_arguments;
use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Param, Sym, TypeId},
    lowering::{LoweringContext, ReturnTarget, index},
    syntax::SyntaxNode,
};

/// Brackets inside one another that are read.
const MAX_DEPTH: u32 = 24;
/// Rules of a macro that are looked at.
const MAX_RULES: usize = 16;

/// Rules that hand a call on to one another.
const MAX_HANDED: usize = 8;
/// Tokens that a rule may hand on.
const MAX_ARGUMENTS: usize = 1_000;

/// A function that a call defines, and its name there.
pub(super) type Defined<'t> = (DefId, SyntaxNode<'t>);
/// What a rule was given for one of its variables.
type Given<'t> = (&'t str, Vec<SyntaxNode<'t>>);

/// A call that a rule of its macro takes.
pub(super) struct Expansion<'t> {
    definition: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    body: SyntaxNode<'t>,
    given: Vec<Given<'t>>,
}

/// Keeps a macro whose rules name what they bind or define by what they are given.
pub(super) fn keep<'t>(lower: &mut LoweringContext<'t>, name: Sym, definition: SyntaxNode<'t>) {
    let mut bodies = rules(definition).filter_map(|rule| rule.field("right"));
    if bodies.any(|body| is_named_by_call(body, 0)) {
        lower.macros.insert(name, definition);
    } else {
        lower.macros.remove(&name);
    }
}

/// Returns how the macro `name` of this file takes the arguments of a call.
pub(super) fn of_call<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    arguments: SyntaxNode<'t>,
) -> Option<Expansion<'t>> {
    if lower.macros.is_empty() {
        return None;
    }
    let sym = lower.sym_of(name);
    let definition = *lower.macros.get(&sym)?;
    by_rule(definition, name, &inside(arguments))
}

/// Returns how the first rule that fits takes the tokens of a call.
fn by_rule<'t>(
    definition: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    call: &[SyntaxNode<'t>],
) -> Option<Expansion<'t>> {
    rules(definition).find_map(|rule| {
        let given = taken(&inside(rule.field("left")?), call)?;
        Some(Expansion { definition, name, body: rule.field("right")?, given })
    })
}

impl<'t> Expansion<'t> {
    /// Binds the variables that the rule binds by names that it is given.
    pub(super) fn bind_variables(&self, lower: &mut LoweringContext<'t>) {
        self.bind_in(lower, self.body, 0);
    }

    fn bind_in(&self, lower: &mut LoweringContext<'t>, tree: SyntaxNode<'t>, depth: u32) {
        let tokens: Vec<SyntaxNode<'t>> = tree.children().collect();
        for (at, token) in tokens.iter().enumerate() {
            if token.kind() == "token_tree" && depth < MAX_DEPTH {
                self.bind_in(lower, *token, depth + 1);
            }
            if token.kind() != "let" {
                continue;
            }
            let behind = tokens.get(at + 1..).unwrap_or_default();
            let [variable, equals, value @ ..] = without_mut(behind) else { continue };
            if equals.text() != "=" {
                continue;
            }
            let Some(name) = self.given_name(variable) else { continue };
            let end = value.iter().position(|token| token.text() == ";").unwrap_or(value.len());
            let value = self.value(lower, &value[..end], 0);
            let sym = lower.sym_of(name);
            let ty = TypeId::UNKNOWN;
            lower.bind(sym, index(name.end_byte()), BindingTarget::Local { ty, value });
        }
    }

    /// Defines the functions that the rule defines by names that it is given, and returns them with those names. A rule may
    /// hand them to another one.
    pub(super) fn define_functions(
        &self,
        lower: &mut LoweringContext<'t>,
        call: SyntaxNode<'t>,
    ) -> Vec<Defined<'t>> {
        let mut groups = Vec::new();
        if !matches!(lower.at.body, ReturnTarget::File) {
            return Vec::new();
        }
        item_groups(self.body, 0, &mut groups);
        let mut inner = self.handed_on(&groups);
        let mut defined = self.define_in(lower, &groups, call);
        for _ in 0..MAX_HANDED {
            let Some(expansion) = inner.filter(|_| defined.is_empty()) else { break };
            groups.clear();
            item_groups(expansion.body, 0, &mut groups);
            inner = expansion.handed_on(&groups);
            defined = expansion.define_in(lower, &groups, call);
        }
        defined
    }

    /// Returns how the macro takes the first call of itself that the rule has in place of an item.
    fn handed_on(&self, groups: &[Vec<SyntaxNode<'t>>]) -> Option<Self> {
        let is_call = |tokens: &&[SyntaxNode<'t>]| {
            tokens[0].text() == self.name.text()
                && tokens[1].kind() == "!"
                && tokens[2].kind() == "token_tree"
        };
        let call = groups.iter().find_map(|tokens| tokens.windows(3).find(is_call))?;
        let given = |token| match self.given(&token) {
            Some(given) => given.to_vec(),
            None => vec![token],
        };
        let tokens: Vec<_> =
            inside(call[2]).into_iter().flat_map(given).take(MAX_ARGUMENTS).collect();
        by_rule(self.definition, self.name, &tokens)
    }

    fn define_in(
        &self,
        lower: &mut LoweringContext<'t>,
        groups: &[Vec<SyntaxNode<'t>>],
        call: SyntaxNode<'t>,
    ) -> Vec<Defined<'t>> {
        let mut defined = Vec::new();
        for tokens in groups {
            for (at, token) in tokens.iter().enumerate() {
                if let Some([variable, behind @ ..]) = tokens.get(at + 1..)
                    && token.kind() == "fn"
                    && let Some(name) = self.given_name(variable)
                {
                    defined.push((define(lower, name, call, behind), name));
                }
            }
        }
        defined
    }

    /// Returns the name that a variable of the rule stands for.
    fn given_name(&self, variable: &SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
        match without_mut(self.given(variable)?) {
            [name] if name.kind() == "identifier" => Some(*name),
            _ => None,
        }
    }

    fn given(&self, variable: &SyntaxNode<'t>) -> Option<&[SyntaxNode<'t>]> {
        if variable.kind() != "metavariable" {
            return None;
        }
        let text = variable.text();
        let (_, tokens) = self.given.iter().find(|(name, _)| *name == text)?;
        Some(tokens)
    }

    /// The value of tokens that are a name with calls of methods behind it. The calls are those of the macro, and none here.
    fn value(
        &self,
        lower: &mut LoweringContext<'t>,
        tokens: &[SyntaxNode<'t>],
        depth: u32,
    ) -> ExprId {
        let [first, rest @ ..] = tokens else { return ExprId::UNKNOWN };
        let mut value = match first.kind() {
            "metavariable" if depth < MAX_DEPTH => match self.given(first) {
                Some(given) => self.value(lower, given, depth + 1),
                None => ExprId::UNKNOWN,
            },
            "self" => lower.push(Expr::This(lower.at.scope)),
            "identifier" if depth > 0 => lower.name_expr(*first),
            _ => ExprId::UNKNOWN,
        };
        let mut rest = rest;
        while value.is_known() {
            rest = match rest {
                [] => return value,
                [question, behind @ ..] if question.text() == "?" => {
                    value = lower.push(Expr::Unwrap(value));
                    behind
                }
                [dot, name, behind @ ..] if dot.text() == "." && name.kind() == "identifier" => {
                    let name = lower.sym_of(*name);
                    value = lower.push(Expr::Member { object: value, name });
                    match behind {
                        [list, behind @ ..] if list.text().starts_with('(') => {
                            let (args, type_args) = (Vec::new(), Vec::new());
                            value = lower.push(Expr::Call { callee: value, args, type_args });
                            behind
                        }
                        _ => behind,
                    }
                }
                _ => return ExprId::UNKNOWN,
            };
        }
        value
    }
}

/// Defines a function at the call of a macro; `behind` are the tokens behind its name where the macro writes it.
fn define<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    call: SyntaxNode<'t>,
    behind: &[SyntaxNode<'t>],
) -> DefId {
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Function, sym, call, Some(name));
    lower.declare(id);
    lower.sign(id, call, None);
    let rest = without_arguments(behind);
    // `(&'a mut self, …)` and `(self: Box<Self>)`, and not `(one: self::One)`.
    let is_method = rest.first().is_some_and(|takes| {
        let mut first = takes.children().take_while(|it| !matches!(it.kind(), ":" | ","));
        first.any(|it| it.kind() == "self")
    });
    let mut path = Vec::new();
    if let [_, arrow, result @ ..] = rest
        && arrow.text() == "->"
    {
        for token in result {
            match token.kind() {
                "identifier" => path.push(lower.sym_of(*token)),
                "::" => {}
                _ => break,
            }
        }
    }
    let ty = if path.is_empty() { TypeId::UNKNOWN } else { lower.named(path, Vec::new(), call) };
    let this = lower.sym("self");
    let rest = lower.sym("");
    let def = lower.def_mut(id);
    def.ty = ty;
    def.flags = DefFlags::EXPORTED;
    let param =
        |name| Param { name, ty: TypeId::UNKNOWN, default: ExprId::UNKNOWN, variadic: false };
    if is_method {
        def.params.push(param(this));
    }
    def.params.push(Param { variadic: true, ..param(rest) });
    lower.mark(id, if is_method { DefFlags::SELF_PARAM } else { DefFlags::STATIC });
    id
}

/// Collects the groups of tokens that stand where the items of a rule's body do: none inside another item or a value.
fn item_groups<'t>(tree: SyntaxNode<'t>, depth: u32, groups: &mut Vec<Vec<SyntaxNode<'t>>>) {
    let tokens: Vec<SyntaxNode<'t>> = tree.children().collect();
    let mut is_inside = false;
    for token in &tokens {
        match token.kind() {
            "impl" | "trait" | "mod" | "fn" | "=" => is_inside = true,
            ";" => is_inside = false,
            "token_tree" if is_inside && token.text().starts_with('{') => is_inside = false,
            "token_tree" if depth < MAX_DEPTH => item_groups(*token, depth + 1, groups),
            _ => {}
        }
    }
    groups.push(tokens);
}

fn rules<'t>(definition: SyntaxNode<'t>) -> impl Iterator<Item = SyntaxNode<'t>> {
    definition.named_children().filter(|child| child.kind() == "macro_rule").take(MAX_RULES)
}

/// Whether a rule binds a variable or defines a function that a variable of the rule names.
fn is_named_by_call(tree: SyntaxNode<'_>, depth: u32) -> bool {
    let mut before = "";
    for token in tree.children() {
        match token.kind() {
            "token_tree" if depth < MAX_DEPTH && is_named_by_call(token, depth + 1) => return true,
            "metavariable" if matches!(before, "let" | "fn") => return true,
            "mutable_specifier" => continue,
            _ => {}
        }
        before = token.kind();
    }
    false
}

/// The tokens between brackets, with the comments that are attributes.
fn inside<'t>(tree: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let mut tokens: Vec<SyntaxNode<'t>> =
        tree.children().filter(|it| !it.is_extra() || is_doc(it)).collect();
    tokens.pop();
    if !tokens.is_empty() {
        tokens.remove(0);
    }
    tokens
}

/// Returns what the variables of a pattern stand for in a call; `None` when the call doesn't fit, or parts repeat.
fn taken<'t>(pattern: &[SyntaxNode<'t>], call: &[SyntaxNode<'t>]) -> Option<Vec<Given<'t>>> {
    let mut given = Vec::new();
    let mut call = call;
    for (at, part) in pattern.iter().enumerate() {
        match part.kind() {
            "token_binding_pattern" => {
                let name = part.field("name")?.text();
                let count = match part.field("type")?.text() {
                    "ident" | "tt" | "lifetime" | "literal" | "block" => 1,
                    // As far as what the pattern has next.
                    _ => match pattern.get(at + 1) {
                        Some(next) => call.iter().position(|it| it.text() == next.text())?,
                        None => call.len(),
                    },
                };
                let (value, behind) = call.split_at_checked(count)?;
                given.push((name, value.to_vec()));
                call = behind;
            }
            "token_tree_pattern" => {
                let (first, behind) = call.split_first()?;
                let opens = |node: &SyntaxNode<'_>| node.text().chars().next();
                if first.kind() != "token_tree" || opens(first) != opens(part) {
                    return None;
                }
                call = behind;
            }
            "token_repetition_pattern" if part.child(2).is_some_and(|it| it.kind() == "#") => {
                call = without_attributes(call);
            }
            // What is left out at the end, such as a last comma.
            "token_repetition_pattern" if call.is_empty() => {}
            "token_repetition_pattern" => return None,
            _ => {
                let (first, behind) = call.split_first()?;
                if first.text() != part.text() {
                    return None;
                }
                call = behind;
            }
        }
    }
    call.is_empty().then_some(given)
}

fn is_doc(token: &SyntaxNode<'_>) -> bool {
    token.text().starts_with("///")
}

fn without_attributes<'a, 't>(mut tokens: &'a [SyntaxNode<'t>]) -> &'a [SyntaxNode<'t>] {
    loop {
        tokens = match tokens {
            [doc, rest @ ..] if is_doc(doc) => rest,
            [hash, attribute, rest @ ..]
                if hash.kind() == "#" && attribute.kind() == "token_tree" =>
            {
                rest
            }
            all => return all,
        };
    }
}

fn without_mut<'a, 't>(tokens: &'a [SyntaxNode<'t>]) -> &'a [SyntaxNode<'t>] {
    match tokens {
        [first, rest @ ..] if first.kind() == "mutable_specifier" => rest,
        all => all,
    }
}
