//! Damaged files.

use crate::support::{Entries, Random, apply, entries, runs};
use zorb_store::simulation::SimulatedDisk;
use zorb_store::{Durability, Store, StoreErrorKind};

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
