use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;

use super::*;

#[test]
fn quiet_then_data_then_end() {
    let (mut here, mut there) = UnixStream::pair().unwrap();
    assert!(matches!(peek(here.as_fd()), Pending::Nothing));
    there.write_all(b"x").unwrap();
    drop(there);
    assert!(matches!(peek(here.as_fd()), Pending::Data));
    assert!(matches!(peek(here.as_fd()), Pending::Data), "peeking consumes nothing");
    here.read_exact(&mut [0]).unwrap();
    assert!(matches!(peek(here.as_fd()), Pending::End));
}

#[test]
fn the_pacing_rate_is_set() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    assert_eq!(pacing_rate(socket.as_fd()).unwrap(), None);
    for rate in [1 << 20, 1 << 40] {
        set_pacing_rate(socket.as_fd(), rate).unwrap();
        assert_eq!(pacing_rate(socket.as_fd()).unwrap(), Some(rate));
    }
}

#[test]
fn routing_is_bypassed_on_request() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for on in [false, true, false] {
        set_dont_route(socket.as_fd(), on).unwrap();
        assert_eq!(dont_route(socket.as_fd()).unwrap(), on);
    }
}

#[test]
fn pending_data_is_received_without_waiting() {
    let (here, mut there) = UnixStream::pair().unwrap();
    let mut buffer = [0; 2];
    let mut next = || recv_now(here.as_fd(), &mut buffer).unwrap();
    assert_eq!(next(), None);
    there.write_all(b"abc").unwrap();
    assert_eq!(next(), Some(2));
    drop(there);
    assert_eq!((next(), next()), (Some(1), Some(0)));
    let file = File::open("/proc/self/status").unwrap();
    assert!(recv_now(file.as_fd(), &mut buffer).is_err());
}

#[test]
fn a_descriptor_that_is_not_a_socket_is_an_error() {
    let file = File::open("/proc/self/status").unwrap();
    assert!(matches!(peek(file.as_fd()), Pending::Error(_)));
}

#[test]
fn a_descriptor_is_sent_with_bytes() {
    let (here, there) = UnixStream::pair().unwrap();
    let (sent, mut other) = UnixStream::pair().unwrap();
    send_descriptor(here.as_fd(), b"take", sent.as_fd()).unwrap();
    drop(sent);
    let mut buffer = [0; 16];
    let (count, descriptor) = recv_descriptor(there.as_fd(), &mut buffer).unwrap();
    assert_eq!(&buffer[..count], b"take");
    let mut received = UnixStream::from(descriptor.unwrap());
    received.write_all(b"x").unwrap();
    other.read_exact(&mut buffer[..1]).unwrap();
    assert_eq!(buffer[0], b'x');
    (&here).write_all(b"bare").unwrap();
    let (count, descriptor) = recv_descriptor(there.as_fd(), &mut buffer).unwrap();
    assert!(count == 4 && descriptor.is_none());
    drop(here);
    assert_eq!(recv_descriptor(there.as_fd(), &mut buffer).unwrap().0, 0);
    assert!(send_descriptor(there.as_fd(), b"take", there.as_fd()).is_err());
}

#[test]
fn descriptors_beyond_the_first_are_closed() {
    // With two there may be room for both.
    for count in [2, 3, 253] {
        let (here, there) = UnixStream::pair().unwrap();
        let (sent, mut other) = UnixStream::pair().unwrap();
        let all = vec![sent.as_fd(); count];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&all)));
        let parts = [IoSlice::new(b"x")];
        rustix::net::sendmsg(&here, &parts, &mut ancillary, SendFlags::empty()).unwrap();
        drop(sent);
        let received = recv_descriptor(there.as_fd(), &mut [0]).unwrap();
        assert!(received.1.is_some());
        drop(received);
        // The other end is closed only if no descriptor of it is left.
        assert_eq!(other.read(&mut [0]).unwrap(), 0, "{count}");
    }
}

#[test]
fn descriptors_are_refused_on_request() {
    let (here, there) = UnixStream::pair().unwrap();
    if !refuse_descriptors(there.as_fd()).unwrap() {
        return; // Linux before 6.16
    }
    let refused = send_descriptor(here.as_fd(), b"take", here.as_fd()).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    (&here).write_all(b"bare").unwrap();
    let mut buffer = [0; 16];
    let (count, descriptor) = recv_descriptor(there.as_fd(), &mut buffer).unwrap();
    assert!(&buffer[..count] == b"bare" && descriptor.is_none());
    // In the other direction they pass.
    send_descriptor(there.as_fd(), b"take", there.as_fd()).unwrap();
    assert!(recv_descriptor(here.as_fd(), &mut buffer).unwrap().1.is_some());
    assert!(refuse_descriptors(File::open("/proc/self/status").unwrap().as_fd()).is_err());
}

#[test]
fn the_peer_of_a_pair_is_this_process() {
    let (here, there) = UnixStream::pair().unwrap();
    let peer = peer_credentials(here.as_fd()).unwrap();
    assert_eq!(peer, peer_credentials(there.as_fd()).unwrap());
    assert_eq!(peer.pid, std::process::id());
    let owner = std::fs::metadata("/proc/self").unwrap();
    assert_eq!((peer.uid, peer.gid), (owner.uid(), owner.gid()));
    assert_eq!(peer.to_string(), format!("pid {}, uid {}", peer.pid, peer.uid));
    let file = File::open("/proc/self/status").unwrap();
    assert!(peer_credentials(file.as_fd()).is_err());
}
