//! Bytes of any kind as a log of receipts: reading and summing them never panics, and no sum has more answers than there are lines.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use retriever::cost_receipts::{CostReceiptLog, savings};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("receipts.jsonl"), bytes).expect("a file");
    let receipts = CostReceiptLog::new(folder.path().to_owned()).read().expect("a log");
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!(savings(&receipts, 0).total.answers <= lines as u64);
});
