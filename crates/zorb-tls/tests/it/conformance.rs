//! TLS fulfils the contracts of the transport traits.

use std::sync::LazyLock;

use crate::support::Authority;
use zorb_testkit::conformance::Subject;
use zorb_tls::{Pem, Settings, Tls, TlsTransport};

/// The settings of both sides: each has a certificate and verifies the other's.
fn settings() -> Settings {
    let authority = Authority::new("authority");
    let own = authority.server();
    Settings::new()
        .certificate(Pem::text(own.certificate), Pem::text(own.key))
        .roots(Pem::text(authority.certificate()))
}

static TLS: LazyLock<Tls> = LazyLock::new(|| settings().build().unwrap());
static NAMED: LazyLock<Tls> =
    LazyLock::new(|| settings().server_name("localhost").build().unwrap());

fn subject(tls: &Tls, url: &str) -> Subject {
    Subject::new(TlsTransport::new(tls.clone()).unwrap(), url)
}

zorb_testkit::conformance_suite!(subject(&TLS, "ssliop://127.0.0.1:0"));

mod by_name {
    use super::*;

    zorb_testkit::conformance_suite!(subject(&TLS, "ssliop://localhost"));
}

mod all_interfaces {
    use super::*;

    zorb_testkit::conformance_suite!(subject(&NAMED, "ssliop://"));
}
