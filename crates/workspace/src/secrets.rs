//! The deny list: files that hold keys and passwords by convention are never walked, read, listed or sent, however they
//! are asked for. "Inside the root" is not "fit for a model". Source code that merely speaks of secrets stays readable.

use std::sync::LazyLock;

use super::{PathPattern, PatternError, RepoPath};

/// Globs of secret files, over lower-case paths.
const SECRET: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.pkcs12",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.asc.key",
    "id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
    "id_{rsa,dsa,ecdsa,ed25519}.{bak,old}",
    "credentials",
    "{*.,*-,*_,}credentials.{json,toml,yml,yaml,ini,csv,txt,xml,enc}",
    ".credentials*",
    "{*.,*-,*_,}secrets.{json,yml,yaml,toml,ini,env,txt,enc}",
    ".secrets",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".vault-token",
    ".dockercfg",
    ".git-credentials",
    "**/.docker/config.json",
    "**/.kube/config",
    "kubeconfig",
    "*.kubeconfig",
    "{*-,*_,}service{-,_,}account{*,}.json",
    "client_secret*.json",
    "*.tfstate",
    "*.tfstate.*",
    "*.{auto,secret,secrets}.tfvars",
    "terraform.tfvars",
    "*.gpg",
    ".gem/credentials",
    ".bundle/config",
    "**/.cargo/credentials.toml",
    "master.key",
    "**/.aws/**",
    "**/.ssh/**",
    "**/.gnupg/**",
    "**/.azure/**",
    "**/.config/gcloud/**",
];

/// What the list would take too much: templates without values, and public halves.
const HARMLESS: &[&str] = &[
    "!.env.{example,sample,template,dist,defaults}",
    "!*.{example,sample,template}.env",
    "!{example,sample,template}.env",
    "!*.pub",
    "!*.pub.pem",
    "!*public*.pem",
];

static BUILT_IN: LazyLock<Option<PathPattern>> = LazyLock::new(|| {
    let globs: Vec<&str> = SECRET.iter().chain(HARMLESS).copied().collect();
    PathPattern::new(&globs).ok()
});

/// The built-in list and the configured globs.
#[derive(Debug)]
pub(super) struct Secrets {
    configured: PathPattern,
}

impl Secrets {
    pub(super) fn new(globs: &[String]) -> Result<Self, PatternError> {
        Ok(Self { configured: PathPattern::new(globs)? })
    }

    /// Whether the file, or one of its folders, is on the list. A list that didn't compile denies everything.
    pub(super) fn holds(&self, path: &RepoPath) -> bool {
        let lower = path.as_str().to_lowercase();
        BUILT_IN.as_ref().is_none_or(|list| list.takes_text(&lower)) || self.configured.takes(path)
    }

    /// Whether the folder and all below it is on the list: nothing is gained by walking it.
    pub(super) fn holds_folder(&self, folder: &RepoPath) -> bool {
        folder.join("x").is_ok_and(|below| self.holds(&below))
    }
}
