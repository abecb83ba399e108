//! Paths of the command line, relative to the current folder or to the root.

use std::path::{Component, Path, PathBuf};

use retriever::workspace::Workspace;

/// Returns a path that exists in the current folder as a path of the workspace, if the folder is in the workspace;
/// returns any other path unchanged. A path can end with lines: `FILE:10-20`, `FILE:10`, or `FILE:10:5` as compilers
/// print it.
#[expect(
    clippy::disallowed_methods,
    reason = "a path of the command line is looked for where it was typed"
)]
pub(super) fn from_current_folder(folder: &Path, workspace: &Workspace, path: &str) -> String {
    let path = without_column(path);
    let lines =
        path.rsplit_once(':').filter(|(_, lines)| lines.starts_with(|c: char| c.is_ascii_digit()));
    let (file, lines) = match lines {
        Some((file, lines)) => (file, format!(":{lines}")),
        None => (path, String::new()),
    };
    // Without `..`, which would lead out of the root that the current folder lies in.
    let mut here = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::ParentDir => drop(here.pop()),
            part => here.push(part),
        }
    }
    let located = here.exists().then(|| workspace.normalize(here.to_str()?).ok()).flatten();
    located.map_or_else(|| path.to_owned(), |located| format!("{located}{lines}"))
}

/// Returns `FILE:LINE` of `FILE:LINE:COLUMN` and `FILE:LINE:`.
fn without_column(path: &str) -> &str {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_line = |place: &str| {
        place.rsplit_once(':').is_some_and(|(_, line)| !line.is_empty() && is_number(line))
    };
    match path.rsplit_once(':') {
        Some((place, column)) if is_number(column) && has_line(place) => place,
        _ => path,
    }
}

/// Returns a workspace path as it must be typed in the current folder: absolute when another file has the same path
/// relative to it.
pub(super) fn as_typed(folder: &Path, workspace: &Workspace, path: &str) -> String {
    if from_current_folder(folder, workspace, path) == path {
        return path.to_owned();
    }
    let absolute = workspace.normalize(path).ok().and_then(|it| workspace.absolute_path(&it));
    let absolute = absolute.and_then(|path| Some(path.to_str()?.to_owned()));
    absolute.unwrap_or_else(|| path.to_owned())
}
