//! A reader finds the nearest published commit before its own: in loose objects, in packs, whole or as a difference, and
//! takes what was published last when it knows of no commit before.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use flate2::{Compression, write::ZlibEncoder};
use pretty_assertions::assert_eq;
use retriever_remote::{Credentials, Publication, Remote, RemoteOptions, RemoteReader};
use retriever_workspace::GitFolders;

fn id(number: u8) -> String {
    format!("{number:02x}").repeat(20)
}

fn commit(parents: &[u8]) -> Vec<u8> {
    let parents: String =
        parents.iter().map(|parent| format!("parent {}\n", id(*parent))).collect();
    format!("tree {}\n{parents}author A <a@example.com> 0 +0000\n\nparent of all\n", id(0))
        .into_bytes()
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A repository whose files are written as git writes them.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new(head: u8) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.write("config", b"[remote \"origin\"]\n\turl = https://example.com/a/b.git\n");
        repository.write("HEAD", b"ref: refs/heads/main\n");
        repository.write(
            "packed-refs",
            format!("# pack-refs\n{} refs/heads/main\n", id(head)).as_bytes(),
        );
        repository
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn loose(&self, number: u8, parents: &[u8]) {
        let content = commit(parents);
        let header = format!("commit {}\0", content.len()).into_bytes();
        let name = id(number);
        self.write(
            &format!("objects/{}/{}", &name[..2], &name[2..]),
            &deflate(&[header, content].concat()),
        );
    }

    /// Writes a pack of a whole commit and of one that differs from it in its parent only, by offset or by name.
    fn pack(&self, base: (u8, u8), delta: (u8, u8), by_name: bool) {
        let (whole, other) = (commit(&[base.1]), commit(&[delta.1]));
        let mut pack = b"PACK\0\0\0\x02\0\0\0\x02".to_vec();
        let base_offset = pack.len();
        entry(&mut pack, 1, whole.len(), &[], &whole);
        let delta_offset = pack.len();
        let start = whole.iter().zip(&other).position(|(a, b)| a != b).unwrap();
        let rest = start + 40;
        let copy = |from: usize, length: usize| {
            let [from, length] = [from, length].map(|number| u8::try_from(number).unwrap());
            vec![0b1001_0001, from, length]
        };
        let mut content = vec![u8::try_from(whole.len() - 128).unwrap() | 128, 1];
        content.extend(content.clone());
        content.extend(copy(0, start));
        content.push(40);
        content.extend(&other[start..rest]);
        content.extend(copy(rest, whole.len() - rest));
        let back = u8::try_from(delta_offset - base_offset).unwrap();
        let (kind, reference) = if by_name {
            (7, [base.0; 20].to_vec())
        } else if back < 128 {
            (6, vec![back])
        } else {
            (6, vec![128 | ((back >> 7) - 1), back & 127])
        };
        entry(&mut pack, kind, content.len(), &reference, &content);
        let offsets = BTreeMap::from([(base.0, base_offset), (delta.0, delta_offset)]);
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255_u8 {
            let count = offsets.range(..=first).count();
            index.extend(u32::try_from(count).unwrap().to_be_bytes());
        }
        offsets.keys().for_each(|number| index.extend([*number; 20]));
        index.extend([0; 8]);
        for offset in offsets.values() {
            index.extend(u32::try_from(*offset).unwrap().to_be_bytes());
        }
        self.write(&format!("objects/pack/pack-{}.pack", base.0), &pack);
        self.write(&format!("objects/pack/pack-{}.idx", base.0), &index);
    }

    fn reader(&self, remote: &Path, patience: Duration) -> RemoteReader {
        let folder = PathBuf::from(self.0.path());
        let options = RemoteOptions {
            address: format!("file://{}", remote.display()),
            credentials: Credentials::default(),
            repository: None,
            git: GitFolders { own: folder.clone(), common: folder },
            version: "1".to_owned(),
            patience,
            note: None,
        };
        RemoteReader::new(Remote::open(options).unwrap())
    }
}

/// Writes an entry of a pack: kind and length, what it differs from, the content.
fn entry(pack: &mut Vec<u8>, kind: u8, length: usize, reference: &[u8], content: &[u8]) {
    let low = u8::try_from(length & 15).unwrap();
    pack.push(128 | kind << 4 | low);
    pack.push(u8::try_from(length >> 4).unwrap());
    pack.extend(reference);
    pack.extend(deflate(content));
}

/// Publishes the name of a commit as its graph.
fn publish(remote: &Path, number: u8) {
    let repository = Repository::new(number);
    let reader = repository.reader(remote, Duration::from_secs(60));
    let facts = |content: &[u8; 32]| Some([content.as_slice(), &[number]].concat());
    let publication = Publication {
        graph: vec![vec![number]],
        words: Some(vec![number, number]),
        contents: vec![[number; 32]],
        facts: &facts,
    };
    reader.publish(publication).unwrap();
}

fn graph(reader: &RemoteReader) -> Option<Vec<u8>> {
    let graph = reader.graph()?.map(Option::unwrap).collect::<Vec<_>>().concat();
    assert_eq!(reader.words().unwrap().len(), 2);
    Some(graph)
}

#[test]
fn the_nearest_published_commit_is_taken() {
    let remote = tempfile::tempdir().unwrap();
    for number in [3, 9] {
        publish(remote.path(), number);
    }
    let patience = Duration::from_secs(60);
    for by_name in [false, true] {
        // 0x40 ← 0x30 ← 0x20 ← 3 ← 9, and 7 beside.
        let repository = Repository::new(0x40);
        repository.loose(0x40, &[0x30, 7]);
        repository.pack((0x20, 3), (0x30, 0x20), by_name);
        repository.loose(3, &[9]);
        assert_eq!(graph(&repository.reader(remote.path(), patience)), Some(vec![3]));
    }
    // A commit that was published is its own nearest.
    assert_eq!(graph(&Repository::new(9).reader(remote.path(), patience)), Some(vec![9]));
    // Without any history, or with one that can't be read, the last publication is taken.
    let shallow = Repository::new(0x40);
    assert_eq!(graph(&shallow.reader(remote.path(), patience)), Some(vec![9]));
    shallow.write(&format!("objects/40/{}", &id(0x40)[2..]), b"no object");
    shallow.write("objects/pack/pack-1.idx", b"no index");
    shallow.write("objects/pack/pack-1.pack", b"");
    assert_eq!(graph(&shallow.reader(remote.path(), patience)), Some(vec![9]));
    // Nothing is published.
    let empty = tempfile::tempdir().unwrap();
    let reader = shallow.reader(empty.path(), patience);
    assert_eq!((graph(&reader), reader.warnings()), (None, Vec::new()));
}

#[test]
fn facts_are_those_of_the_graph_that_was_taken_and_fetched_once() {
    let remote = tempfile::tempdir().unwrap();
    publish(remote.path(), 3);
    let reader = Repository::new(3).reader(remote.path(), Duration::from_secs(60));
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for content in [[3; 32], [3; 32], [4; 32]] {
        reader.facts(&content, &mut |record| kept.push(record.to_vec()));
    }
    assert_eq!(kept, [[vec![3; 32], vec![3]].concat()]);
}
