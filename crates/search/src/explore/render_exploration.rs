//! Renders an exploration as Markdown for models and as plain text for terminals. Code follows line numbers, so no line
//! of a repository can end a fence or pose as a heading. Names and paths are kept on their line.

use std::fmt::Write as _;

use retriever_workspace::{PlaceLinkBuilder, escape_control, link_to_place};

use super::exploration::{
    Exploration, FileRenderMode, PlaceContext, PlaceInContext, PlaceSummary, PrintedDeclaration,
    RankedPlace, RelatedDefinition, RelatedPlaces, RelationCounts, RenderedFile, SourceExcerpt,
};

/// Places that a file's heading names.
const HEADING_PLACES: usize = 6;
/// First results whose rank is told where their source is printed: files come in the order of the flow.
const TOLD_RANKS: usize = 3;
/// Places that are listed without their source.
const LISTED: usize = 5;
/// Characters of a signature in a list.
const SIGNATURE_CHARS: usize = 80;
/// What is said of a skeleton.
const SKELETON: &str = "skeleton (signatures only; read for a full body)";

/// The form of text.
#[derive(Clone, Copy)]
pub enum ExplorationTextFormat<'a> {
    /// With headings and fences.
    Markdown,
    /// For a terminal, without escape sequences.
    Plain {
        /// How the commands begin that show more, as the user has to type it.
        program: &'a str,
    },
    /// For a terminal, with ANSI colours.
    Color {
        /// As for `Plain`.
        program: &'a str,
        /// Addresses of places, for links.
        address: Option<&'a PlaceLinkBuilder<'a>>,
    },
}

/// Writes an exploration.
pub fn text(exploration: &Exploration, form: ExplorationTextFormat<'_>) -> String {
    let mut page = Page { out: String::new(), form };
    page.heading(1, &format!("explore: {}", exploration.query));
    page.summary(exploration);
    page.flow(exploration);
    for (at, file) in exploration.files.iter().enumerate() {
        page.file(at + 1, file, exploration);
    }
    page.relations(exploration);
    page.rest(exploration);
    page.out
}

/// Writes the details of places.
pub fn context_text(context: &PlaceContext, form: ExplorationTextFormat<'_>) -> String {
    let mut page = Page { out: String::new(), form };
    for detail in &context.places {
        page.detail(detail);
    }
    if context.truncated {
        let budget = match form {
            ExplorationTextFormat::Markdown => "budget",
            ExplorationTextFormat::Plain { .. } | ExplorationTextFormat::Color { .. } => "--budget",
        };
        page.line(&format!("cut to the budget; {budget} gives more room"));
    }
    page.out
}

struct Page<'a> {
    out: String,
    form: ExplorationTextFormat<'a>,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn heading(&mut self, level: usize, text: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let line = match self.form {
            ExplorationTextFormat::Markdown => format!("{} {text}", "#".repeat(level)),
            ExplorationTextFormat::Plain { .. } => text.to_owned(),
            ExplorationTextFormat::Color { .. } => format!("\u{1b}[1m{text}\u{1b}[0m"),
        };
        self.line(&line);
    }

    /// Text of the repository inside a line: in Markdown as code.
    fn code(&self, text: &str) -> String {
        match self.form {
            ExplorationTextFormat::Markdown => format!("`{}`", text.replace('`', "'")),
            ExplorationTextFormat::Plain { .. } => text.to_owned(),
            ExplorationTextFormat::Color { .. } => format!("\u{1b}[36m{text}\u{1b}[0m"),
        }
    }

    /// A place as `shown`, with a link where the terminal has them.
    fn link(&self, path: &str, line: u32, shown: &str) -> String {
        let address = match self.form {
            ExplorationTextFormat::Color { address, .. } => address,
            ExplorationTextFormat::Markdown | ExplorationTextFormat::Plain { .. } => None,
        };
        link_to_place(address, (path, line), shown)
    }

    /// Returns the verb that shows more; for people as a whole command.
    fn command(&self, verb: &str) -> String {
        match self.form {
            ExplorationTextFormat::Markdown => verb.to_owned(),
            ExplorationTextFormat::Plain { program }
            | ExplorationTextFormat::Color { program, .. } => format!("{program} {verb}"),
        }
    }

    fn summary(&mut self, exploration: &Exploration) {
        let flow = match exploration.flow.len() {
            0 => String::new(),
            steps => format!(", a flow of {steps} steps"),
        };
        let cut = if exploration.truncated { "; more was relevant than fits" } else { "" };
        let found = counted(exploration.results.len() as u64, "place");
        let files = counted(exploration.files.len() as u64, "file");
        self.line(&format!("{found}, source of {files}{flow}{cut}"));
        for note in &exploration.notes {
            self.line(&format!("note: {note}"));
        }
    }

    /// The flow by the numbers of the files below, so that a path is printed once.
    fn flow(&mut self, exploration: &Exploration) {
        if exploration.flow.is_empty() {
            return;
        }
        self.heading(2, "Flow");
        for step in &exploration.flow {
            let number = exploration.files.iter().position(|file| file.path == step.path);
            let place = match number {
                Some(at) => format!("file {}, line {}", at + 1, step.line),
                None => format!("{}:{}", escape_control(&step.path), step.line),
            };
            let place = self.link(&step.path, step.line, &place);
            let line = format!("- {} ({place}): {}", self.code(&step.name), step.via);
            self.line(&line);
        }
    }

    fn file(&mut self, number: usize, file: &RenderedFile, exploration: &Exploration) {
        let mode = match file.mode {
            FileRenderMode::Skeleton => format!(" — {SKELETON}"),
            FileRenderMode::Full => " — whole file".to_owned(),
            FileRenderMode::Clusters => String::new(),
        };
        let first = file.sections.first().map_or(1, |section| section.start);
        let path = self.link(&file.path, first, &escape_control(&file.path));
        self.heading(2, &format!("{number}. {path}{mode}"));
        for place in file.places.iter().take(HEADING_PLACES) {
            let rank = exploration.results.iter().position(|found| found.place.id == place.id);
            let found = rank.and_then(|rank| exploration.results.get(rank));
            let relations = found.map(|found| &found.place.relations);
            let mut line = self.place(&file.path, place, file.mode, relations);
            if let Some(rank) = rank.filter(|rank| *rank < TOLD_RANKS) {
                let _ = write!(line, "; rank {}", rank + 1);
            }
            let is_printed =
                |near: &RelatedDefinition| file.places.iter().any(|it| it.id == near.id);
            let adjacent = found.iter().flat_map(|found| &found.adjacent);
            for near in adjacent.filter(|near| !is_printed(near)) {
                line.push_str(&self.adjacent(near));
            }
            self.line(&line);
        }
        if file.places.len() > HEADING_PLACES {
            self.line(&format!("and {} more", file.places.len() - HEADING_PLACES));
        }
        self.sections(&file.path, &file.sections);
    }

    fn place(
        &self,
        path: &str,
        place: &PrintedDeclaration,
        mode: FileRenderMode,
        relations: Option<&RelationCounts>,
    ) -> String {
        let lines = format!("{}-{}", place.start, place.end);
        let mut line = format!(
            "{} {} {} {}",
            self.code(&place.id),
            escape_control(&place.kind),
            self.code(&place.name),
            self.link(path, place.start, &lines)
        );
        if mode != FileRenderMode::Skeleton {
            line.push_str(&relations.map(in_words).unwrap_or_default());
        }
        if place.cut && mode != FileRenderMode::Skeleton {
            let lines = place.end - place.start + 1;
            let all = self.command(&format!("context {}", place.id));
            let _ = write!(line, "; in part, all {lines} lines: {all}");
        }
        line
    }

    /// A declaration next to a place.
    fn adjacent(&self, near: &RelatedDefinition) -> String {
        let line = self.link(&near.path, near.line, &format!("line {}", near.line));
        format!("; next to it {} {} {line}", self.code(&near.id), self.code(&near.name))
    }

    fn sections(&mut self, path: &str, sections: &[SourceExcerpt]) {
        if sections.is_empty() {
            return;
        }
        if matches!(self.form, ExplorationTextFormat::Markdown) {
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            let plain = extension.chars().all(|c| c.is_ascii_alphanumeric()) && extension.len() < 8;
            self.line(&format!("```{}", if plain { extension } else { "" }));
        }
        let last = sections.last().map_or(0, |section| section.end);
        let width = last.to_string().len();
        for (at, section) in sections.iter().enumerate() {
            if at > 0 && sections[at - 1].end + 1 < section.start {
                self.line(&format!("{:>width$}", "⋮"));
            }
            for (number, line) in (section.start..=section.end).zip(section.source.split('\n')) {
                let _ = writeln!(self.out, "{number:>width$} {line}");
            }
        }
        if matches!(self.form, ExplorationTextFormat::Markdown) {
            self.line("```");
        }
    }

    fn relations(&mut self, exploration: &Exploration) {
        let places = exploration.results.iter().map(|found| &found.place);
        let related: Vec<&PlaceSummary> =
            places.filter(|place| !place.related.is_empty()).collect();
        if related.is_empty() {
            return;
        }
        self.heading(2, "Relationships");
        for found in related {
            let line = format!("{} {}", self.code(&found.id), self.code(&found.name));
            self.line(&line);
            self.related(&found.related, &found.relations, &found.path, &exploration.files);
        }
    }

    fn related(
        &mut self,
        related: &RelatedPlaces,
        relations: &RelationCounts,
        path: &str,
        files: &[RenderedFile],
    ) {
        let totals =
            [relations.callers, relations.callees, relations.siblings, relations.implementers];
        for ((word, list), total) in related.lists().into_iter().zip(totals) {
            for near in list {
                let line = self.neighbour(word, near, path, files);
                self.line(&line);
            }
            let more = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(list.len());
            if more > 0 && !list.is_empty() {
                self.line(&format!("- {word} {more} more"));
            }
        }
    }

    /// One relation; the path is left out when it is that of the place itself, and a printed file goes by its number.
    fn neighbour(
        &self,
        word: &str,
        near: &RelatedDefinition,
        path: &str,
        files: &[RenderedFile],
    ) -> String {
        let signature =
            if near.signature.is_empty() { near.name.as_str() } else { near.signature.as_str() };
        let number = files.iter().position(|file| file.path == near.path);
        let place = match number {
            _ if near.path == path => format!("line {}", near.line),
            Some(at) => format!("file {}, line {}", at + 1, near.line),
            None => format!("{}:{}", escape_control(&near.path), near.line),
        };
        let place = self.link(&near.path, near.line, &place);
        format!("- {word} {} {} {place}", self.code(&near.id), self.code(&short(signature)))
    }

    /// Ranked places whose source isn't printed.
    fn rest(&mut self, exploration: &Exploration) {
        let printed = |found: &PlaceSummary| {
            exploration.files.iter().flat_map(|file| &file.places).any(|place| place.id == found.id)
        };
        let places = exploration.results.iter();
        let rest: Vec<&RankedPlace> = places.filter(|found| !printed(&found.place)).collect();
        if rest.is_empty() {
            return;
        }
        self.heading(2, "Also ranked");
        for RankedPlace { place: found, adjacent, .. } in rest.iter().take(LISTED) {
            let lines = format!("{}:{}-{}", escape_control(&found.path), found.start, found.end);
            let mut line = format!(
                "- {} {} {}{}",
                self.code(&found.id),
                self.code(&short(&found.signature)),
                self.link(&found.path, found.start, &lines),
                in_words(&found.relations)
            );
            adjacent.iter().for_each(|near| line.push_str(&self.adjacent(near)));
            self.line(&line);
        }
        if rest.len() > LISTED {
            self.line(&format!("- {} more of lower rank", rest.len() - LISTED));
        }
    }

    fn detail(&mut self, detail: &PlaceInContext) {
        let place = &detail.place;
        let title = format!("{} {}", escape_control(&place.kind), self.code(&place.name));
        self.heading(2, &title);
        let relations = in_words(&place.relations);
        let lines = format!("{}:{}-{}", escape_control(&place.path), place.start, place.end);
        let lines = self.link(&place.path, place.start, &lines);
        let line = format!("{} {lines}{relations}", self.code(&place.id));
        self.line(&line);
        if !place.doc.is_empty() {
            self.line(&place.doc);
        }
        self.sections(&place.path, &detail.sections);
        self.related(&place.related, &place.relations, &place.path, &[]);
    }
}

/// A signature as it is listed: cut, and without the annotations before it.
fn short(signature: &str) -> String {
    let signature = without_annotations(signature);
    match signature.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &signature[..at]),
        None => signature.to_owned(),
    }
}

fn without_annotations(signature: &str) -> &str {
    let mut rest = signature.trim_start();
    while let Some(named) = rest.strip_prefix('@') {
        let name = named.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':')));
        let Some(after) = name.map(|at| &named[at..]) else { break };
        let after = if after.starts_with('(') {
            after.split_once(')').map(|(_, after)| after)
        } else {
            Some(after)
        };
        match after.map(str::trim_start).filter(|after| !after.is_empty()) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// Counts that aren't zero: ` · 3 callers, 2 callees`.
fn in_words(relations: &RelationCounts) -> String {
    let counts = [
        (relations.callers, "caller"),
        (relations.callees, "callee"),
        (relations.siblings, "sibling"),
        (relations.implementers, "implementer"),
    ];
    let there = counts.into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = there.map(|(count, what)| counted(count, what)).collect();
    if said.is_empty() { String::new() } else { format!(" · {}", said.join(", ")) }
}

/// A number with what it counts.
fn counted(number: impl Into<u64>, what: &str) -> String {
    let number = number.into();
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
