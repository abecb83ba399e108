//! The channels: where in a tree the places are that a question may be about. What each place is worth is the ranking's to say.

pub(crate) mod entry_points;
pub(crate) mod graph_expansion;
pub(crate) mod passages;
pub(crate) mod quoted_text;
