//! Folders that cannot be opened, and why.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use tempfile::TempDir;
use zorb_store::{
    Batch, Durability, FileStore, FileStoreOptions, Store, StoreError, StoreErrorKind, maintenance,
};

fn open(path: &Path) -> Result<FileStore, StoreError> {
    FileStore::open(path, &FileStoreOptions::new().dump_interval(None))
}

/// A folder with a store that has one entry.
fn stored() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).unwrap().commit(Batch::new().put("test", "key", "value")).unwrap();
    folder
}

#[track_caller]
fn assert_refused(path: &Path, kind: StoreErrorKind, message: &str) {
    let refused = open(path).unwrap_err();
    assert_eq!(refused.kind(), kind, "{refused}");
    assert!(refused.to_string().contains(message), "{refused}");
    assert!(refused.hint().is_some(), "{refused}");
}

#[test]
fn a_store_is_there_again_and_only_for_its_owner() {
    let folder = stored();
    let store = open(folder.path()).unwrap();
    assert!(!store.recovered());
    assert_eq!(store.get("test", b"key").unwrap().as_deref(), Some(&b"value"[..]));
    let deep = folder.path().join("a/b");
    drop(open(&deep).unwrap());
    assert_eq!(fs::metadata(&deep).unwrap().mode() & 0o777, 0o700);
    for file in fs::read_dir(&deep).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().mode() & 0o077, 0);
    }
}

#[test]
fn a_store_is_open_once() {
    let folder = stored();
    let store = open(folder.path()).unwrap();
    let ours = format!("process {} has the store open", std::process::id());
    assert_refused(folder.path(), StoreErrorKind::InUse, &ours);
    assert_eq!(maintenance::check(folder.path()).unwrap_err().kind(), StoreErrorKind::InUse);
    assert_eq!(
        maintenance::restore(folder.path(), None).unwrap_err().kind(),
        StoreErrorKind::InUse
    );
    assert_eq!(maintenance::info(folder.path()).unwrap().process, Some(std::process::id()));
    drop(store);
    assert_eq!(maintenance::info(folder.path()).unwrap().process, None);
    open(folder.path()).unwrap();
}

#[test]
fn a_newer_version_is_refused() {
    let folder = stored();
    fs::write(folder.path().join("version"), "zorb-store 2\n").unwrap();
    assert_refused(
        folder.path(),
        StoreErrorKind::Newer,
        "the store has version 2; this program reads version 1",
    );
    fs::write(folder.path().join("version"), "something\n").unwrap();
    assert_refused(folder.path(), StoreErrorKind::Broken, "not the version of a store");
    fs::remove_file(folder.path().join("version")).unwrap();
    assert_refused(folder.path(), StoreErrorKind::Broken, "the store's version is missing");
}

#[test]
fn missing_or_empty_data_are_no_new_store() {
    let folder = stored();
    let data = folder.path().join("store.redb");
    fs::write(&data, "").unwrap();
    assert_refused(folder.path(), StoreErrorKind::Broken, "store.redb: cannot open the store");
    fs::write(&data, "not a database").unwrap();
    assert_refused(folder.path(), StoreErrorKind::Broken, "store.redb: cannot open the store");

    let folder = stored();
    maintenance::dump(folder.path(), None).unwrap();
    fs::remove_file(folder.path().join("store.redb")).unwrap();
    assert_refused(folder.path(), StoreErrorKind::Broken, "store.redb: the file is missing");
}

#[test]
fn a_store_of_another_user_is_refused() {
    let folder = stored();
    // Only the superuser can give files away, and only others can be denied access.
    if chown(folder.path().join("lock"), Some(12_345), None).is_ok() {
        assert_refused(folder.path(), StoreErrorKind::Denied, "the store belongs to user 12345");
    } else {
        fs::set_permissions(folder.path().join("lock"), fs::Permissions::from_mode(0o000)).unwrap();
        assert_refused(folder.path(), StoreErrorKind::Denied, "cannot open the lock");
        assert_refused(Path::new("/"), StoreErrorKind::Denied, "the folder belongs to user 0");
    }
}

#[test]
fn what_is_no_folder_of_a_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing")] {
        assert_eq!(maintenance::check(&path).unwrap_err().kind(), StoreErrorKind::Missing);
        assert_eq!(maintenance::info(&path).unwrap_err().kind(), StoreErrorKind::Missing);
        assert_eq!(maintenance::dump(&path, None).unwrap_err().kind(), StoreErrorKind::Missing);
        assert_eq!(maintenance::restore(&path, None).unwrap_err().kind(), StoreErrorKind::Missing);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    assert_eq!(open(&file).unwrap_err().hint(), Some("this is a file: name a folder"));
    assert_eq!(maintenance::check(&file).unwrap_err().kind(), StoreErrorKind::Missing);
    assert_eq!(fs::read_to_string(&file).unwrap(), "text");
}

/// Otherwise it would acknowledge changes that are lost at its end.
#[test]
fn a_store_whose_file_is_removed_refuses_changes() {
    for durability in [Durability::Immediate, Durability::Grouped, Durability::Os] {
        for is_replaced in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let options = FileStoreOptions::new().dump_interval(None).durability(durability);
            let store = FileStore::open(folder.path(), &options).unwrap();
            let commit = |key| store.commit(Batch::new().put("test", key, "value"));
            commit("a").unwrap();
            let data = folder.path().join("store.redb");
            match is_replaced {
                true => {
                    let other = folder.path().join("other");
                    fs::copy(&data, &other).unwrap();
                    fs::rename(&other, &data).unwrap();
                }
                false => fs::remove_file(&data).unwrap(),
            }
            store.health().unwrap();
            assert_eq!(commit("b").unwrap_err().kind(), StoreErrorKind::Io, "{durability}");
            assert_eq!(commit("c").unwrap_err().kind(), StoreErrorKind::Failed);
            assert_eq!(store.health().unwrap_err().kind(), StoreErrorKind::Failed);
        }
    }
}
