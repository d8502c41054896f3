//! Servers over datagrams, which have one-way calls only.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb::Orb;
use zorb_giop::{ResponseFlags, TargetAddress};
use zorb_testkit::{in_own_process, until};
use zorb_udp::MAX_DATAGRAM;
use zorb_udp::miop::packet::packets;

use super::requests::{all, group, note, to_group};
use super::servers::{Server, serve, serve_by};
use super::without_each_block;

/// After this time a short message is sent again: any datagram may be lost.
const AGAIN: Duration = Duration::from_secs(5);
/// The octets of messages to a group in a packet: several packets make a message, and memory for one may be refused.
const PAYLOAD: usize = 30_000;

/// Sends each message without each block in turn, and after it a short one, which arrives.
fn check(
    server: &Server,
    messages: &[(String, Vec<u8>)],
    short: impl Fn(&str) -> Vec<u8>,
    mut send: impl FnMut(&[u8]),
) {
    let (mut runs, mut number) = (0, 0_u64);
    let mut arrives = |send: &mut dyn FnMut(&[u8])| {
        number += 1;
        let short = short(&number.to_string());
        let mut sent = None;
        until(|| {
            if sent.is_none_or(|at: Instant| at.elapsed() > AGAIN) {
                send(&short);
                sent = Some(Instant::now());
            }
            server.noted.load(Ordering::SeqCst) == number
        });
    };
    // From now on the socket is served.
    arrives(&mut send);
    for (name, message) in messages {
        runs += without_each_block(
            name,
            || {},
            |(), _| {
                send(message);
                arrives(&mut send);
            },
        );
    }
    println!("{runs} runs");
    assert!(runs > 100, "{runs}");
}

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
        let mut messages = all(&key, ResponseFlags::NoResponse);
        // Fragments and longer messages are not for datagrams.
        messages.retain(|(_, message)| message.len() <= MAX_DATAGRAM);
        let short = |text: &str| note(TargetAddress::Key(&key), text);
        check(&server, &messages, short, |message| {
            client.send(message).unwrap();
        });
        server.orb.shutdown(true).unwrap();
    });
}

#[test]
fn a_message_to_a_group_without_memory_for_a_part_of_it_is_lost_alone() {
    let name = "without_memory::datagrams::\
                a_message_to_a_group_without_memory_for_a_part_of_it_is_lost_alone";
    in_own_process(name, || {
        let server = serve_by(
            Orb::builder()
                .without_environment()
                .listen("iiop://127.0.0.1:0")
                .option("MiopInterface", "127.0.0.1"),
        );
        // Nobody else gets its port; members of the group are bound to the address of the group.
        let holder = UdpSocket::bind("127.0.0.1:0").unwrap();
        let free = holder.local_addr().unwrap().port();
        let url = format!("corbaloc:miop:1.0@1.0-fuzz-1/239.255.82.1:{free}");
        let members = server.orb.string_to_object(&url).unwrap().unwrap();
        let root = server.orb.root_poa();
        root.associate(&members, &root.id_of(&server.object).unwrap()).unwrap();
        let profile = &members.ior().profiles[0].data;
        // Its address determines the interface, too.
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect((Ipv4Addr::new(239, 255, 82, 1), free)).unwrap();
        let (mut number, mut datagram) = (0_u64, Vec::new());
        let short = |text: &str| note(group(profile), text);
        let mut messages = to_group(profile);
        // Longer messages may not find room in the socket.
        messages.retain(|(_, message)| message.len() <= 4 * PAYLOAD);
        check(&server, &messages, short, |message| {
            number += 1;
            for packet in packets(message, &number.to_ne_bytes(), PAYLOAD) {
                packet.write_header(&mut datagram);
                datagram.extend_from_slice(packet.payload);
                client.send(&datagram).unwrap();
            }
        });
        server.orb.shutdown(true).unwrap();
    });
}
