use std::io::Write;

use super::*;

fn pair() -> (Socket, Socket) {
    Socket::pair(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap()
}

fn offer(
    socket: &Socket,
    layout: Layout,
    buffers_layout: Option<BufferLayout>,
) -> io::Result<Offered> {
    Made::new(socket, layout, buffers_layout)?.offer(socket)
}

fn taken(socket: &Socket) -> io::Result<Taken> {
    take(socket, Duration::from_millis(1))
}

#[test]
fn an_offer_is_accepted() {
    let (server, client) = pair();
    let layout = Layout::new(8192, 1 << 16).unwrap();
    let (made, none) = offer(&server, layout, None).unwrap();
    let Taken { layout: found, memory, buffers } = taken(&client).unwrap();
    assert_eq!((found, memory.len()), (layout, made.len()));
    assert!(none.outgoing.is_none() && none.incoming.is_none());
    assert!(buffers.outgoing.is_none() && buffers.incoming.is_none());
    made.write(9000, b"same");
    let mut octets = [0; 4];
    memory.read(9000, &mut octets);
    assert_eq!(&octets, b"same");
}

#[cfg(feature = "buffers")]
#[test]
fn buffers_are_sent_after_the_rings() {
    let (server, client) = pair();
    let (layout, buffers_layout) =
        (Layout::new(4096, 4096).unwrap(), BufferLayout::new(2, 8192).unwrap());
    let (_, made) = offer(&server, layout, Some(buffers_layout)).unwrap();
    let found = taken(&client).unwrap().buffers;
    for Outgoing(buffers) in [found.outgoing.unwrap(), made.outgoing.unwrap()] {
        assert!(buffers.take(8192).is_some() && buffers.take(8193).is_none());
    }
    assert!(made.incoming.is_some() && found.incoming.is_some());
    // A server that announces them but does not send them.
    let memory = SharedMemory::create("zorb-test", 3 * 4096).unwrap();
    let mut hello = [&MAGIC[..], &4096_u32.to_le_bytes(), &4096_u32.to_le_bytes()].concat();
    hello.extend([2, 0, 0, 0, 0, 16, 0, 0]);
    send_descriptor(server.as_fd(), &hello, memory.as_fd()).unwrap();
    (&server).write_all(b"BUFFERS!").unwrap();
    assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::InvalidData);
    hello[16] = 65;
    send_descriptor(server.as_fd(), &hello, memory.as_fd()).unwrap();
    assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

/// The result at a client of this version, from a server that announces two buffers of a page
/// for what it receives and then sends `messages`, each with memory of that many octets.
#[cfg(feature = "buffers")]
fn taken_after(messages: &[(&[u8], usize)]) -> Result<Buffers, io::ErrorKind> {
    let (server, client) = pair();
    let memory = |len| SharedMemory::create("zorb-test", len).unwrap();
    let mut hello = [&MAGIC[..], &4096_u32.to_le_bytes(), &4096_u32.to_le_bytes()].concat();
    hello.extend([2, 0, 0, 0, 0, 16, 0, 0]);
    send_descriptor(server.as_fd(), &hello, memory(3 * 4096).as_fd()).unwrap();
    for (octets, len) in messages {
        send_descriptor(server.as_fd(), octets, memory(*len).as_fd()).unwrap();
    }
    taken(&client).map(|taken| taken.buffers).map_err(|error| error.kind())
}

#[cfg(feature = "buffers")]
#[test]
fn a_server_without_buffers_for_replies_is_understood() {
    let found = taken_after(&[(b"BUFFERS!", 3 * 4096)]).unwrap();
    assert!(found.outgoing.is_some() && found.incoming.is_none());
    let none = b"BUFFERS!\0\0\0\0\0\x10\0\0";
    let found = taken_after(&[(none, 3 * 4096)]).unwrap();
    assert!(found.outgoing.is_some() && found.incoming.is_none());
}

#[cfg(feature = "buffers")]
#[test]
fn buffers_for_replies_are_looked_at_before_they_are_used() {
    let one = b"BUFFERS!\x01\0\0\0\0\x10\0\0";
    let found = taken_after(&[(one, 3 * 4096), (b"REPLIES!", 2 * 4096)]).unwrap();
    assert!(found.outgoing.is_some() && found.incoming.is_some());
    let refused = Some(io::ErrorKind::InvalidData);
    let odd = b"BUFFERS!\x01\0\0\0\x01\x10\0\0";
    for messages in [
        [(&one[..], 3 * 4096), (&b"REPLIES!"[..], 2 * 4096 - 1)],
        [(one, 3 * 4096), (b"REPLIES!", 3 * 4096)],
        [(one, 3 * 4096), (b"REPLIE..", 2 * 4096)],
        [(one, 2 * 4096), (b"REPLIES!", 2 * 4096)],
        [(odd, 3 * 4096), (b"REPLIES!", 2 * 4096)],
    ] {
        assert_eq!(taken_after(&messages).err(), refused, "{messages:?}");
    }
    assert_eq!(taken_after(&[(one, 3 * 4096)]).err(), Some(io::ErrorKind::TimedOut));
}

#[cfg(feature = "buffers")]
#[test]
fn a_client_of_an_earlier_version_ignores_later_messages() {
    let (server, client) = pair();
    let (layout, buffers_layout) =
        (Layout::new(4096, 4096).unwrap(), BufferLayout::new(2, 4096).unwrap());
    let (_, made) = offer(&server, layout, Some(buffers_layout)).unwrap();
    let limit = Duration::from_millis(1);
    let mut hello = [0; LEN];
    assert!(received(&client, &mut hello, limit).unwrap().1.is_some());
    let mut follow_up = [0; 8];
    let (count, descriptor) = received(&client, &mut follow_up, limit).unwrap();
    assert_eq!((count, follow_up), (8, FOLLOW_UP));
    assert_eq!(SharedMemory::open(descriptor.unwrap()).unwrap().len(), buffers_layout.memory_len());
    assert!(made.outgoing.is_some());
}

#[test]
fn a_silent_server_and_a_closed_one_are_distinguished() {
    let (server, client) = pair();
    assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::TimedOut);
    drop(server);
    assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}

#[test]
fn a_client_without_descriptors_says_so() {
    let name = "handshake::tests::a_client_without_descriptors_says_so";
    zorb_testkit::in_own_process(name, || {
        let (server, client) = pair();
        offer(&server, Layout::new(4096, 4096).unwrap(), None).unwrap();
        let all = zorb_testkit::exhaust_descriptors();
        let error = taken(&client).unwrap_err();
        drop(all);
        assert!(zorb_os::process::is_out_of_descriptors(&error), "{error}");
    });
}

#[test]
fn invalid_offers_are_rejected() {
    let good = |sizes: [u32; 2]| {
        [&MAGIC[..], &sizes[0].to_le_bytes(), &sizes[1].to_le_bytes(), &[0; 8]].concat()
    };
    let memory = |len| SharedMemory::create("zorb-test", len).unwrap();
    let offered = |hello: &[u8], memory: Option<&SharedMemory>| {
        let (server, client) = pair();
        match memory {
            Some(memory) => send_descriptor(server.as_fd(), hello, memory.as_fd()).unwrap(),
            None => (&server).write_all(hello).unwrap(),
        }
        taken(&client).map(drop).map_err(|error| error.kind())
    };
    let fitting = memory(3 * 4096);
    assert_eq!(offered(&good([4096; 2]), Some(&fitting)), Ok(()));
    let refused = Err(io::ErrorKind::InvalidData);
    assert_eq!(offered(&good([4096; 2]), None), refused);
    assert_eq!(offered(&good([4096; 2])[..23], Some(&fitting)), refused);
    assert_eq!(offered(b"GIOP\x01\x02\x01\x06\0\0\0\0\0\0\0\0", Some(&fitting)), refused);
    for sizes in [[4096, 8192], [0, 8192], [4096, 0], [4095, 4097], [1 << 31, 1 << 31]] {
        assert_eq!(offered(&good(sizes), Some(&fitting)), refused, "{sizes:?}");
    }
    for len in [1, 3 * 4096 - 1, 3 * 4096 + 1] {
        assert_eq!(offered(&good([4096; 2]), Some(&memory(len))), refused, "{len}");
    }
}
