//! Processes between client and server: a bridge, or a relay that only forwards octets.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::thread::Builder;

use zorb::giop::Ior;
use zorb::transport::{
    ConnectOptions, Endpoint, ListenOptions, Protocol, ProtocolRegistry, Stream,
};
use zorb_bridge::{Bridge, Settings};

use super::options::orb;
use crate::error::{Error, Result};
use crate::peer::arguments::{PeerArguments, Role};
use crate::transport::bare_transport;

/// Octets of a relay's buffers, as many as a bridge's.
const BUFFER: usize = 64 << 10;

/// Forwards calls over the transport of `arguments` to the object of a reference, until standard input
/// closes.
pub(in crate::peer) fn pass_on(arguments: &PeerArguments) -> Result<u8> {
    let scheme = arguments.transport.as_str();
    let url = match (bare_transport(scheme), &arguments.path) {
        ("iiop", _) => format!("{scheme}://127.0.0.1:0"),
        (_, Some(path)) => format!("{scheme}://{}", path.display()),
        (_, None) => return Err(Error::new("this transport needs --path")),
    };
    let orb = orb(arguments).build()?;
    let target = Ior::from_stringified(arguments.address()?)
        .map_err(|error| Error::new(error.to_string()))?;
    let wrong = |error: &dyn std::fmt::Display| Error::new(error.to_string());
    match arguments.role {
        Role::Bridge => {
            let options = orb.options();
            let settings = Settings { wait: options.wait_policy(), ..Settings::default() };
            let bridge = Bridge::open(orb.protocols(), &target, &[&url], settings)
                .map_err(|error| wrong(&error))?;
            let reference = bridge.reference().map_err(|error| wrong(&error))?;
            let reference = reference.to_stringified().map_err(|error| wrong(&error))?;
            crate::peer::process::serve_until_the_end(&reference)?;
            bridge.close();
        }
        _ => {
            let reference = relay(orb.protocols(), &target, &url)?;
            crate::peer::process::serve_until_the_end(&reference)?;
        }
    }
    orb.shutdown(false)?;
    Ok(0)
}

/// Starts a relay on threads that end with the process. Returns the reference with its address.
fn relay(protocols: &ProtocolRegistry, target: &Ior, url: &str) -> Result<String> {
    let wrong = |error: &dyn std::fmt::Display| Error::new(error.to_string());
    let found = target.profiles.iter().find_map(|profile| protocols.resolve(target, profile)?.ok());
    let (there, resolved) = found.ok_or_else(|| Error::new("no protocol knows the reference"))?;
    let endpoint = resolved.endpoints.first().cloned();
    let endpoint = endpoint.ok_or_else(|| Error::new("the reference has no endpoint"))?;
    let scheme = url.split(':').next().unwrap_or_default();
    let here = protocols.by_scheme(scheme).ok_or_else(|| Error::new("no such scheme"))?;
    let acceptor = here.transport().listen(url, &ListenOptions::default());
    let acceptor = acceptor.map_err(|error| wrong(&error))?;
    let profile = here.encode_profile(
        acceptor.published(),
        resolved.version,
        &resolved.object_key,
        &resolved.components,
    );
    let profile = profile.map_err(|error| wrong(&error))?;
    let reference = Ior { type_id: target.type_id.clone(), profiles: vec![profile] };
    Builder::new().name("relay".to_owned()).spawn(move || {
        while let Ok(client) = acceptor.accept() {
            // If it fails, the client's connection closes.
            let _ = both_ways(client, &there, &endpoint);
        }
    })?;
    reference.to_stringified().map_err(|error| wrong(&error))
}

fn both_ways(
    client: Arc<dyn Stream>,
    there: &Arc<dyn Protocol>,
    endpoint: &Endpoint,
) -> io::Result<()> {
    let server = there.transport().connect(endpoint, &ConnectOptions::default());
    let server = server.map_err(io::Error::other)?;
    one_way(Arc::clone(&client), Arc::clone(&server))?;
    one_way(server, client)
}

fn one_way(from: Arc<dyn Stream>, to: Arc<dyn Stream>) -> io::Result<()> {
    Builder::new().name("relay".to_owned()).spawn(move || {
        let mut buffer = vec![0; BUFFER];
        while let Ok(count) = from.recv(&mut buffer) {
            let octets = buffer.get(..count).unwrap_or_default();
            if octets.is_empty() || to.send_all(octets).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Read), to.shutdown(Shutdown::Write));
    })?;
    Ok(())
}
