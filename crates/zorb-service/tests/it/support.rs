//! What the tests share.

use zorb::{Orb, OrbBuilder};

/// A builder that listens on a free port.
pub(crate) fn builder() -> OrbBuilder {
    Orb::builder().without_environment().listen("iiop://127.0.0.1:0")
}
