//! Clients that do not wait for their calls.

use zorb_interop_tests::asynchronous::{self, Passed};
use zorb_interop_tests::interop::Suite;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, orb, start_server};
use crate::peers::{self, JACORB, Peer};

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

/// Calls of a client of `peer` to a Zorb server; their results go to handlers of the client, and of this process.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(None, 2, folder.path(), &[])?;
    let mut command = peers::program(peer, "asynchronous");
    command.arg(reference);
    let orb = orb()?;
    // JacORB calls handlers of its own process only.
    let handler = (peer != JACORB).then(|| Passed::serve(&orb)).transpose();
    let handler = handler.map_err(|error| error.to_string())?;
    command.args(handler.as_ref().map(|handler| &handler.reference));
    let mut outcomes = pairing.client_checks(peer, command)?;
    outcomes.extend(handler.into_iter().flat_map(|handler| pairing.judge(handler.check())));
    orb.shutdown(true).map_err(|error| error.to_string())?;
    outcomes.push(pairing.checked("server_ends", process.end_well()));
    Ok(outcomes)
}
