//! The parts of qualified names, however their languages separate them.

/// Returns the parts of a full name, however its language separates them.
pub fn parts(name: &str) -> Vec<&str> {
    name.split(['.', ':', '#', '/', '\\'])
        .map(|part| part.trim_end_matches("()"))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Whether the parts of a full name hold all of `wanted` but the last, in order above its own name. The last part is the
/// name itself, which the caller compares.
pub fn is_qualified_by(qname: &str, wanted: &[&str], same: fn(&str, &str) -> bool) -> bool {
    let have = parts(qname);
    let mut above = have.iter().rev().skip(1);
    wanted.iter().rev().skip(1).all(|part| above.any(|have| same(have, part)))
}
