//! Clients and servers of different protocols pass the suite with a bridge between them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use zorb::OrbBuilder;
use zorb::tls::{Pem, Settings, SsliopProtocol};
use zorb_conformance::{Subject, protocol_suite};

macro_rules! bridges {
    ($($name:ident: $client:literal to $server:literal;)*) => {
        $(
            mod $name {
                use super::*;
                protocol_suite!(Subject::built($server, with_tls).bridged($client));
            }
        )*
    };
}

bridges! {
    iiop_to_iiop: "iiop://127.0.0.1:0" to "iiop://127.0.0.1:0";
    iiop_to_uiop: "iiop://127.0.0.1:0" to "uiop://";
    iiop_to_shmiop: "iiop://127.0.0.1:0" to "shmiop://";
    iiop_to_ssliop: "iiop://127.0.0.1:0" to "ssliop://127.0.0.1:0";
    uiop_to_iiop: "uiop://" to "iiop://127.0.0.1:0";
    uiop_to_shmiop: "uiop://@" to "shmiop://";
    shmiop_to_iiop: "shmiop://" to "iiop://127.0.0.1:0";
    shmiop_to_uiop: "shmiop://" to "uiop://";
    ssliop_to_iiop: "ssliop://127.0.0.1:0" to "iiop://127.0.0.1:0";
    ssliop_to_shmiop: "ssliop://127.0.0.1:0" to "shmiop://";
    lite_to_lite: "lite+iiop://127.0.0.1:0" to "lite+uiop://";
    iiop_to_lite: "iiop://127.0.0.1:0" to "lite+uiop://";
    shmiop_to_lite: "shmiop://" to "lite+iiop://127.0.0.1:0";
}

/// What there is no way for is wide text, which is refused.
mod lite_to_giop {
    use super::*;

    protocol_suite! {
        @tests Subject::built("iiop://127.0.0.1:0", with_tls).bridged("lite+uiop://");
        tiny_and_large_messages_come_back
        exceptions_come_back
        one_way_calls_arrive_in_order
        a_flood_waits_for_its_servant
        a_servant_calls_its_client
        many_threads_call_at_once
        many_threads_share_a_connection
        an_object_is_located
        a_call_that_takes_too_long_ends_in_time
        a_server_that_shuts_down_says_so
        a_request_may_come_octet_by_octet
        garbage_ends_its_own_connection_alone
        a_message_beyond_the_limit_ends_its_connection
    }
}

/// What all sides show and trust, those in other processes as well: a file has it.
static TLS: LazyLock<Settings> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("bridges.pem");
    if !file.exists() {
        let own = folder.join(format!("bridges-{}.pem", std::process::id()));
        std::fs::write(&own, certificates().unwrap()).unwrap();
        // Who comes second takes what is there.
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

/// An authority, a certificate that it has signed, and the key for that.
fn certificates() -> Result<String, rcgen::Error> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut own = CertificateParams::new(names.clone())?;
    own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(own, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(names)?.signed_by(&key, &authority)?;
    Ok([authority.pem(), certificate.pem(), key.serialize_pem()].join(SEPARATOR))
}

fn with_tls(builder: OrbBuilder) -> OrbBuilder {
    let tls = TLS.clone().build().unwrap();
    builder.protocol(Arc::new(SsliopProtocol::new(tls).unwrap()))
}
