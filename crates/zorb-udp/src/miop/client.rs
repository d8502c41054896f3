//! Sending to a group: one or more packets per request.

use std::io::{self, IoSlice};
use std::net::{SocketAddr, UdpSocket};

use socket2::SockRef;
use zorb_os::lock::Lock;
use zorb_os::random;
use zorb_transport::StreamOptions;

use super::MiopSettings;
use super::packet::packets;
use super::request::for_group;
use crate::client::{Pack, UdpClient, send, too_large};

/// Octets of payload per packet: with its header of 32 octets and those of UDP and IPv6 it fits
/// into an Ethernet frame, so that the network does not fragment packets.
const PAYLOAD: usize = 1416;

/// Splits requests into packets.
#[derive(Debug)]
pub(crate) struct Packing {
    most: usize,
    sending: Lock<Sending>,
}

#[derive(Debug, Default)]
struct Sending {
    /// Distinguishes this socket from others with the same address.
    sender: u64,
    /// The number of messages sent.
    number: u32,
    whole: Vec<u8>,
    request: Vec<u8>,
    header: Vec<u8>,
}

/// A socket that sends to the group.
pub(crate) fn client_to(
    group: SocketAddr,
    options: &StreamOptions,
    how: &MiopSettings,
) -> io::Result<UdpClient<Packing>> {
    let sending = Lock::new(Sending { sender: random::number(), ..Sending::default() });
    let packing = Packing { most: how.limits.message, sending };
    UdpClient::to(group, packing, options, |socket| match group {
        SocketAddr::V4(_) => {
            socket.set_multicast_ttl_v4(how.hops.into())?;
            socket.set_multicast_loop_v4(how.loops_back)?;
            match how.interface {
                Some(interface) => SockRef::from(socket).set_multicast_if_v4(&interface),
                None => Ok(()),
            }
        }
        SocketAddr::V6(_) => {
            socket.set_multicast_loop_v6(how.loops_back)?;
            let socket = SockRef::from(socket);
            socket.set_multicast_hops_v6(how.hops.into())?;
            match how.interface_index {
                0 => Ok(()),
                index => socket.set_multicast_if_v6(index),
            }
        }
    })
}

impl Pack for Packing {
    const NO_ANSWER: &'static str = "groups send no replies";

    fn send(&self, socket: &UdpSocket, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut sending = self.sending.lock();
        let Sending { sender, number, whole, request, header } = &mut *sending;
        whole.clear();
        let octets = parts.iter().map(|part| part.len()).sum();
        whole.try_reserve(octets).map_err(|_| io::ErrorKind::OutOfMemory)?;
        parts.iter().for_each(|part| whole.extend_from_slice(part));
        if for_group(whole, request).is_none() {
            let what = "groups accept only one-way requests in GIOP 1.2";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
        if request.len() > self.most {
            return Err(too_large());
        }
        *number = number.wrapping_add(1);
        let mut id = [0; 12];
        let (first, second) = id.split_at_mut(8);
        first.copy_from_slice(&sender.to_be_bytes());
        second.copy_from_slice(&number.to_be_bytes());
        for packet in packets(request, &id, PAYLOAD) {
            packet.write_header(header);
            send(socket, &[IoSlice::new(header), IoSlice::new(packet.payload)])?;
        }
        Ok(())
    }
}

/// Only its socket, for tests. Over IPv4 it stays on the machine, which may have no route.
#[cfg(test)]
pub(crate) fn sender_to(group: SocketAddr, options: &StreamOptions) -> io::Result<UdpSocket> {
    let interface = group.is_ipv4().then_some(std::net::Ipv4Addr::LOCALHOST);
    let how = MiopSettings { interface, ..MiopSettings::default() };
    Ok(client_to(group, options, &how)?.into_socket())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::Ipv4Addr;

    use super::*;

    /// The options of the socket: no router is available to observe them.
    fn sender(group: &str, how: MiopSettings) -> io::Result<UdpSocket> {
        let group = group.parse().unwrap();
        Ok(client_to(group, &StreamOptions::default(), &how)?.into_socket())
    }

    #[test]
    fn hops_interface_and_loop_back_are_what_the_options_say() {
        // Without an interface, a machine without a network has no route to a group.
        let interface = Some(Ipv4Addr::LOCALHOST);
        let plain = MiopSettings { interface, ..MiopSettings::default() };
        let plain = sender("239.255.80.1:5000", plain).unwrap();
        assert_eq!(plain.multicast_ttl_v4().unwrap(), 1);
        assert!(plain.multicast_loop_v4().unwrap());
        let how = MiopSettings { hops: 7, interface, loops_back: false, ..MiopSettings::default() };
        let far = sender("239.255.80.1:5000", how).unwrap();
        assert_eq!(far.multicast_ttl_v4().unwrap(), 7);
        assert!(!far.multicast_loop_v4().unwrap());
        assert_eq!(SockRef::from(&far).multicast_if_v4().unwrap(), Ipv4Addr::LOCALHOST);
    }

    /// Where there is a route to such groups.
    #[test]
    fn groups_of_ipv6_have_the_same_options() {
        let how = MiopSettings { hops: 7, loops_back: false, ..MiopSettings::default() };
        let Ok(far) = sender("[ff15::5a:1]:5000", how) else { return };
        assert_eq!(SockRef::from(&far).multicast_hops_v6().unwrap(), 7);
        assert!(!far.multicast_loop_v6().unwrap());
    }
}
