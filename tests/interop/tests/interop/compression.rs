//! ZIOP with omniORB: all checks over connections that compress, and messages that really were.

use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use zorb::policy::Policies;
use zorb::protocols::IiopProtocol;
use zorb::ziop::{CompressionLowValue, enabled};
use zorb::{Interface, Orb};
use zorb_interop_tests::interop::Suite;
use zorb_interop_tests::server;
use zorb_testkit::{Watch, Watched};

use crate::outcome::Outcome;
use crate::pairings::{Pairing, start_server};
use crate::peers::Peer;

/// Smaller messages are compressed than by default.
const LOW_VALUE: u32 = 128;

/// The compressed messages that this process has sent and received.
#[derive(Clone, Debug, Default)]
struct Compressed(Arc<[AtomicU64; 2]>);

impl Watch for Compressed {
    fn received(&self, space: &[u8], count: usize) {
        let received = space.get(..count).unwrap_or_default();
        let found = received.windows(4).filter(|octets| octets == b"ZIOP").count();
        self.0[1].fetch_add(found as u64, Ordering::Relaxed);
    }

    fn sends(&self, parts: &[IoSlice<'_>]) {
        let is_compressed = parts.first().is_some_and(|part| part.starts_with(b"ZIOP"));
        self.0[0].fetch_add(u64::from(is_compressed), Ordering::Relaxed);
    }
}

impl Compressed {
    /// Whether there were such messages in both directions.
    fn judge(&self) -> Result<(), String> {
        let [sent, received] = [0, 1].map(|index| self.0[index].load(Ordering::Relaxed));
        // Far more are, but that depends on the checks.
        match sent.min(received) {
            20.. => Ok(()),
            _ => Err(format!("{sent} compressed messages were sent, {received} received")),
        }
    }

    fn orb(&self) -> Result<Orb, String> {
        let watch = self.clone();
        let protocol = Watched::new(Arc::new(IiopProtocol::new()), move |_| watch.clone());
        let orb = Orb::builder()
            .without_environment()
            .protocol(Arc::new(protocol))
            .listen("iiop://127.0.0.1:0")
            .round_trip_timeout(Duration::from_secs(300))
            .build()
            .map_err(|error| error.to_string())?;
        let policies: Policies = enabled().with(CompressionLowValue(LOW_VALUE));
        orb.policy_manager().add(&policies).map_err(|error| error.to_string())?;
        Ok(orb)
    }
}

/// Zorb's client and a server of `peer`.
pub(crate) fn zorb_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (process, reference) = start_server(Some(peer), 2, folder.path(), &["--compress"])?;
    let compressed = Compressed::default();
    let orb = compressed.orb()?;
    let suite: Suite = orb.resolve(&reference).map_err(|error| error.to_string())?;
    let mut outcomes = pairing.zorb_checks(&orb, &suite, 2);
    outcomes.push(pairing.checked("compressed", compressed.judge()));
    outcomes.extend(pairing.ended(&orb, &suite, process));
    Ok(outcomes)
}

/// A client of `peer`, and Zorb's server.
pub(crate) fn peer_client(pairing: &Pairing, peer: Peer) -> Result<Vec<Outcome>, String> {
    let compressed = Compressed::default();
    let orb = compressed.orb()?;
    let suite = server::serve(&orb).map_err(|error| error.to_string())?;
    let reference = suite.as_object().to_ior_string();
    let mut outcomes = pairing.peer_checks(peer, &reference, 2, &["--compress"])?;
    outcomes.push(pairing.checked("compressed", compressed.judge()));
    let ended = orb.shutdown(true).map_err(|error| error.to_string());
    outcomes.push(pairing.checked("server_ends", ended));
    Ok(outcomes)
}
