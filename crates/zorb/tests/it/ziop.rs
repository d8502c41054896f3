//! Compressed messages between ORBs: which are compressed, and what becomes of those that must not be accepted.
#![cfg(feature = "ziop")]
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use zorb::cdr::ByteOrder;
use zorb::giop::{ComponentBody, IiopProfile, Policies as Component};
use zorb::poa::PoaPolicies;
use zorb::policy::{BidirectionalPolicy, Policies, RelativeRoundtripTimeout};
use zorb::ziop::{
    CompressionEnabling, CompressionLowValue, CompressionMinRatio, CompressorId, CompressorIdLevel,
    CompressorIdLevelList, enabled,
};
use zorb::{Interface, Orb, OrbBuilder};
use zorb_testkit::until;

use crate::support::{Adder, Servant};

#[cfg(feature = "zstd")]
mod zstd;

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

/// The octets that pass between a client and a server.
#[derive(Default)]
struct Counts {
    forth: AtomicU64,
    back: AtomicU64,
}

impl Counts {
    /// Those since this was last asked: to the server, and back.
    fn take(&self) -> (u64, u64) {
        (self.forth.swap(0, Ordering::SeqCst), self.back.swap(0, Ordering::SeqCst))
    }
}

/// Listens, and passes on to `port`, as long as the process lives.
fn counting(port: u16) -> (u16, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let counts = Arc::new(Counts::default());
    let shared = Arc::clone(&counts);
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)));
            let server = server.unwrap();
            let ends = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (forth, back) = (Arc::clone(&shared), Arc::clone(&shared));
            thread::spawn(move || pass(client, ends.1, &forth.forth));
            thread::spawn(move || pass(server, ends.0, &back.back));
        }
    });
    (own, counts)
}

fn pass(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64) {
    let mut buffer = [0; 8192];
    while let Ok(received @ 1..) = from.read(&mut buffer) {
        count.fetch_add(received as u64, Ordering::SeqCst);
        if to.write_all(&buffer[..received]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// A server with these policies, and its object behind a relay that counts.
struct Served {
    orb: Orb,
    adder: String,
    counts: Arc<Counts>,
}

fn serve(builder: OrbBuilder, policies: Policies) -> Served {
    let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
    let mut of_adapter = PoaPolicies::new();
    of_adapter.others = policies;
    let adapter = orb.root_poa().create("compressing", of_adapter).unwrap();
    adapter.manager().activate().unwrap();
    let adder: Adder = adapter.activate(Servant).unwrap();
    let mut ior = adder.object().ior().clone();
    let profile = &mut ior.profiles[0];
    let mut address = IiopProfile::decode(&profile.data).unwrap();
    let (port, counts) = counting(address.port);
    address.port = port;
    profile.data = address.encode(ByteOrder::NATIVE).unwrap().data;
    Served { orb, adder: ior.to_stringified().unwrap(), counts }
}

fn client(builder: OrbBuilder, policies: &Policies, server: &Served) -> (Orb, Adder) {
    let orb = builder.build().unwrap();
    orb.policy_manager().add(policies).unwrap();
    let adder = orb.resolve(&server.adder).unwrap();
    (orb, adder)
}

static LARGE: [u8; 100_000] = [7; 100_000];

#[test]
fn both_sides_must_permit_it() {
    for (of_server, of_client, compresses) in [
        (enabled(), enabled(), true),
        (enabled(), Policies::new().with(CompressionEnabling(true)), true),
        (enabled(), Policies::new(), false),
        (Policies::new(), enabled(), false),
        (enabled().with(CompressionEnabling(false)), enabled(), false),
        (enabled(), enabled().with(CompressionEnabling(false)), false),
        (enabled(), enabled().with(list(&[CompressorId::BZIP2])), false),
        (enabled().with(list(&[CompressorId::GZIP])), enabled(), false),
        (enabled(), enabled().with(list(&[CompressorId::BZIP2, CompressorId::ZLIB])), true),
    ] {
        let server = serve(builder(), of_server);
        let (orb, adder) = client(builder(), &of_client, &server);
        for _ in 0..3 {
            assert_eq!(adder.mirror(&LARGE).unwrap(), LARGE);
            let (forth, back) = server.counts.take();
            assert_eq!((forth < 2_000, back < 2_000), (compresses, compresses), "{forth} {back}");
        }
        orb.shutdown(true).unwrap();
        server.orb.shutdown(true).unwrap();
    }
}

fn list(ids: &[CompressorId]) -> CompressorIdLevelList {
    CompressorIdLevelList(
        ids.iter().map(|id| CompressorIdLevel { compressor: *id, level: 6 }).collect(),
    )
}

#[test]
fn adapters_inherit_the_policies_and_references_contain_them() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    orb.policy_manager().add(&enabled()).unwrap();
    let adapter = orb.root_poa().create("inheriting", PoaPolicies::new()).unwrap();
    let own = PoaPolicies::new().with(CompressionEnabling(false));
    let own = orb.root_poa().create("own", own).unwrap();
    assert_eq!(own.policies().others.value(), Some(&CompressionEnabling(false)));
    let adder: Adder = adapter.activate(Servant).unwrap();
    let profile = &adder.object().ior().profiles[0];
    let profile = IiopProfile::decode(&profile.data).unwrap();
    let policies = profile.components.iter().find(|it| it.tag == Component::TAG).unwrap();
    let policies = policies.body::<Component>().unwrap().unwrap().0;
    assert_eq!(policies.iter().map(|it| it.policy_type).collect::<Vec<_>>(), [64, 65]);
    orb.shutdown(true).unwrap();
}

#[test]
fn each_level_of_a_client_decides() {
    let server = serve(builder(), enabled());
    let (orb, adder) = client(builder(), &Policies::new(), &server);
    let is_compressed = |adder: &Adder| {
        adder.mirror(&LARGE).unwrap();
        server.counts.take().0 < 2_000
    };
    assert!(!is_compressed(&adder));
    let compressing: Adder = Adder::from_object(adder.object().with_policies(&enabled()).unwrap());
    assert!(is_compressed(&compressing) && !is_compressed(&adder));
    orb.policy_current().add(&enabled()).unwrap();
    assert!(is_compressed(&adder));
    let off = Policies::new().with(CompressionEnabling(false));
    let off = Adder::from_object(adder.object().with_policies(&off).unwrap());
    assert!(!is_compressed(&off));
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}

#[test]
fn thresholds_decide_what_is_compressed() {
    let server = serve(builder(), enabled());
    let (orb, adder) = client(builder(), &enabled(), &server);
    adder.mirror(&[1; 800]).unwrap();
    let (forth, back) = server.counts.take();
    assert!(forth > 800 && back > 800, "a small message");
    let low = Policies::new().with(CompressionLowValue(10_000_000));
    let high = Adder::from_object(adder.object().with_policies(&low).unwrap());
    high.mirror(&LARGE).unwrap();
    let (forth, back) = server.counts.take();
    assert!(forth > 100_000 && back < 2_000, "the server has its own threshold");
    let none = Policies::new().with(CompressionMinRatio(0.000_1));
    let none = Adder::from_object(adder.object().with_policies(&none).unwrap());
    none.mirror(&LARGE).unwrap();
    assert!(server.counts.take().0 > 100_000, "it does not become small enough");
    // It is the ORB's, not an adapter's.
    assert!(
        server.orb.root_poa().create("x", PoaPolicies::new().with(CompressionLowValue(1))).is_err()
    );
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}

#[test]
fn fragments_end_times_and_bidirectional_connections_are_compressed_too() {
    let server = serve(builder(), enabled().with(BidirectionalPolicy::Both));
    let policies = enabled()
        .with(RelativeRoundtripTimeout(std::time::Duration::from_secs(600)))
        .with(BidirectionalPolicy::Both);
    let of_client = builder().option("FragmentSize", "3000").option("SendEndTimes", "all");
    let (orb, adder) = client(of_client, &policies, &server);
    let data: Vec<u8> = (0..500_000_u32).map(|number| (number / 100) as u8).collect();
    assert_eq!(adder.mirror(&data).unwrap(), data);
    let (forth, back) = server.counts.take();
    assert!(forth < 200_000 && back < 100_000, "{forth} {back}");
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}

#[test]
fn many_threads_share_a_compressed_connection() {
    let server = serve(builder(), enabled());
    let of_client =
        builder().option("MaxConnectionsPerEndpoint", "1").option("MaxCallsPerConnection", "16");
    let (orb, adder) = client(of_client, &enabled(), &server);
    thread::scope(|scope| {
        for number in 0..8_u8 {
            let adder = &adder;
            scope.spawn(move || {
                for size in (0..60).map(|step| step * 701) {
                    let data = vec![number; size];
                    assert_eq!(adder.mirror(&data).unwrap(), data);
                    assert_eq!(adder.add(number.into(), 1).unwrap(), i32::from(number) + 1);
                }
            });
        }
    });
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}

#[test]
fn messages_above_the_receiver_s_limits_end_the_connection() {
    let large = vec![0; 3 << 20];
    for (option, value) in [("MaxMessageSize", "1000000"), ("ZiopMaxRatio", "50")] {
        let limited = || builder().option(option, value);
        // The server refuses the request, or the client the reply.
        for (of_server, of_client) in [(limited(), builder()), (builder(), limited())] {
            let server = serve(of_server, enabled());
            let (orb, adder) = client(of_client, &enabled(), &server);
            let failed = adder.mirror(&large).unwrap_err();
            assert_eq!(failed.kind, zorb::SystemExceptionKind::CommFailure, "{failed}");
            assert_eq!(failed.completed, zorb::CompletionStatus::Maybe, "{failed}");
            // The next connection works.
            assert_eq!(adder.mirror(&[1; 2_000]).unwrap(), [1; 2_000]);
            orb.shutdown(true).unwrap();
            server.orb.shutdown(true).unwrap();
        }
    }
}

/// The octets of a compressed request with this argument.
fn compressed_request(server: &Served, argument: &[u8]) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut ior =
        builder().build().unwrap().resolve::<Adder>(&server.adder).unwrap().object().ior().clone();
    let profile = &mut ior.profiles[0];
    let mut address = IiopProfile::decode(&profile.data).unwrap();
    address.port = listener.local_addr().unwrap().port();
    profile.data = address.encode(ByteOrder::NATIVE).unwrap().data;
    let orb = builder().build().unwrap();
    orb.policy_manager().add(&enabled()).unwrap();
    let adder: Adder = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| adder.mirror(argument));
        let (mut server, _) = listener.accept().unwrap();
        let mut request = vec![0; 12];
        server.read_exact(&mut request).unwrap();
        let size = request[8..12].try_into().map(u32::from_ne_bytes).unwrap();
        request.resize(12 + size as usize, 0);
        server.read_exact(&mut request[12..]).unwrap();
        // The call ends with its connection, and is not repeated.
        drop((server, listener));
        call.join().unwrap().unwrap_err();
        request
    })
}

/// Whether the server has not closed the connection, which does not block.
fn is_open(mut client: &TcpStream) -> bool {
    match client.read(&mut [0; 64]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    }
}

#[test]
fn bombs_of_many_clients_share_the_memory_for_messages() {
    const BOMBS: usize = 20;
    let large = vec![0; 2 << 20];
    // One address has half of this.
    let server = serve(builder().option("MaxBufferedOctets", "33554432"), enabled());
    let bomb = compressed_request(&server, &large);
    assert!(bomb.starts_with(b"ZIOP") && bomb.len() < 4_000, "{}", bomb.len());
    let address = server.orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    // All but the end, so that each remains in memory.
    let clients: Vec<_> = (0..BOMBS)
        .map(|_| {
            let mut client = TcpStream::connect(&address).unwrap();
            client.write_all(&bomb[..bomb.len() - 4]).unwrap();
            client.set_nonblocking(true).unwrap();
            client
        })
        .collect();
    until(|| clients.iter().filter(|client| is_open(client)).count() <= 8);
    // The others have the rest.
    assert!(clients.iter().any(is_open));
    let (orb, adder) = client(builder(), &enabled(), &server);
    assert_eq!(adder.add(2, 3).unwrap(), 5);
    drop(clients);
    until(|| adder.mirror(&large).is_ok_and(|mirrored| mirrored == large));
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}
