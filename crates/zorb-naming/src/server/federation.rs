//! Names that lead through contexts of other servers.
//!
//! The rest of the name is resolved there, by a call with a time limit. The number of such calls at the same time is
//! limited, and each passes fewer components on, so a name cannot go round for ever. What a server cannot do, it leaves
//! to the client, as the standard provides: `CannotProceed` with the other context and the rest of the name.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use zorb::{CompletionStatus, Interface as _, ObjectRef};

use super::raise::Raised;
use crate::cos_naming::naming_context::CannotProceed;
use crate::cos_naming::{Name, NamingContext};

/// Calls to contexts of other servers.
#[derive(Debug)]
pub(crate) struct Federation {
    limit: usize,
    timeout: Duration,
    calls: AtomicUsize,
}

impl Federation {
    pub(crate) fn new(limit: usize, timeout: Duration) -> Self {
        Self { limit, timeout, calls: AtomicUsize::new(0) }
    }

    /// Makes a call for the rest of a name. `is_safe` means that the client may repeat it in any case.
    pub(crate) fn call<T, E: Into<Raised>>(
        &self,
        context: &ObjectRef,
        rest: Name,
        is_safe: bool,
        call: impl FnOnce(&NamingContext, &Name) -> Result<T, E>,
    ) -> Result<T, Raised> {
        let before = self.calls.fetch_add(1, Ordering::Relaxed);
        let outcome = match before < self.limit {
            true => {
                let other = context.with_timeout(self.timeout).unchecked_narrow();
                call(&other, &rest).map_err(Into::into)
            }
            false => Err(cannot_proceed(context, rest.clone())),
        };
        self.calls.fetch_sub(1, Ordering::Relaxed);
        outcome.map_err(|raised| match raised {
            Raised::System(exception) if is_safe || exception.completed == CompletionStatus::No => {
                tracing::debug!(%exception, "a context of another server cannot be reached");
                cannot_proceed(context, rest)
            }
            other => other,
        })
    }
}

#[cold]
fn cannot_proceed(context: &ObjectRef, rest_of_name: Name) -> Raised {
    let cxt = Some(NamingContext::from_object(context.clone()));
    CannotProceed { cxt, rest_of_name }.into()
}
