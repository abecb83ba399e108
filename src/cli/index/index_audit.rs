//! `index --audit`: lists the calls that the graph has lost.

use retriever::{
    indexing::{CallGraphAudit, GraphIndex, UnresolvedCallGroup},
    workspace::Cancellation,
};

use super::{
    super::{
        command_context::CommandContext, command_error::CommandError, console_output::OutputFormat,
        exit_status::Exit,
    },
    no_graph, print_warnings,
};

pub(super) fn audit(
    context: &CommandContext<'_>,
    index: &GraphIndex,
) -> Result<Exit, CommandError> {
    let audit = index.audit(&Cancellation::new()).map_err(|error| no_graph(&error))?;
    print_warnings(context, index);
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&audit)?,
        OutputFormat::Markdown | OutputFormat::Text => {
            let CallGraphAudit {
                files, calls, edges, open, computed, imports, words, broken, ..
            } = audit;
            let mut text = format!(
                "{calls} call expressions in {files} files: {edges} edges, {open} open calls; excluded: {computed} of \
                 computed values, {imports} imports, {words} built-in words of a language, {} annotations, {broken} in text that \
                 cannot be parsed, {} in files that are too large; {} lost",
                audit.annotations, audit.omitted, audit.holes
            );
            text.extend(audit.classes.iter().map(lost_calls));
            if audit.skipped > 0 {
                let (lines, most) = (audit.skipped, audit.skipped_in.join(", "));
                text.push('\n');
                text.extend([
                    lines.to_string().as_str(),
                    " lines that the grammar could not read, most in ",
                    &most,
                ]);
            }
            context.output.print(&text)?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the line of one class of lost calls.
fn lost_calls(class: &UnresolvedCallGroup) -> String {
    let UnresolvedCallGroup { language, kind, calls, was_read, examples } = class;
    let why = if *was_read { "not resolved" } else { "not read" };
    format!("\n{calls} {language} {kind}, {why}: {}", examples.join(", "))
}
