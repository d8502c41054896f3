//! Calls of operations whose types are known at run time, for the dynamic invocation interface.

use std::cell::Cell;

use zorb_cdr::{CdrResult, CdrWriter};
use zorb_giop::ResponseFlags;
use zorb_types::SystemException;

use super::ObjectRef;
use crate::client::{NO_REPLY, RawReply, ReadReply, Reply, invoke};

/// # Types known at run time
///
/// For the crate `zorb-dynamic`.
impl ObjectRef {
    /// Makes a call; `read` decodes the reply, also with a user exception.
    ///
    /// # Errors
    /// The system exception that prevented the operation, or that it raised; `MARSHAL` and others for the
    /// errors of `read`.
    pub fn invoke_dynamic<T>(
        &self,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        read: impl FnOnce(&RawReply<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let (read, results) = (Cell::new(Some(read)), Cell::new(None));
        let take = |reply: &Reply<'_>| {
            let Some(read) = read.take() else { return Err(NO_REPLY) };
            results.set(Some(reply.take_raw(read)?));
            Ok(())
        };
        let response = ResponseFlags::SyncWithTarget;
        invoke(self, operation, response, &arguments, ReadReply::Raw(&take))?;
        results.into_inner().ok_or(NO_REPLY)
    }
}
