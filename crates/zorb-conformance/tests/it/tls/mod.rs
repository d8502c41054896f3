//! TLS for tests: both sides have one certificate and trust one authority.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use zorb::OrbBuilder;
use zorb::tls::{Pem, Settings, SsliopProtocol};

/// The settings of all sides, also of other processes, which read them from a file.
static TLS: LazyLock<Settings> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("suite-of-two-addresses.pem");
    if !file.exists() {
        let own = folder.join(format!("suite-{}.pem", std::process::id()));
        std::fs::write(&own, certificates().unwrap()).unwrap();
        // The first process to write the file wins.
        let _ = std::fs::hard_link(&own, &file);
        std::fs::remove_file(&own).unwrap();
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let [roots, certificate, key] = text.split(SEPARATOR).collect::<Vec<_>>()[..] else {
        panic!("{} is not what was written", file.display());
    };
    Settings::new().certificate(Pem::text(certificate), Pem::text(key)).roots(Pem::text(roots))
});

const SEPARATOR: &str = "=====\n";

/// An authority, a certificate signed by it, and its key.
fn certificates() -> Result<String, rcgen::Error> {
    let names = ["localhost", "127.0.0.1", "127.0.0.2"].map(str::to_owned);
    let mut own = CertificateParams::new(names.clone())?;
    own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(own, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(names)?.signed_by(&key, &authority)?;
    Ok([authority.pem(), certificate.pem(), key.serialize_pem()].join(SEPARATOR))
}

/// The facade's protocols and TLS.
pub fn with_tls(builder: OrbBuilder) -> OrbBuilder {
    with_settings(builder, TLS.clone())
}

/// The same, with a time limit of handshakes.
pub fn with_tls_within(builder: OrbBuilder, limit: Duration) -> OrbBuilder {
    with_settings(builder, TLS.clone().handshake_timeout(limit))
}

fn with_settings(builder: OrbBuilder, settings: Settings) -> OrbBuilder {
    let tls = settings.build().unwrap();
    builder.protocol(Arc::new(SsliopProtocol::new(tls).unwrap()))
}
