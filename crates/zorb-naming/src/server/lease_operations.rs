//! The operations that bind for a time.

use std::time::Duration;

use zorb::giop::Ior;
use zorb::{CompletionStatus, Interface as _, MinorCode, SystemException};

use super::context_id::ContextId;
use super::contexts::Contexts;
use super::path::Path;
use super::raise::{Raised, full};
use super::tree::{Bound, Operation};
use crate::cos_naming::{Name, NamingContext};
use crate::naming_extensions::ExtendedContext;

impl Contexts {
    /// Ends leases from now on, if there are any.
    ///
    /// # Errors
    /// `NO_RESOURCES`: there is no thread.
    pub(crate) fn end_leases(&self) -> Result<(), SystemException> {
        match self.names.read().leases().len() {
            0 => Ok(()),
            _ => self.leases.start(&self.names),
        }
    }

    /// `bind_for` and `rebind_for`.
    #[cold]
    pub(super) fn bind_for(
        &self,
        start: ContextId,
        name: &Path,
        ior: &Ior,
        seconds: u32,
        replaces: bool,
    ) -> Result<(), Raised> {
        if seconds == 0 {
            let exception = SystemException::bad_param(MinorCode::NONE, CompletionStatus::No);
            return Err(Raised::System(exception));
        }
        let lease = Duration::from_secs(seconds.into());
        if lease > self.longest_lease {
            return Err(Raised::System(full()));
        }
        let octets = self.encoded(ior)?;
        self.leases.start(&self.names).map_err(Raised::System)?;
        let end = self.leases.clock.now().saturating_add(u64::from(seconds) * 1000);
        let bound = Bound::Object(&octets);
        let operation = match replaces {
            false => Operation::BindUntil(bound, end),
            true => Operation::RebindUntil(bound, end),
        };
        let call = |other: &NamingContext, rest: &Name| {
            let object = match ior.is_nil() {
                true => None,
                false => Some(self.object(&octets)?),
            };
            // Another service may not have the operation.
            let other: ExtendedContext = other.as_object().unchecked_narrow();
            match replaces {
                false => Ok(other.bind_for(rest, object.as_ref(), seconds)?),
                true => Ok(other.rebind_for(rest, object.as_ref(), seconds)?),
            }
        };
        self.change::<(), Raised>(start, name, operation, call).map(drop)
    }
}
