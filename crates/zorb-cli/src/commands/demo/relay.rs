//! A relay that counts the octets of a call on the wire.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::Builder;

use zorb::ObjectRef;
use zorb::giop::Ior;
use zorb_cdr::ByteOrder;

use super::exchange::Exchange;
use crate::failure::Failure;

/// A relay that forwards connections to a server and counts the octets.
#[derive(Debug)]
pub(super) struct Relay {
    address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    to_server: AtomicU32,
    from_server: AtomicU32,
}

impl Relay {
    /// Starts a relay to the server of `object`. Its threads end with their connections and the
    /// process.
    pub(super) fn before(object: &ObjectRef) -> Result<Self, Failure> {
        let profile = object.ior().iiop_profiles().next();
        let profile = profile.ok_or_else(|| Failure::new("the reference has no IIOP profile"))?;
        let server = (profile.host, profile.port);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let relay = Self { address: listener.local_addr()?, counts: Arc::default() };
        let counts = Arc::clone(&relay.counts);
        Builder::new().name("relay-accept".to_owned()).spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // The caller notices a broken connection.
                let _ = TcpStream::connect((server.0.as_str(), server.1))
                    .and_then(|server| relay_both(client, server, &counts));
            }
        })?;
        Ok(relay)
    }

    /// The same object, reached through the relay.
    pub(super) fn redirect(
        &self,
        orb: &zorb::Orb,
        object: &ObjectRef,
    ) -> Result<ObjectRef, Failure> {
        let malformed = |error: zorb_cdr::CdrError| Failure::new(error.to_string());
        let mut profiles = Vec::new();
        for mut profile in object.ior().iiop_profiles() {
            profile.host = self.address.ip().to_string();
            profile.port = self.address.port();
            profiles.push(profile.encode(ByteOrder::NATIVE).map_err(malformed)?);
        }
        let ior = Ior { type_id: object.ior().type_id.clone(), profiles };
        let object = orb.string_to_object(&ior.to_stringified().map_err(malformed)?)?;
        object.ok_or_else(|| Failure::new("the reference has no IIOP profile"))
    }

    /// The octets counted since the last call.
    pub(super) fn take(&self) -> Exchange {
        Exchange {
            request: self.counts.to_server.swap(0, Ordering::SeqCst),
            reply: self.counts.from_server.swap(0, Ordering::SeqCst),
        }
    }
}

fn relay_both(client: TcpStream, server: TcpStream, counts: &Arc<Counts>) -> io::Result<()> {
    let (client_back, server_back) = (client.try_clone()?, server.try_clone()?);
    let (there, back) = (Arc::clone(counts), Arc::clone(counts));
    let start = |relay: Box<dyn FnOnce() + Send>| {
        Builder::new().name("relay".to_owned()).spawn(relay).map(drop)
    };
    start(Box::new(move || relay(client, server, &there.to_server)))?;
    start(Box::new(move || relay(server_back, client_back, &back.from_server)))
}

fn relay(mut from: TcpStream, mut to: TcpStream, count: &AtomicU32) {
    let mut buffer = [0; 16 * 1024];
    loop {
        let size = match from.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(size) => size,
        };
        // Counted before forwarding: the receiver of a reply must find it counted.
        count.fetch_add(u32::try_from(size).unwrap_or(u32::MAX), Ordering::SeqCst);
        if to.write_all(buffer.get(..size).unwrap_or_default()).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
