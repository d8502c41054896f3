//! Where services listen.

use zorb::{Error, Orb, OrbBuilder};

/// The ORB of a service. It listens at the endpoints `listen`; without any at those that its configuration names
/// (`Listen`); and without these at `port` of the loopback interface, over TLS if the ORB has a certificate. Port 0 is a
/// free one.
///
/// # Errors
/// Those of building an ORB: an option is wrong, or an address is in use.
pub fn listening(
    builder: impl Fn() -> OrbBuilder,
    listen: &[String],
    port: u16,
) -> Result<Orb, Error> {
    let named = |orb| listen.iter().fold(orb, zorb::OrbBuilder::listen);
    let orb = builder().force(named).build()?;
    if !orb.endpoints().is_empty() {
        return Ok(orb);
    }
    let all = orb.protocols().protocols();
    let secured = all.iter().find(|protocol| protocol.is_secured());
    let chosen = secured.or_else(|| all.iter().find(|protocol| protocol.scheme() == "iiop"));
    let Some(scheme) = chosen.map(|protocol| protocol.scheme()) else { return Ok(orb) };
    let url = format!("{scheme}://localhost:{port}");
    orb.shutdown(true)?;
    builder().listen(url).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_listen_at_the_loopback_interface_unless_told_otherwise() {
        let builder = || Orb::builder().without_environment();
        let told = ["iiop://127.0.0.2:0".to_owned()];
        for (listen, host) in [(&[][..], "iiop://localhost:"), (&told, "iiop://127.0.0.2:")] {
            let orb = listening(builder, listen, 0).expect("an ORB");
            let endpoints = orb.endpoints();
            assert!(endpoints.iter().all(|it| it.starts_with(host)), "{endpoints:?}");
            assert_eq!(endpoints.len(), 1);
            orb.shutdown(true).expect("a shutdown");
        }
    }
}
