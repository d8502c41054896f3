//! Bidirectional GIOP: servers call objects of clients without connecting to them.

use zorb::Orb;
use zorb::policy::{BidirectionalPolicy, Policies};
use zorb_interop_tests::checks;
use zorb_interop_tests::interop::Suite;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, start_server};
use crate::peers::Peer;

/// The checks with callbacks.
const GROUP: &str = "callbacks";

/// Where nothing listens.
const NOWHERE: &str = "1";

/// Callbacks of a server of `peer` to Zorb's client.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(Some(peer), 2, folder.path(), &["--bidirectional"])?;
    let unreachable = format!("iiop://127.0.0.1:0/publish=127.0.0.1:{NOWHERE}");
    let orb = Orb::builder().without_environment().listen(unreachable).build();
    let orb = orb.map_err(|error| error.to_string())?;
    let both = Policies::new().with(BidirectionalPolicy::Both);
    orb.policy_manager().add(&both).map_err(|error| error.to_string())?;
    let suite: Suite = orb.resolve(&reference).map_err(|error| error.to_string())?;
    let mut outcomes = pairing.judge(checks::run_group(&orb, &suite, 2, GROUP));
    outcomes.extend(pairing.ended(&orb, &suite, process));
    Ok(outcomes)
}

/// Callbacks of a Zorb server, which opens no connections, to a client of `peer`.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(None, 2, folder.path(), &["--bidirectional"])?;
    let more = ["--bidirectional", "--only", GROUP];
    let mut outcomes = pairing.peer_checks(peer, &reference, 2, &more)?;
    outcomes.push(pairing.checked("server_ends", process.end_well()));
    Ok(outcomes)
}
