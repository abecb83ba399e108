//! What the terminal behind stdout can show: its size, and links from a place to the file (OSC 8).

use std::{fmt::Write as _, io, path::Path};

use retriever::config::ProcessEnvironment;
use terminal_size::{Height, Width};

/// Programs whose terminals support links, by `TERM_PROGRAM`.
const LINKING_PROGRAMS: &[&str] =
    &["iTerm.app", "WezTerm", "ghostty", "Hyper", "Tabby", "WarpTerminal", "zed", "rio"];
/// Terminals that support links, by `TERM`.
const LINKING_KINDS: &[&str] = &["alacritty", "foot", "foot-extra", "xterm-ghostty"];
/// Variables that only terminals with links set.
const LINKING_VARIABLES: &[&str] = &["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"];
/// First version of VTE with links, as `VTE_VERSION` has it.
const LINKING_VTE: u32 = 5_000;

/// The terminal of stdout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Columns.
    pub(crate) width: usize,
    /// Lines.
    pub(crate) height: usize,
    address: Option<AddressForm>,
}

/// How a link gives the line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressForm {
    /// No line.
    File,
    /// As kitty expects it.
    FileWithLine,
    /// As Visual Studio Code expects it.
    VsCode,
}

impl Terminal {
    /// Returns the terminal of stdout; `None` if stdout is not a terminal or its size is unknown. `COLUMNS` overrides
    /// the width.
    pub(crate) fn of_stdout(environment: &ProcessEnvironment) -> Option<Self> {
        let (Width(width), Height(height)) = terminal_size::terminal_size_of(io::stdout())?;
        let asked = environment.get("COLUMNS").and_then(|columns| columns.parse().ok());
        (width > 0 && height > 0).then(|| Self {
            width: asked.filter(|columns| *columns > 0).unwrap_or(width.into()),
            height: height.into(),
            address: AddressForm::of(environment),
        })
    }

    /// Returns the address of a line of a file; `None` if the terminal has no links.
    pub(crate) fn address(&self, file: &Path, line: u32) -> Option<String> {
        let form = self.address?;
        let mut path = String::new();
        for byte in file.to_str()?.bytes() {
            match byte {
                b'\\' if cfg!(windows) => path.push('/'),
                b'/' | b'-' | b'_' | b'.' | b'~' => path.push(byte.into()),
                byte if byte.is_ascii_alphanumeric() => path.push(byte.into()),
                // Writing to a string cannot fail.
                byte => drop(write!(path, "%{byte:02X}")),
            }
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some(match form {
            AddressForm::File => format!("file://{slash}{path}"),
            AddressForm::FileWithLine => format!("file://{slash}{path}#{line}"),
            AddressForm::VsCode => format!("vscode://file{slash}{path}:{line}"),
        })
    }
}

impl AddressForm {
    /// Returns the form of links of the terminal. Terminals cannot be queried, so their variables decide;
    /// `FORCE_HYPERLINK` overrides them.
    fn of(environment: &ProcessEnvironment) -> Option<Self> {
        let get = |name| environment.get(name);
        let (program, kind) = (get("TERM_PROGRAM"), get("TERM"));
        let known = match (program, kind) {
            (Some("vscode"), _) => Some(Self::VsCode),
            (_, Some("xterm-kitty")) => Some(Self::FileWithLine),
            _ => {
                let is_new = |version: &str| version.parse().is_ok_and(|it: u32| it >= LINKING_VTE);
                let is_linking = program.is_some_and(|name| LINKING_PROGRAMS.contains(&name))
                    || kind.is_some_and(|name| LINKING_KINDS.contains(&name))
                    || get("VTE_VERSION").is_some_and(is_new)
                    || LINKING_VARIABLES.iter().any(|name| get(name).is_some());
                is_linking.then_some(Self::File)
            }
        };
        match get("FORCE_HYPERLINK") {
            Some("0") => None,
            Some(_) => Some(known.unwrap_or(Self::File)),
            None => known,
        }
    }
}
