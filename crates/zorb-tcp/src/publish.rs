//! The addresses in references to what a socket serves.

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;

use socket2::SockRef;
use zorb_os::interface::{self, InterfaceAddress};
use zorb_transport::{
    Endpoint, EndpointError, ListenError, ListenOptions, MAX_PROFILE_ENDPOINTS, PublishRules,
    PublishVerdict,
};

use crate::address::{Host, HostPort, ListenAddress, Published};

const HINT: &str =
    "change PublishRules, or publish an address that they allow: SCHEME://:PORT/publish=HOST:PORT";

/// The endpoints for references to what is served at `socket`, which is bound to the address `requested` by `url`: the
/// hosts and ports that the URL publishes, otherwise the published host of the options, otherwise the host of the URL,
/// otherwise addresses of this machine.
///
/// # Errors
/// The rules of the options exclude all of them, or a system call fails.
pub(crate) fn endpoints(
    scheme: &str,
    url: &str,
    requested: &ListenAddress,
    socket: impl AsFd,
    options: &ListenOptions,
) -> Result<Vec<Endpoint>, ListenError> {
    let fail = |error| ListenError::new(url, error);
    let socket = SockRef::from(&socket);
    let bound = socket.local_addr().map_err(fail)?.as_socket();
    let bound = bound.ok_or_else(|| fail(io::ErrorKind::InvalidInput.into()))?;
    let takes_ipv4 = bound.is_ipv4() || !socket.only_v6().map_err(fail)?;
    let mut published = requested.published.clone();
    if let (true, Some(name)) = (published.is_empty(), &options.published_host) {
        published.push(Published::host(name)?);
    }
    let rules = &options.publish_rules;
    let needs_interfaces =
        !rules.is_empty() || (published.is_empty() && bound.ip().is_unspecified());
    let interfaces = if needs_interfaces { interface::addresses() } else { Ok(Vec::new()) };
    let interfaces = interfaces.map_err(fail)?;
    let served = Served { host: requested.host.as_ref(), bound, takes_ipv4 };
    let found = served.published(&published, rules, &interfaces).map_err(|excluded| {
        let reason = io::Error::new(io::ErrorKind::InvalidInput, excluded);
        fail(reason).with_hint(HINT)
    })?;
    let of_scheme = |host_port: &HostPort| host_port.to_endpoint(scheme);
    Ok(found.iter().map(of_scheme).collect::<Result<_, EndpointError>>()?)
}

/// What a socket serves.
#[derive(Debug)]
struct Served<'s> {
    /// The host of the URL; `None` for all interfaces.
    host: Option<&'s Host>,
    /// The address of the socket.
    bound: SocketAddr,
    /// Whether it takes IPv4, too, if it is bound to an IPv6 address.
    takes_ipv4: bool,
}

impl Served<'_> {
    /// The hosts and ports in references, on a machine with these interfaces: at least one, and none that `rules`
    /// exclude. `published` are those that the program or the operator names.
    ///
    /// # Errors
    /// The rules exclude all: their text, with the addresses.
    fn published(
        &self,
        published: &[Published],
        rules: &PublishRules,
        interfaces: &[InterfaceAddress],
    ) -> Result<Vec<HostPort>, String> {
        let port = self.bound.port();
        let mut choice = Choice { rules, interfaces, allowed: Vec::new(), excluded: String::new() };
        if !published.is_empty() {
            for host_port in published {
                let port = host_port.port.unwrap_or(port);
                choice.add(HostPort { host: host_port.host.clone(), port }, None);
            }
        } else if let Some(host @ Host::Name(_)) = self.host {
            choice.add(HostPort { host: host.clone(), port }, Some(self.bound.ip()));
        } else if !self.bound.ip().is_unspecified() {
            let host = Host::Ip(self.bound.ip());
            choice.add(HostPort { host, port }, None);
        } else if rules.is_empty() {
            return Ok(vec![HostPort { host: Host::Ip(self.first_reachable(interfaces)), port }]);
        } else {
            for address in self.candidates(interfaces) {
                choice.add(HostPort { host: Host::Ip(address), port }, None);
            }
            choice.leave_out_less_reachable();
        }
        choice.finish()
    }

    /// The addresses of a socket that is bound to all interfaces, the preferred family first.
    fn candidates(&self, interfaces: &[InterfaceAddress]) -> Vec<IpAddr> {
        let is_served = |address: &IpAddr| match address {
            IpAddr::V4(v4) => self.takes_ipv4 && !v4.is_unspecified(),
            IpAddr::V6(v6) => self.bound.is_ipv6() && !v6.is_unspecified(),
        };
        let up = interfaces.iter().filter(|found| found.is_up).map(|found| found.address);
        let (mut first, others): (Vec<_>, Vec<_>) =
            up.filter(is_served).partition(|address| address.is_ipv6() == self.host.is_some());
        first.extend(others);
        first
    }

    /// The published address of a socket that is bound to all interfaces, without rules.
    fn first_reachable(&self, interfaces: &[InterfaceAddress]) -> IpAddr {
        let v4 = interface::first_reachable_v4(interfaces).filter(|_| self.takes_ipv4);
        let v6 = interface::first_reachable_v6(interfaces).filter(|_| self.bound.is_ipv6());
        let (v4, v6) = (v4.map(IpAddr::V4), v6.map(IpAddr::V6));
        match (self.host, self.bound) {
            (Some(_), SocketAddr::V6(_)) => v6.or(v4).unwrap_or(Ipv6Addr::LOCALHOST.into()),
            _ => v4.or(v6).unwrap_or(Ipv4Addr::LOCALHOST.into()),
        }
    }
}

/// The addresses that rules allow.
struct Choice<'c> {
    rules: &'c PublishRules,
    interfaces: &'c [InterfaceAddress],
    /// In the order of their ranks; with these, and whether the rule names such addresses.
    allowed: Vec<(HostPort, usize, bool)>,
    /// A list of the others, with the reasons.
    excluded: String,
}

impl Choice<'_> {
    /// Adds an address if the rules allow it and the address `of` its name, if that is known.
    fn add(&mut self, host_port: HostPort, of: Option<IpAddr>) {
        if self.allowed.iter().any(|(known, ..)| *known == host_port) {
            return;
        }
        let verdict = match &host_port.host {
            Host::Ip(address) => self.check(*address),
            Host::Name(name) => match of.map(|address| self.check(address)) {
                Some(excluded @ PublishVerdict::Excluded { .. }) => excluded,
                _ => self.rules.check_name(name),
            },
        };
        match verdict {
            PublishVerdict::Allowed { rank, by } => {
                let is_named = by.is_some_and(|rule| rule.names_addresses());
                let after = self.allowed.partition_point(|(_, known, _)| *known <= rank);
                self.allowed.insert(after, (host_port, rank, is_named));
            }
            PublishVerdict::Excluded { by } => {
                let separator = if self.excluded.is_empty() { "" } else { ", " };
                let by = by.map_or("no rule allows it".to_owned(), ToString::to_string);
                // Writing to a string cannot fail.
                let _ = write!(self.excluded, "{separator}{} ({by})", host_port.host);
            }
        }
    }

    fn check(&self, address: IpAddr) -> PublishVerdict<'_> {
        let having = self.interfaces.iter().filter(|known| known.address == address.to_canonical());
        let names: Vec<&str> = having.map(|known| known.name.as_str()).collect();
        self.rules.check(address, &names)
    }

    /// Leaves out loopback and link-local addresses if there are others, unless a rule names them.
    fn leave_out_less_reachable(&mut self) {
        let scope = |host_port: &HostPort| match &host_port.host {
            Host::Ip(address) => scope(*address),
            Host::Name(_) => 0,
        };
        let best = self.allowed.iter().map(|(host_port, ..)| scope(host_port)).min();
        self.allowed.retain(|(host_port, _, is_named)| *is_named || Some(scope(host_port)) == best);
    }

    fn finish(self) -> Result<Vec<HostPort>, String> {
        if self.allowed.is_empty() {
            let addresses = if self.excluded.is_empty() {
                "this machine has no address that is up"
            } else {
                &self.excluded
            };
            let rules = self.rules;
            return Err(format!(
                "the option PublishRules ({rules}) excludes all addresses: {addresses}"
            ));
        }
        let host_ports = self.allowed.into_iter().map(|(host_port, ..)| host_port);
        Ok(host_ports.take(MAX_PROFILE_ENDPOINTS).collect())
    }
}

/// How far away clients may be that reach an address, the best first.
fn scope(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(v4) if v4.is_link_local() => 1,
        address if address.is_loopback() => 2,
        // Clients would need the name of their interface.
        IpAddr::V6(v6) if v6.is_unicast_link_local() => 3,
        _ => 0,
    }
}
