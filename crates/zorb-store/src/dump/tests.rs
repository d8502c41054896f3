use super::*;
use crate::{Batch, MemoryStore, Store, StoreError, StoreErrorKind};

fn dumped(store: &dyn Store) -> Vec<u8> {
    let mut octets = Vec::new();
    let contents = write(store, &mut octets).unwrap();
    assert_eq!(contents.octets, octets.len() as u64);
    octets
}

fn loaded(mut octets: &[u8]) -> Result<MemoryStore, StoreError> {
    let store = MemoryStore::new();
    read(&mut octets, &mut |entry| {
        let mut batch = Batch::new();
        batch.push(entry.table.to_owned().into(), entry.key.to_vec(), Some(entry.value.to_vec()));
        store.commit(batch)
    })?;
    Ok(store)
}

#[test]
fn the_format_is_as_documented() {
    let store = MemoryStore::new();
    store.commit(Batch::new().put("naming.bindings", "printer", b"IOR\0")).unwrap();
    let text = String::from_utf8(dumped(&store)).unwrap();
    let documented = include_str!("../dump.rs").lines().skip_while(|line| *line != "//! ```text");
    let documented = documented.skip(1).take_while(|line| *line != "//! ```");
    let documented: String =
        documented.map(|line| format!("{}\n", &line["//! ".len()..])).collect();
    assert_eq!(text, documented);
}

#[test]
fn a_dump_holds_every_octet() {
    let store = MemoryStore::new();
    let all: Vec<u8> = (0..=255).collect();
    let batch =
        Batch::new().put("b", all.clone(), all.clone()).put("a", [], []).put("a", "%\"\\", "é");
    store.commit(batch).unwrap();
    let octets = dumped(&store);
    assert!(octets.iter().all(|octet| matches!(octet, b' '..=b'~' | b'\n')));
    let again = loaded(&octets).unwrap();
    assert_eq!(again.get("b", &all).unwrap(), Some(all));
    assert_eq!(dumped(&again), octets);
    // Each line is JSON.
    for line in octets.split(|&octet| octet == b'\n').filter(|line| !line.is_empty()) {
        serde_json::from_slice::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn any_change_is_recognized() {
    let store = MemoryStore::new();
    store
        .commit(Batch::new().put("a", "one", "1").put("a", "two", "2").put("b", "%", [0]))
        .unwrap();
    let octets = dumped(&store);
    for at in 0..octets.len() {
        for bit in 0..8 {
            let mut changed = octets.clone();
            changed[at] ^= 1 << bit;
            let refused = loaded(&changed).expect_err("a changed octet");
            assert!(
                matches!(refused.kind(), StoreErrorKind::Broken | StoreErrorKind::Newer),
                "{refused}"
            );
        }
        loaded(&octets[..at]).expect_err("a cut");
    }
    loaded(&[&octets[..], b"\n"].concat()).expect_err("more at the end");
    let swapped = String::from_utf8(octets).unwrap().replace("one", "eno");
    let refused = loaded(swapped.as_bytes()).unwrap_err();
    assert!(
        refused.to_string().contains("line 5: the number of entries or the checksum is wrong"),
        "{refused}"
    );
}

#[test]
fn a_newer_format_is_refused() {
    let refused = loaded(b"{\"zorb-store-dump\":2}\n{}\n").unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Newer);
}

#[test]
fn errors_of_the_reader_and_of_the_taker_are_returned() {
    let store = MemoryStore::new();
    store.commit(Batch::new().put("a", "one", "1")).unwrap();
    let octets = dumped(&store);
    let full = || StoreError::new(StoreErrorKind::Full, "test");
    let refused = read(&mut &octets[..], &mut |_| Err(full())).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Full);
    let mut short = [0; 20];
    let refused = write(&store, &mut &mut short[..]).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Io);
}
