//! Calls over TLS, from one ORB to another.
#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used)]

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::certificates::Authority;
use crate::support::{Adder, AdderServant};
use tempfile::TempDir;
use zorb::giop::{GiopLite, Ior, ProfileTag};
use zorb::tls::{Pem, Settings, SsliopProtocol};
use zorb::transport::Composed;
use zorb::{
    Caller, CompletionStatus, Interface as _, Orb, OrbBuilder, Result, SystemExceptionKind, minor,
};
use zorb::{ServiceDetailType, ServiceType};
use zorb_testkit::Log;

/// Files as an administrator lays them out.
struct Files {
    folder: TempDir,
    authority: Authority,
    roots: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("authority");
        let roots = authority.write(folder.path());
        authority.server().write(folder.path(), "server");
        authority.client().write(folder.path(), "client");
        Self { folder, authority, roots }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// An ORB that shows the certificate of `name`.
    fn builder(&self, name: &str) -> OrbBuilder {
        Orb::builder()
            .without_environment()
            .option("SsliopRoots", self.roots.to_str().unwrap())
            .option("SsliopCertificate", self.path(&format!("{name}.pem")))
            .option("SsliopKey", self.path(&format!("{name}.key")))
    }

    fn server(&self, urls: &[&str]) -> Server {
        Server::of(self.builder("server"), urls)
    }

    fn client(&self) -> Orb {
        self.builder("client").build().unwrap()
    }
}

/// Adds, and records the caller.
#[derive(Clone, Default)]
struct Noticing(Arc<Mutex<Option<String>>>);

impl AdderServant for Noticing {
    fn add(&self, left: i32, right: i32) -> Result<i32> {
        let caller = Caller::current().unwrap();
        caller.address().parse::<SocketAddr>().unwrap();
        *self.0.lock().unwrap() = caller.identity().map(|identity| identity.to_string());
        Ok(left + right)
    }

    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

struct Server {
    orb: Orb,
    adder: Adder,
    noticed: Noticing,
}

impl Server {
    fn of(builder: OrbBuilder, urls: &[&str]) -> Self {
        let builder = urls.iter().fold(builder, |builder, url| builder.listen(*url));
        let orb = builder.build().unwrap();
        let noticed = Noticing::default();
        let adder = orb.root_poa().activate(noticed.clone()).unwrap();
        Self { orb, adder, noticed }
    }

    fn ior(&self) -> &Ior {
        self.adder.object().ior()
    }

    /// The last caller.
    fn caller(&self) -> Option<String> {
        self.noticed.0.lock().unwrap().take()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

fn there(client: &Orb, ior: &Ior) -> zorb::Result<Adder, zorb::Error> {
    client.resolve(&ior.to_stringified().unwrap())
}

/// Why a call from there does not get through.
fn refusal(client: &Orb, ior: &Ior) -> zorb::Error {
    there(client, ior).unwrap().add(1, 2).unwrap_err().into()
}

#[test]
fn an_orb_with_tls_listens_by_tls_alone_unless_told_otherwise() {
    let files = Files::new();
    // As a server, and as a client that passes an object for callbacks.
    for name in ["server", "client"] {
        let orb = files.builder(name).build().unwrap();
        let _adder: Adder = orb.root_poa().activate(Noticing::default()).unwrap();
        let endpoints = orb.endpoints();
        assert!(matches!(&endpoints[..], [only] if only.starts_with("ssliop://")), "{endpoints:?}");
        orb.shutdown(true).unwrap();
    }
    // A client without a certificate cannot, and does not listen by plain TCP instead.
    let roots = Orb::builder().without_environment();
    let roots = roots.option("SsliopRoots", files.roots.to_str().unwrap());
    let orb = roots.build().unwrap();
    let failed = orb.root_poa().activate::<_, Adder>(Noticing::default()).unwrap_err();
    assert!(failed.to_string().contains("INITIALIZE"), "{failed}");
    assert!(orb.endpoints().is_empty());
    orb.shutdown(true).unwrap();
    let named = files.builder("server").option("ServerProtocols", "iiop").build().unwrap();
    let _adder: Adder = named.root_poa().activate(Noticing::default()).unwrap();
    assert!(named.endpoints()[0].starts_with("iiop://"));
    named.shutdown(true).unwrap();
}

/// Calls back the object whose reference it gets, and returns the sum of one and two.
struct CallsBack(Orb);

impl AdderServant for CallsBack {
    fn add(&self, left: i32, right: i32) -> Result<i32> {
        Ok(left + right)
    }

    fn mirror(&self, reference: &[u8]) -> Result<Vec<u8>> {
        let back: Adder = self.0.resolve(std::str::from_utf8(reference).unwrap()).unwrap();
        Ok(vec![u8::try_from(back.add(1, 2)?).unwrap()])
    }
}

#[test]
fn callbacks_to_a_client_with_tls_come_by_tls_alone() {
    let files = Files::new();
    let server = files.builder("server").listen("ssliop://127.0.0.1:0").build().unwrap();
    let calls: Adder = server.root_poa().activate(CallsBack(server.clone())).unwrap();
    // The server verifies that the certificate is for the address of its client.
    let host = {
        let orb = files.builder("client").build().unwrap();
        let _adder: Adder = orb.root_poa().activate(Noticing::default()).unwrap();
        let [only] = &orb.endpoints()[..] else { panic!("{:?}", orb.endpoints()) };
        let (host, _) = only.strip_prefix("ssliop://").unwrap().rsplit_once(':').unwrap();
        orb.shutdown(true).unwrap();
        host.trim_matches(['[', ']']).to_owned()
    };
    files.authority.signs("called back", &[&host]).write(files.folder.path(), "called back");
    let client = Server::of(files.builder("called back"), &[]);
    // Its only profile has the port of TLS in a component, and no port for TCP.
    let ior = client.ior();
    let ports: Vec<_> = ior.iiop_profiles().map(|profile| profile.port).collect();
    assert_eq!((ports, ior.profiles.len(), client.orb.endpoints().len()), (vec![0], 1, 1));
    let calls = there(&client.orb, calls.object().ior()).unwrap();
    let reference = ior.to_stringified().unwrap();
    assert_eq!(calls.mirror(reference.as_bytes()).unwrap(), [3]);
    assert!(client.caller().is_some());
    let plain = Orb::builder().without_environment().build().unwrap();
    there(&plain, ior).unwrap().add(1, 2).unwrap_err();
    assert_eq!(client.caller(), None);
    server.shutdown(true).unwrap();
}

#[test]
fn an_orb_with_tls_has_the_security_service_with_the_mechanism_ssl() {
    let files = Files::new();
    for name in ["server", "client"] {
        let orb = files.builder(name).build().unwrap();
        let security = orb.service_information(ServiceType::SECURITY).unwrap();
        assert_eq!(security.options, []);
        let [mechanism] = &security.details[..] else { panic!("{security:?}") };
        assert_eq!(mechanism.detail_type, ServiceDetailType(1));
        assert_eq!(mechanism.data, b"20");
        for other in [0, 2, u16::MAX] {
            assert_eq!(orb.service_information(ServiceType(other)), None);
        }
    }
    // SSLIOP is in the build, and nothing is configured for it.
    let without = Orb::builder().without_environment().build().unwrap();
    assert_eq!(without.service_information(ServiceType::SECURITY), None);
}

#[test]
fn a_call_reaches_the_servant_which_knows_who_calls() {
    let files = Files::new();
    let server = files.server(&["ssliop://127.0.0.1:0"]);
    assert!(server.orb.endpoints()[0].starts_with("ssliop://127.0.0.1:"));
    let client = files.client();
    let there = there(&client, server.ior()).unwrap();
    assert_eq!(there.add(20, 22).unwrap(), 42);
    assert_eq!(server.caller().as_deref(), Some(r"CN=console,O=Zorb\, tests"));
    let large: Vec<u8> = (0..3_000_000).map(|i| i as u8).collect();
    assert_eq!(there.mirror(&large).unwrap(), large);
    assert!(Caller::current().is_none(), "nobody calls this thread");
    server.orb.shutdown(true).unwrap();
    assert_eq!(there.add(1, 1).unwrap_err().kind, SystemExceptionKind::Transient);
}

#[test]
fn a_published_object_is_found_by_corbaloc() {
    let files = Files::new();
    let server = files.server(&["ssliop://127.0.0.1:0"]);
    server.orb.publish("adder", &server.adder).unwrap();
    let endpoint = server.orb.endpoints()[0].clone();
    let address = endpoint.trim_start_matches("ssliop://");
    let client = files.client();
    for url in [
        format!("corbaloc:ssliop:1.2@{address}/adder"),
        format!("corbaloc:ssliop:{address}/adder"),
        format!("corbaloc:iiop:127.0.0.1:1,ssliop:1.2@{address}/adder"),
    ] {
        assert_eq!(client.resolve::<Adder>(&url).unwrap().add(1, 2).unwrap(), 3, "{url}");
    }
}

#[test]
fn one_profile_tells_of_tls_and_of_plain_tcp() {
    let files = Files::new();
    for urls in [
        ["iiop://127.0.0.1:0", "uiop://", "ssliop://127.0.0.1:0"],
        ["ssliop://127.0.0.1:0", "iiop://127.0.0.1:0", "uiop://"],
    ] {
        let server = files.server(&urls);
        let tags: Vec<_> = server.ior().profiles.iter().map(|profile| profile.tag).collect();
        assert_eq!(tags, [ProfileTag::INTERNET_IOP, ProfileTag::TAO_UIOP]);
        let ior = Ior { profiles: vec![server.ior().profiles[0].clone()], ..server.ior().clone() };
        // Clients that support TLS use it; others use TCP.
        assert_eq!(there(&files.client(), &ior).unwrap().add(1, 2).unwrap(), 3);
        assert!(server.caller().is_some());
        let plain = Orb::builder().without_environment().build().unwrap();
        assert_eq!(there(&plain, &ior).unwrap().add(1, 2).unwrap(), 3);
        assert_eq!(server.caller(), None);
    }
}

#[test]
fn a_client_that_cannot_verify_the_server_does_not_fall_back_to_tcp() {
    let files = Files::new();
    let others = Files::new();
    for urls in [
        ["iiop://127.0.0.1:0", "ssliop://127.0.0.1:0"],
        // Two profiles: the hosts differ.
        ["iiop://localhost:0", "ssliop://127.0.0.1:0"],
    ] {
        let server = files.server(&urls);
        let error = refusal(&others.client(), server.ior());
        let text = format!("{error:?}");
        let exception = error.system_exception().unwrap();
        assert_eq!(exception.kind, SystemExceptionKind::NoPermission, "{text}");
        assert!(text.contains("CN=server") && text.contains("ssliop://"), "{text}");
        assert_eq!(server.caller(), None);
    }
}

#[test]
fn a_client_that_is_not_let_in_gets_no_permission() {
    let files = Files::new();
    let server = files.builder("server").option("SsliopAllow", "dns:other.example.com");
    let server = Server::of(server, &["ssliop://127.0.0.1:0"]);
    let error = refusal(&files.client(), server.ior());
    let text = format!("{error:?}");
    assert_eq!(error.system_exception().unwrap().kind, SystemExceptionKind::NoPermission, "{text}");
    assert!(text.contains("its holder is not admitted"), "{text}");
    // One without a certificate.
    let roots = files.roots.to_str().unwrap();
    let nobody = Orb::builder().without_environment().option("SsliopRoots", roots).build().unwrap();
    let error = format!("{:?}", refusal(&nobody, server.ior()));
    assert!(error.contains("none was sent"), "{error}");
    // One without roots, which it would take for granted what it meets.
    let unset = Orb::builder().without_environment().build().unwrap();
    let error = refusal(&unset, server.ior());
    assert!(error.hint().unwrap().contains("SsliopRoots"), "{error}");
    assert_eq!(server.caller(), None);
}

#[test]
fn a_program_sets_tls_up_itself() {
    let files = Files::new();
    let (server, client) = (files.authority.server(), files.authority.client());
    let settings = |own: &crate::certificates::Certified| {
        Settings::new()
            .certificate(Pem::text(&own.certificate), Pem::text(&own.key))
            .roots(Pem::text(files.authority.certificate()))
    };
    let orb = |settings: Settings| {
        let ssliop = SsliopProtocol::new(settings.build().unwrap()).unwrap();
        Orb::builder().without_environment().protocol(Arc::new(ssliop))
    };
    let admitting =
        settings(&server).admit(|client| client.dns_names().any(|n| n.ends_with(".com")));
    let server = Server::of(orb(admitting), &["ssliop://127.0.0.1:0"]);
    let client = orb(settings(&client)).build().unwrap();
    assert_eq!(there(&client, server.ior()).unwrap().add(1, 2).unwrap(), 3);
}

#[test]
fn other_messaging_goes_over_tls_with_the_same_options() {
    let files = Files::new();
    let lite = |builder: OrbBuilder| {
        let ssliop = SsliopProtocol::from_options().unwrap();
        let tag = ProfileTag(0x7a6c_736c);
        builder.protocol(Arc::new(Composed::new(&GiopLite, ssliop, tag)))
    };
    let urls = ["lite+ssliop://127.0.0.1:0", "ssliop://127.0.0.1:0", "iiop://127.0.0.1:0"];
    let server = Server::of(lite(files.builder("server")), &urls);
    // Its profile is its own; that of SSLIOP is one with that of IIOP.
    let tags: Vec<_> = server.ior().profiles.iter().map(|profile| profile.tag.0).collect();
    assert_eq!(tags, [0x7a6c_736c, ProfileTag::INTERNET_IOP.0]);
    let client = lite(files.builder("client")).build().unwrap();
    for profile in &server.ior().profiles {
        let alone = Ior { profiles: vec![profile.clone()], ..server.ior().clone() };
        assert_eq!(there(&client, &alone).unwrap().add(20, 22).unwrap(), 42);
        assert!(server.caller().is_some(), "over TLS, with a certificate");
    }
}

#[test]
fn options_that_cannot_work_are_told_of_when_the_orb_is_built() {
    let files = Files::new();
    let builder = || Orb::builder().without_environment();
    let missing = builder().option("SsliopRoots", "/no/such/ca.pem").build().unwrap_err();
    assert!(format!("{missing:?}").contains("/no/such/ca.pem"), "{missing}");
    let word = builder().option("SsliopClientCertificates", "maybe").build().unwrap_err();
    assert!(format!("{word:?}").contains("required, optional, none"), "{word}");
    let none = builder().listen("ssliop://127.0.0.1:0").build().unwrap_err();
    assert!(none.hint().unwrap().contains("SsliopCertificate"), "{none}");
    // The key is of another certificate.
    let builder = files.builder("server").option("SsliopKey", files.path("client.key"));
    let error = builder.build().unwrap_err();
    assert!(format!("{error:?}").contains("client.key"), "{error}");
}

#[test]
fn plain_endpoints_beside_tls_are_logged() {
    let files = Files::new();
    let warned = |builder: OrbBuilder, url: &str| {
        let log = Log::default();
        log.of(|| builder.listen(url).build().unwrap().shutdown(true).unwrap());
        log.lines().iter().any(|line| {
            line.level == tracing::Level::WARN
                && line.message.contains("without encryption, although ssliop is")
        })
    };
    let plain = || Orb::builder().without_environment();
    assert!(warned(files.builder("server"), "iiop://127.0.0.1:0"));
    assert!(!warned(files.builder("server"), "ssliop://127.0.0.1:0"));
    // Nobody on the network reaches it.
    assert!(!warned(files.builder("server"), "uiop://"));
    assert!(!warned(plain(), "iiop://127.0.0.1:0"));
}

#[test]
fn a_call_ends_on_time_where_its_server_stops_in_the_handshake() {
    const HASTY: Duration = Duration::from_millis(50);
    let files = Files::new();
    // Nothing, a part of a record's header, and one without an end.
    for part in [&[][..], &[22, 3, 3], &[22, 3, 3, 0x20, 0, 2]] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("corbaloc:ssliop:1.2@{}/silent", listener.local_addr().unwrap());
        // As long as the process lives: on a slow machine, a call may be late before it connects.
        thread::spawn(move || {
            for mut client in listener.incoming().map(Result::unwrap) {
                let _ = client.write_all(part);
                // Until the client has enough.
                let _ = io::copy(&mut client, &mut io::sink());
            }
        });
        let connects = files.builder("client").connect_timeout(HASTY).build().unwrap();
        let calls = files.client();
        let limits = [(&connects, None), (&calls, Some(HASTY))];
        let [connects_late, late] = limits.map(|(orb, limit)| {
            let adder = orb.string_to_object(&url).unwrap().unwrap();
            let adder = limit.map_or_else(|| adder.clone(), |limit| adder.with_timeout(limit));
            let failed = Adder::from_object(adder).add(1, 2).unwrap_err();
            assert_eq!(failed.completed, CompletionStatus::No, "{failed}");
            failed.minor
        });
        assert_eq!(connects_late, minor::transient::CONNECT_TIMED_OUT);
        assert_eq!(late, minor::timeout::CONNECT);
        // No thread is left.
        connects.shutdown(true).unwrap();
        calls.shutdown(true).unwrap();
    }
}
