//! The descriptors that a server needs to serve anybody.

use zorb_base::error::{Error, Phase};
use zorb_os::event::EventFd;
use zorb_os::machine;
use zorb_os::process::is_out_of_descriptors;

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
                let error = Error::new(Phase::Listen, "too few descriptors to serve clients");
                return Err(match machine::max_descriptors() {
                    Some(limit) if is_out_of_descriptors(&failed) => {
                        let needed = limit.saturating_add(missing);
                        error
                            .with_source(format!(
                                "the process may have {limit}, and needs at least {needed}"
                            ))
                            .with_hint(format!("raise the limit, as by `ulimit -n {needed}`"))
                    }
                    _ => error.with_source(failed),
                });
            }
        }
    }
    Ok(taken)
}
