//! The standard paths of this machine: home, configuration folders, the project, and programs on `PATH`. The caller
//! passes them in, so nothing here reads the environment.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::LaunchCommand;

/// Whose conventions hold for configuration folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and the BSDs.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// Returns the platform that this program was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// The paths and variables of a machine that decide where agents keep their files.
#[derive(Clone, Debug)]
pub struct StandardPaths {
    /// Whose conventions hold.
    pub platform: Platform,
    /// The user's home.
    pub home: PathBuf,
    /// The root of the project, for entries in its own files.
    pub project: Option<PathBuf>,
    /// The environment.
    pub variables: BTreeMap<String, String>,
    /// How agents are to start the program.
    pub launch: LaunchCommand,
}

impl StandardPaths {
    /// Returns a variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the folder that programs of the XDG kind keep their configuration in, on every platform.
    pub(crate) fn config_home(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME").map_or_else(|| self.home.join(".config"), PathBuf::from)
    }

    /// Returns the folder that desktop programs keep their data in.
    pub(crate) fn app_data(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.config_home(),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self
                .variable("APPDATA")
                .map_or_else(|| self.home.join("AppData/Roaming"), PathBuf::from),
        }
    }

    /// Returns the first folder of the path that holds the program.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.variable("PATH")?;
        let endings: &[&str] = match self.platform {
            Platform::Windows => &[".exe", ".cmd"],
            _ => &[""],
        };
        std::env::split_paths(path)
            .flat_map(|folder| {
                endings.iter().map(move |ending| folder.join(format!("{name}{ending}")))
            })
            .find(|file| file.is_file())
    }
}

/// A folder that a place is relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HostAgentPathBase {
    Home,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every platform.
    Config,
    /// `~/.config` or its like: `Library/Application Support`, `%APPDATA%`.
    AppData,
    /// The folder that a variable names, else one below home.
    Variable(&'static str, &'static str),
    Project,
}

/// A file or folder of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostAgentPath {
    base: HostAgentPathBase,
    path: &'static str,
    /// Below `%APPDATA%`, where an agent has another place on Windows.
    windows: Option<&'static str>,
}

impl HostAgentPath {
    pub(crate) const fn home(path: &'static str) -> Self {
        Self { base: HostAgentPathBase::Home, path, windows: None }
    }

    pub(crate) const fn config(path: &'static str) -> Self {
        Self { base: HostAgentPathBase::Config, path, windows: None }
    }

    pub(crate) const fn app_data(path: &'static str) -> Self {
        Self { base: HostAgentPathBase::AppData, path, windows: None }
    }

    pub(crate) const fn variable(name: &'static str, or: &'static str, path: &'static str) -> Self {
        Self { base: HostAgentPathBase::Variable(name, or), path, windows: None }
    }

    pub(crate) const fn project(path: &'static str) -> Self {
        Self { base: HostAgentPathBase::Project, path, windows: None }
    }

    /// Returns the place with another path below `%APPDATA%` on Windows.
    pub(crate) const fn on_windows(self, path: &'static str) -> Self {
        Self { windows: Some(path), ..self }
    }

    /// Returns the path, or `None` for a place of a project when there is none.
    pub(crate) fn of(self, surroundings: &StandardPaths) -> Option<PathBuf> {
        if let (Platform::Windows, Some(path)) = (surroundings.platform, self.windows) {
            return Some(surroundings.app_data().join(path));
        }
        let base = match self.base {
            HostAgentPathBase::Home => surroundings.home.clone(),
            HostAgentPathBase::Config => surroundings.config_home(),
            HostAgentPathBase::AppData => surroundings.app_data(),
            HostAgentPathBase::Variable(name, or) => surroundings
                .variable(name)
                .map_or_else(|| surroundings.home.join(or), PathBuf::from),
            HostAgentPathBase::Project => surroundings.project.clone()?,
        };
        Some(if self.path.is_empty() { base } else { base.join(Path::new(self.path)) })
    }
}
