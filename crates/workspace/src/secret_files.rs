//! The deny list: files that hold keys and passwords by convention are never walked, read, listed or sent, even if they
//! are named explicitly. Source code that only mentions secrets stays readable.

use std::{borrow::Cow, sync::LazyLock};

use crate::{GlobError, PathGlobs, RepoPath};

/// Globs of secret files, over lower-case paths.
const SECRET: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    "*.env.*",
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

/// Exceptions: templates without values, and public keys.
const EXCEPTIONS: &[&str] = &[
    "!.env.{example,sample,template,dist,defaults}",
    "!*.{example,sample,template}.env",
    "!{example,sample,template}.env",
    "!*.env.{example,sample,template,dist,defaults}",
    "!*.pub",
    "!*.pub.pem",
    "!*public*.pem",
];

static BUILT_IN: LazyLock<Option<PathGlobs>> = LazyLock::new(|| {
    let globs: Vec<&str> = SECRET.iter().chain(EXCEPTIONS).copied().collect();
    PathGlobs::new(&globs).ok()
});

/// The built-in list and the configured globs.
#[derive(Debug)]
pub(super) struct SecretFiles {
    configured: PathGlobs,
}

impl SecretFiles {
    pub(super) fn new(globs: &[String]) -> Result<Self, GlobError> {
        Ok(Self { configured: PathGlobs::new(globs)? })
    }

    /// Whether the file is on the list. If the list does not compile, every file is.
    pub(super) fn matches(&self, path: &RepoPath) -> bool {
        self.matches_str(path.as_str())
    }

    fn matches_str(&self, path: &str) -> bool {
        let is_lower = path.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let lower = if is_lower { Cow::Borrowed(path) } else { Cow::Owned(path.to_lowercase()) };
        BUILT_IN.as_ref().is_none_or(|list| list.matches_str(&lower))
            || self.configured.matches_str(path)
    }

    /// Whether everything in the folder is on the list, so that it need not be walked.
    pub(super) fn matches_folder(&self, folder: &RepoPath) -> bool {
        match folder.as_str() {
            "" => self.matches_str("x"),
            folder => self.matches_str(&format!("{folder}/x")),
        }
    }
}
