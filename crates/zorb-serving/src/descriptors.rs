//! The minimum of descriptors that a server needs to serve a client.

use std::io;

use zorb_base::error::{Error, Phase};
use zorb_os::event::EventFd;
use zorb_os::machine;
use zorb_os::process::{is_out_of_descriptors, is_system_out_of_descriptors};

/// Takes so many descriptors, for other use when they are dropped.
///
/// # Errors
/// There are fewer: a server without them would start, and serve nobody.
pub(crate) fn take_descriptors(count: usize) -> Result<Vec<EventFd>, Error> {
    let mut taken = Vec::new();
    while taken.len() < count {
        match EventFd::new() {
            Ok(one) => taken.push(one),
            Err(failed) => {
                let missing = u64::try_from(count - taken.len()).unwrap_or(u64::MAX);
                return Err(too_few(failed, machine::max_descriptors(), missing));
            }
        }
    }
    Ok(taken)
}

/// The error if `missing` descriptors are missing in a process that may have `limit`.
fn too_few(failed: io::Error, limit: Option<u64>, missing: u64) -> Error {
    let error = Error::new(Phase::Listen, "too few descriptors to serve clients");
    match limit {
        _ if is_system_out_of_descriptors(&failed) => {
            error.with_source(failed).with_hint("raise the limit of the system, `fs.file-max`")
        }
        Some(limit) if is_out_of_descriptors(&failed) => {
            let needed = limit.saturating_add(missing);
            error
                .with_source(format!("the process may have {limit}, and needs at least {needed}"))
                .with_hint(format!("raise the limit, as by `ulimit -n {needed}`"))
        }
        _ => error.with_source(failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_names_the_limit_that_is_reached() {
        const ENFILE: i32 = 23;
        const EMFILE: i32 = 24;
        const ENOMEM: i32 = 12;
        let hint = |code| {
            let error = too_few(io::Error::from_raw_os_error(code), Some(64), 2);
            error.hint().unwrap_or_default().to_owned()
        };
        assert_eq!(hint(EMFILE), "raise the limit, as by `ulimit -n 66`");
        assert_eq!(hint(ENFILE), "raise the limit of the system, `fs.file-max`");
        assert_eq!(hint(ENOMEM), "");
    }
}
