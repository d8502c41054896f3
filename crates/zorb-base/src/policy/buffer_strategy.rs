//! The memory of buffers for arguments and results.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};
use crate::options::Options;

/// The shared-buffer strategy: which memory `ObjectRef::loan` and `Loan::for_reply` lend. It is Zorb's own policy.
///
/// A client sets it for arguments, at the levels ORB, thread, reference and call. A server sets it for results,
/// for the ORB, a connection, a thread, an object adapter, an object, or one reply: see `Loan::for_reply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum BufferStrategy {
    /// Shared memory of the connection, if it has any (the feature `buffers`). The receiver reads the data where
    /// the sender wrote it, without a copy. The default.
    #[default]
    ZeroCopy = 0,
    /// Heap memory. Sending a message copies the data once, into the connection's shared memory. It suits
    /// applications that hold many buffers, or hold them for long, and would use up the connection's.
    SingleCopy = 1,
}

impl BufferStrategy {
    /// Both strategies, in the order of their numbers.
    #[doc(hidden)]
    pub const ALL: [Self; 2] = [Self::ZeroCopy, Self::SingleCopy];
}

impl TypedPolicy for BufferStrategy {
    const POLICY_TYPE: PolicyType = PolicyType::BUFFER_STRATEGY;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_i16(*self as i16);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        match reader.read_i16()? {
            0 => Ok(Self::ZeroCopy),
            1 => Ok(Self::SingleCopy),
            _ => Err(reader.error(CdrErrorKind::BadEnum, "BufferStrategy")),
        }
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}
