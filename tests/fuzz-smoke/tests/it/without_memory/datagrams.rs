//! Servers over datagrams, which have one-way calls only.

use std::net::UdpSocket;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_giop::ResponseFlags;
use zorb_testkit::{in_own_process, until};
use zorb_udp::MAX_DATAGRAM;

use super::requests::{all, note};
use super::servers::serve;
use super::without_each_block;

/// After this time a short datagram is sent again: any may be lost.
const AGAIN: Duration = Duration::from_secs(5);

#[test]
fn a_datagram_without_memory_for_a_part_of_it_is_lost_alone() {
    let name =
        "without_memory::datagrams::a_datagram_without_memory_for_a_part_of_it_is_lost_alone";
    in_own_process(name, || {
        let server = serve("diop://127.0.0.1:0");
        let diop = server.orb.protocols().by_scheme("diop").unwrap();
        let key = diop.decode_profile(&server.object.ior().profiles[0]).unwrap().object_key;
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(server.orb.endpoints()[0].trim_start_matches("diop://")).unwrap();
        let (mut runs, mut number) = (0, 0_u64);
        for (name, request) in all(&key, ResponseFlags::NoResponse) {
            // Fragments and longer messages are not for datagrams.
            if request.len() > MAX_DATAGRAM {
                continue;
            }
            runs += without_each_block(
                &name,
                || {},
                |(), run| {
                    client.send(&request).unwrap();
                    number += 1;
                    let short = note(&key, &number.to_string());
                    let mut sent = None;
                    until(|| {
                        if sent.is_none_or(|at: Instant| at.elapsed() > AGAIN) {
                            client.send(&short).unwrap_or_else(|error| panic!("{run}: {error}"));
                            sent = Some(Instant::now());
                        }
                        server.noted.load(Ordering::SeqCst) == number
                    });
                },
            );
        }
        println!("{runs} runs");
        assert!(runs > 100, "{runs}");
        server.orb.shutdown(true).unwrap();
    });
}
