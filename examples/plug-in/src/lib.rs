//! A transport ([`hail`]) and a messaging protocol ([`brief`]) that are not part of Zorb, written with
//! the public API of the crate `zorb`.
//!
//! They combine with Zorb's own: GIOP over the new transport, and the new messaging over it and over
//! TCP.

pub mod brief;
pub mod hail;

use std::sync::Arc;

use zorb::OrbBuilder;
use zorb::giop::ProfileTag;
use zorb::protocols::IiopProtocol;
use zorb::transport::Composed;

use brief::Brief;
use hail::HailProtocol;

/// The profile tags of the combinations. Use unassigned numbers: the OMG registers ranges of them.
const BRIEF_HAIL: ProfileTag = ProfileTag(0x706c_7502);
const BRIEF_IIOP: ProfileTag = ProfileTag(0x706c_7503);

/// Registers the protocols: `hail://`, `brief+hail://` and `brief+iiop://`.
pub fn plug_in(builder: OrbBuilder) -> OrbBuilder {
    builder
        .protocol(Arc::new(HailProtocol::default()))
        .protocol(Arc::new(Composed::new(&Brief, HailProtocol::default(), BRIEF_HAIL)))
        .protocol(Arc::new(Composed::new(&Brief, IiopProtocol::new(), BRIEF_IIOP)))
}
