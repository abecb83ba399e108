//! Text of one file in, its facts out. Parsing is limited in time and survives any input; nothing here looks at another
//! file.

mod define;
mod express;
mod lower;
mod spec;

use std::{
    cell::RefCell,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{ParseOptions, Parser, Tree};

pub(crate) use self::{
    lower::{Body, Context, Dialect, Lower, index, summary},
    spec::{Role, Slot, Spec},
};
use super::{
    facts::FileFacts,
    languages::{Language, entry},
};

/// Time that one file's parse may take.
const PARSE_TIME: Duration = Duration::from_secs(2);
/// Bytes of a file that are read; what lies behind is left out.
const MAX_BYTES: usize = 5 << 20;

/// Reads the facts of `source`. Broken text gives the facts of what could be understood.
pub fn extract(language: Language, source: &str) -> FileFacts {
    let language = language.of_text(source);
    let entry = entry(language);
    let mut cut = source.len().min(MAX_BYTES);
    while !source.is_char_boundary(cut) {
        cut -= 1;
    }
    let text = &source[..cut];
    let mut facts = FileFacts::empty(language);
    facts.lines = index(text.lines().count());
    let Some(tree) = parse(language, text) else {
        facts.incomplete = true;
        return facts;
    };
    facts.incomplete = cut < source.len();
    // Definitions inside macro calls are read as if the call weren't there; one inside another takes another round.
    let mut text = std::borrow::Cow::Borrowed(text);
    let mut tree = tree;
    for _ in 0..3 {
        let Some(plain) = entry.dialect.rewrite(&text, tree.root_node()) else { break };
        let Some(again) = parse(language, &plain) else { break };
        (text, tree) = (plain.into(), again);
    }
    Lower::new(&text, &entry.spec, entry.dialect, facts).run(tree.root_node())
}

fn parse(language: Language, text: &str) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&entry(language).grammar).ok()?;
        let started = Instant::now();
        let mut watch = |_: &tree_sitter::ParseState| {
            if started.elapsed() > PARSE_TIME {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = text.as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut watch)),
        );
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}
