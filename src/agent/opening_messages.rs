//! The two messages that open a conversation: the rules, and the question with the candidate packet, which is made here.

use std::borrow::Cow;

use retriever_report::{MapLimits, ReportRoom, SUBMIT};
use retriever_search::{Intent, PlaceRole, Question};
use retriever_workspace::estimate_tokens;
use strum::{EnumMessage, VariantArray};

use super::{
    OpeningContext,
    budget_tracker::{MAX_OBSERVATION_TOKENS, file_tokens, millis},
    candidates_in_opening_message::{PACKET_TOKENS, render_candidate_packet},
    conversation::Conversation,
    prompts::{Prompt, Prompts},
    run_events::RunEvent,
    run_state::RunState,
};
use crate::{config::RunBudget, tools::ToolRegistry};

/// Most bytes of the question in the opening message.
const MAX_SHOWN_QUESTION_BYTES: usize = 24 * 1024;

/// The inputs of the opening messages.
pub(super) struct OpeningMessages<'a> {
    pub(super) prompts: &'a Prompts,
    pub(super) registry: &'a ToolRegistry,
    pub(super) question: &'a Question,
    pub(super) packet: &'a str,
    pub(super) budget: &'a RunBudget,
}

/// Returns every role with its meaning.
fn roles_with_meaning() -> String {
    let say = |role: &PlaceRole| {
        let meaning = role.get_documentation().unwrap_or_default().trim_end_matches('.');
        format!("\n  {role}: {meaning}")
    };
    PlaceRole::VARIANTS.iter().map(say).collect()
}

impl OpeningMessages<'_> {
    pub(super) fn conversation(&self) -> Conversation {
        Conversation::new(self.system(), self.user())
    }

    fn system(&self) -> String {
        let tools: Vec<&str> = self.registry.specs().iter().map(|spec| spec.name).collect();
        let number = |value: u64| Cow::Owned(value.to_string());
        let count = |value: usize| Cow::Owned(value.to_string());
        let room = ReportRoom::of(self.budget.map_tokens);
        self.prompts.fill(
            Prompt::System,
            &[
                ("tools", tools.join(", ").into()),
                ("roles", roles_with_meaning().into()),
                ("max_width", number(MapLimits::default().max_width.into())),
                ("steps", number(self.budget.steps.into())),
                ("calls", number(self.budget.calls.into())),
                ("tokens", number(self.budget.tokens)),
                ("result_tokens", number(MAX_OBSERVATION_TOKENS.min(self.budget.tokens))),
                ("file_tokens", number(file_tokens(self.budget))),
                ("submit", SUBMIT.into()),
                ("report_chars", count(room.chars)),
                ("places", count(room.places)),
                ("facts", count(room.facts)),
                ("flow_chars", count(room.flow_chars)),
                ("fact_chars", count(room.fact_chars)),
                ("reason_chars", count(room.reason_chars)),
            ],
        )
    }

    fn user(&self) -> String {
        let question = self.question;
        self.prompts.fill(
            Prompt::Question,
            &[
                ("question", cut_question(&question.text)),
                ("intent", question.intent.as_ref().into()),
                ("intent_hint", intent_hint(question.intent).into()),
                ("asked", self.requests().into()),
                ("packet", self.packet.into()),
            ],
        )
    }

    /// Returns what the planner requests besides the question.
    fn requests(&self) -> String {
        let mut requests = Vec::new();
        // Roles that are only inferred from the question's words are not requests.
        let roles = &self.question.roles;
        if !roles.is_empty() {
            let roles: Vec<&str> = roles.iter().map(|role| role.as_ref()).collect();
            requests.push(format!("Roles to cover: {}.", roles.join(", ")));
        }
        if !self.question.hints.is_empty() {
            requests.push(format!("The planner points at: {}.", self.question.hints.join(", ")));
        }
        requests.join(" ")
    }
}

const fn intent_hint(intent: Intent) -> &'static str {
    match intent {
        Intent::Answer => {
            "The planner wants to understand; a report that answers by itself is best."
        }
        Intent::Edit => "The planner will change the code: give the exact places as read_targets.",
        Intent::Debug => {
            "The planner looks for a fault: give the places that can cause it as read_targets."
        }
    }
}

fn cut_question(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_SHOWN_QUESTION_BYTES {
        return Cow::Borrowed(text);
    }
    let cut = text.floor_char_boundary(MAX_SHOWN_QUESTION_BYTES);
    Cow::Owned(format!("{} …(+{} bytes)", &text[..cut], text.len() - cut))
}

/// Replacement for the packet in the opening message.
const NO_PACKET: &str = "No candidates were computed; start with the tools.";

/// Renders the candidate packet and records its lines.
pub(super) fn open(run: &mut RunState<'_>) -> String {
    let limits = *run.context.budget.limits();
    let packet = match run.shared.opening {
        OpeningContext::Candidates => render_candidate_packet(
            run.candidates,
            &mut run.ledger,
            PACKET_TOKENS.min(limits.tokens / 4),
        ),
        OpeningContext::Bare => NO_PACKET.to_owned(),
    };
    run.observer.on_event(&RunEvent::ReconFinished {
        files: run.candidates.files_seen as u64,
        candidates: run.candidates.candidates.len() as u64,
        packet_tokens: estimate_tokens(&packet),
        elapsed_ms: millis(run.context.elapsed()),
        max_steps: limits.steps,
        max_tool_calls: limits.calls,
        max_observed_tokens: limits.tokens,
    });
    run.observer.on_event(&RunEvent::candidates_ranked(&run.candidates.candidates));
    packet
}
