//! Rust's macro calls: the expressions in their tokens, and the items inside those that stand around items.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, ScopeKind, Sym},
    languages::rust::expressions::{member_of_path, module_word, path_start},
    languages::rust::macro_expansion::{self, Expansion},
    lowering::{LoweringContext, index},
    syntax::SyntaxNode,
};

pub(crate) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let name = lower.in_field(node, "macro");
    if let Some(name) = name {
        let last = lower.text(name).rsplit("::").next().unwrap_or_default();
        let spelled = lower.sym(&format!("{last}!"));
        let path = lower.in_field(name, "path");
        let target = match path.filter(|path| path.kind() == "identifier") {
            Some(path) => {
                let object = path_start(lower, path);
                lower.push(Expr::Member { object, name: spelled })
            }
            None => named(lower, spelled, name),
        };
        lower.resolve_expr(ReferenceKind::Call, target, 0, name.start_position().row);
    }
    for child in node.named_children() {
        if lower.kind(child) == "token_tree" {
            let bare = name.filter(|name| name.kind() == "identifier");
            if let Some(expansion) =
                bare.and_then(|name| macro_expansion::of_call(lower, name, child))
            {
                expand(lower, &expansion, node, child);
                return ExprId::UNKNOWN;
            }
            let values = tokens(lower, child, 0);
            if name.is_some_and(|name| lower.text(name) == "vec") {
                return lower.push(Expr::Array(values));
            }
        }
    }
    ExprId::UNKNOWN
}

/// Reads what a call is given by what the rule that takes it binds and defines.
fn expand<'t>(
    lower: &mut LoweringContext<'t>,
    expansion: &Expansion<'t>,
    call: SyntaxNode<'t>,
    arguments: SyntaxNode<'t>,
) {
    let defined = expansion.define_functions(lower, call);
    let outer = lower.at;
    match defined[..] {
        [] => {
            return lower.in_block(|lower| {
                expansion.bind_variables(lower);
                tokens(lower, arguments, 0);
            });
        }
        // What else the call is given stands in the function.
        [(function, _)] => _ = lower.enter(function, ScopeKind::Function),
        _ => {}
    }
    let is_name = |it: &SyntaxNode<'t>| defined.iter().any(|(_, name)| name == it);
    let given = arguments.children().filter(|it| !is_name(it)).collect();
    read(lower, given, arguments, 0);
    lower.at = outer;
}

/// A macro by its name, as it is spelled where it is called.
fn named<'t>(lower: &mut LoweringContext<'t>, spelled: Sym, node: SyntaxNode<'t>) -> ExprId {
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    lower.push(Expr::Name { name: spelled, scope, pos })
}

/// Words between the tokens of a macro call that are no names.
const KEYWORDS: &[&str] = &[
    "if", "else", "match", "return", "let", "mut", "move", "async", "in", "ref", "for", "while",
    "loop", "unsafe", "as",
];
/// Tokens behind which braces after a name are a block, or the name is the end of a path.
const NO_STRUCT_BEHIND: &[&str] = &["::", ".", "if", "in", "match", "while"];
/// Brackets inside one another that are read.
const MAX_DEPTH: u32 = 60;

/// Reads what looks like expressions in the tokens of a macro call: names, paths, members, calls.
fn tokens<'t>(lower: &mut LoweringContext<'t>, tree: SyntaxNode<'t>, depth: u32) -> Vec<ExprId> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    read(lower, tree.children().collect(), tree, depth)
}

/// Reads the tokens `all` of `tree`.
fn read<'t>(
    lower: &mut LoweringContext<'t>,
    all: Vec<SyntaxNode<'t>>,
    tree: SyntaxNode<'t>,
    depth: u32,
) -> Vec<ExprId> {
    let mut group = Group { all, at: 0, depth, value: ExprId::UNKNOWN, joined: false };
    let mut values = Vec::new();
    let mut last = tree;
    while let Some(token) = group.next() {
        match lower.kind(token) {
            "," => {
                lower.hand_on(group.value, last);
                values.push(group.value);
                group.start();
            }
            ")" | "]" | "}" => lower.hand_on(group.value, last),
            _ => group.read(lower, token),
        }
        last = token;
    }
    values.push(group.value);
    values
}

/// The tokens between two brackets of a macro call, read from left to right.
struct Group<'t> {
    all: Vec<SyntaxNode<'t>>,
    at: usize,
    depth: u32,
    /// What the tokens since the last separator stand for.
    value: ExprId,
    /// Whether a `.` or `::` stands behind the value.
    joined: bool,
}

impl<'t> Group<'t> {
    fn next(&mut self) -> Option<SyntaxNode<'t>> {
        let token = self.all.get(self.at).copied();
        self.at += usize::from(token.is_some());
        token
    }

    fn next_is(&self, kind: &str) -> bool {
        self.all.get(self.at).is_some_and(|next| next.kind() == kind)
    }

    /// Starts a new expression.
    fn start(&mut self) {
        (self.value, self.joined) = (ExprId::UNKNOWN, false);
    }

    fn read(&mut self, lower: &mut LoweringContext<'t>, token: SyntaxNode<'t>) {
        match lower.kind(token) {
            // The name of a built-in type may be one of a function.
            "identifier" | "primitive_type" | "self" | "crate" | "super" => self.word(lower, token),
            // Words that are keywords in some places only; at the start they may be the macro's own.
            "default" | "gen" | "raw" | "union" if self.joined => self.word(lower, token),
            "." => self.joined = self.value.is_known(),
            "::" => {
                self.joined = self.value.is_known();
                if self.next_is("<") {
                    // A turbofish says nothing about what is called.
                    self.at = self.all.len() - without_arguments(&self.all[self.at..]).len();
                    if let Some(list) = self.arguments(lower) {
                        self.call(lower, list, token);
                        self.joined = false;
                    }
                }
            }
            "?" => self.value = lower.push(Expr::Unwrap(self.value)),
            "#" => self.skip_attribute(),
            "token_tree" => {
                let (open, value) = (lower.text(token).chars().next(), self.value);
                let made = self.struct_name(lower).filter(|_| open == Some('{'));
                let values = tokens(lower, token, self.depth + 1);
                self.start();
                self.value = match (open, &values[..]) {
                    (Some('['), _) if value.is_known() => lower.push(Expr::Index(value)),
                    (Some('('), [inside]) if !value.is_known() => *inside,
                    _ => match made {
                        Some(name) => {
                            let ty = lower.constructed(name);
                            lower.push(Expr::Typed(ty))
                        }
                        None => ExprId::UNKNOWN,
                    },
                };
            }
            "integer_literal" if self.joined => {
                let name = lower.sym_of(token);
                self.value = lower.push(Expr::Member { object: self.value, name });
                self.joined = false;
            }
            _ => self.start(),
        }
    }

    /// Returns the name in front of the token that was just read, if it is spelled as that of a struct: `Name { … }`.
    fn struct_name(&self, lower: &LoweringContext<'t>) -> Option<SyntaxNode<'t>> {
        let before = |count: usize| self.all.get(self.at.checked_sub(count)?).copied();
        let name = before(2).filter(|name| name.kind() == "identifier")?;
        let text = lower.text(name);
        let is_spelled_so = text.starts_with(char::is_uppercase)
            && text.chars().any(char::is_lowercase)
            && before(3).is_none_or(|it| !NO_STRUCT_BEHIND.contains(&it.kind()));
        is_spelled_so.then_some(name)
    }

    fn word(&mut self, lower: &mut LoweringContext<'t>, token: SyntaxNode<'t>) {
        lower.row = token.start_position().row;
        let text = lower.text(token);
        if KEYWORDS.contains(&text) {
            self.start();
            return;
        }
        if !self.joined && self.next_is("!") {
            self.at += 1;
            self.start();
            let spelled = lower.sym(&format!("{text}!"));
            let target = named(lower, spelled, token);
            return lower.resolve_expr(ReferenceKind::Call, target, 0, lower.row);
        }
        self.value = if self.joined && text == "await" {
            lower.push(Expr::Await(self.value))
        } else if self.joined {
            let name = lower.sym_of(token);
            member_of_path(lower, self.value, name)
        } else if lower.kind(token) == "self" && !self.next_is("::") {
            lower.push(Expr::This(lower.at.scope))
        } else if lower.kind(token) == "self" {
            module_word(lower, token, "self::")
        } else if self.next_is("::") {
            path_start(lower, token)
        } else {
            lower.name_expr(token)
        };
        self.joined = false;
        if self.next_is("!") {
            self.at += 1;
            self.value = ExprId::UNKNOWN;
        }
        if self.value.is_known()
            && let Some(list) = self.arguments(lower)
        {
            self.call(lower, list, token);
        }
    }

    /// The arguments in parentheses that follow.
    fn arguments(&self, lower: &LoweringContext<'t>) -> Option<SyntaxNode<'t>> {
        let next = self.all.get(self.at).copied()?;
        (lower.kind(next) == "token_tree" && lower.text(next).starts_with('(')).then_some(next)
    }

    /// Reads a call of the value with the arguments that follow.
    fn call(
        &mut self,
        lower: &mut LoweringContext<'t>,
        list: SyntaxNode<'t>,
        token: SyntaxNode<'t>,
    ) {
        self.at += 1;
        let args = tokens(lower, list, self.depth + 1);
        let callee = self.value;
        lower.resolve_expr(ReferenceKind::Call, callee, args.len(), token.start_position().row);
        self.value = lower.push(Expr::Call { callee, args, type_args: Vec::new() });
    }

    /// Passes an attribute, which is for the compiler.
    fn skip_attribute(&mut self) {
        self.start();
        let inner = usize::from(self.next_is("!"));
        let attribute = self.all.get(self.at + inner);
        if attribute.is_some_and(|it| it.kind() == "token_tree" && it.text().starts_with('[')) {
            self.at += inner + 1;
        }
    }
}

/// Returns what stands behind the arguments in angles that tokens may begin with.
pub(super) fn without_arguments<'a, 't>(tokens: &'a [SyntaxNode<'t>]) -> &'a [SyntaxNode<'t>] {
    let mut open = 0_i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind() {
            "<" => open += 1,
            ">" => open -= 1,
            ">>" => open -= 2,
            _ => {}
        }
        if open <= 0 {
            return if at == 0 { tokens } else { &tokens[at + 1..] };
        }
    }
    &[]
}

/// Blanks the heads of item macros (`name! { … }` around items) so that the items inside are read.
pub(crate) fn unwrap_items(source: &str, root: SyntaxNode<'_>) -> Option<String> {
    let mut plain: Option<Vec<u8>> = None;
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        for child in node.named_children() {
            let invocation = match child.kind() {
                "mod_item" | "impl_item" | "trait_item" | "foreign_mod_item" => {
                    open.extend(child.field("body"));
                    continue;
                }
                "macro_invocation" => child,
                "expression_statement" => {
                    match child.named_child(0).filter(|c| c.kind() == "macro_invocation") {
                        Some(invocation) => invocation,
                        None => continue,
                    }
                }
                _ => continue,
            };
            let Some(tree) = invocation.named_children().find(|c| c.kind() == "token_tree") else {
                continue;
            };
            let text = source.get(tree.byte_range()).unwrap_or_default();
            let Some(body) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
                continue;
            };
            if !starts_item(body) {
                continue;
            }
            let bytes = plain.get_or_insert_with(|| source.as_bytes().to_vec());
            for at in (invocation.start_byte()..=tree.start_byte()).chain([tree.end_byte() - 1]) {
                if bytes[at] != b'\n' {
                    bytes[at] = b' ';
                }
            }
        }
    }
    plain.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Whether the first word behind comments and attributes is one that items start with.
fn starts_item(body: &str) -> bool {
    let mut rest = body.trim_start();
    loop {
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(attribute) = rest.strip_prefix("#![").or(rest.strip_prefix("#[")) {
            rest = behind_attribute(attribute);
        } else {
            break;
        }
        rest = rest.trim_start();
    }
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    matches!(
        word,
        "pub"
            | "mod"
            | "use"
            | "fn"
            | "impl"
            | "struct"
            | "enum"
            | "trait"
            | "async"
            | "unsafe"
            | "extern"
    ) || matches!(word, "const" | "static" | "type" | "union") && rest.contains(';')
}

/// Returns what stands behind the bracket that closes an attribute; nothing when none does.
fn behind_attribute(attribute: &str) -> &str {
    let mut depth = 1u32;
    let end = attribute.find(|char| {
        match char {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.and_then(|end| attribute.get(end + 1..)).unwrap_or_default()
}
