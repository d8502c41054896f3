//! Disks of the operating system that are full: a small file system of the test's own, and a limit of the file's size.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use zorb_store::{Batch, FileStore, FileStoreOptions, Store, StoreErrorKind};
use zorb_testkit::limit_file_size;

use crate::support::entries;

/// The variable that makes a test the process with the full disk, and is its folder.
const FOLDER: &str = "ZORB_TEST_FULL_FOLDER";

/// Runs `body` with a folder, in a process that `shell` starts: commands before `exec "$@"`, `$0` is the folder. Returns
/// whether the system permitted it.
fn in_shell(name: &str, launcher: &[&str], shell: &str, body: impl FnOnce(&Path)) -> bool {
    if let Some(folder) = std::env::var_os(FOLDER) {
        body(Path::new(&folder));
        return true;
    }
    let folder = TempDir::new().unwrap();
    let [program, arguments @ ..] = launcher else { panic!("no program") };
    let mut command = Command::new(program);
    command.args(arguments).args(["-c", &format!("{shell} || exit 77; exec \"$@\"")]);
    command.arg(folder.path()).arg(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture"]).env(FOLDER, folder.path());
    let Ok(output) = command.output() else { return false };
    // Before the test: `unshare` says what is not permitted, and the shell has its own status.
    let shown = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(77) || !shown.contains("running 1 test") {
        return false;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}{errors}");
    true
}

/// Fills the disk; what was acknowledged stays, and is there in the next process. `free` makes room.
fn fill(folder: &Path, free: impl FnOnce()) {
    let path = folder.join("store");
    let options = FileStoreOptions::new().dump_interval(None);
    let store = FileStore::open(&path, &options).unwrap();
    let large = |number: u64| Batch::new().put("test.large", number.to_be_bytes(), vec![7; 60_000]);
    let stored = (0..).take_while(|number| store.commit(large(*number)).is_ok()).count();
    assert!(stored > 10, "{stored}");
    let error = store.commit(large(1000)).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
    assert!(error.hint().is_some());
    assert_eq!(store.health().unwrap_err().kind(), StoreErrorKind::Full);
    assert_eq!(entries(&store).unwrap().len(), stored);
    drop(store);
    let store = FileStore::open(&path, &options).unwrap();
    assert_eq!(entries(&store).unwrap().len(), stored);
    free();
    store.commit(Batch::new().put("test.large", [0], [1])).unwrap();
    assert_eq!(entries(&store).unwrap().len(), stored + 1);
}

#[test]
fn a_small_file_system_of_its_own_is_full() {
    let name = "real_disk::a_small_file_system_of_its_own_is_full";
    let mount = "mount -t tmpfs -o size=6m tmpfs \"$0\"";
    let launchers = [&["unshare", "--mount", "sh"][..], &["unshare", "-m", "-r", "sh"]];
    let is_permitted = launchers.iter().any(|launcher| {
        in_shell(name, launcher, mount, |folder| {
            let ballast = folder.join("ballast");
            std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
            fill(folder, || std::fs::remove_file(&ballast).unwrap());
        })
    });
    if !is_permitted {
        eprintln!("mounting a file system is not permitted here");
    }
}

#[test]
fn a_file_has_reached_the_limit_of_its_size() {
    let name = "real_disk::a_file_has_reached_the_limit_of_its_size";
    // The signal would end the process.
    let shell = "trap \"\" XFSZ";
    let done = in_shell(name, &["sh"], shell, |folder| {
        limit_file_size(Some(4 << 20));
        fill(folder, || limit_file_size(None));
    });
    assert!(done);
}
