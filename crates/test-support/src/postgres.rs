//! A PostgreSQL server for one test, from the machine's package.

use std::{
    env, fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use tempfile::TempDir;

use crate::left_out;

/// A server on loopback, which ends when the value is dropped or its process ends.
pub struct PostgresServer {
    port: u16,
    databases: AtomicU32,
    programs: PathBuf,
    /// Stops the server when its standard input is closed.
    keeper: Child,
    _folder: TempDir,
}

impl PostgresServer {
    /// Starts a server. Returns `None`, and prints why, if none can be started.
    pub fn start() -> Option<Self> {
        let started = Self::try_start();
        started.inspect_err(|reason| left_out("postgresql", reason)).ok()
    }

    fn try_start() -> Result<Self, String> {
        let programs =
            programs().ok_or("no initdb and postgres; install the package postgresql")?;
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        // The server runs as another user if this process runs as root.
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(folder.path(), open).map_err(|error| error.to_string())?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        drop(listener);
        let data = folder.path().join("data");
        let script = format!(
            "set -e; trap : TERM INT HUP; cd {folder}; {bin}/initdb -D {data} -A trust -U test --no-sync >init 2>&1; \
             {bin}/pg_ctl -D {data} -w -l {data}/log -o '-F -c listen_addresses=127.0.0.1 -p {port} \
             -c unix_socket_directories={folder}' start >start 2>&1; echo ready; \
             read _ || true; {bin}/pg_ctl -D {data} -m immediate stop >stop 2>&1",
            folder = folder.path().display(),
            data = data.display(),
            bin = programs.display(),
        );
        let mut command = as_ordinary_user();
        let mut keeper = command
            .args(["sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut ready = [0; 6];
        let stdout = keeper.stdout.as_mut().ok_or("no output")?;
        std::io::Read::read_exact(stdout, &mut ready).map_err(|_| {
            let said = fs::read_to_string(folder.path().join("init")).unwrap_or_default();
            format!("PostgreSQL does not start: {said}")
        })?;
        Ok(Self { port, databases: AtomicU32::new(0), programs, keeper, _folder: folder })
    }

    /// Creates an empty database and returns its address.
    ///
    /// # Panics
    ///
    /// When it can't be created.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        let created = Command::new(self.programs.join("createdb"))
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "test", &name])
            .status();
        assert!(created.unwrap().success(), "createdb {name}");
        format!("postgres://test@127.0.0.1:{port}/{name}")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let packaged = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(packaged.map(|version| version.path().join("bin")));
    let has = |folder: &Path, name: &str| folder.join(name).exists();
    folders.into_iter().find(|folder| {
        ["initdb", "postgres", "pg_ctl", "createdb"].iter().all(|name| has(folder, name))
    })
}

/// The server refuses to run as root.
fn as_ordinary_user() -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|it| it.stdout == b"0\n");
    if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
        return command;
    }
    Command::new("env")
}
