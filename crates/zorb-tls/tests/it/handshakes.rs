//! Which peers are admitted or rejected, and what both sides report.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Authority, Certified};
use zorb_tls::{ClientCertificates, Pem, Settings, Tls, TlsTransport};
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, ListenOptions, Stream,
    Transport,
};

/// Settings with the certificate `own`, which trust `authority`.
fn settings(own: Option<&Certified>, authority: &Authority) -> Settings {
    let settings = Settings::new().roots(Pem::text(authority.certificate()));
    match own {
        Some(own) => settings.certificate(Pem::text(&own.certificate), Pem::text(&own.key)),
        None => settings,
    }
}

fn transport(settings: Settings) -> TlsTransport {
    TlsTransport::new(settings.build().unwrap()).unwrap()
}

fn listen(server: &TlsTransport) -> Arc<dyn Acceptor> {
    server.listen("127.0.0.1:0", &ListenOptions::default()).unwrap()
}

fn connect(client: &TlsTransport, endpoint: &Endpoint) -> Result<Arc<dyn Stream>, ConnectError> {
    client.connect(endpoint, &ConnectOptions::with_timeout(Some(Duration::from_secs(300))))
}

/// The result at each side. A client learns only by reading whether it is admitted: by then it has
/// sent `ping` and received `pong`.
fn meet(server: Settings, client: Settings) -> (io::Result<Arc<dyn Stream>>, io::Result<()>) {
    let acceptor = listen(&transport(server));
    let client = transport(client);
    thread::scope(|scope| {
        let serving = scope.spawn(|| {
            let stream = acceptor.accept().unwrap();
            stream.establish()?;
            assert_eq!(stream.recv(&mut [0; 8])?, 4);
            stream.send_all(b"pong")?;
            Ok(stream)
        });
        let called = connect(&client, acceptor.endpoint())
            .map_err(|error| {
                assert_eq!(error.phase(), ConnectPhase::Setup);
                io::Error::new(error.kind(), error.to_string())
            })
            .and_then(|stream| {
                stream.send_all(b"ping")?;
                assert_eq!(stream.recv(&mut [0; 8])?, 4);
                Ok(())
            });
        (serving.join().unwrap(), called)
    })
}

/// An authority, and a server with one of its certificates that requires one of its clients. The
/// clients use the server's own, which is valid for both.
fn listening() -> (Authority, Certified, Arc<dyn Acceptor>) {
    let authority = Authority::new("authority");
    let own = authority.server();
    let acceptor = listen(&transport(settings(Some(&own), &authority)));
    (authority, own, acceptor)
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: io::Result<T>, why: &str) {
    let error = outcome.unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
}

#[test]
fn both_sides_know_each_other() {
    let authority = Authority::new("authority");
    let (server, client) = (authority.server(), authority.client());
    let (served, called) =
        meet(settings(Some(&server), &authority), settings(Some(&client), &authority));
    called.unwrap();
    let identity = served.unwrap().peer_identity().unwrap();
    assert_eq!(identity.subject(), r"CN=console,O=Zorb\, tests");
    assert_eq!(identity.names(), ["dns:console.example.com"]);
    assert_eq!(identity.chain(), [client.der]);
    assert_eq!(identity.fingerprint().len(), 64);
    assert!(identity.has_name(&format!("sha256:{}", identity.fingerprint())));
}

#[test]
fn a_client_knows_its_server_too() {
    let (authority, own, acceptor) = listening();
    let client = transport(settings(Some(&own), &authority));
    thread::scope(|scope| {
        scope.spawn(|| acceptor.accept().unwrap().establish().unwrap());
        let stream = connect(&client, acceptor.endpoint()).unwrap();
        let identity = stream.peer_identity().unwrap();
        assert_eq!(identity.names(), ["dns:localhost", "ip:127.0.0.1", "ip:::1"]);
    });
}

#[test]
fn a_server_of_another_authority_is_rejected() {
    let (known, other) = (Authority::new("known"), Authority::new("other"));
    let (served, called) =
        meet(settings(Some(&other.server()), &known), settings(Some(&known.client()), &known));
    assert_refused(called, r"the certificate of CN=server,O=Zorb\, tests was rejected");
    assert_refused(served, "it does not trust the authority that signed it");
}

#[test]
fn a_server_of_another_name_is_rejected() {
    let authority = Authority::new("authority");
    let elsewhere = authority.signs("elsewhere", &["elsewhere.example.com"]);
    let client = || settings(Some(&elsewhere), &authority);
    let (_, called) = meet(settings(Some(&elsewhere), &authority), client());
    assert_refused(called, "CN=elsewhere");
    // Unless that name is expected.
    let client = client().server_name("elsewhere.example.com");
    let (served, called) = meet(settings(Some(&elsewhere), &authority), client);
    called.unwrap();
    served.unwrap();
}

#[test]
fn expired_certificates_are_rejected_on_either_side() {
    let authority = Authority::new("authority");
    let (good, old) = (authority.server(), authority.signs_outdated("old"));
    let (served, called) =
        meet(settings(Some(&old), &authority), settings(Some(&good), &authority));
    assert_refused(called, "CN=old");
    assert_refused(served, "it has expired");
    let (served, called) =
        meet(settings(Some(&good), &authority), settings(Some(&old), &authority));
    assert_refused(served, "CN=old");
    assert_refused(called, "it has expired");
}

#[test]
fn servers_may_require_client_certificates() {
    use ClientCertificates::{NotRequested, Optional, Required};
    let authority = Authority::new("authority");
    let (own, client) = (authority.server(), authority.client());
    let server = |asks| settings(Some(&own), &authority).client_certificates(asks);
    let nobody = || settings(None, &authority);

    let (served, called) = meet(server(Required), nobody());
    assert_refused(served, "the peer sent no certificate");
    assert_refused(called, "it requires one, and none was sent; set SsliopCertificate");
    for asks in [Optional, NotRequested] {
        let (served, called) = meet(server(asks), nobody());
        called.unwrap();
        assert_eq!(served.unwrap().peer_identity(), None);
    }
    for (asks, seen) in [(Optional, true), (NotRequested, false)] {
        let (served, called) = meet(server(asks), settings(Some(&client), &authority));
        called.unwrap();
        assert_eq!(served.unwrap().peer_identity().is_some(), seen);
    }
    // A certificate that is sent must be valid.
    let stranger = Authority::new("other").client();
    let (served, called) = meet(server(Optional), settings(Some(&stranger), &authority));
    assert_refused(served, "CN=console");
    assert_refused(called, "the peer rejected this side's certificate");
}

/// In TLS 1.3, a client learns after the handshake that its server does not let it in.
#[test]
fn a_failed_send_without_waiting_says_why_the_peer_ended_the_connection() {
    let (authority, _, acceptor) = listening();
    let client = transport(settings(None, &authority));
    thread::scope(|scope| {
        let serving = scope.spawn(|| acceptor.accept().unwrap().establish().unwrap_err());
        let stream = connect(&client, acceptor.endpoint()).unwrap();
        serving.join().unwrap();
        let error = loop {
            if let Err(error) = stream.try_send(b"ping") {
                break error;
            }
        };
        assert_refused::<()>(Err(error), "it requires one, and none was sent");
    });
}

#[test]
fn only_listed_clients_are_admitted() {
    let authority = Authority::new("authority");
    let (own, client) = (authority.server(), authority.client());
    let server = || settings(Some(&own), &authority);
    let call = |server| meet(server, settings(Some(&client), &authority));
    for name in ["dns:console.example.com", r"CN=console,O=Zorb\, tests"] {
        let (served, called) = call(server().allow("dns:other.example.com").allow(name));
        called.unwrap();
        served.unwrap();
    }
    let (served, called) = call(server().allow("dns:other.example.com"));
    assert_refused(served, "CN=console");
    assert_refused(called, "its holder is not admitted");

    let (served, called) = call(server().admit(|client| client.subject().contains("console")));
    called.unwrap();
    served.unwrap();
    let (served, called) = call(server().admit(|_| false));
    assert_refused(served, "CN=console");
    assert_refused(called, "its holder is not admitted");
}

#[test]
fn settings_that_cannot_work_say_which_and_why() {
    let (authority, other) = (Authority::new("authority"), Authority::new("other"));
    let own = authority.server();
    let pem = |text: &str| Pem::text(text);
    let both = || settings(Some(&own), &authority);
    let cases: [(Settings, &[&str]); 8] = [
        (Settings::new().roots(Pem::file("/no/such/ca.pem")), &["roots", "/no/such/ca.pem"]),
        (Settings::new().roots(pem("nothing")), &["roots", "no certificate in PEM"]),
        (Settings::new().certificate(pem(&own.certificate), pem("")), &["key", "no private key"]),
        (Settings::new().certificate(pem(&own.key), pem(&own.key)), &["no certificate in PEM"]),
        (
            both().certificate(pem(&own.certificate), pem(&other.server().key)),
            &["given as text", "the key is not that of the certificate"],
        ),
        (
            Settings::new().certificate(pem(&own.certificate), pem(&own.key)),
            &["roots", "certificates of clients"],
        ),
        (
            both().client_certificates(ClientCertificates::Optional).allow("dns:a"),
            &["the list of admitted clients", "required"],
        ),
        (
            both().client_certificates(ClientCertificates::NotRequested).admit(|_| true),
            &["the list of admitted clients"],
        ),
    ];
    for (settings, said) in cases {
        let error = settings.build().unwrap_err().to_string();
        assert!(said.iter().all(|part| error.contains(part)), "{error}");
    }
    // Missing certificates and roots are errors only where they are needed.
    let nothing = transport(Settings::new());
    let error = nothing.listen("127.0.0.1:0", &ListenOptions::default()).unwrap_err();
    assert!(error.hint().unwrap().contains("SsliopCertificate"));
    let acceptor = listen(&transport(both()));
    let error = connect(&nothing, acceptor.endpoint()).unwrap_err();
    assert!(error.hint().unwrap().contains("SsliopRoots"), "{error}");
}

#[test]
fn renewed_certificates_are_used_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new("authority");
    let (own, key) = authority.server().write(folder.path(), "server");
    let roots = authority.write(folder.path());
    let tls: Tls = Settings::new()
        .certificate(Pem::file(&own), Pem::file(&key))
        .roots(Pem::file(&roots))
        .build()
        .unwrap();
    let server = TlsTransport::new(tls.clone()).unwrap();
    let acceptor = listen(&server);
    let client = transport(settings(Some(&authority.client()), &authority));
    let subject = || {
        thread::scope(|scope| {
            let serving = scope.spawn(|| {
                let stream = acceptor.accept().unwrap();
                stream.establish().map(|()| stream)
            });
            let stream = connect(&client, acceptor.endpoint()).unwrap();
            let server = serving.join().unwrap().unwrap();
            (stream.peer_identity().unwrap().subject().to_owned(), stream, server)
        })
    };
    let (first, stream, server_side) = subject();
    assert!(first.starts_with("CN=server,"), "{first}");

    authority.signs("renewed", &["127.0.0.1"]).write(folder.path(), "server");
    assert!(subject().0.starts_with("CN=renewed,"));
    // Existing connections continue.
    stream.send_all(b"x").unwrap();
    assert_eq!(server_side.recv(&mut [0; 4]).unwrap(), 1);

    // A certificate without its key is not used, and reported on request.
    let next = authority.signs("next one", &["127.0.0.1"]);
    std::fs::write(&own, &next.certificate).unwrap();
    assert!(subject().0.starts_with("CN=renewed,"));
    let error = tls.reload().unwrap_err().to_string();
    assert!(error.contains("server.pem"), "{error}");
    std::fs::write(&key, &next.key).unwrap();
    tls.reload().unwrap();
    assert!(subject().0.starts_with("CN=next one,"));
}

#[test]
fn silent_clients_delay_nobody_and_time_out() {
    let authority = Authority::new("authority");
    let own = authority.server();
    let limit = Duration::from_millis(200);
    let server = settings(Some(&own), &authority).handshake_timeout(limit);
    let acceptor = listen(&transport(server));
    let address = acceptor.endpoint().address().to_owned();
    let mut silent = TcpStream::connect(&address).unwrap();
    // A silent client does not delay `accept`.
    let stream = acceptor.accept().unwrap();
    let began = Instant::now();
    let error = stream.establish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(began.elapsed() >= limit);
    assert!(stream.establish().is_err(), "the handshake failed");
    assert_eq!(silent.read(&mut [0; 16]).unwrap_or(0), 0);
    // A slow client gets no more time: an octet does not restart the limit.
    let mut slow = TcpStream::connect(&address).unwrap();
    let stream = acceptor.accept().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A long record that is announced and never completed.
            let _ = slow.write_all(&[22, 3, 1, 0x20, 0]);
            while slow.write_all(&[1]).is_ok() {
                thread::yield_now();
            }
        });
        assert!(stream.establish().is_err());
        drop(stream);
    });
}

#[test]
fn garbage_is_an_error() {
    let (authority, _, acceptor) = listening();
    let address = acceptor.endpoint().address().to_owned();
    for garbage in
        [&b"GIOP\x01\x02\x01\x00\x00\x00\x00\x00"[..], &[0; 70_000], &[22, 3, 1, 0, 1, 9]]
    {
        let mut peer = TcpStream::connect(&address).unwrap();
        let stream = acceptor.accept().unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                let _ = peer.write_all(garbage);
                let _ = peer.shutdown(Shutdown::Write);
                let _ = peer.read_to_end(&mut Vec::new());
            });
            let error = stream.establish().unwrap_err();
            assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}");
        });
        // Nothing can be sent, since it would not be encrypted.
        assert!(stream.send_all(b"secret").is_err());
        assert!(stream.recv(&mut [0; 8]).is_err());
    }
    // A client reports a server that does not speak TLS.
    let (plain, endpoint) = plain();
    let client = transport(settings(None, &authority));
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut peer, _) = plain.accept().unwrap();
            let _ = peer.write_all(b"GIOP\x01\x02\x01\x06\x00\x00\x00\x00");
            let _ = peer.read_to_end(&mut Vec::new());
        });
        let error = connect(&client, &endpoint).unwrap_err();
        assert!(error.hint().unwrap().contains("does the server speak TLS"), "{error}");
    });
}

/// A socket without TLS, and its endpoint for clients that expect TLS.
fn plain() -> (TcpListener, Endpoint) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("ssliop://{}", socket.local_addr().unwrap()).parse().unwrap();
    (socket, endpoint)
}

/// An attacker between a client and a server, who forwards the server's octets, and the client's
/// records after `change` has modified them. When `change` returns false, the attacker ends the
/// direction as if the client had nothing more to send.
fn in_between(between: &TcpListener, server: &str, change: impl Fn(&mut [u8]) -> bool) {
    let (mut from, _) = between.accept().unwrap();
    let mut to = TcpStream::connect(server).unwrap();
    let (mut back_from, mut back_to) = (to.try_clone().unwrap(), from.try_clone().unwrap());
    let back = thread::spawn(move || {
        let _ = io::copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(Shutdown::Both);
    });
    let mut header = [0; 5];
    while from.read_exact(&mut header).is_ok() {
        let mut record = header.to_vec();
        record.resize(5 + usize::from(u16::from_be_bytes([header[3], header[4]])), 0);
        from.read_exact(&mut record[5..]).unwrap();
        if !change(&mut record) || to.write_all(&record).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    back.join().unwrap();
}

/// The octets of a TLS 1.3 record around its content: header, kind, tag.
const AROUND: usize = 5 + 1 + 16;

#[test]
fn a_truncated_connection_is_an_error() {
    let (authority, own, acceptor) = listening();
    let server = acceptor.endpoint().address().to_owned();
    let (between, endpoint) = plain();
    let client = transport(settings(Some(&own), &authority));
    thread::scope(|scope| {
        // `close_notify` is an alert of two octets.
        scope.spawn(|| in_between(&between, &server, |record| record.len() != 2 + AROUND));
        let serving = scope.spawn(|| {
            let stream = acceptor.accept().unwrap();
            let mut buffer = [0; 64];
            let count = stream.recv(&mut buffer).unwrap();
            (count, stream.recv(&mut buffer).unwrap_err())
        });
        let stream = connect(&client, &endpoint).unwrap();
        stream.send_all(&[7; 32]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let (count, error) = serving.join().unwrap();
        assert_eq!((count, error.kind()), (32, ErrorKind::UnexpectedEof));
        assert!(error.to_string().contains("close_notify"), "{error}");
    });
}

#[test]
fn modified_records_end_the_connection() {
    let (authority, own, acceptor) = listening();
    let server = acceptor.endpoint().address().to_owned();
    let (between, endpoint) = plain();
    let client = transport(settings(Some(&own), &authority));
    thread::scope(|scope| {
        scope.spawn(|| {
            in_between(&between, &server, |record| {
                // The message. The records of the handshake have other sizes.
                if record.len() == 7777 + AROUND {
                    record[500] ^= 1;
                }
                true
            });
        });
        let serving = scope.spawn(|| {
            let stream = acceptor.accept().unwrap();
            stream.establish().unwrap();
            let first = stream.recv(&mut [0; 2048]).unwrap_err();
            (first, stream.recv(&mut [0; 2048]).is_err())
        });
        let stream = connect(&client, &endpoint).unwrap();
        stream.send_all(&[7; 7777]).unwrap();
        let (error, stays) = serving.join().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        assert!(stays, "the stream stays broken");
        assert!(stream.recv(&mut [0; 8]).is_err());
    });
}
