//! Bidirectional GIOP.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};
use crate::options::Options;

/// Whether connections carry requests in both directions (`BidirectionalPolicy`, CORBA 3.3 part 2, 15.8). Both the client
/// and the server must have [`Both`](Self::Both).
///
/// A client has it at the levels ORB, thread, reference and call. With [`Both`](Self::Both), the connections of its calls
/// are separate from others, and tell servers at which addresses this ORB listens (with IIOP and GIOP 1.2). A server that
/// accepts that calls the objects at these addresses over the client's connection, so that the client need not be reachable.
///
/// A server has it for the ORB or an object adapter: what clients offer over connections that they open from then on is
/// accepted if the ORB's policy is [`Both`](Self::Both), or that of any of its adapters. A client is called at an address
/// only if its connection comes from that IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum BidirectionalPolicy {
    /// In the direction of the side that opened the connection (`NORMAL`). The default.
    #[default]
    Normal = 0,
    /// In both directions (`BOTH`).
    Both = 1,
}

impl TypedPolicy for BidirectionalPolicy {
    const POLICY_TYPE: PolicyType = PolicyType::BIDIRECTIONAL;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u16(*self as u16);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        match reader.read_u16()? {
            0 => Ok(Self::Normal),
            1 => Ok(Self::Both),
            _ => Err(reader.error(CdrErrorKind::BadEnum, "BidirectionalPolicyValue")),
        }
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}
