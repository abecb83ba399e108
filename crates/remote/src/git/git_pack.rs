//! Commits in git's pack files: found by an index of version 2, stored whole or as a delta of another object.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use super::zlib::{MAX_COMMIT_BYTES, inflate};

/// Most packs that are searched; by default git repacks at fifty.
const MAX_PACKS: usize = 256;
/// Longest chain of deltas of an object.
const MAX_CHAIN: usize = 64;
/// Bytes before the names of an index: its mark, its version and the number of names by first byte.
const NAMES_START: u64 = 8 + 256 * 4;
/// The first bytes of an index of version 2.
const INDEX_MARK: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// Type of a commit.
const COMMIT: u8 = 1;
/// Type of a delta whose base is given by its offset.
const OFFSET_DELTA: u8 = 6;
/// Type of a delta whose base is given by its ID.
const ID_DELTA: u8 = 7;

/// A pack and its index.
pub(super) struct GitPack {
    index: File,
    pack: File,
    /// Cumulative number of names by first byte.
    fanout: Vec<u32>,
    /// Bytes of a name.
    id_bytes: u64,
}

/// A stored object.
struct Entry {
    kind: u8,
    /// Offset of the object that it is a delta of.
    base: Option<u64>,
    content: Vec<u8>,
}

impl GitPack {
    /// Opens the packs of a folder; unknown formats are left out.
    #[expect(
        clippy::disallowed_methods,
        reason = "git's folder is not read as part of the workspace"
    )]
    pub(super) fn open_all(folder: &Path, id_bytes: usize) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let indexes = entries.map(|entry| entry.path());
        let mut indexes: Vec<_> =
            indexes.filter(|path| path.extension().is_some_and(|e| e == "idx")).collect();
        indexes.sort_unstable();
        indexes.truncate(MAX_PACKS);
        indexes.iter().filter_map(|path| Self::open(path, id_bytes as u64)).collect()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "git's folder is not read as part of the workspace"
    )]
    fn open(path: &Path, id_bytes: u64) -> Option<Self> {
        let open = |path: &Path| {
            // Opening a pipe or a device may block.
            let is_file = fs::metadata(path).is_ok_and(|file| file.is_file());
            is_file.then(|| File::open(path).ok())?
        };
        let (index, pack) = (open(path)?, open(&path.with_extension("pack"))?);
        let head = read_at(&index, 0, NAMES_START)?;
        let (mark, fanout) = head.split_at_checked(INDEX_MARK.len())?;
        let (fanout, _) = fanout.as_chunks();
        let fanout = fanout.iter().map(|count| u32::from_be_bytes(*count)).collect();
        (mark == INDEX_MARK).then_some(Self { index, pack, fanout, id_bytes })
    }

    /// Returns a commit; `None` when it is not in this pack.
    pub(super) fn commit(&self, id: &[u8]) -> Option<Vec<u8>> {
        let mut offset = self.offset(id)?;
        let mut deltas = Vec::new();
        for _ in 0..MAX_CHAIN {
            let Entry { kind, base, content } = self.entry(offset)?;
            match base {
                Some(base) => {
                    deltas.push(content);
                    offset = base;
                }
                None if kind == COMMIT => {
                    return deltas
                        .iter()
                        .rev()
                        .try_fold(content, |base, delta| apply(&base, delta));
                }
                None => return None,
            }
        }
        None
    }

    /// Returns the offset of an object.
    fn offset(&self, id: &[u8]) -> Option<u64> {
        let first = usize::from(*id.first()?);
        let start =
            first.checked_sub(1).map_or(Some(0), |before| self.fanout.get(before).copied())?;
        let (mut low, mut high) = (u64::from(start), u64::from(*self.fanout.get(first)?));
        let count = u64::from(*self.fanout.last()?);
        while low < high {
            let middle = low.midpoint(high);
            let name = read_at(&self.index, NAMES_START + middle * self.id_bytes, self.id_bytes)?;
            match name.as_slice().cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset_of(middle, count),
            }
        }
        None
    }

    /// Returns the offset of the object at an index position; `count` is the number of objects.
    fn offset_of(&self, place: u64, count: u64) -> Option<u64> {
        // After the names come four bytes of checksum per object, then four bytes of offset per object, then long
        // offsets.
        let offsets = NAMES_START + count * (self.id_bytes + 4);
        let offset =
            u32::from_be_bytes(*read_at(&self.index, offsets + place * 4, 4)?.first_chunk()?);
        if offset >> 31 == 0 {
            return Some(offset.into());
        }
        let long = offsets + count * 4 + u64::from(offset & (u32::MAX >> 1)) * 8;
        Some(u64::from_be_bytes(*read_at(&self.index, long, 8)?.first_chunk()?))
    }

    fn entry(&self, offset: u64) -> Option<Entry> {
        // No header is longer.
        let head = read_at(&self.pack, offset, 64)?;
        let mut at = 0;
        let mut next = || {
            at += 1;
            head.get(at - 1).copied()
        };
        let first = next()?;
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = next()?;
        }
        let kind = first >> 4 & 7;
        let base = match kind {
            OFFSET_DELTA => {
                let mut byte = next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    back = (back.checked_add(1)? << 7) | u64::from(byte & 0x7f);
                }
                Some(offset.checked_sub(back).filter(|base| *base < offset)?)
            }
            ID_DELTA => {
                let length = usize::try_from(self.id_bytes).ok()?;
                let id = head.get(at..at + length)?;
                at += length;
                Some(self.offset(id)?)
            }
            _ => None,
        };
        let mut pack = &self.pack;
        pack.seek(SeekFrom::Start(offset + at as u64)).ok()?;
        Some(Entry { kind, base, content: inflate(pack)? })
    }
}

/// Reads at most `length` bytes.
fn read_at(mut file: &File, offset: u64, length: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the result of applying `delta` to `base`.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = delta.iter().copied();
    for _ in ["length of the base", "length of the result"] {
        while bytes.next()? & 0x80 != 0 {}
    }
    let mut result = Vec::new();
    while let Some(instruction) = bytes.next() {
        if instruction & 0x80 == 0 {
            // The next bytes are inserted.
            let inserted: Vec<u8> = bytes.by_ref().take(instruction.into()).collect();
            result.extend(inserted);
            continue;
        }
        let mut number = |flags: std::ops::Range<u32>| {
            let mut number = 0_usize;
            for (place, flag) in flags.enumerate() {
                if instruction >> flag & 1 == 1 {
                    number |= usize::from(bytes.next()?) << (8 * place);
                }
            }
            Some(number)
        };
        let (start, length) = (number(0..4)?, number(4..7)?);
        let length = if length == 0 { 0x10000 } else { length };
        result.extend_from_slice(base.get(start..start.checked_add(length)?)?);
        if result.len() as u64 > MAX_COMMIT_BYTES {
            return None;
        }
    }
    Some(result)
}
