//! The small ORB, `zorb-nano`, as a client of all servers and as a server of all clients, for a part of the checks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use zorb_interop_tests::interop::Suite;
use zorb_interop_tests::nano;

use crate::outcome::{Outcome, printed};
use crate::pairings::{Pairing, orb, start_server};
use crate::peers::{self, Peer};
use crate::process::{LIMIT, Process};

/// Checks of each peer's client that are named `basics`, at least.
const BASICS: usize = 14;

/// The small ORB's client, and a server of the full ORB or of a peer.
pub(crate) fn client(
    pairing: &Pairing,
    peer: Option<Peer>,
    minor: u8,
) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(peer, minor, folder.path(), &[])?;
    let mut outcomes: Vec<Outcome> = nano::check(&reference)
        .into_iter()
        .map(|outcome| pairing.checked(&outcome.name, outcome.result))
        .collect();
    outcomes.push(pairing.checked("server_shuts_down", process.ends_well()));
    Ok(outcomes)
}

/// A client of the full ORB or of a peer, and the small ORB's server.
pub(crate) fn server(
    pairing: &Pairing,
    peer: Option<Peer>,
    minor: u8,
) -> Result<Vec<Outcome>, String> {
    let (send, receive) = channel();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let is_done = &is_done;
        let server = scope.spawn(move || {
            nano::serve(minor, is_done, |reference| {
                // The receiver waits.
                let _ = send.send(reference);
            })
        });
        let checked = match receive.recv() {
            Ok(reference) => match peer {
                Some(peer) => peer_checks(pairing, peer, &reference, minor),
                None => zorb_checks(pairing, &reference),
            },
            Err(_) => Err("the server does not start".to_owned()),
        };
        is_done.store(true, Ordering::Release);
        let ended = match server.join() {
            Ok(ended) => ended.map_err(|error| format!("{error:?}")),
            Err(_) => Err("the server has panicked".to_owned()),
        };
        let mut outcomes = checked?;
        outcomes.push(pairing.checked("server_ends", ended));
        Ok(outcomes)
    })
}

/// The checks of a peer's client that are named `basics`.
fn peer_checks(
    pairing: &Pairing,
    peer: Peer,
    reference: &str,
    minor: u8,
) -> Result<Vec<Outcome>, String> {
    let mut command = peers::program(peer, "client");
    command.arg(reference).arg("--giop").arg(format!("1.{minor}")).args(["--only", "basics"]);
    let client = Process::start(&format!("the client of {peer}"), &mut command)?;
    // It ends badly: between the checks it calls objects that the server does not have.
    let (lines, _) = client.end(LIMIT)?;
    let mut outcomes = printed(pairing.name, &lines);
    let all = match outcomes.len() {
        BASICS.. => Ok(()),
        some => Err(format!("the client has made {some} checks: {lines:?}")),
    };
    outcomes.push(pairing.checked("client_makes_its_checks", all));
    Ok(outcomes)
}

/// Calls of the full ORB by the stubs.
fn zorb_checks(pairing: &Pairing, reference: &str) -> Result<Vec<Outcome>, String> {
    let orb = orb()?;
    let suite: Suite = orb.resolve(reference).map_err(|error| error.to_string())?;
    let basics = suite.basic_types().map_err(|error| error.to_string())?.ok_or("nil")?;
    let same = |result: zorb::Result<bool>| match result {
        Ok(true) => Ok(()),
        other => Err(format!("{other:?}")),
    };
    let outcomes = vec![
        pairing.checked("peer", same(suite.peer().map(|peer| peer == "zorb"))),
        pairing.checked("long", same(basics.echo_long(-7, 8).map(|it| it == (-7, -7, 8)))),
        pairing
            .checked("double", same(basics.echo_double(0.5, 2.0).map(|it| it == (0.5, 0.5, 2.0)))),
        pairing.checked(
            "mixed",
            same(basics.mixed(7, -3, "abcde", true).map(|it| it == (42, 10.5, 3, 5, false))),
        ),
        pairing.checked("shutdown", same(suite.shutdown().map(|()| true))),
    ];
    orb.shutdown(true).map_err(|error| error.to_string())?;
    Ok(outcomes)
}
