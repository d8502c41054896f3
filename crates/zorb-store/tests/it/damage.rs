//! Damaged files.

use std::fs;

use crate::support::{Entries, Random, apply, entries, runs};
use zorb_store::simulation::SimulatedDisk;
use zorb_store::{Durability, FileStore, FileStoreOptions, Store, StoreErrorKind};

#[test]
fn damage_is_found_when_the_store_is_opened() {
    let disk = SimulatedDisk::new();
    let store = disk.open(Durability::Immediate).unwrap();
    let (mut before, mut expected) = (Entries::new(), Entries::new());
    let random = &mut Random(1);
    for _ in 0..100 {
        let batch = random.batch();
        before.clone_from(&expected);
        apply(&mut expected, &batch);
        store.commit(batch).unwrap();
    }
    let open = disk.kill();
    drop(store);
    let (mut harmless, mut broken) = (0, 0);
    for seed in 0..runs("DAMAGES", 400) {
        // The file of a closed store, or of a process that was killed.
        let damaged = if seed % 2 == 0 { disk.damage(seed) } else { open.damage(seed) };
        match damaged.open(Durability::Immediate).and_then(|store| entries(&store)) {
            Ok(found) => {
                // Damage of the last transaction of a process that was killed looks as if it had not been completed.
                let whole = found == expected || seed % 2 == 1 && found == before;
                assert!(whole, "seed {seed}: {} entries of {}", found.len(), expected.len());
                harmless += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), StoreErrorKind::Broken, "seed {seed}: {error}");
                broken += 1;
            }
        }
    }
    assert!(harmless > 0 && broken > 0, "{harmless} harmless, {broken} broken");
}

/// Makes the root of the database's own tables a branch with one key whose two children are the root itself.
fn make_system_tables_contain_themselves(octets: &mut [u8]) {
    const PAGE: usize = 4096;
    let number = |octets: &[u8], offset: usize| -> u64 {
        u64::from_le_bytes(octets[offset..offset + 8].try_into().unwrap())
    };
    let slot = if octets[9] & 1 == 0 { 64 } else { 192 };
    let root = number(octets, slot + 40);
    let header_pages = usize::try_from(number(octets, 16) & 0xffff_ffff).unwrap();
    // The first region's pages follow the file's header and its own.
    let start = (1 + header_pages + usize::try_from(root & 0xf_ffff).unwrap()) * PAGE;
    let page = &mut octets[start..start + PAGE];
    page.fill(0);
    page[0] = 2;
    page[2] = 1;
    page[40..48].copy_from_slice(&root.to_le_bytes());
    page[48..56].copy_from_slice(&root.to_le_bytes());
    page[56] = 61;
    page[60] = b'm';
}

#[test]
fn tables_that_contain_themselves_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let options = FileStoreOptions::new();
    let store = FileStore::open(folder.path(), &options).unwrap();
    store.commit(Random(1).batch()).unwrap();
    drop(store);
    let file = folder.path().join("store.redb");
    let mut octets = fs::read(&file).unwrap();
    make_system_tables_contain_themselves(&mut octets);
    fs::write(&file, &octets).unwrap();
    let error = FileStore::open(folder.path(), &options).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Broken, "{error}");
    assert_eq!(fs::read(&file).unwrap(), octets, "a broken file is left as it is");
}
