//! Stored interface repositories: the file of `zorb ifr --state`.

use zorb_dynamic::repository::Repository;

use super::{AllocationBound, Target};

/// Octets read as a repository; all queries are made, and it is stored again.
pub const TARGET: Target = Target {
    name: "repository",
    run: check,
    allocation: AllocationBound { per_octet: 1024, constant: 32 << 10 },
    words: &[
        b"ZORBIFR\x02",
        b"ZORBIFR\x03",
        b"\0\0\0\x0cIDL:M/A:1.0\0",
        b"\0\0\0\x0cIDL:M/B:1.0\0",
        b"\0\0\0\x02A\0",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x0e",
        b"\0\0\0\x1d",
        b"::",
    ],
};

/// Definitions looked at in one input.
const MAX_DEFINITIONS: usize = 20;

fn check(octets: &[u8]) {
    let Ok(repository) = Repository::from_octets(octets) else { return };
    let stored = repository.to_octets().expect("what was stored can be stored");
    let again = Repository::from_octets(&stored).expect("and read again");
    assert_eq!(again.to_octets().expect("as it was"), stored);
    let mut merged = Repository::new();
    merged.merge(&repository);
    assert_eq!(merged.to_octets().expect("the same definitions"), stored);
    for (place, entry) in repository.entries().take(MAX_DEFINITIONS) {
        let name = repository.absolute_name(place);
        // Several definitions may have one name, or a name may hold a `::`.
        std::hint::black_box(repository.lookup(Repository::ROOT, &name));
        assert!(!repository.ancestors(place).contains(&place));
        if let Some(interface) = repository.describe_interface(&entry.id) {
            for operation in &interface.operations {
                interface.operation(&operation.name).expect("it is listed");
            }
        }
    }
}
