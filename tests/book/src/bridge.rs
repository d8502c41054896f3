//! The page about bridges.

use zorb_bridge::{Bridge, Settings};

/// Lets in over a Unix-domain socket who is to call `reference`.
pub fn open(
    orb: &zorb::Orb,
    reference: &zorb::ObjectRef,
) -> Result<Bridge, Box<dyn std::error::Error>> {
    let bridge = Bridge::open(orb.protocols(), reference.ior(), &["uiop://"], Settings::default())?;
    println!("{}", bridge.corbaloc());
    Ok(bridge)
}
