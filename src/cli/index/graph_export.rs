//! `index --export`: writes the graph to a file or to stdout.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use retriever::{indexing::GraphIndex, workspace::Cancellation};

use super::{
    super::command_error::{CommandError, CommandErrorKind},
    no_graph,
};

pub(super) fn export(index: &GraphIndex, target: &Path) -> Result<(), CommandError> {
    let lines = index.ask(&Cancellation::new(), |graph| {
        // The closure runs again when the store turns out to be damaged, so it only collects.
        let mut lines = Vec::new();
        graph.export(&mut lines).map(|()| lines)
    });
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => CommandError::new(CommandErrorKind::BrokenPipe, ""),
        _ => CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot write {}: {error}", target.display()),
        )
        .hint("--export takes the path of a file to be written, or - for stdout"),
    };
    let lines = lines.map_err(|error| no_graph(&error))?.map_err(failed)?;
    let write = |out: &mut dyn Write| out.write_all(&lines).and_then(|()| out.flush());
    if target == Path::new("-") {
        return write(&mut io::stdout().lock()).map_err(failed);
    }
    #[expect(clippy::disallowed_methods, reason = "the user named the file")]
    let file = File::create(target).map_err(failed)?;
    write(&mut BufWriter::new(file)).map_err(failed)
}
