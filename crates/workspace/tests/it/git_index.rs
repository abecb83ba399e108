//! Indexes of git, as git writes them.

/// How an index is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) version: u32,
    /// Bytes of an object id.
    pub(crate) id: usize,
}

pub(crate) const SHA1: Form = Form { version: 2, id: 20 };

/// Every form that git has.
pub(crate) const FORMS: [Form; 5] = [
    SHA1,
    Form { version: 3, id: 20 },
    Form { version: 4, id: 20 },
    Form { version: 2, id: 32 },
    Form { version: 4, id: 32 },
];

/// Returns the bytes of an index of `paths`.
pub(crate) fn index_of(form: Form, paths: &[&str]) -> Vec<u8> {
    let mut paths = paths.to_vec();
    paths.sort_unstable();
    let mut index = [b"DIRC".as_slice(), &form.version.to_be_bytes()].concat();
    index.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    let mut previous = "";
    for path in paths {
        let start = index.len();
        // Times, device, mode, owner and size, and the object id.
        index.extend((0..40 + form.id).map(|byte| u8::try_from(byte % 251).unwrap()));
        let extended = if form.version == 3 { 0x4000 } else { 0 };
        index.extend((u16::try_from(path.len()).unwrap() | extended).to_be_bytes());
        if form.version == 3 {
            index.extend([0x20, 0]);
        }
        let shared = previous.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        if form.version == 4 {
            // One byte holds numbers up to 127.
            index.push(u8::try_from(previous.len() - shared).unwrap());
            index.extend(&path.as_bytes()[shared..]);
            index.push(0);
        } else {
            index.extend(path.as_bytes());
            index.push(0);
            while (index.len() - start) % 8 != 0 {
                index.push(0);
            }
        }
        previous = path;
    }
    // A hash of it all, which nobody checks.
    index.extend(vec![7; form.id]);
    index
}
