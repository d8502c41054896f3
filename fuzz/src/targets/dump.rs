//! Dumps of stores: the files of `zorb store restore`.

use zorb_store::{Batch, MemoryStore, Store, dump};

use super::{AllocationBound, Target};

/// Octets read as a dump; the entries before the first fault are dumped and read again.
pub const TARGET: Target = Target {
    name: "dump",
    run: check,
    allocation: AllocationBound { per_octet: 64, constant: 96 << 10 },
    words: &[
        b"{\"zorb-store-dump\":1}\n",
        b"{\"table\":\"a\",\"key\":\"\",\"value\":\"\"}\n",
        b"{\"entries\":1,\"crc32\":\"00000000\"}\n",
        b"\"table\":\"naming.bindings\"",
        b"\"key\":\"%00\"",
        b"\"value\":\"%FF%25\"",
        b"\\u0041",
        b"%7",
        b"null",
        b"\n",
    ],
};

fn check(octets: &[u8]) {
    let (store, whole) = load(octets);
    let mut dumped = Vec::new();
    let contents = dump::write(&store, &mut dumped).expect("a store in memory can be dumped");
    let (again, read) = load(&dumped);
    assert_eq!(read.expect("what was dumped can be read"), contents);
    let mut second = Vec::new();
    dump::write(&again, &mut second).expect("and dumped again");
    assert_eq!(second, dumped);
    if let Ok(found) = whole {
        assert!(found.entries >= contents.entries, "a key may be there twice");
        assert_eq!(found.octets, octets.len() as u64);
    }
}

/// The entries before the first fault, and the fault.
fn load(mut octets: &[u8]) -> (MemoryStore, Result<dump::Contents, zorb_store::StoreError>) {
    let store = MemoryStore::new();
    let read = dump::read(&mut octets, &mut |entry| {
        let table = entry.table.to_owned();
        store.commit(Batch::new().put(table, entry.key, entry.value))
    });
    (store, read)
}
