//! Small interfaces of Go's standard library. A type of a repository implements one by its methods alone, and the library
//! is not there to be read.

use crate::facts::language_capabilities::{KnownInterface, KnownMethod};

/// What types are often written to be.
pub(super) const STANDARD_INTERFACES: &[KnownInterface] = &[
    of("encoding", "TextMarshaler", &[method("MarshalText", &[], &["[]byte", "error"])]),
    of("encoding", "TextUnmarshaler", &[method("UnmarshalText", &["[]byte"], &["error"])]),
    of("encoding/json", "Marshaler", &[method("MarshalJSON", &[], &["[]byte", "error"])]),
    of("encoding/json", "Unmarshaler", &[method("UnmarshalJSON", &["[]byte"], &["error"])]),
    of("fmt", "Stringer", &[method("String", &[], &["string"])]),
    of("io", "Closer", &[CLOSE]),
    of("io", "ReadCloser", &[READ, CLOSE]),
    of("io", "Reader", &[READ]),
    of("io", "ReaderFrom", &[method("ReadFrom", &["Reader"], &["int64", "error"])]),
    of("io", "WriteCloser", &[WRITE, CLOSE]),
    of("io", "Writer", &[WRITE]),
    of("io", "WriterTo", &[method("WriteTo", &["Writer"], &["int64", "error"])]),
    of("net/http", "Flusher", &[method("Flush", &[], &[])]),
    of("net/http", "Handler", &[method("ServeHTTP", &["ResponseWriter", "Request"], &[])]),
    of("net/http", "Hijacker", &[method("Hijack", &[], &["Conn", "ReadWriter", "error"])]),
    of("net/http", "RoundTripper", &[method("RoundTrip", &["Request"], &["Response", "error"])]),
    of("sort", "Interface", &[LESS, method("Len", &[], &["int"]), method("Swap", INDEXES, &[])]),
];

const CLOSE: KnownMethod = method("Close", &[], &["error"]);
const READ: KnownMethod = method("Read", &["[]byte"], &["int", "error"]);
const WRITE: KnownMethod = method("Write", &["[]byte"], &["int", "error"]);
const INDEXES: &[&str] = &["int", "int"];
const LESS: KnownMethod = method("Less", INDEXES, &["bool"]);

const fn of(
    module: &'static str,
    name: &'static str,
    methods: &'static [KnownMethod],
) -> KnownInterface {
    KnownInterface { module, name, methods }
}

const fn method(
    name: &'static str,
    takes: &'static [&'static str],
    gives: &'static [&'static str],
) -> KnownMethod {
    KnownMethod { name, takes, gives }
}
