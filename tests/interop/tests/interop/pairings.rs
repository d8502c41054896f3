//! The pairs of client and server, and how each is brought together.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use zorb::Orb;
use zorb_interop_tests::interop::Suite;
use zorb_interop_tests::{checks, server};

use crate::asynchronous;
use crate::bidirectional;
use crate::bridges;
use crate::compression;
use crate::end_times;
use crate::implementation_repository;
use crate::naming;
use crate::nano;
use crate::outcome::{Outcome, Verdict, printed, totals};
use crate::peers::{self, JACORB, OMNINAMES, OMNIORB, Peer, ZORB};
use crate::process::Process;
use crate::random;
use crate::repository;
use crate::tls;

/// How long a client may take for all its checks.
const CLIENT_LIMIT: Duration = Duration::from_secs(900);

/// A client, a server and a GIOP version.
pub(crate) struct Pairing {
    /// "client-to-server/version".
    pub(crate) name: &'static str,
    /// The peers that take part.
    pub(crate) peers: &'static [Peer],
    kind: Kind,
}

enum Kind {
    /// Client and server in one process and one ORB.
    Collocated,
    /// Zorb's client and a server process of Zorb or a peer, whose references are of GIOP 1.n.
    ZorbClient(Option<Peer>, u8),
    /// A peer's client and a Zorb server process, both of GIOP 1.n.
    PeerClient(Peer, u8),
    /// The same over TLS, and who is refused: Zorb's client and a server of a peer.
    ZorbClientTls(Peer),
    /// A peer's client and a Zorb server over TLS.
    PeerClientTls(Peer),
    /// The same through a bridge: Zorb's client and a server of a peer.
    ZorbClientBridged(Peer),
    /// A peer's client and a Zorb server behind a bridge.
    PeerClientBridged(Peer),
    /// The small ORB's client, and a server of Zorb or a peer, of GIOP 1.n.
    NanoClient(Option<Peer>, u8),
    /// A client of Zorb or a peer, and the small ORB's server, of GIOP 1.n.
    NanoServer(Option<Peer>, u8),
    /// Callbacks of a server of a peer to Zorb's client, which it cannot connect to.
    Bidirectional(Peer),
    /// Those of a Zorb server to a peer's client.
    PeerBidirectional(Peer),
    /// Compressed messages of Zorb's client and a server of a peer.
    Compressed(Peer),
    /// Those of a peer's client and Zorb's server.
    PeerCompressed(Peer),
    /// End times in requests of Zorb's client to a server of a peer.
    EndTimes(Peer),
    /// Asynchronous calls of Zorb's client to a server of Zorb or a peer.
    Asynchronous(Option<Peer>),
    /// Those of a peer's client to a Zorb server.
    PeerAsynchronous(Peer),
    /// A naming service, and for a few checks the others too if they are there.
    Naming(naming::Vendor),
    /// Random types and values with a server of omniORB.
    Random,
    /// An interface repository, read and changed by the others if they are there.
    Repository,
    /// An implementation repository with a server of JacORB, for clients of all.
    ImplementationRepository,
}

/// Every pairing. JacORB's come first: a Java machine takes its time to start.
pub(crate) fn all() -> Vec<Pairing> {
    let pairing = |name, peers, kind| Pairing { name, peers, kind };
    vec![
        pairing("zorb-to-jacorb/1.2", &[JACORB], Kind::ZorbClient(Some(JACORB), 2)),
        pairing("zorb-to-jacorb/1.1", &[JACORB], Kind::ZorbClient(Some(JACORB), 1)),
        pairing("zorb-to-jacorb/1.0", &[JACORB], Kind::ZorbClient(Some(JACORB), 0)),
        pairing("jacorb-to-zorb/1.2", &[JACORB], Kind::PeerClient(JACORB, 2)),
        pairing("jacorb-to-zorb/1.1", &[JACORB], Kind::PeerClient(JACORB, 1)),
        pairing("jacorb-to-zorb/1.0", &[JACORB], Kind::PeerClient(JACORB, 0)),
        pairing("zorb-to-jacorb/1.2/tls", &[JACORB], Kind::ZorbClientTls(JACORB)),
        pairing("jacorb-to-zorb/1.2/tls", &[JACORB], Kind::PeerClientTls(JACORB)),
        pairing("zorb-to-jacorb/1.2/bridge", &[JACORB], Kind::ZorbClientBridged(JACORB)),
        pairing("jacorb-to-zorb/1.2/bridge", &[JACORB], Kind::PeerClientBridged(JACORB)),
        pairing("zorb-to-jacorb/1.2/bidirectional", &[JACORB], Kind::Bidirectional(JACORB)),
        pairing("jacorb-to-zorb/1.2/bidirectional", &[JACORB], Kind::PeerBidirectional(JACORB)),
        pairing("zorb-to-jacorb/1.2/end-times", &[JACORB], Kind::EndTimes(JACORB)),
        pairing("zorb-to-jacorb/1.2/ami", &[JACORB], Kind::Asynchronous(Some(JACORB))),
        pairing("jacorb-to-zorb/1.2/ami", &[JACORB], Kind::PeerAsynchronous(JACORB)),
        pairing("zorb-to-omniorb/1.2", &[OMNIORB], Kind::ZorbClient(Some(OMNIORB), 2)),
        pairing("zorb-to-omniorb/1.1", &[OMNIORB], Kind::ZorbClient(Some(OMNIORB), 1)),
        pairing("zorb-to-omniorb/1.0", &[OMNIORB], Kind::ZorbClient(Some(OMNIORB), 0)),
        pairing("omniorb-to-zorb/1.2", &[OMNIORB], Kind::PeerClient(OMNIORB, 2)),
        pairing("omniorb-to-zorb/1.1", &[OMNIORB], Kind::PeerClient(OMNIORB, 1)),
        pairing("omniorb-to-zorb/1.0", &[OMNIORB], Kind::PeerClient(OMNIORB, 0)),
        pairing("zorb-to-omniorb/1.2/tls", &[OMNIORB], Kind::ZorbClientTls(OMNIORB)),
        pairing("omniorb-to-zorb/1.2/tls", &[OMNIORB], Kind::PeerClientTls(OMNIORB)),
        pairing("zorb-to-omniorb/1.2/bridge", &[OMNIORB], Kind::ZorbClientBridged(OMNIORB)),
        pairing("omniorb-to-zorb/1.2/bridge", &[OMNIORB], Kind::PeerClientBridged(OMNIORB)),
        pairing("zorb-to-omniorb/1.2/bidirectional", &[OMNIORB], Kind::Bidirectional(OMNIORB)),
        pairing("omniorb-to-zorb/1.2/bidirectional", &[OMNIORB], Kind::PeerBidirectional(OMNIORB)),
        pairing("zorb-to-omniorb/1.2/ziop", &[OMNIORB], Kind::Compressed(OMNIORB)),
        pairing("omniorb-to-zorb/1.2/ziop", &[OMNIORB], Kind::PeerCompressed(OMNIORB)),
        pairing("zorb-to-omniorb/1.2/ami", &[OMNIORB], Kind::Asynchronous(Some(OMNIORB))),
        pairing("omniorb-to-zorb/1.2/ami", &[OMNIORB], Kind::PeerAsynchronous(OMNIORB)),
        pairing("zorb-to-zorb/1.2/ami", &[], Kind::Asynchronous(None)),
        pairing("nano-to-jacorb/1.2", &[JACORB], Kind::NanoClient(Some(JACORB), 2)),
        pairing("nano-to-jacorb/1.0", &[JACORB], Kind::NanoClient(Some(JACORB), 0)),
        pairing("jacorb-to-nano/1.2", &[JACORB], Kind::NanoServer(Some(JACORB), 2)),
        pairing("jacorb-to-nano/1.0", &[JACORB], Kind::NanoServer(Some(JACORB), 0)),
        pairing("nano-to-omniorb/1.2", &[OMNIORB], Kind::NanoClient(Some(OMNIORB), 2)),
        pairing("nano-to-omniorb/1.0", &[OMNIORB], Kind::NanoClient(Some(OMNIORB), 0)),
        pairing("omniorb-to-nano/1.2", &[OMNIORB], Kind::NanoServer(Some(OMNIORB), 2)),
        pairing("omniorb-to-nano/1.0", &[OMNIORB], Kind::NanoServer(Some(OMNIORB), 0)),
        pairing("nano-to-zorb/1.2", &[], Kind::NanoClient(None, 2)),
        pairing("zorb-to-nano/1.2", &[], Kind::NanoServer(None, 2)),
        pairing("zorb-to-omniorb/1.2/end-times", &[OMNIORB], Kind::EndTimes(OMNIORB)),
        pairing("naming", &[OMNINAMES, OMNIORB, JACORB], Kind::Naming(naming::Vendor::OmniOrb)),
        pairing(
            "zorb-naming",
            &[ZORB, OMNINAMES, OMNIORB, JACORB],
            Kind::Naming(naming::Vendor::Zorb),
        ),
        pairing("ifr", &[ZORB, OMNIORB, JACORB], Kind::Repository),
        pairing("imr", &[ZORB, JACORB, OMNIORB], Kind::ImplementationRepository),
        pairing("random", &[ZORB, OMNIORB], Kind::Random),
        pairing("zorb-to-zorb/1.2", &[], Kind::ZorbClient(None, 2)),
        pairing("zorb-to-zorb/1.1", &[], Kind::ZorbClient(None, 1)),
        pairing("zorb-to-zorb/1.0", &[], Kind::ZorbClient(None, 0)),
        pairing("zorb-in-process/1.2", &[], Kind::Collocated),
    ]
}

impl Pairing {
    /// Runs all checks; a failure to get that far is an outcome too.
    pub(crate) fn run(&self) -> Vec<Outcome> {
        let needed: &[Peer] = match self.kind {
            Kind::Naming(naming::Vendor::OmniOrb) => &[OMNINAMES],
            Kind::Naming(naming::Vendor::Zorb) => &[ZORB, OMNINAMES],
            Kind::Repository => &[ZORB],
            Kind::ImplementationRepository => &[ZORB, JACORB],
            _ => self.peers,
        };
        for peer in needed {
            if let Err(absent) = peers::ready(peer) {
                return vec![self.outcome(absent.into())];
            }
        }
        let ran = match self.kind {
            Kind::Collocated => self.collocated(),
            Kind::ZorbClient(peer, minor) => self.zorb_client(peer, minor),
            Kind::PeerClient(peer, minor) => self.peer_client(peer, minor),
            Kind::ZorbClientTls(peer) => tls::zorb_client(self, peer),
            Kind::PeerClientTls(peer) => tls::peer_client(self, peer),
            Kind::ZorbClientBridged(peer) => bridges::zorb_client(self, peer),
            Kind::PeerClientBridged(peer) => bridges::peer_client(self, peer),
            Kind::NanoClient(peer, minor) => nano::client(self, peer, minor),
            Kind::NanoServer(peer, minor) => nano::server(self, peer, minor),
            Kind::Bidirectional(peer) => bidirectional::zorb_client(self, peer),
            Kind::PeerBidirectional(peer) => bidirectional::peer_client(self, peer),
            Kind::Compressed(peer) => compression::zorb_client(self, peer),
            Kind::PeerCompressed(peer) => compression::peer_client(self, peer),
            Kind::EndTimes(peer) => end_times::zorb_client(self, peer),
            Kind::Asynchronous(peer) => asynchronous::zorb_client(self, peer),
            Kind::PeerAsynchronous(peer) => asynchronous::peer_client(self, peer),
            Kind::Naming(vendor) => naming::run(self.name, vendor),
            Kind::Random => random::run(self.name),
            Kind::Repository => repository::run(self.name),
            Kind::ImplementationRepository => implementation_repository::run(self.name),
        };
        ran.unwrap_or_else(|message| vec![self.outcome(Verdict::Failed(message))])
    }

    /// Of the pairing as a whole.
    fn outcome(&self, verdict: Verdict) -> Outcome {
        Outcome { name: self.name.into(), verdict }
    }

    /// Of one check.
    pub(crate) fn checked(&self, check: &str, result: Result<(), String>) -> Outcome {
        Outcome::judged(self.name, check, result)
    }

    pub(crate) fn judge(&self, outcomes: Vec<checks::Outcome>) -> Vec<Outcome> {
        let judge = |it: checks::Outcome| Outcome::judged(self.name, &it.name, it.result);
        outcomes.into_iter().map(judge).collect()
    }

    fn collocated(&self) -> Result<Vec<Outcome>, String> {
        let orb = orb()?;
        let suite = server::serve(&orb).map_err(|error| error.to_string())?;
        let mut outcomes = self.zorb_checks(&orb, &suite, 2);
        let ended = orb.shutdown(true).map_err(|error| error.to_string());
        outcomes.push(Outcome::judged(self.name, "client_ends", ended));
        Ok(outcomes)
    }

    fn zorb_client(&self, peer: Option<Peer>, minor: u8) -> Result<Vec<Outcome>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (process, reference) = start_server(peer, minor, folder.path(), &[])?;
        let orb = orb()?;
        let suite: Suite = orb.resolve(&reference).map_err(|error| error.to_string())?;
        let mut outcomes = self.zorb_checks(&orb, &suite, minor);
        outcomes.extend(self.ended(&orb, &suite, process));
        Ok(outcomes)
    }

    /// All of the checks of Zorb's client.
    pub(crate) fn zorb_checks(&self, orb: &Orb, suite: &Suite, minor: u8) -> Vec<Outcome> {
        self.judge(checks::run(orb, suite, minor))
    }

    /// The ends of a server, which is told to, and of this client.
    pub(crate) fn ended(&self, orb: &Orb, suite: &Suite, server: Process) -> [Outcome; 2] {
        // The other way to end a server is the end of its input.
        let told = suite.shutdown().map_err(|error| error.to_string());
        let server = told.and_then(|()| server.ends_well());
        let client = orb.shutdown(true).map_err(|error| error.to_string());
        [self.checked("server_shuts_down", server), self.checked("client_ends", client)]
    }

    fn peer_client(&self, peer: Peer, minor: u8) -> Result<Vec<Outcome>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (process, reference) = start_server(None, minor, folder.path(), &[])?;
        let mut outcomes = self.peer_checks(peer, &reference, minor, &[])?;
        outcomes.push(self.checked("server_ends", process.end_well()));
        Ok(outcomes)
    }

    /// The checks of a peer's client, with `more` arguments.
    pub(crate) fn peer_checks(
        &self,
        peer: Peer,
        reference: &str,
        minor: u8,
        more: &[&str],
    ) -> Result<Vec<Outcome>, String> {
        let mut command = peers::program(peer, "client");
        command.arg(reference).arg("--giop").arg(format!("1.{minor}")).args(more);
        self.client_checks(peer, command)
    }

    /// What a client of a peer prints.
    pub(crate) fn client_checks(
        &self,
        peer: Peer,
        mut command: Command,
    ) -> Result<Vec<Outcome>, String> {
        let client = Process::start(&format!("the client of {peer}"), &mut command)?;
        let (lines, status) = client.end(CLIENT_LIMIT)?;
        let mut outcomes = printed(self.name, &lines);
        let passed = lines.iter().filter(|line| line.starts_with("ok ")).count();
        let ended = match totals(&lines) {
            Some((said, _)) if said == passed && passed > 0 => Ok(()),
            _ => Err(format!("it ended with {status}, and {:?}", lines.last())),
        };
        outcomes.push(self.checked("client_ends", ended));
        Ok(outcomes)
    }
}

/// An ORB for a test: nobody else's options, reached on this machine only.
pub(crate) fn orb() -> Result<Orb, String> {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    // A peer that does not answer fails a check, instead of all of them.
    let builder = builder.round_trip_timeout(Duration::from_secs(300));
    builder.build().map_err(|error| error.to_string())
}

/// Starts a server, Zorb's if no peer is named, with `more` arguments, and waits for its reference.
pub(crate) fn start_server(
    peer: Option<Peer>,
    minor: u8,
    folder: &Path,
    more: &[&str],
) -> Result<(Process, String), String> {
    let file = folder.join("suite.ior");
    let mut command = match peer {
        Some(peer) => peers::program(peer, "server"),
        None => Command::new(env!("CARGO_BIN_EXE_zorb-interop-server")),
    };
    command.arg("--ior-file").arg(&file).arg("--giop").arg(format!("1.{minor}")).args(more);
    let name = format!("the server of {}", peer.unwrap_or("Zorb"));
    let mut process = Process::start(&name, &mut command)?;
    // The file appears with its whole contents.
    process.wait_until(|_| file.exists())?;
    let reference = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    Ok((process, reference.trim().to_owned()))
}
