//! Network interfaces.

use std::ffi::{CStr, CString};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

use super::check;

/// The system's list of interface addresses, freed on drop.
struct List(*mut libc::ifaddrs);

impl List {
    fn load() -> io::Result<Self> {
        let mut head = ptr::null_mut();
        // SAFETY: `head` is a pointer that the call may write.
        check(unsafe { libc::getifaddrs(&raw mut head) })?;
        Ok(Self(head))
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: the list came from getifaddrs, and no node of it is used after this.
        unsafe { libc::freeifaddrs(self.0) };
    }
}

/// One IP address of one interface.
pub(crate) struct Address {
    pub(crate) interface: String,
    pub(crate) address: IpAddr,
    /// The interface's flags, `IFF_UP` and others.
    pub(crate) flags: libc::c_uint,
}

/// Every IPv4 and IPv6 address of every interface, in the system's order.
pub(crate) fn addresses() -> io::Result<Vec<Address>> {
    let list = List::load()?;
    let mut found = Vec::new();
    let mut next = list.0;
    while !next.is_null() {
        // SAFETY: `next` is a node of the list, which lives until the end of this function.
        let node = unsafe { next.read() };
        next = node.ifa_next;
        let Some(address) = ip_of(node.ifa_addr) else { continue };
        // SAFETY: every node has a name, a C string that lives as long as the list.
        let name = unsafe { CStr::from_ptr(node.ifa_name) };
        let interface = name.to_string_lossy().into_owned();
        found.push(Address { interface, address, flags: node.ifa_flags });
    }
    Ok(found)
}

/// The index of an interface.
pub(crate) fn index(name: &str) -> io::Result<u32> {
    let name = CString::new(name)?;
    // SAFETY: `name` is a C string that outlives the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// The IP address in a socket address, if it is one.
fn ip_of(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: on Linux every socket address starts with its family.
    let family = unsafe { address.cast::<libc::sa_family_t>().read_unaligned() };
    match libc::c_int::from(family) {
        libc::AF_INET => {
            // SAFETY: the family identifies a sockaddr_in.
            let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from_bits(u32::from_be(v4.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: the family identifies a sockaddr_in6.
            let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(Ipv6Addr::from(v6.sin6_addr.s6_addr).into())
        }
        _ => None,
    }
}
