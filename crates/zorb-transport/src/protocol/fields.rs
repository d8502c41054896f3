//! The layout of connection properties in protocol policies, by kind of profile.
#![expect(
    clippy::disallowed_types,
    reason = "written when programs start, read when references are made and resolved"
)]

use std::sync::{PoisonError, RwLock};

use zorb_giop::ProfileTag;

/// A field of a protocol's transport properties (`RTCORBA::ProtocolProperties`), in policies that
/// references contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyField {
    /// A `long`: size of the send buffer in octets.
    SendBuffer,
    /// A `long`: size of the receive buffer in octets.
    ReceiveBuffer,
    /// A `boolean`: whether the system probes idle connections.
    KeepAlive,
    /// A `boolean`: whether routers are bypassed.
    DontRoute,
    /// A `boolean`: whether small messages are sent at once.
    NoDelay,
    /// A `string` of this name, which Zorb ignores and sends empty.
    Unused(&'static str),
}

type Fields = &'static [PropertyField];

/// The fields by kind of profile, for the whole process. A kind means the same in every ORB, and a
/// list of protocols cannot be decoded beyond an unknown one, even if that is not used.
static KNOWN: RwLock<Vec<(ProfileTag, Fields)>> = RwLock::new(Vec::new());

/// Records the fields of a kind of profile, unless they are known.
pub(super) fn note(tag: ProfileTag, fields: Fields) {
    if fields.is_empty() || !property_fields(tag).is_empty() {
        return;
    }
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).push((tag, fields));
}

/// The fields of connection properties for profiles of this kind, in order, as
/// [declared](super::Protocol::property_fields) by a protocol that was registered or
/// [recorded](super::ProtocolRegistry::record_property_fields).
#[must_use]
pub fn property_fields(tag: ProfileTag) -> &'static [PropertyField] {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(of, _)| *of == tag).map_or(&[], |(_, fields)| fields)
}
