//! Reading the result of a call that has ended.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_types::SystemException;

use super::super::raw_reply::RawReply;
use super::super::reply::{NO_REPLY, Outcome, ReadReply, Reply, Request};
use super::operation_call::OperationCall;
use super::state::EndedCall;

/// A function that reads the results of an operation.
pub type ReadResults<T> = fn(&mut CdrReader<'_>) -> CdrResult<T>;

/// What reads a reply with types known at run time.
pub(super) type ReadRaw<T, E> = dyn Fn(&RawReply<'_>) -> CdrResult<Result<T, E>> + Send + Sync;

/// What reads the result of a call.
pub(super) enum ResultReader<T, E> {
    /// Code that knows the types of the operation.
    Typed {
        results: ReadResults<T>,
        read: fn(&OperationCall, EndedCall<'_>, ReadResults<T>) -> Result<T, E>,
    },
    /// Code that gets the types at run time.
    Raw(Arc<ReadRaw<T, E>>),
}

impl<T, E: Raises> ResultReader<T, E> {
    /// That of an operation which raises `E`.
    pub(super) fn typed(results: ReadResults<T>) -> Self {
        Self::Typed { results, read: read_typed }
    }
}

impl<T, E: From<SystemException>> ResultReader<T, E> {
    /// Reads the result of the call, which has ended like this.
    #[inline(always)] // 1 % of a pending call
    pub(super) fn read(&self, call: &OperationCall, ended: EndedCall<'_>) -> Result<T, E> {
        match self {
            Self::Typed { results, read } => read(call, ended, *results),
            Self::Raw(read) => read_raw(call, ended, &**read),
        }
    }
}

impl<T, E> Clone for ResultReader<T, E> {
    fn clone(&self) -> Self {
        match self {
            &Self::Typed { results, read } => Self::Typed { results, read },
            Self::Raw(read) => Self::Raw(Arc::clone(read)),
        }
    }
}

impl<T, E> fmt::Debug for ResultReader<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultReader").finish_non_exhaustive()
    }
}

fn read_typed<T, E: Raises>(
    call: &OperationCall,
    ended: EndedCall<'_>,
    read: ReadResults<T>,
) -> Result<T, E> {
    match call.read_plainly(ended, read) {
        Some(Ok(results)) => return Ok(results),
        Some(Err(exception)) => return Err(E::from_system(exception)),
        None => {}
    }
    // They have been written.
    let arguments = |_: &mut CdrWriter<'_>| Ok(());
    let request = Request { arguments, read, outcome: Outcome::missing() };
    let read = call.read(ended, &ReadReply::Typed(&request));
    request.outcome.after(read)
}

fn read_raw<T, E: From<SystemException>>(
    call: &OperationCall,
    ended: EndedCall<'_>,
    read: &ReadRaw<T, E>,
) -> Result<T, E> {
    let result = Cell::new(None);
    let take = |reply: &Reply<'_>| {
        result.set(Some(reply.take_raw(read)?));
        Ok(())
    };
    call.read(ended, &ReadReply::Raw(&take))?;
    result.into_inner().unwrap_or_else(|| Err(NO_REPLY.into()))
}
