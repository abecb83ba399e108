//! `upgrade`: prints which package manager installed the running program, and the command that upgrades it. It replaces
//! nothing.

use std::path::{Path, PathBuf};

use retriever::config::ProcessEnvironment;
use serde::Serialize;
use serde_json::Value;

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
};

/// Name of the package in the registries.
pub(super) const PACKAGE: &str = "retriever-code-map";
/// File in the state folder in which the installer notes the program and its own address, a line each.
const INSTALLER_NOTE: &str = "installed";

/// Folder of npm for what `npx` runs.
pub(super) const NPX_FOLDER: &str = "_npx";
/// Folder of pipx; it installs below `venvs` there, and keeps programs of `pipx run` elsewhere in it.
pub(super) const PIPX_FOLDER: &str = "pipx";
/// Folder of uv for what `uvx` runs.
pub(super) const UVX_FOLDER: &str = "archive-v0";

/// The installer of the running program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Installer {
    /// The package manager, or another installer.
    manager: &'static str,
    /// The command that upgrades the program; `None` if it is unknown.
    command: Option<String>,
}

impl Installer {
    fn new(manager: &'static str, command: impl Into<String>) -> Option<Self> {
        Some(Self { manager, command: Some(command.into()) })
    }
}

#[derive(Serialize)]
struct Report<'a> {
    version: &'static str,
    program: &'a Path,
    #[serde(flatten)]
    owner: Installer,
}

pub(super) fn run(context: &CommandContext<'_>) -> Result<Exit, CommandError> {
    let program = running_program()?;
    let owner = installer_of(&program, context.environment);
    let report = Report { version: env!("CARGO_PKG_VERSION"), program: &program, owner };
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&report)?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&text(&report))?,
    }
    Ok(Exit::Done)
}

fn text(report: &Report<'_>) -> String {
    let Report { version, program, owner } = report;
    let next = match &owner.command {
        Some(command) => format!("Upgrade it with: {command}"),
        None => "Upgrade it in the way it was installed.".to_owned(),
    };
    format!("retriever {version} in {}, from {}\n{next}", program.display(), owner.manager)
}

/// Returns the path of the running program, without links.
#[expect(
    clippy::disallowed_methods,
    reason = "the program itself, which lies outside of any workspace"
)]
pub(super) fn running_program() -> Result<PathBuf, CommandError> {
    std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Internal,
            format!("cannot find the running program: {error}"),
        )
    })
}

/// Returns the installer of the program, by its path and by the notes that installers leave.
fn installer_of(program: &Path, environment: &ProcessEnvironment) -> Installer {
    by_folders(program)
        .or_else(|| by_notes(program, environment))
        .or_else(|| system(program))
        .unwrap_or(Installer { manager: "an unknown installer", command: None })
}

/// Finds package managers that install into their own folders.
fn by_folders(program: &Path) -> Option<Installer> {
    let names: Vec<&str> = program.iter().filter_map(|name| name.to_str()).collect();
    let has = |name: &str| names.contains(&name);
    let has_both = |outer: &str, inner: &str| names.windows(2).any(|pair| pair == [outer, inner]);
    if has("Cellar") {
        Installer::new("Homebrew", "brew upgrade retriever")
    } else if has_both("nix", "store") {
        Installer::new("Nix", "nix profile upgrade retriever")
    } else if has(NPX_FOLDER) {
        Installer::new("npx", format!("npx {PACKAGE}@latest"))
    } else if has("pnpm") && has("node_modules") {
        Installer::new("pnpm", format!("pnpm add --global {PACKAGE}@latest"))
    } else if has_both("lib", "node_modules") {
        Installer::new("npm", format!("npm install --global {PACKAGE}@latest"))
    } else if has("node_modules") {
        Installer::new("npm, in a project", format!("npm install {PACKAGE}@latest"))
    } else if has_both("uv", "tools") {
        Installer::new("uv", format!("uv tool upgrade {PACKAGE}"))
    } else if has(UVX_FOLDER) {
        Installer::new("uvx", format!("uvx --from {PACKAGE}@latest retriever"))
    } else if has_both("pipx", "venvs") {
        Installer::new("pipx", format!("pipx upgrade {PACKAGE}"))
    } else if has(PIPX_FOLDER) {
        Installer::new("pipx run", format!("pipx run --no-cache {PACKAGE}"))
    } else if ["debug", "release", "dist"].iter().any(|profile| has_both("target", profile)) {
        Installer::new("a build in its source", "git pull && cargo build --release")
    } else {
        None
    }
}

/// Finds installers that leave a note: Python's environments, cargo, and the project's own.
fn by_notes(program: &Path, environment: &ProcessEnvironment) -> Option<Installer> {
    let folder = program.parent()?;
    if read(&folder.parent()?.join("pyvenv.cfg")).is_some() {
        let python = folder.join("python");
        return Installer::new(
            "pip",
            format!("{} -m pip install --upgrade {PACKAGE}", python.display()),
        );
    }
    let installed = read(&folder.parent()?.join(".crates2.json"));
    let installed: Value =
        installed.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let mut crates = installed["installs"].as_object().into_iter().flat_map(|all| all.keys());
    if let Some(command) = crates.find_map(|id| cargo_command(id)) {
        return Installer::new("cargo", command);
    }
    let note = read(&environment.state_folder()?.join(INSTALLER_NOTE))?;
    let (noted, address) = note.trim_end().split_once('\n')?;
    let is_noted = Path::new(noted) == program;
    let folder = folder.to_string_lossy();
    let folder = shlex::try_quote(&folder).ok()?;
    let install = format!("curl -fsSL {address} | sh -s -- --dir {folder}");
    is_noted.then(|| Installer::new("the installer", install)).flatten()
}

/// Returns the command that installs a crate again, by its ID: `retriever 0.1.0 (git+https://…#hash)`.
fn cargo_command(id: &str) -> Option<String> {
    let (name, rest) = id.split_once(' ')?;
    let (_, source) = rest.split_once(" (")?;
    let (kind, address) = source.trim_end_matches(')').split_once('+')?;
    let address = address.split(['#', '?']).next()?;
    match (name, kind) {
        ("retriever", "path") => {
            let folder = address.strip_prefix("file://").unwrap_or(address);
            Some(format!("cargo install --path {folder}"))
        }
        ("retriever", "git") => Some(format!("cargo install --git {address} retriever")),
        (PACKAGE, _) => Some(format!("cargo install {PACKAGE}")),
        _ => None,
    }
}

/// Finds the system's package manager, by its database.
fn system(program: &Path) -> Option<Installer> {
    const MANAGERS: &[(&str, &str, &str)] = &[
        ("/var/lib/dpkg/status", "apt", "sudo apt install --only-upgrade retriever"),
        ("/var/lib/pacman/local/ALPM_DB_VERSION", "pacman", "sudo pacman -Syu retriever"),
        ("/lib/apk/db/installed", "apk", "sudo apk upgrade retriever"),
        ("/usr/lib/sysimage/rpm/rpmdb.sqlite", "dnf", "sudo dnf upgrade retriever"),
    ];
    if program.parent()? != Path::new("/usr/bin") {
        return None;
    }
    let found = MANAGERS.iter().find(|(database, ..)| exists(Path::new(database)))?;
    Installer::new(found.1, found.2)
}

#[expect(clippy::disallowed_methods, reason = "notes of installers lie outside of any workspace")]
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Whether a file of the system exists.
#[expect(clippy::disallowed_methods, reason = "the system's files lie outside of any workspace")]
pub(super) fn exists(path: &Path) -> bool {
    std::fs::metadata(path).is_ok()
}
