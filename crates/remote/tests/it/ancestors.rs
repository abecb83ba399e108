//! A reader finds the nearest published commit before its own: in loose objects, in packs, whole or as a difference, and
//! takes what was published last when it knows of no commit before.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use pretty_assertions::assert_eq;
use retriever_remote::{
    CommitToPublish, ObjectStoreCredentials, RemoteError, RemoteIndex, RemoteOptions, RemoteReader,
};
use retriever_workspace::{Cancellation, GitFolders};

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
        let address = format!("file://{}", remote.display());
        RemoteReader::new(self.remote(&address, patience).unwrap())
    }

    fn remote(&self, address: &str, patience: Duration) -> Result<RemoteIndex, RemoteError> {
        let folder = PathBuf::from(self.0.path());
        let options = RemoteOptions {
            address: address.to_owned(),
            credentials: ObjectStoreCredentials::default(),
            repository: None,
            git: GitFolders { own: folder.clone(), common: folder },
            version: "1".to_owned(),
            patience,
            note: None,
        };
        RemoteIndex::open(options)
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
    let publication = CommitToPublish {
        graph: vec![vec![number]],
        words: Some(vec![number, number]),
        contents: vec![[number; 32]],
        facts: &facts,
    };
    reader.publish(publication).unwrap();
}

fn graph(reader: &RemoteReader) -> Option<Vec<u8>> {
    let graph =
        reader.graph(&Cancellation::new())?.map(Option::unwrap).collect::<Vec<_>>().concat();
    assert_eq!(reader.words(&Cancellation::new()).unwrap().len(), 2);
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
        reader.facts(&content, &Cancellation::new(), &mut |_, record| kept.push(record.to_vec()));
    }
    assert_eq!(kept, [[vec![3; 32], vec![3]].concat()]);
}

/// Serves the files of a folder; each answer that there is none takes a while.
fn serve_slowly(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    let answer = |mut stream: &TcpStream, folder: &Path| {
        let mut lines = BufReader::new(stream).lines();
        while let Some(Ok(request)) = lines.next() {
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let path = request.split(' ').nth(1).unwrap().trim_start_matches('/');
            let body = fs::read(folder.join(path));
            let status = if body.is_ok() { "200 OK" } else { "404 Not Found" };
            let body = body.unwrap_or_else(|_| {
                thread::sleep(Duration::from_millis(60));
                Vec::new()
            });
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len());
            if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                return;
            }
        }
    };
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, folder) = (stream.unwrap(), folder.clone());
            thread::spawn(move || answer(&stream, &folder));
        }
    });
    address
}

#[test]
fn a_server_that_answers_is_asked_for_commits_far_back() {
    let remote = tempfile::tempdir().unwrap();
    publish(remote.path(), 1);
    let repository = Repository::new(200);
    (2..=200).for_each(|number| repository.loose(number, &[number - 1]));
    let address = serve_slowly(remote.path());
    // Thirteen rounds of sixteen requests take longer than that.
    let reader =
        RemoteReader::new(repository.remote(&address, Duration::from_millis(500)).unwrap());
    assert_eq!(graph(&reader), Some(vec![1]), "{:?}", reader.warnings());
}

#[test]
fn facts_that_are_gone_from_the_remote_are_published_again() {
    let remote = tempfile::tempdir().unwrap();
    let content = [7; 32];
    let publish = |number: u8| {
        let repository = Repository::new(number);
        let reader = repository.reader(remote.path(), Duration::from_secs(60));
        let facts = |content: &[u8; 32]| Some([content.as_slice(), b"facts"].concat());
        let (graph, contents) = (vec![vec![number]], vec![content]);
        reader.publish(CommitToPublish { graph, words: None, contents, facts: &facts }).unwrap();
        let mut found = Vec::new();
        let reader = repository.reader(remote.path(), Duration::from_secs(60));
        reader.facts(&content, &Cancellation::new(), &mut |_, record| found.push(record.to_vec()));
        found.len()
    };
    assert_eq!(publish(3), 1);
    let folder = fs::read_dir(remote.path().join("retriever-1")).unwrap().next().unwrap().unwrap();
    let objects = fs::read_dir(folder.path().join("objects")).unwrap();
    for object in objects.map(|entry| entry.unwrap().path()) {
        let mut content = Vec::new();
        ZlibDecoder::new(fs::File::open(&object).unwrap()).read_to_end(&mut content).unwrap();
        if content.ends_with(b"facts") {
            fs::remove_file(object).unwrap();
        }
    }
    assert_eq!(publish(9), 1);
}

#[test]
fn an_address_that_cannot_be_used_is_not_told_with_its_secrets() {
    for address in ["ftp://user:word@example.com/?key=word", "https://word@example.com/", "word:/"]
    {
        let error = Repository::new(3).remote(address, Duration::ZERO).unwrap_err().to_string();
        let error = error.replacen("word:/", "", 1);
        assert!(!error.contains("word"), "{error}");
    }
}
