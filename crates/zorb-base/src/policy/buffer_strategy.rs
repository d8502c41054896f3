//! Where buffers for arguments and results come from.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};
use crate::options::Options;

/// Where the buffers come from that `ObjectRef::loan` gives, and `Loan::for_reply`: the
/// shared-buffer strategy. It is Zorb's own policy.
///
/// A client's says for the ORB, a thread, a reference and a call where arguments lie, a server's for the
/// ORB, a connection, a thread, an object adapter, an object and one reply where results lie: see
/// `Loan::for_reply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum BufferStrategy {
    /// From the connection, where it shares memory with the other side (the feature `buffers`): what
    /// is written into them is read there where it was written. Nobody copies it. The default.
    #[default]
    ZeroCopy = 0,
    /// From the heap. A message copies what is in them once, into the connection's memory, and the
    /// other side reads it there: for applications that keep many buffers, or keep them for long, and
    /// would have none left of the connection's few.
    SingleCopy = 1,
}

impl BufferStrategy {
    /// Both, by their numbers.
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
