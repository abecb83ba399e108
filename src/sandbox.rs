//! A sandbox that the kernel enforces on the threads that answer questions (Linux, landlock): they read below the roots
//! and the system's folders, write into the cache, and start no program. It limits the damage of a defect in the
//! program's own confinement. Landlock limits a network by ports, not by hosts: with a model any connection is allowed,
//! with only an embedding model the port of its endpoint.

use std::path::PathBuf;

/// Folders of the system that libraries read at run time: certificates, host names, time zones, devices.
#[cfg(target_os = "linux")]
const SYSTEM: &[&str] = &[
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/nix/store",
    "/opt",
    "/proc",
    "/run",
    "/sys",
    "/usr",
    "/var/lib/ca-certificates",
];

/// What the threads of a sandbox may access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Files and folders that may be read, besides those of the system.
    pub reads: Vec<PathBuf>,
    /// Folders that may be read and written. They must exist.
    pub writes: Vec<PathBuf>,
    /// Which connections may be opened.
    pub network: NetworkAccess,
}

/// Which connections the threads of a sandbox may open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    /// No TCP connections, if the kernel can refuse them.
    #[default]
    None,
    /// TCP connections to this port only, if the kernel can refuse others.
    Port(u16),
    /// Any connection.
    Any,
}

/// How far the kernel enforces a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxEnforcement {
    /// Completely.
    Full,
    /// In part, since the kernel is older.
    Partial,
    /// Not at all: the kernel has no sandbox.
    None,
}

/// The kernel has a sandbox, but refused this one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the kernel refuses the sandbox: {0}")]
pub struct SandboxError(String);

impl Sandbox {
    /// Puts the calling thread, and every thread that it starts from now on, into the sandbox, for good. Other threads
    /// are not affected.
    ///
    /// # Errors
    ///
    /// [`SandboxError`]; then the thread stays as it was.
    pub fn enter(&self) -> Result<SandboxEnforcement, SandboxError> {
        enter(self)
    }

    /// Runs `work` in the sandbox, on a separate thread, and passes it how far the sandbox is enforced.
    ///
    /// # Panics
    ///
    /// Panics if `work` does.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce(Result<SandboxEnforcement, SandboxError>) -> T + Send,
    ) -> T {
        let run = || work(self.enter());
        std::thread::scope(|threads| match threads.spawn(run).join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }
}

#[cfg(target_os = "linux")]
fn enter(sandbox: &Sandbox) -> Result<SandboxEnforcement, SandboxError> {
    use landlock::RulesetStatus;
    let status = restrict(sandbox).map_err(|error| SandboxError(error.to_string()))?;
    Ok(match status {
        RulesetStatus::FullyEnforced => SandboxEnforcement::Full,
        RulesetStatus::PartiallyEnforced => SandboxEnforcement::Partial,
        RulesetStatus::NotEnforced => SandboxEnforcement::None,
    })
}

#[cfg(target_os = "linux")]
fn restrict(sandbox: &Sandbox) -> Result<landlock::RulesetStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, Ruleset, RulesetAttr,
        RulesetCreatedAttr, path_beneath_rules,
    };
    // Rules that an older kernel does not have are left out.
    let abi = ABI::V5;
    // Files that may be read may not be executed.
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = AccessFs::from_all(abi) & !BitFlags::from(AccessFs::Execute);
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(abi))?;
    if sandbox.network != NetworkAccess::Any {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;
    }
    let system = SYSTEM.iter().map(PathBuf::from);
    let mut ruleset = ruleset.create()?;
    if let NetworkAccess::Port(port) = sandbox.network {
        ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    let status = ruleset
        .add_rules(path_beneath_rules(system, read))?
        .add_rules(path_beneath_rules(["/dev/null"], read | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&sandbox.reads, read))?
        .add_rules(path_beneath_rules(&sandbox.writes, write))?
        .restrict_self()?;
    Ok(status.ruleset)
}

#[cfg(not(target_os = "linux"))]
fn enter(_sandbox: &Sandbox) -> Result<SandboxEnforcement, SandboxError> {
    Ok(SandboxEnforcement::None)
}
