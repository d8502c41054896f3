//! What implementation repositories have stored, and the command lines in it.

use zorb_imr::command_line;
use zorb_imr::server::ImplementationRepository;
use zorb_store::{Batch, MemoryStore, Store};

use super::{AllocationBound, Target};

/// An octet that chooses the table, and octets read as the row of a server; as text, they are a command line.
pub const TARGET: Target = Target {
    name: "stored_servers",
    run,
    allocation: AllocationBound { per_octet: 512, constant: 64 << 10 },
    words: &[
        b"\x01\0\0\0",
        b"\x02\0\0\0A\0",
        b"\0\0\0\x01",
        b"\xff\xff\xff\xff",
        b"IOR:00",
        b"corbaloc:iiop:1.2@h:1/",
        b" '",
        b"\\\"",
    ],
};

/// The name of the server.
const NAME: &[u8] = b"Shop";

fn run(octets: &[u8]) {
    let Some((choice, row)) = octets.split_first() else { return };
    let (table, other) = match choice % 2 {
        0 => ("imr.servers", "imr.running"),
        _ => ("imr.running", "imr.servers"),
    };
    let store = MemoryStore::new();
    store.commit(Batch::new().put(table, NAME, row)).expect("a row");
    match ImplementationRepository::check_store(&store) {
        Ok(count) => assert_eq!(count, usize::from(table == "imr.servers")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert_eq!(store.get(other, NAME).expect("a store in memory"), None);
    if let Ok(text) = std::str::from_utf8(row)
        && let Some(words) = command_line::split(text)
    {
        let joined = command_line::join(&words);
        assert_eq!(command_line::split(&joined).as_ref(), Some(&words), "{joined}");
    }
}
