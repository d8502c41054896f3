//! Failures of the database as errors of the store.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::{StoreError, StoreErrorKind};

const RESTORE: &str = "restore the last dump with `zorb store restore`";

/// Does something with the database. The database panics where a damaged file surprises it; that is an
/// error of the file.
pub(super) fn guarded<T>(
    path: &Path,
    what: &'static str,
    action: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(action)) {
        Ok(done) => done.map_err(|error| failure(error, what).at(path)),
        Err(panic) => {
            Err(broken(what).at(path).with_source(io::Error::other(message(panic.as_ref()))))
        }
    }
}

/// Why the database panicked.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the database is inconsistent").to_owned()
}

#[cold]
fn failure(error: redb::Error, what: &'static str) -> StoreError {
    match error {
        redb::Error::Io(error) => io_failure(error, what),
        redb::Error::PreviousIo | redb::Error::LockPoisoned(_) => {
            StoreError::new(StoreErrorKind::Failed, what)
                .with_hint("find the earlier failure in the log, then restart the service")
                .with_source(error)
        }
        redb::Error::UpgradeRequired(_) => StoreError::new(StoreErrorKind::Newer, what)
            .with_hint("use the version of Zorb that wrote the store, or a newer one")
            .with_source(error),
        _ => broken(what).with_source(error),
    }
}

fn broken(what: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Broken, what).with_hint(RESTORE)
}

/// A failure of the operating system, or a file that is not what it should be.
#[cold]
pub(crate) fn io_failure(
    error: io::Error,
    what: impl Into<std::borrow::Cow<'static, str>>,
) -> StoreError {
    use io::ErrorKind as Kind;
    let (kind, hint) = match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            (StoreErrorKind::Full, "free space on the disk, or raise the quota")
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => (
            StoreErrorKind::Denied,
            "run as the user who owns the store, or change its permissions",
        ),
        Kind::NotFound => (StoreErrorKind::Missing, "check the name of the folder"),
        Kind::InvalidData | Kind::UnexpectedEof => (StoreErrorKind::Broken, RESTORE),
        _ => (StoreErrorKind::Io, "check the disk and the system's log, then restart the service"),
    };
    StoreError::new(kind, what).with_hint(hint).with_source(error)
}
