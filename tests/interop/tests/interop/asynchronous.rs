//! Clients that do not wait for their calls.

use zorb_interop_tests::asynchronous;
use zorb_interop_tests::interop::Suite;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, orb, start_server};
use crate::peers::{self, Peer};

/// Calls of Zorb's client, whose results go to reply handlers, or are taken later.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Option<Peer>) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(peer, 2, folder.path(), &[])?;
    let orb = orb()?;
    let checked = asynchronous::check(&orb, &reference).map_err(|error| error.to_string())?;
    let mut outcomes = pairing.judge(checked);
    let suite: Suite = orb.resolve(&reference).map_err(|error| error.to_string())?;
    outcomes.extend(pairing.ended(&orb, &suite, process));
    Ok(outcomes)
}

/// Calls of a client of `peer` to a Zorb server.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(None, 2, folder.path(), &[])?;
    let mut command = peers::program(peer, "asynchronous");
    command.arg(reference);
    let mut outcomes = pairing.client_checks(peer, command)?;
    outcomes.push(pairing.checked("server_ends", process.end_well()));
    Ok(outcomes)
}
