//! Highlighted lines of code: each token has one class, and the markup of each line is complete.

use maud::{Markup, html};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Longest line that is highlighted, in bytes; longer ones are usually generated.
const MAX_LINE_BYTES: usize = 1_000;

/// Class of a token by its scope; the innermost listed scope decides.
const CLASSES: &[(&str, &str)] = &[
    ("comment", "c"),
    ("string", "s"),
    ("constant", "n"),
    ("entity.name.function", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.name", "t"),
    ("support.type", "t"),
    ("support.class", "t"),
    ("storage", "k"),
    ("keyword.operator", ""),
    ("keyword", "k"),
];

/// Highlights code by the name of its file.
pub struct SyntaxHighlighter {
    syntaxes: SyntaxSet,
    classes: Vec<(Scope, &'static str)>,
}

impl Default for SyntaxHighlighter {
    fn default() -> Self {
        Self::new()
    }
}

impl SyntaxHighlighter {
    /// Loads the syntaxes.
    pub fn new() -> Self {
        let classes =
            CLASSES.iter().filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, *class)));
        Self { syntaxes: two_face::syntax::extra_newlines(), classes: classes.collect() }
    }

    /// Returns the highlighted `lines`, which are consecutive lines of the file at `path`. A file of an unknown kind
    /// stays plain.
    pub fn lines(&self, path: &str, lines: &[String]) -> Vec<Markup> {
        let Some(syntax) = self.syntax(path) else {
            return lines.iter().map(|line| html! { (line) }).collect();
        };
        let mut state = ParseState::new(syntax);
        let mut stack = ScopeStack::new();
        lines.iter().map(|line| self.line(line, &mut state, &mut stack)).collect()
    }

    fn syntax(&self, path: &str) -> Option<&SyntaxReference> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit('.').next().unwrap_or(name);
        let by_name = self.syntaxes.find_syntax_by_extension(name);
        by_name.or_else(|| self.syntaxes.find_syntax_by_extension(extension))
    }

    fn line(&self, line: &str, state: &mut ParseState, stack: &mut ScopeStack) -> Markup {
        if line.len() > MAX_LINE_BYTES {
            return html! { (line) };
        }
        let Ok(parsed) = state.parse_line(&format!("{line}\n"), &self.syntaxes) else {
            return html! { (line) };
        };
        let mut tokens: Vec<(&'static str, String)> = Vec::new();
        let mut from = 0;
        for (at, change) in &parsed {
            let at = (*at).min(line.len());
            add_token(&mut tokens, self.class(stack), line.get(from..at).unwrap_or_default());
            from = at;
            if stack.apply(change).is_err() {
                break;
            }
        }
        add_token(&mut tokens, self.class(stack), line.get(from..).unwrap_or_default());
        html! {
            @for (class, text) in tokens {
                @if class.is_empty() { (text) } @else { span class=(class) { (text) } }
            }
        }
    }

    fn class(&self, stack: &ScopeStack) -> &'static str {
        let known = |scope: &Scope| {
            self.classes
                .iter()
                .find(|(prefix, _)| prefix.is_prefix_of(*scope))
                .map(|(_, class)| *class)
        };
        stack.as_slice().iter().rev().find_map(known).unwrap_or_default()
    }
}

/// Appends `text`, to the last token if that has the same class.
fn add_token(tokens: &mut Vec<(&'static str, String)>, class: &'static str, text: &str) {
    match tokens.last_mut() {
        Some((last, token)) if *last == class => token.push_str(text),
        _ if text.is_empty() => {}
        _ => tokens.push((class, text.to_owned())),
    }
}
