//! Lists the call expressions of a text, and whether lowering made a reference of each. The audit checks the lowering of
//! a language with it.

use std::collections::{HashMap, HashSet};

use retriever_workspace::{BudgetLimits, Cancellation, WorkBudget, WorkBudgetExhausted};

use super::{
    Language, c::expressions::CASTS, definition, embedded_code::EmbeddedCode,
    file_facts_extraction::syntax_tree,
};
use crate::{
    facts::{FileFacts, ReferenceKind},
    lowering::index,
    syntax::{SyntaxNode, SyntaxTree},
};

/// What grammars call calls and what makes objects.
const CALLS: &[&str] = &[
    "call",
    "call_expression",
    "constructor_invocation",
    "explicit_constructor_invocation",
    "function_call",
    "function_call_expression",
    "instance_expression",
    "invocation_expression",
    "macro_invocation",
    "member_call_expression",
    "method_invocation",
    "new_expression",
    "nullsafe_member_call_expression",
    "object_creation_expression",
    "scoped_call_expression",
];
/// The fields in which they have what is called, where that is not the first child.
const CALLEES: &[&str] = &["function", "method", "name", "constructor", "type", "macro"];
/// Parts of the kinds of nodes that stand behind a name and are no part of it.
const ARGUMENTS: &[&str] =
    &["arguments", "argument_list", "lambda_literal", "annotated_lambda", "call_suffix"];
/// Parts of the kinds of nodes that compute what is called.
const COMPUTED: &[&str] = &[
    "anonymous",
    "array",
    "arrow",
    "as_expression",
    "assertion",
    "await",
    "binary",
    "bracket_index",
    "call",
    "cast",
    "class",
    "closure",
    "conditional",
    "conversion",
    "element_access",
    "element_reference",
    "func_literal",
    "function_expression",
    "generator_function",
    "if_expression",
    "instance_expression",
    "invocation",
    "lambda",
    "literal",
    "new_expression",
    "parenthesized",
    "subscript",
    "super",
    "ternary",
    "this",
    "unary",
    "update",
];

/// Kinds of nodes that are values by themselves: a grammar that has lost its way reads a call of one.
const VALUES: &[&str] = &["false", "null", "number", "true"];

/// What a call that decorates a declaration stands in.
const ANNOTATIONS: &[&str] = &["annotation", "file_annotation"];

/// What only looks like the name of what is called.
const KEYWORDS: &[&str] = &["break", "if", "import", "nameof", "return", "super"];
/// Words by which a type makes objects of itself: references to it have no name.
const OWN_TYPE: &[&str] = &["new", "self", "static", "this"];
/// The spellings of a name `*` in references: macros of two languages, destructors, and attributes that are assigned to are
/// marked by a sign.
const SPELLINGS: &[&str] = &["*", "*!", "#*", "~*", "*="];

/// Why a call expression is no call of something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallExclusionReason {
    /// What decorates a declaration: nothing runs where it stands.
    Annotation,
    /// It stands in a part of the text that the grammar can't read, so that it need not be a call.
    Broken,
    /// What is called is computed.
    Computed,
    /// It is read as an import.
    Import,
    /// A word of the language, see [`KEYWORDS`], or the name of a built-in type.
    Keyword,
    /// Square brackets, which one grammar reads as a call, and arrays of pointers, in which no object is made.
    Subscript,
}

/// A call expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// What the grammar calls the expression.
    pub(crate) kind: &'static str,
    /// The name that is called; empty when what is called is computed.
    pub(crate) name: String,
    /// The line of the name, from 1, or that of the reference to it.
    pub(crate) line: u32,
    /// Whether the facts of the file refer to what is called.
    pub(crate) is_referred: bool,
    /// Why the facts need not refer to it.
    pub(crate) exclusion: Option<CallExclusionReason>,
}

/// What the audit looks at in a text.
#[derive(Default)]
pub(crate) struct AuditedText {
    pub(crate) calls: Vec<CallSite>,
    /// The lines, from 1, of which the grammar read nothing: it lost its way before them.
    pub(crate) skipped: Vec<u32>,
}

/// Returns the call expressions of a text, whose facts are `facts`; none of one that is too much to parse.
///
/// # Errors
///
/// [`WorkBudgetExhausted::Cancelled`].
pub(crate) fn call_sites(
    language: Language,
    text: &str,
    facts: &FileFacts,
    cancellation: &Cancellation,
) -> Result<AuditedText, WorkBudgetExhausted> {
    let code = definition(language).host.map(|host| host.code(text));
    let (language, text) =
        code.as_ref().map_or((language, text), |code| (code.language, code.text.as_str()));
    let definition = definition(language.of_text(text));
    let budget = WorkBudget::new(BudgetLimits::UNLIMITED, cancellation);
    let (text, tree) = match syntax_tree(definition, text, &budget) {
        Err(WorkBudgetExhausted::Cancelled) => return Err(WorkBudgetExhausted::Cancelled),
        Err(_) => return Ok(AuditedText::default()),
        Ok(parsed) => parsed,
    };
    let syntax = SyntaxTree::new(&text, definition.table(), &budget);
    let mut references = References::of(facts, code.as_ref());
    let mut audited = AuditedText::default();
    let mut open = vec![(syntax.root(&tree), false)];
    while let Some((node, is_broken)) = open.pop() {
        syntax.start_at(node);
        if is_attribute(node, &text) {
            continue;
        }
        if node.is_error() {
            let skipped = skipped_rows(node).map(|row| index(row) + 1);
            let line = |line| code.as_ref().map_or(line, |code| code.line(line));
            audited.skipped.extend(skipped.map(line));
        }
        let is_broken = is_broken || node.is_error();
        let first = open.len();
        open.extend(node.named_children().map(|child| (child, is_broken)));
        open[first..].reverse();
        if CALLS.contains(&node.kind()) && !only_names(node) {
            let mut site = references.site(node);
            site.exclusion =
                site.exclusion.or_else(|| is_broken.then_some(CallExclusionReason::Broken));
            audited.calls.push(site);
        }
    }
    match budget.exhausted() {
        Some(WorkBudgetExhausted::Cancelled) => Err(WorkBudgetExhausted::Cancelled),
        _ => Ok(audited),
    }
}

/// The rows of an error that have words, but no part of the tree.
fn skipped_rows(error: SyntaxNode<'_>) -> impl Iterator<Item = usize> {
    let first = error.start_position().row;
    let read: HashSet<usize> = error
        .named_children()
        .flat_map(|part| part.start_position().row..=part.end_position().row)
        .collect();
    let lines = error.text().lines().enumerate();
    let has_words = |line: &str| line.contains(char::is_alphanumeric);
    lines
        .filter(move |(at, line)| has_words(line) && !read.contains(&(first + at)))
        .map(move |(at, _)| first + at)
}

/// Whether the form of a call names a function without calling it: `name(label:)`, `name(...)`.
fn only_names(call: SyntaxNode<'_>) -> bool {
    let only = call.field("arguments").and_then(|list| list.named_child(0));
    call.text().ends_with(":)") || only.is_some_and(|only| only.kind() == "variadic_placeholder")
}

/// Whether a node is for the compiler: `__attribute__((format(printf, 1, 2)))`, or `#[cfg(all(a, b))]` where the grammar
/// expects an expression.
fn is_attribute(node: SyntaxNode<'_>, text: &str) -> bool {
    match node.kind() {
        "attribute_specifier"
        | "attribute_declaration"
        | "attribute_item"
        | "inner_attribute_item" => true,
        "array_expression" => text[..node.start_byte()].ends_with('#'),
        _ => false,
    }
}

/// The lines of references that no call expression was found for, by name; what has none is by the empty one.
struct References<'f> {
    lines: HashMap<&'f str, Vec<u32>>,
    /// The lines of imports.
    imports: HashSet<u32>,
    /// Says on which lines of the file the text stands, when it is a part of one.
    code: Option<&'f EmbeddedCode>,
}

impl<'f> References<'f> {
    fn of(facts: &'f FileFacts, code: Option<&'f EmbeddedCode>) -> Self {
        let mut lines: HashMap<&str, Vec<u32>> = HashMap::new();
        for reference in facts.refs.iter().filter(|it| it.kind != ReferenceKind::Value) {
            let name = facts.open_call_name(reference.target).unwrap_or_default();
            lines.entry(name).or_default().push(reference.line);
        }
        Self { lines, imports: facts.imports.iter().map(|import| import.line).collect(), code }
    }

    fn site(&mut self, call: SyntaxNode<'_>) -> CallSite {
        let callee = callee(call);
        let name = callee.and_then(called_name).unwrap_or_default();
        let name = if callee.is_some_and(|callee| holds_name(call, callee)) { "" } else { name };
        let row = callee.map_or(call.start_position(), |callee| callee.end_position()).row;
        let line_of = |row: usize| {
            let line = index(row) + 1;
            self.code.map_or(line, |code| code.line(line))
        };
        let line = line_of(row);
        let around = line_of(call.start_position().row)..=line_of(call.end_position().row);
        let reference =
            self.take(name, |it| it == line).or_else(|| self.take(name, |it| around.contains(&it)));
        // `new T*[n]` makes pointers.
        let makes_pointers = call.kind() == "new_expression"
            && call.next_sibling().is_some_and(|next| next.text().starts_with('*'));
        let is_subscript = makes_pointers || call.text().ends_with(']');
        // `int(value)` converts.
        let is_built_in = callee.is_some_and(|callee| callee.kind() == "primitive_type");
        let is_own_type = reference.is_none()
            && OWN_TYPE.contains(&name)
            && self.take_line("", |it| it == line).is_some();
        let exclusion = match name {
            _ if call.parent().is_some_and(|parent| ANNOTATIONS.contains(&parent.kind())) => {
                Some(CallExclusionReason::Annotation)
            }
            "" => Some(CallExclusionReason::Computed),
            _ if is_own_type => Some(CallExclusionReason::Computed),
            _ if is_built_in || KEYWORDS.contains(&name) || CASTS.contains(&name) => {
                Some(CallExclusionReason::Keyword)
            }
            _ if around.into_iter().any(|line| self.imports.contains(&line)) => {
                Some(CallExclusionReason::Import)
            }
            _ => is_subscript.then_some(CallExclusionReason::Subscript),
        };
        let is_referred = reference.is_some();
        let (line, name) = reference.unwrap_or_else(|| (line, name.to_owned()));
        CallSite { kind: call.kind(), name, line, is_referred, exclusion }
    }

    /// Takes out the line of a reference by a spelling of this name that `fits`, and returns it with the spelling.
    fn take(&mut self, name: &str, fits: impl Fn(u32) -> bool) -> Option<(u32, String)> {
        SPELLINGS.iter().find_map(|spelling| {
            let spelled = spelling.replace('*', name);
            Some((self.take_line(&spelled, &fits)?, spelled))
        })
    }

    fn take_line(&mut self, name: &str, fits: impl Fn(u32) -> bool) -> Option<u32> {
        let lines = self.lines.get_mut(name)?;
        let at = lines.iter().position(|line| fits(*line))?;
        Some(lines.swap_remove(at))
    }
}

fn callee(call: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let field = CALLEES.iter().find_map(|field| call.field(field));
    // `Type.new` calls the type.
    let field = match call.field("receiver") {
        Some(made) if field.is_some_and(|field| field.text() == "new") => Some(made),
        _ => field,
    };
    field.or_else(|| call.named_children().find(|child| !child.is_extra()))
}

/// Whether a value in the place of a class or of a method holds the name of what is called: `new $name`, `new $this->name`,
/// `$object->$name()`, `$object->{$this->name}()`.
fn holds_name(call: SyntaxNode<'_>, callee: SyntaxNode<'_>) -> bool {
    let is_variable = callee.kind() == "variable_name" && call.field("function").is_none();
    let is_class = call.kind() == "object_creation_expression" && callee.kind().contains("access");
    let before = &call.text()[..callee.start_byte() - call.start_byte()];
    is_variable || is_class || before.trim_end().ends_with('{')
}

/// The last name of what is called; `None` when it is computed.
fn called_name(mut callee: SyntaxNode<'_>) -> Option<&str> {
    loop {
        let kind = callee.kind();
        if kind == "variable_name" {
            return Some(callee.text());
        }
        // `new (A ~> B) { … }`
        if kind == "infix_type" {
            return callee.field("operator").map(|operator| operator.text());
        }
        // `break 'label (…)` breaks with a value.
        if kind == "break_expression" {
            return Some("break");
        }
        let is_behind = |child: &SyntaxNode<'_>| {
            child.is_extra() || ARGUMENTS.iter().any(|part| child.kind().contains(part))
        };
        let Some(last) = callee.named_children().filter(|child| !is_behind(child)).last() else {
            let text = callee.text();
            let is_name = |char: char| char.is_alphanumeric() || "_@?!~".contains(char);
            let computes =
                COMPUTED.iter().any(|part| kind.contains(part)) || VALUES.contains(&kind);
            let is_name = text.chars().all(is_name) && text.contains(char::is_alphanumeric);
            return (!computes && is_name).then_some(text);
        };
        if COMPUTED.iter().any(|part| kind.contains(part)) {
            return None;
        }
        // `name[Type](…)`, `Name with Trait`.
        let is_indexed =
            matches!(kind, "index_expression" | "compound_type") || kind.contains("instantiation");
        let first = callee.named_child(0).filter(|_| is_indexed);
        callee = first.unwrap_or(last);
    }
}
