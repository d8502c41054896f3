//! Files that are written whole.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Replaces a file, or creates it: a crash, also one of the machine, leaves the previous contents or the new ones. Only the
/// owner can read it. Meanwhile there is a file of the same name with `.new` at its end.
///
/// # Errors
/// Those of `write`, and of the file system. The previous contents stay, and `.new` is removed.
pub fn replace_file(
    name: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut new = NewFile::create(name)?;
    write(new.file())?;
    new.sync()?;
    new.put()
}

/// A file that becomes another one when it is complete. If it is dropped before, it is removed.
#[derive(Debug)]
pub(crate) struct NewFile {
    name: PathBuf,
    new: PathBuf,
    file: File,
    is_put: bool,
}

impl NewFile {
    /// Creates an empty file that will be `name`, and opens it for reading, too.
    pub(crate) fn create(name: &Path) -> io::Result<Self> {
        let mut new = name.file_name().map(OsStr::to_owned).unwrap_or_default();
        new.push(".new");
        let new = name.with_file_name(new);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).mode(0o600);
        let file = options.open(&new)?;
        Ok(Self { name: name.to_owned(), new, file, is_put: false })
    }

    /// The file.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Its name until it is complete.
    pub(crate) fn path(&self) -> &Path {
        &self.new
    }

    /// Makes its contents survive a loss of power.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Replaces the file that it was made for. Call [`sync`](Self::sync) first.
    pub(crate) fn put(mut self) -> io::Result<()> {
        rename(&self.new, &self.name)?;
        self.is_put = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_put {
            // It may be large, and the disk full.
            let _ = fs::remove_file(&self.new);
        }
    }
}

/// Renames a file within its folder so that the new name survives a loss of power.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_file_is_replaced_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("state");
        let read = || fs::read_to_string(&name).unwrap();
        replace_file(&name, |file| file.write_all(b"one")).unwrap();
        assert_eq!(read(), "one");
        let failed = replace_file(&name, |file| {
            file.write_all(b"two")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!((read().as_str(), fs::read_dir(folder.path()).unwrap().count()), ("one", 1));
        replace_file(&name, |file| {
            assert_eq!(read(), "one");
            file.write_all(b"three")
        })
        .unwrap();
        assert_eq!((read().as_str(), fs::read_dir(folder.path()).unwrap().count()), ("three", 1));
    }
}
