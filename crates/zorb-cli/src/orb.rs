//! The ORB of commands.

use zorb::OrbBuilder;
use zorb_imr::server::ImrOptions;
use zorb_naming::server::NamingOptions;
use zorb_service::ServiceOptions;

/// A builder with the options of the services that `zorb serve` runs: every command knows them, so that one file and one
/// environment suit all.
pub(crate) fn builder() -> OrbBuilder {
    let builder = zorb::Orb::builder().declare(ServiceOptions::default());
    builder.declare(NamingOptions::default()).declare(ImrOptions::default())
}
