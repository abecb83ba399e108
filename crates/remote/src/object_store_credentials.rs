//! The environment variables from which object stores take credentials.

use std::{collections::BTreeMap, fmt};

/// Environment variables with the credentials of cloud stores.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ObjectStoreCredentials(BTreeMap<String, String>);

impl ObjectStoreCredentials {
    /// Selects the variables of cloud stores.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        const CLOUDS: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];
        let is_cloud = |(name, _): &(&String, &String)| CLOUDS.iter().any(|c| name.starts_with(c));
        let variables = variables.into_iter().filter(is_cloud);
        Self(variables.map(|(name, value)| (name.to_lowercase(), value.clone())).collect())
    }

    pub(crate) fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for ObjectStoreCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}
