//! Dumps beside the data, and the way back to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::support::{Entries, entries};
use tempfile::TempDir;
use zorb_store::{Batch, FileStore, FileStoreOptions, Schema, Store, StoreErrorKind, maintenance};

const SCHEMA: Schema = Schema::new("test", &[]);

fn open(path: &Path) -> FileStore {
    FileStore::open(path, &FileStoreOptions::new().dump_interval(None)).unwrap()
}

/// A folder with a store whose two dumps have the contents that are returned, and which has more now.
fn dumped() -> (TempDir, Entries, Entries) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    SCHEMA.open(&store).unwrap();
    let mut states = ["first", "second", "third"].map(|key| {
        store.commit(Batch::new().put("test.bindings", key, vec![0; 5_000])).unwrap();
        if key != "third" {
            store.dump().unwrap();
        }
        entries(&store).unwrap()
    });
    let [first, second, _] = states.each_mut().map(std::mem::take);
    (folder, first, second)
}

fn last(folder: &TempDir) -> PathBuf {
    folder.path().join("dump.jsonl")
}

fn break_data(folder: &TempDir) {
    let data = folder.path().join("store.redb");
    let mut octets = fs::read(&data).unwrap();
    octets
        .iter_mut()
        .filter(|octet| **octet != 0)
        .skip(400)
        .step_by(50)
        .for_each(|octet| *octet ^= 0x55);
    fs::write(&data, octets).unwrap();
}

fn break_dump(dump: &Path) {
    let mut octets = fs::read(dump).unwrap();
    octets[100] ^= 1;
    fs::write(dump, octets).unwrap();
}

#[test]
fn a_broken_store_is_restored_from_the_last_dump() {
    let (folder, _, second) = dumped();
    break_data(&folder);
    let broken = fs::read(folder.path().join("store.redb")).unwrap();
    let refused = FileStore::open(folder.path(), &FileStoreOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Broken);
    assert_eq!(refused.path(), Some(&*folder.path().join("store.redb")));
    assert_eq!(refused.hint(), Some("restore the last dump with `zorb store restore`"));
    assert_eq!(maintenance::check(folder.path()).unwrap_err().kind(), StoreErrorKind::Broken);

    let restored = maintenance::restore(folder.path(), None).unwrap();
    assert_eq!(restored.dump, last(&folder));
    assert_eq!(restored.contents.entries, second.len() as u64);
    assert!(restored.skipped.is_empty());
    assert_eq!(fs::read(restored.replaced.unwrap()).unwrap(), broken);
    assert_eq!(entries(&open(folder.path())).unwrap(), second);
}

#[test]
fn a_broken_dump_is_skipped_for_the_one_before_it() {
    let (folder, first, _) = dumped();
    break_dump(&last(&folder));
    let checked = maintenance::check(folder.path()).unwrap();
    assert_eq!(checked.dumps[0].1.as_ref().unwrap_err().kind(), StoreErrorKind::Broken);
    assert!(checked.dumps[1].1.is_ok());
    let restored = maintenance::restore(folder.path(), None).unwrap();
    assert_eq!(restored.dump, folder.path().join("dump.previous.jsonl"));
    assert_eq!(restored.skipped[0].path(), Some(&*last(&folder)));
    assert_eq!(entries(&open(folder.path())).unwrap(), first);

    break_dump(&restored.dump);
    assert_eq!(
        maintenance::restore(folder.path(), None).unwrap_err().kind(),
        StoreErrorKind::Broken
    );
    assert_eq!(entries(&open(folder.path())).unwrap(), first, "it is as it was");
}

#[test]
fn without_dumps_there_is_nothing_to_restore() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    assert_eq!(
        maintenance::restore(folder.path(), None).unwrap_err().kind(),
        StoreErrorKind::Missing
    );
}

#[test]
fn a_dump_moves_a_store_to_another_folder() {
    let (folder, ..) = dumped();
    let mut octets = Vec::new();
    let contents = maintenance::dump(folder.path(), Some(&mut octets)).unwrap();
    let file = folder.path().join("elsewhere.jsonl");
    fs::write(&file, octets).unwrap();
    let new = folder.path().join("new");
    let restored = maintenance::restore(&new, Some(&file)).unwrap();
    assert_eq!((restored.contents, restored.replaced), (contents, None));
    assert_eq!(entries(&open(&new)).unwrap(), entries(&open(folder.path())).unwrap());
    assert_eq!(SCHEMA.stored(&open(&new)).unwrap(), Some(1));
}

#[test]
fn a_check_counts_what_is_there() {
    let (folder, first, second) = dumped();
    let checked = maintenance::check(folder.path()).unwrap();
    assert!(!checked.recovered);
    assert_eq!(checked.tables["test.bindings"].entries, 3);
    assert_eq!(checked.tables["test.bindings"].octets, 15_016);
    assert_eq!(checked.schemas["test"], 1);
    let dumps: Vec<u64> =
        checked.dumps.iter().map(|(_, contents)| contents.as_ref().unwrap().entries).collect();
    assert_eq!(dumps, [second.len() as u64, first.len() as u64]);
    assert_eq!(maintenance::info(folder.path()).unwrap().dumps.len(), 2);
}

#[test]
fn dumps_are_written_while_the_store_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let options = FileStoreOptions::new().dump_interval(Some(Duration::from_millis(1)));
    let store = FileStore::open(folder.path(), &options).unwrap();
    let mut number = 0_u64;
    while store.statistics().dumps < 3 {
        store.commit(Batch::new().put("test", number.to_be_bytes(), [])).unwrap();
        number += 1;
        thread::yield_now();
    }
    drop(store);
    let checked = maintenance::check(folder.path()).unwrap();
    assert_eq!(checked.dumps.len(), 2);
    assert!(checked.dumps.iter().all(|(_, contents)| contents.is_ok()));
}

#[test]
fn a_dump_that_cannot_be_written_leaves_the_last_one() {
    let (folder, _, second) = dumped();
    // Its new file cannot be created.
    fs::create_dir(folder.path().join("dump.jsonl.new")).unwrap();
    let store = open(folder.path());
    store.dump().unwrap_err();
    assert_eq!(store.statistics().failed_dumps, 1);
    drop(store);
    maintenance::restore(folder.path(), None).unwrap();
    assert_eq!(entries(&open(folder.path())).unwrap(), second);
}
