//! Scores the passages of a file and makes candidates of them.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use retriever_graph::Node;
use retriever_workspace::{Cancellation, FileVersion, LineRange, TextFile};
use rustc_hash::FxHashMap;

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool},
    chunk_similarity::chunk_similarity,
    declaration_similarity::declaration_similarity,
    file_ranking::{FileRanking, MAX_UNIQUE_WEIGHT, RankedFile, embedding_points},
    lexical_passage_score::{LexicalScorer, PassageNames},
    passage_kind_features::set_kind_features,
    ranking_features::{FeatureVector, RankingFeature},
    term_coverage::{CoveredParts, TermCoverage},
};
use crate::{
    candidate::{Candidate, CandidateSource, Symbol},
    declarations::{self, Declaration, DeclarationLine},
    index::{DeclarationVectors, FileAnalysis, FileWords, TermField, TermHit},
    per_file_limits,
    query::TermForm,
    retrieval_channels::{
        FileTermHits, MAX_WIDTH, Passage, QueryContext, WINDOW_LINES, clip_signature,
        densest_window, passages, widened,
    },
    role_vocabulary::RoleCues,
    score_parts::{ScorePart, ScoreParts},
    texts_of_one_search::TextCache,
};

/// Points of a passage with a text that the question quotes, and with a line that it mentions.
const QUOTED: f64 = 6.0;
const MENTIONED_LINE: f64 = 8.0;
/// Share of its own points that a passage gains or loses by its call density: in general, and when the query names code. At
/// the usual density it does neither.
const WORK: f64 = 1.2;
const WORK_OF_NAMED: f64 = 0.8;
const USUAL_WORK: f64 = 0.4;
/// Points for similarity beyond the usual, per weight of a word that occurs in one file: of the passage, also when the query
/// names code, and of the chunks of its file. In a large tree such a word weighs more, and similarity does not.
const SIMILARITY: f64 = 3.6;
const SIMILARITY_OF_NAMED: f64 = 1.2;
const CHUNK_SIMILARITY: f64 = 2.4;
const USUAL_COSINE: f64 = 0.2;
/// Points of the most similar declaration by the user's model, see [`embedding_points`]. Not fitted yet: chosen by
/// hand beside the other parts.
const PLACE_EMBEDDING: f64 = 2.4;
/// Share of its own points that a test beside the code loses when no test is asked for, as files of tests do.
const IN_TEST: f64 = 0.65;

/// Scores passages for one query.
pub(crate) struct PassageScorer<'a> {
    pub(crate) context: QueryContext<'a>,
    pub(crate) ranking: &'a FileRanking,
    pub(crate) cues: &'a RoleCues,
    pub(crate) texts: &'a TextCache<'a>,
    pub(crate) coverage: TermCoverage<'a>,
}

/// The terms in a name, each with its strength.
type TermsOfName = Rc<[(u8, f32)]>;

/// The file of a passage.
struct FileView<'a> {
    file: &'a TextFile,
    analysis: &'a FileAnalysis,
    words: FileWords<'a>,
    version: &'a FileVersion,
    ranked: &'a RankedFile,
    /// Similarity of its chunks and the query.
    chunk_similarity: f64,
    lexical: LexicalScorer<'a>,
    /// Passages that the question points at by a line, each with its weight of 0 to 1.
    pointed_at: &'a [(LineRange, f64)],
    /// The terms in the names of owners, by their numbers in the outline.
    owner_terms: RefCell<FxHashMap<usize, TermsOfName>>,
}

impl<'a> FileView<'a> {
    /// Returns what depends on no query of a passage that is a declaration.
    fn declared(&self, passage: &Passage<'_>) -> Option<&'a DeclarationVectors> {
        self.analysis.declaration(self.file, &self.words, passage.number?)
    }

    /// Returns the largest weight with which the question points at a passage.
    fn pointed_weight(&self, range: LineRange) -> f64 {
        let pointed_at = self.pointed_at.iter().filter(|(pointed, _)| *pointed == range);
        pointed_at.map(|(_, weight)| *weight).fold(0.0, f64::max)
    }
}

impl PassageScorer<'_> {
    /// Returns the candidates of one file, in no order.
    pub(crate) fn candidates(
        &self,
        file: &TextFile,
        ranked: &RankedFile,
        cancellation: &Cancellation,
    ) -> ScoredPool {
        let budget = per_file_limits::file_budget(file.text().len(), cancellation);
        let index = self.context.scanner.index;
        let indexed = index.file(&file.path).filter(|(_, indexed)| indexed.is_of(&file.hash));
        let analysis = indexed.and_then(|indexed| index.analysis(file, indexed));
        let analysis = analysis.or_else(|| Some(Arc::new(FileAnalysis::of_text(file, &budget)?)));
        let Some(analysis) = analysis else { return ScoredPool::new() };
        let segment = indexed.map(|(segment, _)| segment);
        let Some(words) = index.words_of(&analysis, segment) else { return ScoredPool::new() };
        let hits = self.hits(file, &words, segment.filter(|_| analysis.is_indexed()));
        let quoted = self.context.quoted.get(&file.path);
        let quoted_lines = quoted.iter().flat_map(|quoted| &quoted.lines).map(|(line, _)| *line);
        let mentioned_lines = ranked.lines.iter().map(|(line, _)| *line);
        let passages = passages(
            &FileTermHits {
                file,
                outline: &analysis.outline,
                hits: &hits,
                pointed_lines: mentioned_lines
                    .chain(quoted_lines)
                    .chain(ranked.similar_lines.iter().copied())
                    .collect(),
                term_weights: self.ranking.term_weights.as_slice(),
            },
            &budget,
        );
        let version = FileVersion::of(file);
        if passages.is_empty() {
            return vec![ScoredCandidate::bare(self.whole_file(file, version, ranked))];
        }
        let view = FileView {
            file,
            analysis: &analysis,
            words,
            version: &version,
            ranked,
            chunk_similarity: chunk_similarity(&self.context.expanded.vector, &analysis.chunks),
            lexical: LexicalScorer::new(self.context, &self.ranking.term_weights),
            pointed_at: &pointed_at(&passages, &ranked.lines),
            owner_terms: RefCell::default(),
        };
        let mut covered = CoveredParts::default();
        let scored = passages.into_iter().map(|passage| self.scored(&view, passage, &mut covered));
        scored.collect()
    }

    /// Returns the hits in a file: from its words, which are those of a segment, or from its text.
    fn hits(&self, file: &TextFile, words: &FileWords<'_>, segment: Option<usize>) -> Vec<TermHit> {
        let QueryContext { scanner, matcher, .. } = self.context;
        let mut hits = Vec::new();
        if let Some(segment) = segment {
            scanner.scan_words(segment, words, |hit| hits.push(hit));
        } else {
            matcher.scan(file.text(), file.extension(), |hit| hits.push(hit));
        }
        hits
    }

    fn scored(
        &self,
        view: &FileView<'_>,
        passage: Passage<'_>,
        covered: &mut CoveredParts,
    ) -> Box<ScoredCandidate> {
        let mut features = FeatureVector::default();
        let mut score = view.ranked.score;
        let (terms, owner_terms) = (self.name_terms(&passage), self.owner_terms(view, &passage));
        let declared = view.declared(&passage);
        let words = declared.map_or(0, |declared| declared.name_words);
        let names = PassageNames { words, terms: &terms, owner_terms: &owner_terms };
        let main_terms = view.lexical.add(&passage, names, &mut score);
        self.coverage.set_features(&passage, covered, &mut features);
        self.set_surroundings(view, &passage, names, covered, &mut features);
        set_kind_features(&passage, declared, &mut features);
        let candidate = self.candidate(view, &passage, score, &mut features);
        Box::new(ScoredCandidate { candidate, features, hits: passage.hits, main_terms })
    }

    /// Returns the terms in the name of a passage.
    fn name_terms(&self, passage: &Passage<'_>) -> Vec<(u8, f32)> {
        let name = passage.declared.map(|found| found.declaration.name.as_str());
        name.map_or_else(Vec::new, |name| self.context.matcher.terms_in(name))
    }

    /// Returns the terms in the name of the declaration around a passage.
    fn owner_terms(&self, view: &FileView<'_>, passage: &Passage<'_>) -> TermsOfName {
        let declared = &view.analysis.outline.declared;
        let number = passage.number.and_then(|at| declared.get(at)?.parent);
        let Some((number, owner)) = number.zip(passage.owner) else { return Rc::default() };
        let mut known = view.owner_terms.borrow_mut();
        let terms = || self.context.matcher.terms_in(&owner.declaration.name).into();
        Rc::clone(known.entry(number).or_insert_with(terms))
    }

    /// Completes the score of a passage and makes the candidate.
    fn candidate(
        &self,
        view: &FileView<'_>,
        passage: &Passage<'_>,
        mut score: ScoreParts,
        features: &mut FeatureVector,
    ) -> Candidate {
        let FileView { file, ranked, .. } = *view;
        let mut provenance = Vec::new();
        self.add_similarity(view, passage, &mut score, features);
        score.add(ScorePart::Line, MENTIONED_LINE * view.pointed_weight(passage.range));
        let mut source = CandidateSource::Lexical;
        if let Some(text) = self.quoted_in(file, passage) {
            score.add(ScorePart::QuotedLine, QUOTED);
            provenance.insert(0, format!("text \"{text}\""));
            let is_named = score.has_any(&[ScorePart::Name, ScorePart::WholeName]);
            source = if is_named { source } else { CandidateSource::Grep };
        }
        self.add_call_density(view, passage, &mut score, features);
        score.add(ScorePart::Topic, CHUNK_SIMILARITY * self.beyond_usual(view.chunk_similarity));
        add_kind_of_file(ranked, &mut score);
        if ranked.is_hinted {
            provenance.push("hinted by the caller".to_owned());
            source = CandidateSource::Hint;
        }
        let narrowed = self.narrowed(passage);
        if passage.in_test
            && !(self.context.parsed.scope.wants_tests || score.has_any(&[ScorePart::Kind]))
        {
            score.add(ScorePart::KindOfPlace, -IN_TEST * (score.total() - ranked.score.total()));
        }
        let line = self.standing_line(passage, narrowed.range);
        let symbols = passage.declared.iter().map(|found| Symbol {
            name: found.declaration.name.clone(),
            kind: found.declaration.kind.clone(),
            line,
        });
        Candidate {
            file: view.version.clone(),
            range: Some(narrowed.range),
            symbols: symbols.collect(),
            part_of: narrowed.part_of,
            adjacent: Vec::new(),
            owner: passage.declared.and_then(|it| it.owner(passage.owner)).map(str::to_owned),
            signature: file.line(line).map(|text| (line, clip_signature(text.trim_end()))),
            score,
            source,
            matching_names: Vec::new(),
            provenance,
            graph: None,
            in_test: passage.in_test,
            evidence_roles: BTreeSet::new(),
            shown_roles: BTreeSet::new(),
            leading_role: None,
        }
    }

    /// Adds the points of vector similarity.
    fn add_similarity(
        &self,
        view: &FileView<'_>,
        passage: &Passage<'_>,
        score: &mut ScoreParts,
        features: &mut FeatureVector,
    ) {
        let query = &self.context.expanded.vector;
        let declared = view.declared(passage);
        let cosine =
            declared.map_or(0.0, |declared| declaration_similarity(query, declared, features));
        let names_code = self.context.parsed.names_code();
        let factor = if names_code { SIMILARITY_OF_NAMED } else { SIMILARITY };
        score.add(ScorePart::Meaning, factor * self.beyond_usual(cosine));
        if let (Some(similar), Some(found)) = (self.context.similar, passage.declared) {
            let line = found.declaration.range.start();
            let similarity = similar.of_declaration(&view.file.path, line);
            let points = embedding_points(&self.context, &self.ranking.term_weights);
            score.add(ScorePart::Embedding, PLACE_EMBEDDING * points * similarity);
        }
    }

    /// Returns the points for a cosine above the usual.
    fn beyond_usual(&self, cosine: f64) -> f64 {
        let unique = self.ranking.term_weights.unique;
        unique.min(MAX_UNIQUE_WEIGHT) * (cosine - USUAL_COSINE).max(0.0)
    }

    /// Returns the text that the question quotes, if it stands in the passage.
    fn quoted_in(&self, file: &TextFile, passage: &Passage<'_>) -> Option<&str> {
        let quoted = self.context.quoted.get(&file.path)?;
        let mut lines = quoted.lines.iter();
        lines.find(|(line, _)| passage.range.contains(*line)).map(|(_, text)| text.as_str())
    }

    /// Adds a share of the passage's own points by its call density. One that the query names as a whole loses nothing.
    fn add_call_density(
        &self,
        view: &FileView<'_>,
        passage: &Passage<'_>,
        score: &mut ScoreParts,
        features: &mut FeatureVector,
    ) {
        let calls = passage.calls.unwrap_or_else(|| {
            let start = passage.range.start();
            let part =
                |line| if line == start { DeclarationLine::Heading } else { DeclarationLine::Body };
            let lines = view.file.lines(passage.range);
            lines.map(|(number, line)| declarations::call_count(line, part(number))).sum()
        });
        let kind = passage.declared.map(|found| found.declaration.kind.as_str());
        let weight = declarations::call_density(kind, calls);
        features.set(RankingFeature::Work, weight);
        // A change is also made where something is declared or registered, and nothing is called there.
        if self.context.parsed.scope.wants_change {
            return;
        }
        let own = score.total() - view.ranked.score.total();
        let names_code = self.context.parsed.names_code();
        let factor = if names_code { WORK_OF_NAMED } else { WORK };
        let points = factor * (weight - USUAL_WORK) * own;
        let is_named = score.has_any(&[ScorePart::WholeName]);
        score.add(ScorePart::Work, if is_named { points.max(0.0) } else { points });
    }

    /// Sets the features of what stands around a passage, and of the words of its name. `covered` is what the passage
    /// itself covers.
    fn set_surroundings(
        &self,
        view: &FileView<'_>,
        passage: &Passage<'_>,
        names: PassageNames<'_>,
        covered: &mut CoveredParts,
        features: &mut FeatureVector,
    ) {
        let QueryContext { expanded, parsed, .. } = self.context;
        let coverage = &self.coverage;
        let CoveredParts { any: around, owner: of_owner, .. } = covered;
        for (term, strength) in names.owner_terms {
            coverage.add(*term, *strength, of_owner);
            coverage.add(*term, *strength, around);
        }
        for term in &view.ranked.path_terms {
            coverage.add(*term, 1.0, around);
        }
        features.set(RankingFeature::Owner, coverage.share(of_owner));
        features.set(RankingFeature::Around, coverage.share(around));
        features.set(RankingFeature::NamesCode, f64::from(parsed.names_code()));
        if passage.declared.is_none() {
            return;
        }
        let with_form = |form: TermForm| {
            names.terms.iter().filter(move |(term, _)| expanded.form(*term) == Some(form)).count()
        };
        let words = names.words.max(1) as f64;
        features.set(RankingFeature::NamedWhole, f64::from(with_form(TermForm::Whole) > 0));
        features.set(RankingFeature::NameWords, words);
        features
            .set(RankingFeature::NameKnown, (with_form(TermForm::Word) as f64 / words).min(1.0));
    }

    /// Returns the candidate of a definition that only the graph leads to, without a score.
    pub(super) fn of_definition(&self, file: &TextFile, node: &Node) -> Option<Candidate> {
        let end = node.end.min(node.start.saturating_add(MAX_WIDTH - 1));
        let range =
            LineRange::new(node.start, node.end)?.intersect(LineRange::new(node.start, end)?)?;
        let symbol = Symbol {
            name: node.name.clone(),
            kind: node.kind.as_ref().to_owned(),
            line: node.name_line,
        };
        let signature = clip_signature(file.line(node.name_line)?.trim_end());
        Some(Candidate {
            symbols: vec![symbol],
            signature: Some((node.name_line, signature)),
            source: CandidateSource::Graph,
            ..bare_candidate(FileVersion::of(file), Some(range))
        })
    }

    /// Returns the candidate of a file that was found by its path alone.
    fn whole_file(&self, file: &TextFile, version: FileVersion, ranked: &RankedFile) -> Candidate {
        let mut provenance = Vec::new();
        if ranked.is_hinted {
            provenance.push("hinted by the caller".to_owned());
        }
        let lines = file.line_count().min(WINDOW_LINES);
        Candidate {
            signature: file.line(1).map(|text| (1, clip_signature(text.trim_end()))),
            score: ranked.score,
            source: if ranked.is_hinted { CandidateSource::Hint } else { CandidateSource::Path },
            provenance,
            ..bare_candidate(version, LineRange::new(1, lines))
        }
    }

    /// Cuts a wide declaration to the window that fits best.
    fn narrowed(&self, passage: &Passage<'_>) -> Narrowed {
        let range = passage.range;
        let (Some(found), true) = (passage.declared, range.width() > MAX_WIDTH) else {
            return Narrowed { range, part_of: None };
        };
        let part_of = Some(found.declaration.clone());
        let cut_to = |range: LineRange| Narrowed { range, part_of: part_of.clone() };
        let declaration_line = LineRange::line(found.declaration.range.start());
        // A query for a name is answered by what the name declares.
        if let (true, Some(line)) = (self.is_named(&found.declaration.name), declaration_line) {
            return cut_to(widened(line, range));
        }
        let weights = self.ranking.term_weights.as_slice();
        let densest = |is_wanted: &dyn Fn(&TermHit) -> bool| {
            let hits = passage.hits.iter().filter(|hit| range.contains(hit.line));
            let hits: Vec<TermHit> = hits.filter(|hit| is_wanted(hit)).copied().collect();
            densest_window(&hits, weights, range)
        };
        // A long documentation says the words of a question, and the code behind it what is done.
        let in_code = |hit: &TermHit| hit.field != TermField::Comment && hit.line != range.start();
        let window = densest(&in_code).or_else(|| densest(&|_| true));
        let first_line = LineRange::line(range.start());
        cut_to(window.or(first_line).map_or(range, |window| widened(window, range)))
    }

    /// Whether the query is nothing but this name.
    fn is_named(&self, name: &str) -> bool {
        self.context.parsed.name.as_ref().is_some_and(|query| query.is_of(name))
    }

    /// Returns the line that represents `range`: that of its declaration if the range has it, else the one with the heaviest
    /// terms.
    fn standing_line(&self, passage: &Passage<'_>, range: LineRange) -> u32 {
        let declared = passage.declared.map(|found| found.declaration.range.start());
        if let Some(line) = declared.filter(|line| range.contains(*line)) {
            return line;
        }
        let mut lines: BTreeMap<u32, f64> = BTreeMap::new();
        for hit in passage.hits.iter().filter(|hit| range.contains(hit.line)) {
            let weight = self.ranking.term_weights.get(hit.term) * f64::from(hit.strength);
            *lines.entry(hit.line).or_default() += weight;
        }
        let best = lines.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.map_or(range.start(), |(line, _)| line)
    }
}

/// What is kept of a passage.
struct Narrowed {
    range: LineRange,
    /// The declaration that it is a part of, if it is one.
    part_of: Option<Declaration>,
}

/// Returns a candidate that has only its place.
fn bare_candidate(file: FileVersion, range: Option<LineRange>) -> Candidate {
    Candidate {
        file,
        range,
        symbols: Vec::new(),
        part_of: None,
        adjacent: Vec::new(),
        owner: None,
        signature: None,
        score: ScoreParts::default(),
        source: CandidateSource::Lexical,
        matching_names: Vec::new(),
        provenance: Vec::new(),
        graph: None,
        in_test: false,
        evidence_roles: BTreeSet::new(),
        shown_roles: BTreeSet::new(),
        leading_role: None,
    }
}

/// Returns the passages that the question points at by a line: the innermost around each, with the line's weight.
fn pointed_at(passages: &[Passage<'_>], lines: &[(u32, f64)]) -> Vec<(LineRange, f64)> {
    let innermost = |(line, weight): &(u32, f64)| {
        let ranges = passages.iter().map(|passage| passage.range);
        let around = ranges.filter(|range| range.contains(*line));
        Some((around.min_by_key(|range| range.width())?, *weight))
    };
    lines.iter().filter_map(innermost).collect()
}

/// Takes the share from a passage's own points that its file loses for its kind.
fn add_kind_of_file(ranked: &RankedFile, score: &mut ScoreParts) {
    let lost = ranked.score.get(ScorePart::Kind);
    if lost != 0.0 {
        let file_points = ranked.score.total();
        let before = file_points - lost;
        let share = if before > 0.0 { lost / before } else { 0.0 };
        score.add(ScorePart::KindOfPlace, (score.total() - file_points) * share);
    }
}
