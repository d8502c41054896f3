//! IP addresses and ports as text. The standard library's conversions are larger than most other parts of an image, and
//! index where they could panic.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use arrayvec::{ArrayString, ArrayVec};

/// The port in a `corbaloc:` without one.
const DEFAULT_PORT: u16 = 2809;

/// Characters of an address as text, at most.
const MAX_HOST: usize = 39;

/// An address as text.
pub(crate) fn host(address: IpAddr) -> ArrayString<MAX_HOST> {
    let mut text = ArrayString::new();
    let mut push = |octet: u8| {
        // There is room for the longest address.
        let _ = text.try_push(char::from(octet));
    };
    match address {
        IpAddr::V4(address) => {
            for (index, octet) in address.octets().into_iter().enumerate() {
                if index > 0 {
                    push(b'.');
                }
                for power in [100, 10, 1] {
                    if octet >= power || power == 1 {
                        push(b'0' + octet / power % 10);
                    }
                }
            }
        }
        IpAddr::V6(address) => {
            for (index, group) in address.segments().into_iter().enumerate() {
                if index > 0 {
                    push(b':');
                }
                for shift in [12, 8, 4, 0] {
                    push(b"0123456789abcdef"[usize::from(group >> shift & 15)]);
                }
            }
        }
    }
    text
}

/// The address of a host that is an IP address or `localhost`.
pub(crate) fn socket_address(host: &[u8], port: u16) -> Option<SocketAddr> {
    let address = match host {
        b"localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        other => ip(other)?,
    };
    (port != 0).then_some(SocketAddr::new(address, port))
}

/// The address in a `corbaloc:`: `host`, `host:port`, `[v6]`, `[v6]:port`, or a part of that.
pub(crate) fn located(text: &str) -> Option<SocketAddr> {
    let (host, port) = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (host, after) = split_once(bracketed, b']')?;
            if host.is_empty() {
                return None;
            }
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match split_once(text, b':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = port.map_or(Some(DEFAULT_PORT), number)?;
    socket_address(if host.is_empty() { b"localhost" } else { host.as_bytes() }, port)
}

/// The address in an endpoint: `v4:port`, `[v6]:port` or, of one network interface, `[v6%number]:port`.
pub(crate) fn endpoint(text: &str) -> Option<SocketAddr> {
    let Some(bracketed) = text.strip_prefix('[') else {
        let (host, port) = split_once(text, b':')?;
        return Some(SocketAddr::from((v4(host.as_bytes())?, number(port)?)));
    };
    let (host, after) = split_once(bracketed, b']')?;
    let port = number(after.strip_prefix(':')?)?;
    let (host, scope) = match split_once(host, b'%') {
        Some((host, scope)) => (host, number(scope)?),
        None => (host, 0),
    };
    Some(SocketAddrV6::new(v6(host.as_bytes())?, port, 0, scope).into())
}

/// What is before the first of these octets, which are ASCII, and what is after it.
pub(crate) fn split_once(text: &str, octet: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|found| found == octet)?;
    let (before, rest) = text.split_at_checked(at)?;
    Some((before, rest.get(1..)?))
}

/// A number of decimal digits that fits.
pub(crate) fn number<T: TryFrom<u32>>(text: &str) -> Option<T> {
    digits(text.as_bytes(), 10).and_then(|number| T::try_from(number).ok())
}

fn digits(text: &[u8], radix: u32) -> Option<u32> {
    let add = |sum: u32, octet: &u8| {
        let digit = match radix {
            10 => char::from(*octet).to_digit(10),
            _ => char::from(*octet).to_digit(16),
        };
        sum.checked_mul(radix)?.checked_add(digit?)
    };
    if text.is_empty() { None } else { text.iter().try_fold(0, add) }
}

fn ip(text: &[u8]) -> Option<IpAddr> {
    v4(text).map(IpAddr::V4).or_else(|| v6(text).map(IpAddr::V6))
}

fn v4(text: &[u8]) -> Option<Ipv4Addr> {
    let mut parts = text.split(|octet| *octet == b'.');
    let mut octets = [0; 4];
    for octet in &mut octets {
        let part = parts.next()?;
        // Others might take a leading 0 for the sign of an octal number.
        if part.len() > 3 || matches!(part, [b'0', _, ..]) {
            return None;
        }
        *octet = digits(part, 10).and_then(|number| u8::try_from(number).ok())?;
    }
    parts.next().is_none().then_some(Ipv4Addr::from(octets))
}

fn v6(text: &[u8]) -> Option<Ipv6Addr> {
    let mut groups = ArrayVec::<u16, 8>::new();
    // The number of groups before a `::`.
    let mut gap = None;
    let mut rest = text;
    if let Some(after) = rest.strip_prefix(b"::") {
        (gap, rest) = (Some(0), after);
    }
    while !(rest.is_empty() && gap == Some(groups.len())) {
        let end = rest.iter().position(|octet| *octet == b':').unwrap_or(rest.len());
        let (group, after) = rest.split_at_checked(end)?;
        match v4(group) {
            Some(address) if after.is_empty() => {
                let [a, b, c, d] = address.octets();
                groups.try_push(u16::from_be_bytes([a, b])).ok()?;
                groups.try_push(u16::from_be_bytes([c, d])).ok()?;
            }
            _ if group.len() > 4 => return None,
            _ => groups.try_push(u16::try_from(digits(group, 16)?).ok()?).ok()?,
        }
        let Some((_, next)) = after.split_first() else { break };
        rest = next;
        if let Some(next) = rest.strip_prefix(b":") {
            if gap.is_some() {
                return None;
            }
            (gap, rest) = (Some(groups.len()), next);
        }
    }
    let is_whole = if gap.is_some() { groups.len() < 8 } else { groups.len() == 8 };
    let (head, tail) = groups.split_at_checked(gap.unwrap_or(groups.len()))?;
    let mut segments = [0; 8];
    for (place, group) in segments.iter_mut().zip(head) {
        *place = *group;
    }
    for (place, group) in segments.iter_mut().rev().zip(tail.iter().rev()) {
        *place = *group;
    }
    is_whole.then_some(Ipv6Addr::from(segments))
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use core::net::{IpAddr, SocketAddr};

    use super::{endpoint, host, ip, located};

    const ADDRESSES: [&str; 14] = [
        "0.0.0.0",
        "192.0.2.7",
        "255.255.255.255",
        "::",
        "::1",
        "1::",
        "2001:db8::7",
        "2001:DB8:0:0:1:2:3:4",
        "::ffff:192.0.2.7",
        "1:2:3:4:5:6:192.0.2.7",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7:8",
        "fe80::1%3",
    ];

    /// All texts that differ from one of these by one character, which is missing or another one.
    fn similar(texts: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        for text in texts {
            all.push((*text).to_string());
            for at in 0..=text.len() {
                let (before, after) = text.split_at(at);
                let rest = after.get(1..).unwrap_or_default();
                for other in ["", ":", ".", "0", "9", "f", "g", "%", "[", "]", "::", "00", "ä"] {
                    all.push([before, other, rest].concat());
                    all.push([before, other, after].concat());
                }
            }
        }
        all
    }

    #[test]
    fn addresses_are_those_of_the_standard_library() {
        let all = similar(&ADDRESSES);
        let good = all.iter().filter(|text| text.parse::<IpAddr>().is_ok()).count();
        assert!(good > 500, "{good} of {}", all.len());
        for text in all {
            assert_eq!(ip(text.as_bytes()), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn endpoints_are_those_of_the_standard_library() {
        let texts = ["192.0.2.7:2809", "[::1]:0", "[fe80::1%3]:65535", "[fe80::1%4294967295]:1"];
        let all = similar(&texts);
        let good = all.iter().filter(|text| text.parse::<SocketAddr>().is_ok()).count();
        assert!(good > 100, "{good} of {}", all.len());
        for text in all {
            assert_eq!(endpoint(&text), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn an_address_as_text_is_the_address() {
        for text in ADDRESSES.iter().filter_map(|text| text.parse::<IpAddr>().ok()) {
            assert_eq!(ip(host(text).as_bytes()), Some(text));
        }
        assert_eq!(host([192, 0, 2, 107].into()).as_str(), "192.0.2.107");
    }

    #[test]
    fn a_located_address_has_a_default_for_each_part() {
        for (text, expected) in [
            ("", "127.0.0.1:2809"),
            (":7", "127.0.0.1:7"),
            ("localhost", "127.0.0.1:2809"),
            ("192.0.2.7:80", "192.0.2.7:80"),
            ("[::1]", "[::1]:2809"),
            ("[::1]:007", "[::1]:7"),
        ] {
            assert_eq!(located(text), expected.parse().ok(), "{text}");
        }
        for text in ["[]", "[::1", "[::1]7", "::1", "192.0.2.7:", "192.0.2.7:0", ":65536", ":1:1"] {
            assert_eq!(located(text), None, "{text}");
        }
    }
}
