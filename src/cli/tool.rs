//! `grep`, `glob`, `read` and `graph`: the model's own tools, with the result as the model sees it or as programs want it.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
};

use retriever::{
    ledger::Ledger,
    tools::{
        Outcome, Registry, ToolContext, ToolError,
        render::{Allowance, render},
    },
};
use serde_json::{Value, json};

use super::{
    Session,
    args::{GlobArgs, GraphArgs, GrepArgs, PageArgs, ReadArgs},
    error::{CommandError, Kind},
    exit::Exit,
    output::Shape,
};

/// A person has no budget for observations; the tools' own limits stay.
const ALLOWANCE: Allowance = Allowance { tokens: 1_000_000, per_file_total: 1_000_000 };

pub(super) fn grep(session: &Session<'_>, args: &GrepArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["pattern"] = json!(args.pattern);
    arguments["literal"] = json!(args.literal.then_some(true));
    arguments["include"] = json!(args.include);
    arguments["path"] = json!(args.path);
    arguments["ignore_case"] = json!(args.ignore_case.then_some(true));
    arguments["context"] = json!(args.context);
    call(session, "grep", arguments)
}

pub(super) fn glob(session: &Session<'_>, args: &GlobArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["pattern"] = json!(args.pattern);
    arguments["path"] = json!(args.path);
    call(session, "glob", arguments)
}

pub(super) fn read(session: &Session<'_>, args: &ReadArgs) -> Result<Exit, CommandError> {
    let arguments = json!({
        "file": args.file,
        "start_line": args.start_line,
        "num_lines": args.num_lines,
    });
    call(session, "read", arguments)
}

pub(super) fn graph(session: &Session<'_>, args: &GraphArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["operation"] = json!(args.operation);
    arguments["target"] = json!(args.target);
    arguments["file"] = json!(args.file);
    arguments["kind"] = json!(args.kind);
    arguments["depth"] = json!(args.depth);
    arguments["to"] = json!(args.to);
    call(session, "graph", arguments)
}

fn paged(page: &PageArgs) -> Value {
    json!({ "limit": page.limit, "offset": page.offset })
}

fn call(session: &Session<'_>, tool: &str, mut arguments: Value) -> Result<Exit, CommandError> {
    if let Value::Object(fields) = &mut arguments {
        fields.retain(|_, value| !value.is_null());
    }
    let loaded = session.load(&[])?;
    let workspace = Arc::new(session.open(&loaded)?);
    let index = super::index::open(session, &loaded, &workspace);
    let context = ToolContext {
        workspace,
        cancelled: Arc::new(AtomicBool::new(false)),
        places: Arc::new(BTreeMap::new()),
    };
    let result = Registry::with_graph(Arc::clone(&index)).call(tool, &context, &arguments);
    super::index::say_warnings(session, &index);
    let result = result.map_err(|error| {
        let kind = if matches!(error, ToolError::Model(_)) { Kind::Usage } else { Kind::Internal };
        CommandError::new(kind, error.to_string())
    })?;
    let observation = &result.observation;
    match observation.outcome {
        Outcome::BadPattern | Outcome::BadPath | Outcome::BadArguments => {
            return Err(CommandError {
                kind: Kind::Usage,
                message: observation.headline.clone(),
                hints: observation.footer.clone(),
            });
        }
        Outcome::Found | Outcome::Truncated | Outcome::NoMatch | Outcome::Redundant => {}
    }
    match session.output.shape {
        Shape::Json => session.output.print_json(&result.typed)?,
        Shape::Markdown | Shape::Text => {
            let shown = render(observation, &mut Ledger::new(), &ALLOWANCE);
            session.output.print(&shown.text)?;
        }
    }
    Ok(Exit::Done)
}
