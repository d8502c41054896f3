//! The page about bridges.

use zorb_bridge::{Bridge, Settings};

/// Opens a bridge from a Unix-domain socket to `reference`.
pub fn open(
    orb: &zorb::Orb,
    reference: &zorb::ObjectRef,
) -> Result<Bridge, Box<dyn std::error::Error>> {
    let bridge = Bridge::open(orb.protocols(), reference.ior(), &["uiop://"], Settings::default())?;
    println!("{}", bridge.corbaloc());
    Ok(bridge)
}
