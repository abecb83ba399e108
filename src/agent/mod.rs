//! Answers a question with a code map: finds candidates, explores with a model or an offline driver, validates the
//! report, and falls back without one. The caller sets the limits, the tools deliver the evidence, the validator
//! decides.

mod ask;
mod budget_tracker;
mod cached_answer_dependencies;
mod cached_answer_reuse;
mod candidate_lines_for_model;
mod candidates_in_opening_message;
mod candidates_of_question;
mod conversation;
mod file_states_on_disk;
mod lines_already_shown;
mod model_driver;
mod offline;
mod offline_driver_trait;
mod opening_messages;
mod prompts;
mod report_check;
mod run_events;
mod run_limits;
mod run_options;
mod run_state;
mod state_shared_by_questions;
mod structures_of_shown_files;
mod text_tool_calls;
mod tool_dispatch;
mod turn_state_machine;

pub(crate) use ask::ask;
pub use candidates_in_opening_message::{PACKET_TOKENS, render_candidate_packet};
pub use conversation::{Conversation, MalformedArguments, ParsedToolCall};
pub use offline::DefaultOfflineDriver;
pub use offline_driver_trait::{OfflineDriver, OfflineState};
pub use prompts::{Prompt, PromptTemplateError, Prompts};
pub use run_events::{Observer, RankedCandidate, RunEvent};
pub use run_options::{AskAnswer, AskError, ModelFailurePolicy, OpeningContext, RunOptions};
pub(crate) use state_shared_by_questions::{AnswerEngine, SharedRootState};
pub use text_tool_calls::parse as parse_text_calls;
