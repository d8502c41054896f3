//! Zstandard: which calls use it, and what a server does that gets data compressed by it.

use super::*;

#[test]
fn calls_use_zstandard_where_both_sides_have_it() {
    // At level 0, zlib does not compress.
    let zlib = CompressorIdLevel { compressor: CompressorId::ZLIB, level: 0 };
    let both = list(&[CompressorId::ZSTD]).0.into_iter().chain([zlib]).collect();
    let (both, zlib) = (CompressorIdLevelList(both), CompressorIdLevelList(vec![zlib]));
    for (of_server, compresses) in [(&both, true), (&zlib, false)] {
        let of_server = enabled().with(of_server.clone());
        let server = serve(builder(), of_server.clone());
        // Replies are compressed as the ORB says.
        server.orb.policy_manager().add(&of_server).unwrap();
        let (orb, adder) = client(builder(), &enabled().with(both.clone()), &server);
        assert_eq!(adder.mirror(&LARGE).unwrap(), LARGE);
        let (forth, back) = server.counts.take();
        assert_eq!((forth < 2_000, back < 2_000), (compresses, compresses), "{forth} {back}");
        orb.shutdown(true).unwrap();
        server.orb.shutdown(true).unwrap();
    }
}

/// A server has the compressors of its adapters, a client those of its list that the reference contains.
#[test]
fn replies_may_use_another_compressor_than_requests() {
    let zstd = enabled().with(list(&[CompressorId::ZSTD]));
    let both = enabled().with(list(&[CompressorId::ZSTD, CompressorId::ZLIB]));
    // Replies are compressed as the ORB says, by zlib.
    let server = serve(builder(), both.clone());
    let (orb, adder) = client(builder(), &Policies::new(), &server);
    let with =
        |policies: &Policies| Adder::from_object(adder.object().with_policies(policies).unwrap());
    for (of_client, is_reply_compressed) in [(zstd, false), (both, true)] {
        assert_eq!(with(&of_client).mirror(&LARGE).unwrap(), LARGE);
        let (forth, back) = server.counts.take();
        assert_eq!((forth < 2_000, back < 2_000), (true, is_reply_compressed), "{forth} {back}");
    }
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}

/// The beginning of a request of 100 octets that is said to be compressed to 50.
const BEGINNING: [u8; 24] = *b"ZIOP\x01\x02\0\0\0\0\0\x3e\x5a\x53\0\0\0\0\0\x64\0\0\0\x32";

fn connect(server: &Served) -> TcpStream {
    let endpoint = &server.orb.endpoints()[0];
    TcpStream::connect(endpoint.trim_start_matches("iiop://")).unwrap()
}

#[test]
fn a_server_without_zstandard_in_its_policies_answers_with_message_error() {
    let server = serve(builder(), enabled());
    let mut client = connect(&server);
    client.write_all(&BEGINNING).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert_eq!((&answer[..4], answer[7], answer.len()), (&b"GIOP"[..], 6, 12));
    server.orb.shutdown(true).unwrap();
}

#[test]
fn beginnings_of_messages_hold_no_more_than_the_share_of_their_address() {
    // Each takes 640 KiB.
    let limited = builder().option("MaxBufferedOctetsPerPeer", "2000000");
    let server = serve(limited, enabled().with(list(&[CompressorId::ZSTD])));
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let mut client = connect(&server);
            client.write_all(&BEGINNING).unwrap();
            client.set_nonblocking(true).unwrap();
            client
        })
        .collect();
    until(|| clients.iter().filter(|client| is_open(client)).count() == 3);
    drop(clients);
    let (orb, adder) = client(builder(), &enabled().with(list(&[CompressorId::ZSTD])), &server);
    until(|| adder.mirror(&LARGE).is_ok_and(|mirrored| mirrored == LARGE));
    orb.shutdown(true).unwrap();
    server.orb.shutdown(true).unwrap();
}
