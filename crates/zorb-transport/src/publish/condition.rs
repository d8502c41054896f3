//! The conditions of rules.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// What a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// The name of an interface, with `*` for any characters.
    Interface(String),
    /// A host name, in lower case, with `*` for any characters.
    Name(String),
    Ipv4,
    Ipv6,
    /// The first bits of an address.
    Network(IpAddr, u8),
    Loopback,
    LinkLocal,
    Private,
}

/// What a condition is true of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'s> {
    /// An address in canonical form, and the interfaces that have it.
    Address(IpAddr, &'s [&'s str]),
    /// A host name in lower case.
    Name(&'s str),
}

const WORDS: [(&str, Condition); 5] = [
    ("ipv4", Condition::Ipv4),
    ("ipv6", Condition::Ipv6),
    ("loopback", Condition::Loopback),
    ("link-local", Condition::LinkLocal),
    ("private", Condition::Private),
];

impl Condition {
    pub(super) fn names_addresses(&self) -> bool {
        matches!(self, Self::Network(..) | Self::Loopback | Self::LinkLocal)
    }

    /// Whether it is true of `subject`; `None` if it is not a condition for that.
    pub(super) fn holds(&self, subject: Subject<'_>) -> Option<bool> {
        let (address, interfaces) = match (self, subject) {
            (Self::Name(pattern), Subject::Name(name)) => return Some(matches(pattern, name)),
            (_, Subject::Name(_)) | (Self::Name(_), _) => return None,
            (_, Subject::Address(address, interfaces)) => (address, interfaces),
        };
        Some(match self {
            Self::Name(_) => false,
            Self::Interface(pattern) => interfaces.iter().any(|name| matches(pattern, name)),
            Self::Ipv4 => address.is_ipv4(),
            Self::Ipv6 => address.is_ipv6(),
            Self::Network(network, length) => contains(*network, *length, address),
            Self::Loopback => address.is_loopback(),
            Self::LinkLocal => match address {
                IpAddr::V4(v4) => v4.is_link_local(),
                IpAddr::V6(v6) => v6.is_unicast_link_local(),
            },
            Self::Private => match address {
                IpAddr::V4(v4) => v4.is_private(),
                IpAddr::V6(v6) => v6.is_unique_local(),
            },
        })
    }
}

/// Whether `text` is as `pattern` says, in which each `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        // The first position leaves the most for the other parts.
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    true
}

/// Whether `address` has the first `length` bits of `network`.
fn contains(network: IpAddr, length: u8, address: IpAddr) -> bool {
    let differing = match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            u128::from(network.to_bits() ^ address.to_bits()) << 96
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => network.to_bits() ^ address.to_bits(),
        _ => return false,
    };
    differing.leading_zeros() >= u32::from(length)
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = |reason: &str| Err(format!("bad rule {text:?}: {reason}"));
        if let Some((kind, pattern)) = text.split_once('=') {
            return match kind.trim().to_ascii_lowercase().as_str() {
                _ if pattern.trim().is_empty() => fail("a name is missing"),
                "interface" => Ok(Self::Interface(pattern.trim().to_owned())),
                "name" => Ok(Self::Name(pattern.trim().to_ascii_lowercase())),
                _ => fail("expected interface=NAME or name=HOST"),
            };
        }
        if let Some((_, word)) = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
            return Ok(word.clone());
        }
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let bare = address.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let Ok(network) = bare.unwrap_or(address).parse::<IpAddr>() else {
            return fail(
                "expected ipv4, ipv6, loopback, link-local, private, an address, a network such as 10.0.0.0/8, \
                 interface=NAME or name=HOST",
            );
        };
        let most = if network.is_ipv4() { 32 } else { 128 };
        let length = match length.map(str::parse::<u8>) {
            None => most,
            Some(Ok(length)) if length <= most => length,
            Some(_) if network.is_ipv4() => {
                return fail("the number after the / must be one from 0 to 32");
            }
            Some(_) => return fail("the number after the / must be one from 0 to 128"),
        };
        match network.to_canonical() == network {
            true => Ok(Self::Network(network, length)),
            false => fail("write an IPv4 address in an IPv6 one as IPv4"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interface(pattern) => write!(f, "interface={pattern}"),
            Self::Name(pattern) => write!(f, "name={pattern}"),
            Self::Network(address, length) => {
                let most = if address.is_ipv4() { 32 } else { 128 };
                match *length == most {
                    true => write!(f, "{address}"),
                    false => write!(f, "{address}/{length}"),
                }
            }
            word => {
                let known = WORDS.iter().find(|(_, known)| known == word);
                f.write_str(known.map_or("", |(text, _)| text))
            }
        }
    }
}
