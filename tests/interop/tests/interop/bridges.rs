//! The peers on one side of a bridge and Zorb on the other, over a Unix-domain socket, which the peers
//! have not here: requests, replies and exceptions of real ORBs go over as they are, in the byte
//! order of who wrote them.

use zorb::giop::{Ior, ProfileTag};
use zorb::{Interface as _, Orb};
use zorb_bridge::{Bridge, Settings};
use zorb_interop_tests::interop::Suite;
use zorb_interop_tests::server;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, orb, start_server};
use crate::peers::Peer;

/// Calls that the checks make of the suite itself, at least; others go to objects that it names.
const MIN_CALLS: u64 = 40;

fn failure(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Opens a bridge at `urls` to the object of the reference `to`, over what it has of `tag` alone.
fn open(orb: &Orb, urls: &[&str], to: &str, tag: ProfileTag) -> Result<Bridge, String> {
    let mut target = Ior::from_stringified(to).map_err(failure)?;
    target.profiles.retain(|profile| profile.tag == tag);
    Bridge::open(orb.protocols(), &target, urls, Settings::default()).map_err(failure)
}

fn reference(bridge: &Bridge) -> Result<String, String> {
    bridge.reference().map_err(failure)?.to_stringified().map_err(failure)
}

/// Whether the checks' calls of the suite have gone over, with their replies.
fn has_carried(bridge: &Bridge) -> Result<(), String> {
    let said = bridge.statistics();
    if said.requests >= MIN_CALLS && said.replies == said.awaited {
        return Ok(());
    }
    Err(format!("{said:?}"))
}

/// A peer's client and Zorb's server, to which the bridge has but a Unix-domain socket. What the
/// server's references lead to, clients reach without the bridge, by the server's other address.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(failure)?;
    let server = Orb::builder()
        .without_environment()
        .listen(format!("uiop://{}", folder.path().join("server").display()))
        .listen("iiop://127.0.0.1:0")
        .build()
        .map_err(failure)?;
    let suite = server::serve(&server).map_err(failure)?;
    let between = orb()?;
    let there = suite.as_object().to_ior_string();
    let bridge = open(&between, &["iiop://127.0.0.1:0"], &there, ProfileTag::TAO_UIOP)?;
    let mut outcomes = pairing.peer_checks(peer, &reference(&bridge)?, 2, &[])?;
    outcomes.push(pairing.checked("bridge_carries", has_carried(&bridge)));
    bridge.close();
    between.shutdown(true).map_err(failure)?;
    outcomes.push(pairing.checked("server_ends", server.shutdown(true).map_err(failure)));
    Ok(outcomes)
}

/// Zorb's client at the bridge's Unix-domain socket, and a peer's server behind it. Some checks look
/// into the reference for what IIOP tells, so the bridge has an address of that, too.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(failure)?;
    let (process, there) = start_server(Some(peer), 2, folder.path(), &[])?;
    let between = orb()?;
    let url = format!("uiop://{}", folder.path().join("bridge").display());
    let bridge = open(&between, &[&url, "iiop://127.0.0.1:0"], &there, ProfileTag::INTERNET_IOP)?;
    let client = orb()?;
    let suite: Suite = client.resolve(&reference(&bridge)?).map_err(failure)?;
    let mut outcomes = pairing.zorb_checks(&client, &suite, 2);
    outcomes.push(pairing.checked("bridge_carries", has_carried(&bridge)));
    outcomes.extend(pairing.ended(&client, &suite, process));
    bridge.close();
    between.shutdown(true).map_err(failure)?;
    Ok(outcomes)
}
