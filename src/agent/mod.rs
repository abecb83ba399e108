//! Answers a question with a code map: finds candidates, explores with a model or an offline driver, validates the report,
//! falls back without one. The limits come from the caller, the evidence from the tools, the verdict from the validator.

mod ask;
mod budget_tracker;
mod cached_answer;
mod candidate_packet;
mod conversation;
mod event;
mod file_states;
mod file_structures;
mod model_driver;
mod offline;
mod offline_driver;
mod opening_messages;
mod options;
mod prompts;
mod report_check;
mod root_state;
mod run;
mod run_context;
mod text_tool_calls;
mod tool_call_texts;
mod tool_dispatch;
mod turn_loop;

pub(crate) use ask::ask;
pub use candidate_packet::{PACKET_TOKENS, packet};
pub use conversation::{Conversation, MalformedArguments, ParsedCall};
pub use event::{Event, Observer, RankedCandidate};
pub use offline::DefaultOfflineDriver;
pub use offline_driver::{OfflineDriver, OfflineState};
pub use options::{Answer, AskError, FallbackPolicy, OpeningContext, RunOptions};
pub use prompts::{Prompt, PromptError, Prompts};
pub(crate) use root_state::{AnswerEngine, RootState};
pub use text_tool_calls::parse as parse_text_calls;
