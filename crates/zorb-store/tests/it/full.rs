//! Full disks.

use crate::support::{Entries, Random, apply, entries, runs};
use zorb_store::simulation::SimulatedDisk;
use zorb_store::{Batch, Durability, Store, StoreErrorKind};

#[test]
fn a_full_disk_refuses_commits_and_keeps_what_it_has() {
    for seed in 0..runs("FULL_DISKS", 6) {
        let random = &mut Random(seed);
        let disk = SimulatedDisk::new();
        let durability = Durability::ALL[seed as usize % 3];
        let store = disk.open(durability).unwrap();
        let mut expected = Entries::new();
        let mut refused = 0;
        disk.limit(Some(2_000_000 + random.below(2_000_000) as usize));
        for number in 0..120_u64 {
            // It is full for a while, twice.
            if number == 60 || number == 100 {
                disk.limit(None);
            } else if number == 80 {
                disk.limit(Some(3_000_000));
            }
            let batch = random.batch().put("test.large", number.to_be_bytes(), vec![7; 70_000]);
            match store.commit(batch.clone()) {
                Ok(()) => apply(&mut expected, &batch),
                Err(error) => {
                    assert_eq!(error.kind(), StoreErrorKind::Full, "seed {seed}: {error}");
                    assert!(error.hint().is_some());
                    refused += 1;
                }
            }
            if refused > 0 && number % 8 == 0 {
                assert!(entries(&store).unwrap() == expected, "seed {seed}, commit {number}");
            }
        }
        assert!(refused > 0, "seed {seed}: the disk was never full");
        store.commit(Batch::new().put("test.last", [], [])).unwrap();
        apply(&mut expected, &Batch::new().put("test.last", [], []));
        // A process that is killed then loses nothing, and neither does one that closes the store.
        assert!(
            entries(&disk.kill().open(durability).unwrap()).unwrap() == expected,
            "seed {seed}"
        );
        drop(store);
        assert!(entries(&disk.open(durability).unwrap()).unwrap() == expected, "seed {seed}");
    }
}

#[test]
fn a_disk_that_is_full_when_it_synchronizes_leaves_unknown_what_it_has() {
    let disk = SimulatedDisk::new();
    let store = disk.open(Durability::Immediate).unwrap();
    disk.fail_sync(std::io::ErrorKind::StorageFull);
    let batch = || Batch::new().put("test.one", [1], [1]);
    assert_eq!(store.commit(batch()).unwrap_err().kind(), StoreErrorKind::Io);
    // Nothing is tried again until the store is opened anew.
    assert_ne!(store.commit(batch()).unwrap_err().kind(), StoreErrorKind::Full);
}

#[test]
fn a_full_disk_is_left_alone_for_a_while() {
    let disk = SimulatedDisk::new();
    disk.pause_when_full(std::time::Duration::MAX);
    let store = disk.open(Durability::Immediate).unwrap();
    store.health().unwrap();
    disk.limit(Some(2_000_000));
    let large = || Batch::new().put("test.large", [1], vec![7; 3_000_000]);
    let error = store.commit(large()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Full);
    let operations = disk.operations();
    for _ in 0..100 {
        assert_eq!(store.commit(large()).unwrap_err().kind(), StoreErrorKind::Full);
    }
    assert_eq!(disk.operations(), operations, "the disk was used");
    assert_eq!(store.health().unwrap_err().to_string(), error.to_string());
    assert!(store.get("test.large", &[1]).unwrap().is_none(), "it can be read");
}

#[test]
fn a_store_that_has_failed_is_not_healthy() {
    let disk = SimulatedDisk::new();
    let store = disk.open(Durability::Immediate).unwrap();
    disk.fail_after(0);
    store.commit(Batch::new().put("test.one", [1], [1])).unwrap_err();
    assert_eq!(store.health().unwrap_err().kind(), StoreErrorKind::Failed);
}
