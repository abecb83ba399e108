//! Reads SCIP indexes and takes over what they say of the files of a tree.

use super::{read_scip_document, scip_messages};
use crate::{
    facts::scip_file_data::ScipFileData,
    languages::{Language, extract},
};
use prost::Message;
use rayon::prelude::*;
use retriever_workspace::{ContentHash, RepoPath, Workspace};
use serde::Serialize;
use std::collections::BTreeMap;

/// A SCIP index that was read.
#[derive(Debug)]
pub struct ScipIndex(scip_messages::ScipIndexMessage);

/// What was taken over from SCIP indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScipImport {
    /// Files that the indexes speak of.
    pub documents: usize,
    /// Files whose edges are a compiler's now.
    pub matched: usize,
    /// Files whose content isn't the one that was indexed, sorted.
    pub differing: Vec<String>,
    /// Files that aren't in the graph: missing, ignored, or of another language.
    pub absent: usize,
}

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScipError {
    /// The bytes are something else.
    #[error("it is no SCIP index")]
    NotScip,
    /// There is nothing in it.
    #[error("the SCIP index that {tool} wrote names no file")]
    Empty {
        /// The program that wrote it.
        tool: String,
    },
    /// Its files are those of another root.
    #[error("none of its {documents} files is here; the SCIP index was made at {root}")]
    Elsewhere {
        /// The root that it was made at, as it says.
        root: String,
        /// Files that it speaks of.
        documents: usize,
    },
    /// Its files have changed.
    #[error(
        "none of its files is unchanged; {differing} have other content now, such as {example}"
    )]
    Changed {
        /// Files with another content.
        differing: usize,
        /// The first of them.
        example: String,
    },
}

impl ScipIndex {
    /// Reads an index.
    ///
    /// # Errors
    ///
    /// When `bytes` are something else, or an index of nothing.
    pub fn parse(bytes: &[u8]) -> Result<Self, ScipError> {
        let index =
            scip_messages::ScipIndexMessage::decode(bytes).map_err(|_| ScipError::NotScip)?;
        let Some(metadata) = &index.metadata else { return Err(ScipError::NotScip) };
        if index.documents.is_empty() {
            let tool = metadata.tool.as_ref().map_or("its program", |tool| tool.name.as_str());
            return Err(ScipError::Empty { tool: tool.to_owned() });
        }
        Ok(Self(index))
    }

    fn root(&self) -> &str {
        self.0.metadata.as_ref().map_or("", |metadata| metadata.project_root.trim_end_matches('/'))
    }

    /// Returns where the index's folder is below the root of `workspace`: an indexer can have been run in a folder of it.
    fn folder(&self, workspace: &Workspace) -> String {
        let root = self.root().strip_prefix("file://").filter(|root| root.starts_with('/'));
        match root.and_then(|root| workspace.normalize(root).ok()) {
            Some(folder) if folder != RepoPath::root() => format!("{folder}/"),
            _ => String::new(),
        }
    }
}

/// Returns what `indexes` say together of the files of `workspace`, by path.
pub(crate) fn overlays(
    workspace: &Workspace,
    indexes: &[ScipIndex],
) -> Result<(BTreeMap<String, ScipFileData>, ScipImport), ScipError> {
    let documents: Vec<(&scip_messages::ScipDocumentMessage, String)> = indexes
        .iter()
        .flat_map(|index| {
            let folder = index.folder(workspace);
            let path = move |document: &scip_messages::ScipDocumentMessage| {
                format!("{folder}{}", document.relative_path)
            };
            index.0.documents.iter().map(move |document| (document, path(document)))
        })
        .collect();
    let mut imported = ScipImport { documents: documents.len(), ..ScipImport::default() };
    let read: Vec<_> = documents
        .par_iter()
        .map(|(document, path)| {
            let text = workspace.read(&workspace.normalize(path).ok()?).ok()?;
            let language = Language::of_source(path, text.text())?;
            let belongs =
                read_scip_document::belongs(document, text.text(), &extract(language, text.text()));
            Some((text, belongs))
        })
        .collect();
    let mut matched = Vec::new();
    for ((document, path), read) in documents.iter().zip(&read) {
        match read {
            Some((text, true)) => matched.push((*document, path.as_str(), text)),
            Some((_, false)) => imported.differing.push(path.clone()),
            None => imported.absent += 1,
        }
    }
    imported.differing.sort_unstable();
    if matched.is_empty() {
        return Err(no_match(&imported, indexes));
    }
    let texts: Vec<_> =
        matched.iter().map(|(document, path, text)| (*document, *path, text.text())).collect();
    let all = documents.iter().map(|(document, _)| *document);
    let definitions = read_scip_document::ScipDefinitions::of(&texts, all);
    let overlays: BTreeMap<String, ScipFileData> = matched
        .par_iter()
        .map(|(document, path, text)| {
            let hash = *ContentHash::as_bytes(&text.hash);
            (
                (*path).to_owned(),
                read_scip_document::file_data(document, hash, text.text(), &definitions),
            )
        })
        .collect();
    imported.matched = overlays.len();
    Ok((overlays, imported))
}

/// Returns why no document of `indexes` is a file of the tree as it is.
fn no_match(imported: &ScipImport, indexes: &[ScipIndex]) -> ScipError {
    match imported.differing.first() {
        Some(example) => {
            ScipError::Changed { differing: imported.differing.len(), example: example.clone() }
        }
        None => ScipError::Elsewhere {
            root: indexes.first().map_or("", ScipIndex::root).to_owned(),
            documents: imported.documents,
        },
    }
}
