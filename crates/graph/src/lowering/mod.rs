//! Text of one file in, its facts out. Parsing is limited in time and survives any input; nothing here looks at another
//! file.

mod definitions;
mod dialect;
mod events;
mod expressions;
mod lower;
mod parameters;
mod types;
mod values;

pub(crate) use self::{
    dialect::Dialect,
    lower::{Body, Context, Lower, find, index, kids, summary},
};
pub(crate) use crate::syntax::table::{GrammarTable, Parts, Role, Slot};
use crate::{
    facts::FileFacts,
    languages::{Language, entry},
    syntax::parse::{lines, parse, parse_again},
};

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
    facts.lines = index(lines(text));
    let Some(tree) = parse(language, text, None) else {
        (facts.incomplete, facts.cut) = (true, true);
        return facts;
    };
    facts.incomplete = cut < source.len();
    // Definitions inside macro calls are read as if the call weren't there; one inside another takes another round.
    let mut text = std::borrow::Cow::Borrowed(text);
    let mut tree = tree;
    for _ in 0..3 {
        let Some(plain) = entry.dialect.rewrite(&text, tree.root_node()) else { break };
        if plain == text {
            break;
        }
        let mut again = parse_again(language, &plain, &text, &mut tree);
        if entry.dialect.reparses_errors()
            && again.as_ref().is_some_and(|t| t.root_node().has_error())
        {
            // What an error had swallowed can stay swallowed when only a byte differs.
            again = parse(language, &plain, None);
        }
        let Some(again) = again else {
            facts.cut = true;
            break;
        };
        (text, tree) = (plain.into(), again);
    }
    Lower::new(&text, entry.table(), entry.dialect, facts).run(tree.root_node())
}

/// Parses `source` and takes nothing from it: what no index can do without, for measurements.
pub fn parse_alone(language: Language, source: &str) {
    drop(parse(language.of_text(source), source, None));
}
