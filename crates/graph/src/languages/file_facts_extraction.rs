//! Extracts the facts of one file from its text. A budget that follows from the size of the text limits the work; nothing
//! here looks at another file. The same text always gives the same facts.

use std::borrow::Cow;

use retriever_workspace::{BudgetLimits, Cancellation, WorkBudget, WorkBudgetExhausted};
use tree_sitter::Tree;

use crate::{
    facts::{FileFacts, FileOmission},
    languages::{self, Language, LanguageDefinition, definition},
    lowering::{CommentTypeTree, LoweringContext, index, outline, read_tags},
    syntax::{
        SyntaxTree,
        parse::{lines, parse, parse_again},
    },
};

/// Bytes of a file that are read; what lies behind is left out.
const MAX_BYTES: usize = 5 << 20;
/// Rounds of rewriting a text: each reads what was inside of what the one before read.
const MAX_ROUNDS: u32 = 3;

/// Returns what one file may take. Ordinary code needs a fifth of the operations on average, and never more than the half.
const fn limits(bytes: usize) -> BudgetLimits {
    let bytes = bytes as u64;
    BudgetLimits { operations: 250_000 + 5 * bytes, bytes: (16 << 20) + 32 * bytes }
}

/// Reads the facts of `source`. Of broken text, the facts of the parts that parse are read.
pub fn extract(language: Language, source: &str) -> FileFacts {
    extract_within(language, source, &Cancellation::new())
        .unwrap_or_else(|_| FileFacts::empty(language))
}

/// As [`extract`], but stops when the work is cancelled.
///
/// # Errors
///
/// [`WorkBudgetExhausted::Cancelled`].
pub fn extract_within(
    language: Language,
    source: &str,
    cancellation: &Cancellation,
) -> Result<FileFacts, WorkBudgetExhausted> {
    if let Some(host) = definition(language).host {
        let code = host.code(source);
        let mut facts = extract_within(code.language, &code.text, cancellation)?;
        (facts.language, facts.lines) = (language, index(lines(source)));
        code.place(&mut facts);
        host.complete(source, &mut facts);
        return Ok(facts);
    }
    let language = language.of_text(source);
    let text = &source[..source.floor_char_boundary(MAX_BYTES)];
    let budget = WorkBudget::new(limits(text.len()), cancellation);
    let mut facts = FileFacts::empty(language);
    facts.lines = index(lines(text));
    facts.omission = (text.len() < source.len()).then_some(FileOmission::Tail);
    let definition = definition(language);
    match read(definition, text, facts, &budget) {
        Err(WorkBudgetExhausted::Cancelled) => Err(WorkBudgetExhausted::Cancelled),
        Err(_) => Ok(outline(language, definition.outline, text)),
        facts => facts,
    }
}

/// Reads all facts of a text.
fn read(
    definition: &'static LanguageDefinition,
    text: &str,
    facts: FileFacts,
    budget: &WorkBudget,
) -> Result<FileFacts, WorkBudgetExhausted> {
    let (text, tree) = syntax_tree(definition, text, budget)?;
    if definition.is_outlined() {
        return match definition.tags() {
            Some(query) => read_tags(query, &text, &tree, facts, budget),
            None => Ok(facts),
        };
    }
    let syntax = SyntaxTree::new(&text, definition.table(), budget);
    let told = definition
        .comment_types
        .and_then(|(read, notation)| Some((read(&text)?, languages::definition(notation))));
    let told = told.and_then(|(types, notation)| {
        let tree = parse(&notation.grammar, &types.text, None, budget).ok()?;
        Some((types, tree, notation.table()))
    });
    let notes = told.as_ref().map(|(types, _, table)| SyntaxTree::new(&types.text, table, budget));
    let types = told.as_ref().zip(notes.as_ref());
    let types = types.map(|((types, tree, _), notes)| CommentTypeTree::new(types, notes, tree));
    let mut lower = LoweringContext::new(&syntax, definition.dialect, facts);
    lower.comment_types = types.as_ref();
    let facts = lower.run(syntax.root(&tree));
    if let Some(error) = budget.exhausted() {
        return Err(error);
    }
    if facts.defs.is_empty() && tree.root_node().is_error() {
        // Nothing in it could be read as a whole: single lines may still show what it declares.
        let mut shown = outline(facts.language, definition.outline, &text);
        if !shown.defs.is_empty() {
            shown.omission = Some(FileOmission::Syntax);
            return Ok(shown);
        }
    }
    Ok(facts)
}

/// Returns the syntax tree that is lowered, and the text that it is of: what the language's grammar can't read is rewritten.
pub(super) fn syntax_tree<'s>(
    definition: &'static LanguageDefinition,
    text: &'s str,
    budget: &WorkBudget,
) -> Result<(Cow<'s, str>, Tree), WorkBudgetExhausted> {
    let grammar = &definition.grammar;
    let mut text = Cow::Borrowed(text);
    let mut tree = match parse(grammar, &text, None, budget) {
        // Too many errors: rewriting may take them away.
        Err(error) if budget.exhausted().is_none() => {
            let plain = definition.dialect.rewrite_unread(&text, budget)?;
            text = plain.ok_or(error)?.into();
            parse(grammar, &text, None, budget)?
        }
        tree => tree?,
    };
    // Definitions inside macro calls are read as if the call weren't there; one inside another takes another round.
    for _ in 0..MAX_ROUNDS {
        let syntax = SyntaxTree::new(&text, definition.table(), budget);
        let plain = definition.dialect.rewrite(&text, syntax.root(&tree))?;
        let Some(plain) = plain.filter(|plain| *plain != text) else { break };
        let mut again = parse_again(grammar, &plain, &text, &mut tree, budget)?;
        if definition.dialect.reparses_errors() && again.root_node().has_error() {
            again = parse(grammar, &plain, None, budget)?;
        }
        (text, tree) = (plain.into(), again);
    }
    if let (Cow::Owned(plain), Some((stand_in, name))) = (&text, definition.dialect.stand_in()) {
        budget.spend(plain.len() as u64 / 16)?;
        text = plain.replace(stand_in, name).into();
    }
    Ok((text, tree))
}

/// Parses `source` and takes nothing from it: what no index can do without, for measurements.
pub fn parse_alone(language: Language, source: &str) {
    if let Some(host) = definition(language).host {
        let code = host.code(source);
        return parse_alone(code.language, &code.text);
    }
    let budget = WorkBudget::new(limits(source.len()), &Cancellation::new());
    let grammar = &definition(language.of_text(source)).grammar;
    drop(parse(grammar, source, None, &budget));
}
