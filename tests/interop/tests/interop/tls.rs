//! SSLIOP with the peers' SSL, both ways: all checks with mutual authentication, who is refused and
//! how either side says it, TLS 1.2 and 1.3.

mod certificates;
mod versions;

use std::path::Path;
use std::time::Duration;

use rustls::ProtocolVersion::{self, TLSv1_2, TLSv1_3};
use zorb::giop::{IiopProfile, ProfileTag, SslSecTrans};
use zorb::{CompletionStatus, Interface as _, Orb, OrbBuilder, SystemExceptionKind};
use zorb_interop_tests::interop::Suite;
use zorb_interop_tests::server;

use crate::outcome::Outcome;
use crate::pairings::{Pairing, start_server};
use crate::peers::{self, OMNIORB, Peer};
use crate::process::{LIMIT, Process};
use certificates::Folders;

/// The name in the certificate of the clients that Zorb's server lets in.
const LISTED: &str = "console.example.com";

/// What the peers' clients check over TLS: text, large messages, callbacks, and all that is no
/// matter of addresses.
const GROUPS: &str = "texts,wides,lists,unions,faults,events,refs,callbacks,anys,values,load";

/// An ORB that trusts the authority of this folder.
fn trusting(folder: &Path) -> OrbBuilder {
    let roots = folder.join("ca.pem").display().to_string();
    Orb::builder()
        .without_environment()
        .round_trip_timeout(Duration::from_secs(300))
        .option("SsliopRoots", roots)
}

/// One that shows the folder's certificate too, and listens over TLS alone.
fn listening(folder: &Path) -> OrbBuilder {
    let own = folder.join("own.pem").display().to_string();
    trusting(folder)
        .option("SsliopCertificate", &own)
        .option("SsliopKey", own)
        .listen("ssliop://127.0.0.1:0")
}

fn built(builder: OrbBuilder) -> Result<Orb, String> {
    builder.build().map_err(|error| error.to_string())
}

fn shut_down(orb: &Orb) -> Result<(), String> {
    orb.shutdown(true).map_err(|error| error.to_string())
}

fn require(holds: bool, what: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// Zorb's client and a peer's server, which asks clients for certificates.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folders = Folders::new()?;
    let (process, reference) = serve(peer, &folders, &[])?;
    let orb = built(listening(&folders.path("client")))?;
    let suite: Suite = orb.resolve(&reference).map_err(|error| error.to_string())?;
    let mut outcomes = pairing.zorb_checks(&orb, &suite, 2);
    let mut check = |name, result| outcomes.push(pairing.checked(name, result));
    check("security/tls_1_3", server_speaks(&suite, &folders, TLSv1_3));

    let client = folders.path("client");
    check(
        "security/no_certificate",
        refused(trusting(&client), &reference, "rejected this side's certificate"),
    );
    check(
        "security/strange_client",
        refused(
            listening(&folders.path("stranger")),
            &reference,
            "rejected this side's certificate",
        ),
    );
    check(
        "security/strange_server",
        refused(listening(&folders.path("suspicious")), &reference, "CN=server was rejected"),
    );
    check(
        "security/other_name",
        refused(
            listening(&client).option("SsliopServerName", "elsewhere.example.com"),
            &reference,
            "CN=server was rejected",
        ),
    );
    // Who was refused has left nothing behind.
    check("security/afterwards", suite.peer().map(|_| ()).map_err(|error| error.to_string()));
    outcomes.extend(pairing.ended(&orb, &suite, process));
    outcomes.push(pairing.checked("security/tls_1_2", older_server(peer, &folders)));
    Ok(outcomes)
}

fn serve(peer: Peer, folders: &Folders, more: &[&str]) -> Result<(Process, String), String> {
    let own = folders.path("server").display().to_string();
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    start_server(Some(peer), 2, place.path(), &[&["--tls", &own], more].concat())
}

/// A server that speaks TLS 1.2 and nothing newer.
fn older_server(peer: Peer, folders: &Folders) -> Result<(), String> {
    let (process, reference) = serve(peer, folders, &["--tls12"])?;
    let orb = built(listening(&folders.path("client")))?;
    let called = orb.resolve(&reference).and_then(|suite: Suite| {
        suite.peer()?;
        Ok(suite)
    });
    let suite = called.map_err(|error| error.to_string())?;
    server_speaks(&suite, folders, TLSv1_2)?;
    process.end_well()?;
    shut_down(&orb)
}

/// Checks that the server of this object agrees on `version` with who speaks both.
fn server_speaks(suite: &Suite, folders: &Folders, version: ProtocolVersion) -> Result<(), String> {
    let profiles = &suite.as_object().ior().profiles;
    let port = profiles
        .iter()
        .filter(|profile| profile.tag == ProfileTag::INTERNET_IOP)
        .filter_map(|profile| IiopProfile::decode(&profile.data).ok())
        .find_map(|profile| profile.components_of::<SslSecTrans>().next())
        .ok_or("the reference has no port of TLS")?
        .port;
    let found = versions::of_server(port, &folders.path("client"))?;
    require(found == version, format!("it speaks {found:?}"))
}

/// Checks that a call of such a client is refused, before it was made, for the reason `told`.
fn refused(client: OrbBuilder, reference: &str, told: &str) -> Result<(), String> {
    let orb = built(client)?;
    let suite: Suite = orb.resolve(reference).map_err(|error| error.to_string())?;
    let Err(exception) = suite.peer() else {
        return Err("it came in".into());
    };
    let failure = exception.to_string();
    let kind = (exception.kind, exception.completed);
    require(kind == (SystemExceptionKind::NoPermission, CompletionStatus::No), &failure)?;
    let report = zorb::Report(&exception).to_string();
    require(report.contains(told), report)?;
    shut_down(&orb)
}

/// A peer's client and Zorb's server, which lets in one client only.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folders = Folders::new()?;
    let allowed = format!("dns:{LISTED}");
    let orb = built(listening(&folders.path("server")).option("SsliopAllow", allowed))?;
    let suite = server::serve(&orb).map_err(|error| error.to_string())?;
    let reference = suite.as_object().to_ior_string();
    let checks = |folder: &str, more: &[&str]| {
        let folder = folders.path(folder).display().to_string();
        let more = [&["--tls", &folder, "--only", GROUPS], more].concat();
        pairing.peer_checks(peer, &reference, 2, &more)
    };
    let mut outcomes = checks("client", &[])?;
    // In TLS 1.3 a client is done with the handshake before it hears of the refusal: omniORB's call
    // is under way then.
    for (name, folder, omniorb) in [
        ("security/strange_client", "stranger", "COMM_FAILURE"),
        ("security/unlisted_client", "unlisted", "COMM_FAILURE"),
        ("security/strange_server", "suspicious", "TRANSIENT"),
    ] {
        let exception = if peer == OMNIORB { omniorb } else { "COMM_FAILURE" };
        let client = client(peer, &folders, folder, &reference, &[]);
        let told = client.and_then(|client| rejected(client, exception));
        outcomes.push(pairing.checked(name, told));
    }
    for (name, more, version) in
        [("security/tls_1_3", [].as_slice(), TLSv1_3), ("security/tls_1_2", &["--tls12"], TLSv1_2)]
    {
        let spoken = versions::of_client(&folders.path("server"), |reference| {
            client(peer, &folders, "client", reference, more)
        });
        let told = spoken.and_then(|found| {
            require(found == version, format!("it speaks {found:?}"))?;
            let more = [&["--only", "texts"], more].concat();
            client(peer, &folders, "client", &reference, &more)?.ends_well()
        });
        outcomes.push(pairing.checked(name, told));
    }
    outcomes.push(pairing.checked("server_ends", shut_down(&orb)));
    Ok(outcomes)
}

/// Starts a client of the peer that shows and trusts what this folder has.
fn client(
    peer: Peer,
    folders: &Folders,
    folder: &str,
    reference: &str,
    more: &[&str],
) -> Result<Process, String> {
    let mut command = peers::program(peer, "client");
    command.arg(reference).arg("--tls").arg(folders.path(folder)).args(more);
    Process::start(&format!("the client of {peer}"), &mut command)
}

/// Checks that this client is refused, and that its program ends with this exception.
fn rejected(client: Process, exception: &str) -> Result<(), String> {
    let (said, status) = client.end_with_errors(LIMIT)?;
    require(status.code() == Some(2), format!("it ended with {status}: {said}"))?;
    require(said.contains(exception), said)
}
