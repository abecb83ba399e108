//! `grep`: lines that match a pattern, over every file that a search may see. Totals are exact, the order is by path and
//! line, and each way to find nothing has its own answer.

mod callers_of_matches;
mod folded_matches;
mod grep_arguments;
mod grep_output;
mod grep_search;
mod grep_tool;
mod match_page;
mod match_selection;
mod no_grep_match;

pub(in crate::tools) use self::grep_search::{files_with_word, lines_with_word, paths_with_word};
pub use self::{
    grep_arguments::GrepToolArguments,
    grep_output::{GrepMatch, GrepOutput},
    grep_tool::GrepTool,
};
use self::{
    grep_arguments::{DEFAULT_LIMIT, MAX_CONTEXT, MAX_LIMIT, SHOWN_PER_FILE},
    grep_output::{count, not_searched, nothing, shown},
    grep_search::GrepHits,
    match_page::MatchPageInput,
};
