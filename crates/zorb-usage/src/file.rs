//! Writing the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Replaces the file at `path` in one step, so that nobody reads a part of it.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut written = path.as_os_str().to_owned();
    written.push(format!(".{}-{number}", std::process::id()));
    let written = PathBuf::from(written);
    let replaced = fs::write(&written, text).and_then(|()| fs::rename(&written, path));
    if replaced.is_err() {
        // What could not be written or renamed is of no use; there may be nothing.
        let _ = fs::remove_file(&written);
    }
    replaced
}
