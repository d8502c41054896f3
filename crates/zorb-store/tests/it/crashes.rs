//! Crashes of the machine and of the process, simulated by seed.

use crate::support::{Entries, Random, apply, entries, runs};
use zorb_store::simulation::SimulatedDisk;
use zorb_store::{Durability, Store, StoreErrorKind};

/// The crashes of each test; the variable `CRASHES` sets another number.
fn crashes() -> u64 {
    runs("CRASHES", 200)
}

/// A disk with an empty store. The file of a store gets its name when it is complete.
fn created() -> SimulatedDisk {
    let disk = SimulatedDisk::new();
    drop(disk.open(Durability::Immediate).unwrap());
    disk
}

/// A store's contents during commits that end in a failure of the disk.
struct History {
    /// After each commit that returned, and after the one that failed.
    states: Vec<Entries>,
    /// The number of those that returned.
    committed: usize,
}

impl History {
    /// Commits batches until the disk fails, which it does at a random operation, perhaps while the store opens.
    fn run(
        disk: &SimulatedDisk,
        durability: Durability,
        before: Entries,
        random: &mut Random,
    ) -> Self {
        let mut history = Self { states: vec![before], committed: 1 };
        disk.fail_after(random.below(60));
        let Ok(store) = disk.open(durability) else { return history };
        loop {
            let batch = random.batch();
            let mut after = history.states.last().unwrap().clone();
            apply(&mut after, &batch);
            history.states.push(after);
            if store.commit(batch).is_err() {
                return history;
            }
            history.committed += 1;
        }
    }

    /// Asserts that a store contains all that was committed, and perhaps the whole batch whose commit failed.
    fn assert_whole(&self, found: &Entries, seed: u64) {
        let allowed = &self.states[self.committed - 1..];
        assert!(
            allowed.contains(found),
            "seed {seed}: acknowledged entries are missing, or half a batch is there"
        );
    }
}

/// Crashes of one disk, each after the recovery from the previous one.
fn crash(durability: Durability, after: impl Fn(&SimulatedDisk, u64) -> SimulatedDisk) {
    for seed in 0..crashes().div_ceil(4) {
        let random = &mut Random(seed);
        let mut disk = created();
        let mut contents = Entries::new();
        for crash in 0..4 {
            let history = History::run(&disk, durability, contents, random);
            disk = after(&disk, seed << 8 | crash);
            let store = disk.open(durability).unwrap_or_else(|error| {
                panic!("seed {seed}: {error}: {:?}", std::error::Error::source(&error))
            });
            contents = entries(&store).unwrap();
            history.assert_whole(&contents, seed);
            // Half of the time, the next process finds a store that was not closed.
            if random.below(2) == 0 {
                drop(store);
            } else {
                disk = disk.kill();
            }
        }
    }
}

#[test]
fn synchronized_commits_survive_a_loss_of_power() {
    crash(Durability::Immediate, |disk, seed| disk.lose_power(seed));
    crash(Durability::Grouped, |disk, seed| disk.lose_power(seed));
}

#[test]
fn commits_of_all_durabilities_survive_the_end_of_the_process() {
    for durability in Durability::ALL {
        crash(durability, |disk, _| disk.kill());
    }
}

#[test]
fn a_loss_of_power_leaves_unsynchronized_stores_at_an_earlier_state_or_recognizably_broken() {
    let (mut earlier, mut broken) = (0, 0);
    for seed in 0..crashes() {
        let random = &mut Random(seed);
        let disk = created();
        let history = History::run(&disk, Durability::Os, Entries::new(), random);
        let found = disk.lose_power(seed).open(Durability::Os).and_then(|store| entries(&store));
        match found {
            Ok(found) => {
                assert!(history.states.contains(&found), "seed {seed}: a state that never was");
                earlier += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), StoreErrorKind::Broken, "seed {seed}: {error}");
                broken += 1;
            }
        }
    }
    assert!(earlier > 0 && broken > 0, "{earlier} at an earlier state, {broken} broken");
}
