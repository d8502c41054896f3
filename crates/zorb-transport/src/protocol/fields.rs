//! What protocol policies in references say of connections, by the kind of profile that they name.
#![expect(
    clippy::disallowed_types,
    reason = "written when programs start, read when references are made and resolved"
)]

use std::sync::{PoisonError, RwLock};

use zorb_giop::ProfileTag;

/// A member of the properties of a protocol's transport (`RTCORBA::ProtocolProperties`), as it stands
/// behind the protocol's name in policies that references tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyField {
    /// A `long`, the octets of the send buffer.
    SendBuffer,
    /// A `long`, the octets of the receive buffer.
    ReceiveBuffer,
    /// A `boolean`, whether the system probes idle connections.
    KeepAlive,
    /// A `boolean`, whether routers are passed by.
    DontRoute,
    /// A `boolean`, whether small messages are sent at once.
    NoDelay,
    /// A `string` of this name, which means nothing to a Zorb ORB and is empty.
    Unused(&'static str),
}

type Fields = &'static [PropertyField];

/// The fields of the kinds of profiles that protocols of this process have. A kind is the same in every
/// ORB, and a list of protocols cannot be read past one that is not known, whether it is used or not.
static KNOWN: RwLock<Vec<(ProfileTag, Fields)>> = RwLock::new(Vec::new());

/// Takes note of the fields of a kind of profile, unless some are known.
pub(super) fn note(tag: ProfileTag, fields: Fields) {
    if fields.is_empty() || !property_fields(tag).is_empty() {
        return;
    }
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).push((tag, fields));
}

/// What policies say of connections by profiles of this kind, in this order: what the protocol of this
/// process [says](super::Protocol::property_fields) that has been registered for them or
/// [noted](super::ProtocolRegistry::note).
#[must_use]
pub fn property_fields(tag: ProfileTag) -> &'static [PropertyField] {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(of, _)| *of == tag).map_or(&[], |(_, fields)| fields)
}
