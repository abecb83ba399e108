//! Scores an answer against a labelled case. Pure: the needed files are passed in. [`Metric`] defines each score.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use crate::{
    metric::Metric,
    suite::{EvalCase, ExpectedPlace},
};
use retriever_report::{
    CodeMap, Confidence, MapSizeStats, MapStatus, Place, RecommendedAction,
    evidence_ledger::{EvidenceLedger, FileEvidence},
};
use retriever_workspace::{LineRange, LineSet, TextFile};

/// A cited range may be this many times as wide as the label that it hits.
const WIDTH_FACTOR: u32 = 3;
/// Number of ranked files in the cumulative gain.
const GAINFUL_FILES: usize = 10;
/// Number of ranked places that are searched for the labelled ranges.
const RANKED_PLACES: usize = 20;

/// A place that an answer cites; without lines it is the whole file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CitedPlace {
    /// Path relative to the root.
    pub path: String,
    /// The lines.
    pub range: Option<LineRange>,
}

impl fmt::Display for CitedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.range {
            Some(range) => write!(f, "{}:{range}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// The answer of one system, for scoring.
#[derive(Clone, Debug, Default)]
pub struct ScorableAnswer {
    /// Ranked places, best first; `None` when the system has no ranking.
    pub ranked: Option<Vec<CitedPlace>>,
    /// The cited places: those of the map, in its order.
    pub places: Vec<CitedPlace>,
    /// The map, if the system makes one.
    pub map: Option<CodeMap>,
    /// The lines that were delivered to the model, by path; `None` for systems without a model.
    pub delivered: Option<BTreeMap<String, LineSet>>,
    /// Wall-clock milliseconds.
    pub elapsed_ms: Option<u64>,
    /// Wall-clock milliseconds of a repeated ranking, with everything loaded.
    pub search_ms: Option<f64>,
}

impl ScorableAnswer {
    /// Returns the places of a map: primary, then secondary, then read targets.
    pub fn places_of(map: &CodeMap) -> Vec<CitedPlace> {
        let cited = |place: &Place| CitedPlace { path: place.path.clone(), range: place.range() };
        map.listed_places().map(cited).collect()
    }

    /// Returns the delivered lines of a ledger.
    pub fn delivered_in(ledger: &EvidenceLedger) -> BTreeMap<String, LineSet> {
        let lines = |file: &FileEvidence| (file.version.path.to_string(), file.delivered.clone());
        ledger.files().map(lines).collect()
    }

    /// Returns the ranked files, each at the rank of its first place.
    fn ranked_files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = Vec::new();
        for place in self.ranked.iter().flatten() {
            if !files.contains(&place.path.as_str()) {
                files.push(&place.path);
            }
        }
        files
    }

    /// Whether all lines of a reference were delivered.
    fn has_delivered(&self, path: &str, range: LineRange) -> bool {
        let Some(delivered) = &self.delivered else { return true };
        delivered.get(path).is_some_and(|lines| lines.contains(range))
    }

    /// Returns all references of the answer, each once.
    pub fn references(&self) -> BTreeSet<CitedPlace> {
        let findings = self.map.iter().flat_map(|map| &map.findings);
        let refs = findings.flat_map(|finding| &finding.refs).map(|place| CitedPlace {
            path: place.path.clone(),
            range: LineRange::new(place.start, place.end),
        });
        self.places.iter().cloned().chain(refs).collect()
    }
}

/// The scores of one answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerScores {
    /// The scores that apply to the case and the system.
    pub values: BTreeMap<Metric, f64>,
    /// Widths in lines of the distinct places.
    pub widths: Vec<u32>,
    /// The map's confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Share of the labels that the places hit: `role_recall`, else `file_recall`; 0 for negative questions.
    pub held: f64,
    /// Reason codes of the map (`meta.reasons`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// Whether a cited range hits a labelled one: they share a line, and the cited range is at most three times as wide as
/// the label or lies inside it.
pub fn hits(cited: LineRange, label: LineRange) -> bool {
    cited.overlaps(label)
        && (cited.width() <= label.width().saturating_mul(WIDTH_FACTOR) || label.covers(cited))
}

/// Scores `answered` against the labels of `case`. `files` are the files of the checkout that
/// [`ScorableAnswer::references`] names; a file that is missing there does not exist.
pub fn score(
    case: &EvalCase,
    answered: &ScorableAnswer,
    files: &BTreeMap<String, TextFile>,
) -> AnswerScores {
    let mut scores = AnswerScores::default();
    let whole = |cited: &CitedPlace| {
        let lines = files.get(&cited.path)?.line_count();
        let range = cited.range.or_else(|| LineRange::new(1, lines))?;
        (range.end() <= lines).then_some((cited.path.clone(), range))
    };
    let is_real = |cited: &CitedPlace| {
        whole(cited).is_some_and(|(path, range)| answered.has_delivered(&path, range))
    };
    let fabricated = answered.references().iter().filter(|cited| !is_real(cited)).count();
    let places: BTreeSet<(String, LineRange)> = answered.places.iter().filter_map(whole).collect();
    scores.put(Metric::Fabricated, fabricated as f64);
    if let Some(elapsed_ms) = answered.elapsed_ms {
        scores.put(Metric::ElapsedMs, elapsed_ms as f64);
    }
    if case.is_search() {
        scores.put(Metric::NdcgAt10, ndcg(case, &answered.ranked_files()));
        if let Some(search_ms) = answered.search_ms {
            scores.put(Metric::SearchMs, search_ms);
        }
        return scores;
    }
    let misled = |path: &str| case.distractors.iter().any(|start| path.starts_with(start.as_str()));
    if !case.distractors.is_empty() {
        let count = places.iter().filter(|(path, _)| misled(path)).count();
        scores.put(Metric::Distractors, count as f64);
    }
    scores.widths = places.iter().map(|(_, range)| range.width()).collect();
    if !case.negative {
        rows(case, &places, Metric::RoleRecall, &mut scores);
        if let Some(ranked) = &answered.ranked {
            let first = ranked.iter().take(RANKED_PLACES);
            let first =
                first.filter_map(|place| Some((place.path.clone(), place.range?))).collect();
            rows(case, &first, Metric::RangeRecallAt20, &mut scores);
        }
        self::files(case, answered, &places, &mut scores);
        lines(case, &places, &mut scores);
    }
    let held = [Metric::RoleRecall, Metric::FileRecall];
    scores.held = held.iter().find_map(|metric| scores.get(*metric)).unwrap_or_default();
    if let Some(map) = &answered.map {
        figures(case, map, files, &mut scores);
    }
    scores
}

impl AnswerScores {
    /// Returns a score, if it applies.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied()
    }

    fn put(&mut self, metric: Metric, value: f64) {
        self.values.insert(metric, value);
    }

    /// Adds a share as `metric`, unless `whole` is 0.
    fn put_share(&mut self, metric: Metric, part: usize, whole: usize) {
        if whole > 0 {
            self.put(metric, part as f64 / whole as f64);
        }
    }

    fn put_f1(&mut self, metric: Metric, precision: Metric, recall: Metric) {
        if let (Some(precision), Some(recall)) = (self.get(precision), self.get(recall)) {
            let sum = precision + recall;
            self.put(metric, if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 });
        }
    }
}

/// Returns the normalised discounted cumulative gain of ranked files. Each target counts once.
fn ndcg(case: &EvalCase, ranked: &[&str]) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let mut open: Vec<&str> = case.targets().collect();
    let ideal: f64 = (0..open.len().min(GAINFUL_FILES)).map(gain).sum();
    let mut found = 0.0;
    for (rank, path) in ranked.iter().take(GAINFUL_FILES).enumerate() {
        // A label may lack the first folders of a path, unless another file has exactly its path.
        let is_end = |target: &&str| {
            path.strip_suffix(*target).is_some_and(|rest| rest.ends_with('/'))
                && !ranked.contains(target)
        };
        let target = open.iter().position(|target| target == path);
        if let Some(target) = target.or_else(|| open.iter().position(is_end)) {
            open.swap_remove(target);
            found += gain(rank);
        }
    }
    if ideal > 0.0 { found / ideal } else { 0.0 }
}

fn range_of(label: &ExpectedPlace) -> Option<LineRange> {
    LineRange::new(label.start, label.end)
}

/// Adds the share of the required rows that `places` hit as `metric`.
fn rows(
    case: &EvalCase,
    places: &BTreeSet<(String, LineRange)>,
    metric: Metric,
    scores: &mut AnswerScores,
) {
    let is_hit = |label: &ExpectedPlace| {
        range_of(label).is_some_and(|range| {
            places.iter().any(|(path, cited)| *path == label.path && hits(*cited, range))
        })
    };
    let required: Vec<_> = case.evidence.iter().filter(|row| row.required).collect();
    let hit = required.iter().filter(|row| row.any_of.iter().any(is_hit)).count();
    scores.put_share(metric, hit, required.len());
}

/// Returns the gold files, as sets of alternatives.
pub(super) fn gold_files(case: &EvalCase) -> BTreeSet<BTreeSet<&str>> {
    let rows = case.evidence.iter().filter(|row| row.required);
    rows.map(|row| row.any_of.iter().map(|label| label.path.as_str()).collect())
        .chain(case.gold_files.iter().map(|file| BTreeSet::from([file.as_str()])))
        .collect()
}

fn files(
    case: &EvalCase,
    answered: &ScorableAnswer,
    places: &BTreeSet<(String, LineRange)>,
    scores: &mut AnswerScores,
) {
    let gold = gold_files(case);
    let among = |files: &[&str]| {
        gold.iter().filter(|any| files.iter().any(|file| any.contains(file))).count()
    };
    if answered.ranked.is_some() {
        let files = answered.ranked_files();
        for (metric, first) in [
            (Metric::FileRecallAt1, 1),
            (Metric::FileRecallAt3, 3),
            (Metric::FileRecallAt5, 5),
            (Metric::FileRecallAt10, 10),
        ] {
            scores.put_share(metric, among(&files[..files.len().min(first)]), gold.len());
        }
        if !gold.is_empty() {
            let rank = files.iter().position(|file| gold.iter().any(|any| any.contains(file)));
            scores.put(Metric::Mrr, rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64));
        }
    }
    if gold.is_empty() {
        return;
    }
    let cited: BTreeSet<&str> = places.iter().map(|(path, _)| path.as_str()).collect();
    let cited: Vec<&str> = cited.into_iter().collect();
    let labelled: BTreeSet<&str> = case.labels().map(|(path, _)| path).collect();
    let good = cited.iter().filter(|path| labelled.contains(*path)).count();
    scores.put(Metric::FilePrecision, 0.0);
    scores.put_share(Metric::FilePrecision, good, cited.len());
    scores.put_share(Metric::FileRecall, among(&cited), gold.len());
    scores.put_f1(Metric::FileF1, Metric::FilePrecision, Metric::FileRecall);
}

fn lines(case: &EvalCase, places: &BTreeSet<(String, LineRange)>, scores: &mut AnswerScores) {
    type Lines<'a> = BTreeMap<&'a str, LineSet>;
    fn insert<'a>(lines: &mut Lines<'a>, path: &'a str, range: Option<LineRange>) {
        if let Some(range) = range {
            lines.entry(path).or_default().insert(range);
        }
    }
    fn count(lines: &Lines<'_>) -> u32 {
        lines.values().map(LineSet::len).sum()
    }
    fn shared(lines: &Lines<'_>, others: &Lines<'_>) -> u32 {
        let of_file = |(path, set): (&&str, &LineSet)| {
            let runs = others.get(path).map(LineSet::runs).unwrap_or_default();
            runs.iter().map(|run| set.covered(*run)).sum::<u32>()
        };
        lines.iter().map(of_file).sum()
    }
    let mut cited = Lines::new();
    for (path, range) in places {
        insert(&mut cited, path, Some(*range));
    }
    let covered = |label: &ExpectedPlace| {
        let set = cited.get(label.path.as_str());
        let share = range_of(label).map(|range| {
            f64::from(set.map_or(0, |set| set.covered(range))) / f64::from(range.width())
        });
        share.unwrap_or_default()
    };
    let (mut any, mut gold) = (Lines::new(), Lines::new());
    for (path, range) in case.labels() {
        insert(&mut any, path, range);
    }
    for span in &case.gold_spans {
        insert(&mut gold, &span.file, LineRange::new(span.start, span.end));
    }
    for row in case.evidence.iter().filter(|row| row.required) {
        // The first of several with equal coverage.
        let best = row.any_of.iter().rev().max_by(|a, b| covered(a).total_cmp(&covered(b)));
        if let Some(best) = best {
            insert(&mut gold, &best.path, range_of(best));
        }
    }
    let (cited_lines, gold_lines) = (count(&cited), count(&gold));
    if gold_lines == 0 {
        return;
    }
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
    scores.put(Metric::LinePrecision, share(shared(&cited, &any), cited_lines));
    scores.put(Metric::LineRecall, share(shared(&cited, &gold), gold_lines));
    scores.put_f1(Metric::LineF1, Metric::LinePrecision, Metric::LineRecall);
}

/// Adds the figures of the map.
fn figures(
    case: &EvalCase,
    map: &CodeMap,
    files: &BTreeMap<String, TextFile>,
    scores: &mut AnswerScores,
) {
    let meta = &map.meta;
    if case.negative {
        let right = map.confidence == Confidence::Low
            && matches!(
                map.recommended_primary_action,
                RecommendedAction::Skip | RecommendedAction::TargetedGapSearch
            );
        scores.put(Metric::NegativeOk, f64::from(u8::from(right)));
    }
    scores.put(Metric::Fallback, f64::from(u8::from(map.status == MapStatus::Fallback)));
    let density = MapSizeStats::of(map, files.values().map(TextFile::text));
    scores.put(Metric::ReportTokens, density.report_tokens as f64);
    scores.put(Metric::ObservedTokens, density.observed_tokens as f64);
    if density.observed_tokens > 0 {
        scores.put(Metric::Compression, density.compression);
    }
    scores.put(Metric::RawSourceBytes, density.raw_source_bytes as f64);
    scores.put(Metric::Steps, f64::from(meta.steps));
    scores.put(Metric::Calls, f64::from(meta.tool_calls));
    if let Some(cost) = meta.cost {
        scores.put(Metric::Cost, cost);
    }
    scores.confidence = Some(map.confidence);
    scores.reasons.clone_from(&meta.reasons);
}
