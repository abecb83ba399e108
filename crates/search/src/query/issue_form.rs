//! The forms of issues: headings that every issue has, sentences of templates, and sections that only describe the
//! machine. None of their words is about the code.

/// Words of which the headings of forms consist.
const FORM_WORDS: &str = "\
    a actual actually additional affected alternatives and any applicable are background behavior behaviour \
    browser bug case code complete considered context current d debug describe description details did do \
    drawbacks environment error example existing expect expected feature following for happen happened \
    happens have here how i info information installation instead is issue issues it known last like link \
    log logs mcve message method minimal motivation name notes observed of operating or os other output \
    platform please possible problem proposal proposed question rationale related relevant report repro \
    reproduce reproducer reproducible reproduction request result results sample screenshot screenshots see \
    snippet solution stack step steps suggested suggestion summary system tested the there this to trace \
    traceback use used using ve verifiable version versions was were what which workaround working you your";
/// Words of the headings of sections about a machine, how many words beside them such a heading may have that are not of a
/// form, and those behind which it ends: `Node.js version`.
const MACHINE_WORDS: &str =
    "browser environment installation operating os platform setup version versions";
const MAX_OTHER_WORDS: usize = 1;
const LAST_WORDS: &str = "environment os version versions";
const MAX_BEFORE_LAST: usize = 4;
/// Beginnings of sentences that stand in templates, in lower case.
const TEMPLATE: &[&str] = &[
    "a clear and concise description",
    "add any other context",
    "if applicable, add",
    "steps to reproduce the behavior",
    "_no response_",
    // What a reporter confirms; other boxes are tasks.
    "- [x] i ",
    "- [ ] i ",
    "- [x] i'",
    "- [ ] i'",
    "* [x] i ",
    "* [ ] i ",
];

/// The section that a line of an issue stands in.
#[derive(Default)]
pub(super) struct IssueSection {
    /// Whether it tells on what machine something happened.
    pub(super) tells_of_machine: bool,
}

impl IssueSection {
    /// Whether a line belongs to the form; goes on to the section that it is the heading of. Indented lines are code.
    pub(super) fn is_form(&mut self, line: &str) -> bool {
        if line.starts_with("    ") {
            return false;
        }
        let line = line.trim();
        let Some(heading) = heading(line) else {
            let lower = line.to_lowercase();
            return TEMPLATE.iter().any(|start| lower.starts_with(start));
        };
        let words: Vec<String> = heading
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let is_known = |known: &str, word: &String| known.split(' ').any(|known| known == word);
        let others = words
            .iter()
            .filter(|word| !is_known(FORM_WORDS, word) && !is_known(MACHINE_WORDS, word));
        let others = others.count();
        let is_last = words.last().is_some_and(|word| is_known(LAST_WORDS, word));
        self.tells_of_machine = words.iter().any(|word| is_known(MACHINE_WORDS, word))
            && (others <= MAX_OTHER_WORDS || is_last && words.len() <= MAX_BEFORE_LAST + 1);
        others == 0
    }
}

/// Returns the text of a line that is a heading: behind `#`, or bold as a whole.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    if text.len() < line.len() && text.starts_with(' ') {
        return Some(text);
    }
    let bold = line.trim_end_matches(':').strip_prefix("**")?.strip_suffix("**")?;
    (!bold.contains("**")).then_some(bold)
}
