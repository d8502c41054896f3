//! Object URLs: `IOR:` and `corbaloc:` (CORBA 3.3 part 2, 7.6.10).
//!
//! They are those of `zorb_giop::ObjectUrl`, which also parses the others, and whose lists and texts allocate by
//! functions that panic without memory.

use alloc::vec::Vec;

use zorb_giop::{GiopVersion, MAX_ADDRESSES, MAX_STRINGIFIED, MAX_URL};
use zorb_types::minor::bad_param;
use zorb_types::{MinorCode, SystemExceptionKind};

use crate::endpoint::{Protocol, Transport};
use crate::host::{located, number, split_once};
use crate::{Endpoint, SystemException};

/// A URL whose parts have not been parsed.
pub(crate) enum Url<'a> {
    /// The digits of an `IOR:`.
    Ior(&'a str),
    /// The addresses and the key of a `corbaloc:`.
    Corbaloc(&'a str),
}

impl<'a> Url<'a> {
    /// A URL of this kind, in any case and with white space around it.
    pub(crate) fn parse(text: &'a str) -> Result<Self, SystemException> {
        let url = text.trim();
        let (scheme, rest) = split_once(url, b':').ok_or(bad(bad_param::BAD_SCHEME))?;
        let is_ior = scheme.eq_ignore_ascii_case("IOR");
        if url.len() > if is_ior { MAX_STRINGIFIED } else { MAX_URL } {
            return Err(bad(bad_param::BAD_URL));
        }
        match is_ior {
            true => Ok(Self::Ior(rest)),
            // No initial references are here.
            false if scheme.eq_ignore_ascii_case("corbaloc") && !is_rir(rest) => {
                Ok(Self::Corbaloc(rest))
            }
            false => Err(bad(bad_param::BAD_SCHEME)),
        }
    }
}

/// Decodes the digits of an `IOR:`.
pub(crate) fn octets(digits: &str) -> Result<Vec<u8>, SystemException> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    let mut octets = Vec::new();
    octets.try_reserve_exact(pairs.len()).map_err(|_| SystemException::NO_MEMORY)?;
    octets.resize(pairs.len(), 0);
    for (octet, pair) in octets.iter_mut().zip(pairs) {
        *octet = pair_value(*pair).ok_or(MALFORMED)?;
    }
    if odd.is_empty() { Ok(octets) } else { Err(MALFORMED) }
}

/// Passes the endpoints of a `corbaloc:` on that can be used, and returns the key, which is still escaped.
pub(crate) fn endpoints(
    locations: &str,
    mut each: impl FnMut(Endpoint),
) -> Result<&str, SystemException> {
    let mut rest = locations;
    for _ in 0..MAX_ADDRESSES {
        let (location, after) = Location::parse(rest)?;
        if let Some(endpoint) = location.endpoint() {
            each(endpoint);
        }
        let next = after.get(1..).unwrap_or_default();
        if !after.starts_with(',') {
            return Ok(next);
        }
        if is_rir(next) {
            break;
        }
        rest = next;
    }
    Err(BAD_ADDRESS)
}

/// Passes the octets of a key on.
pub(crate) fn unescape(key: &str, mut each: impl FnMut(u8)) -> Result<(), SystemException> {
    let mut rest = key.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            each(*first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_first_chunk().ok_or(MALFORMED)?;
        each(pair_value(*digits).ok_or(MALFORMED)?);
        rest = after;
    }
    Ok(())
}

/// An address of a `corbaloc:`.
struct Location<'a> {
    protocol: &'a str,
    version: GiopVersion,
    address: &'a str,
}

impl<'a> Location<'a> {
    /// The first address, and the rest from the character after it on.
    fn parse(text: &'a str) -> Result<(Self, &'a str), SystemException> {
        let (protocol, rest) = split_once(text, b':').ok_or(BAD_ADDRESS)?;
        let is_name = |octet: u8| octet.is_ascii_alphanumeric() || b"+-._".contains(&octet);
        if !protocol.bytes().all(is_name) {
            return Err(BAD_ADDRESS);
        }
        let protocol = if protocol.is_empty() { "iiop" } else { protocol };
        let host = match split_once(rest, b'@') {
            Some((version, host)) if is_like_version(version) => host,
            _ => rest,
        };
        let is_uiop = is_over("uiop", protocol);
        let is_path = is_uiop || is_over("shmiop", protocol) && host.starts_with(['/', '@']);
        let before_key = if is_path { b'|' } else { b'/' };
        let end = rest.bytes().position(|octet| octet == before_key || octet == b',');
        let (whole, after) = end.and_then(|end| rest.split_at_checked(end)).unwrap_or((rest, ""));
        let mut location = Self { protocol, version: GiopVersion::V1_0, address: whole };
        if let Some((text, host)) = split_once(whole, b'@') {
            match version(text) {
                Some(version) => (location.version, location.address) = (version, host),
                // A path may contain an `@`.
                None if is_path && (is_uiop || !is_like_version(text)) => {}
                None => return Err(BAD_ADDRESS),
            }
        }
        if location.address.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(BAD_ADDRESS);
        }
        Ok((location, after))
    }

    /// The endpoint, if this ORB has the protocol, and the address is one.
    fn endpoint(&self) -> Option<Endpoint> {
        let protocol = Protocol::of_scheme(self.protocol)?;
        let address = match protocol.transport {
            Transport::Ip(of_ip) => of_ip(located(self.address)?),
            #[cfg(feature = "unix")]
            Transport::Unix => {
                crate::Address::Unix(crate::SocketName::new(self.address.as_bytes()).ok()?)
            }
        };
        Some(protocol.endpoint(address, self.version))
    }
}

const BAD_ADDRESS: SystemException = bad(bad_param::BAD_ADDRESS);
pub(crate) const MALFORMED: SystemException = bad(bad_param::BAD_SCHEME_SPECIFIC_PART);

const fn bad(minor: MinorCode) -> SystemException {
    SystemException::before(SystemExceptionKind::BadParam, minor)
}

fn is_rir(locations: &str) -> bool {
    locations.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rir:"))
}

/// Whether the protocol is `base`, or that with any messaging protocol, as in `lite+uiop`.
fn is_over(base: &str, protocol: &str) -> bool {
    let at = protocol.len().checked_sub(base.len());
    let parts = at.and_then(|at| protocol.split_at_checked(at));
    parts.is_some_and(|(before, end)| {
        end.eq_ignore_ascii_case(base) && (before.is_empty() || before.ends_with('+'))
    })
}

/// Whether the text consists of digits and dots.
fn is_like_version(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.')
}

fn version(text: &str) -> Option<GiopVersion> {
    let (major, minor) = split_once(text, b'.')?;
    GiopVersion::of_profile(number(major)?, number(minor)?)
}

/// The octet that two hexadecimal digits are.
fn pair_value([high, low]: [u8; 2]) -> Option<u8> {
    let [high, low] = [high, low].map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use core::net::{IpAddr, SocketAddr};

    use zorb_giop::{Corbaloc, CorbalocAddress, HostPort, ObjectUrl};

    use super::*;
    use crate::Address;

    type Parts = (Vec<(Address, GiopVersion)>, Vec<u8>);

    /// What is found in a `corbaloc:`.
    fn found(text: &str) -> Result<Parts, MinorCode> {
        let parse = || {
            let Url::Corbaloc(locations) = Url::parse(text)? else { return Err(MALFORMED) };
            let (mut addresses, mut octets) = (Vec::new(), Vec::new());
            let key = endpoints(locations, |it| addresses.push((it.address, it.version)))?;
            unescape(key, |octet| octets.push(octet))?;
            Ok((addresses, octets))
        };
        parse().map_err(|error| error.minor)
    }

    /// What the full ORB finds there, as far as it can be used here.
    fn expected(Corbaloc { addresses, key }: Corbaloc) -> Parts {
        let address = |it: &CorbalocAddress| {
            let at = match &*it.protocol {
                "iiop" => {
                    let HostPort { host, port } = HostPort::parse(&it.address).ok()?;
                    let host = if host == "localhost" { "127.0.0.1" } else { &host };
                    let host: IpAddr = host.parse().ok().filter(|_| port > 0)?;
                    Address::Tcp(SocketAddr::new(host, port))
                }
                #[cfg(feature = "unix")]
                name if name == "uiop" || cfg!(feature = "lite") && name == "lite+uiop" => {
                    Address::Unix(crate::SocketName::new(it.address.as_bytes()).ok()?)
                }
                _ => return None,
            };
            Some((at, it.effective_version()))
        };
        (addresses.iter().filter_map(address).collect(), key)
    }

    #[test]
    fn urls_are_those_of_the_full_orb() {
        let texts = [
            " corbaloc:iiop:1.2@192.0.2.7:2809/a%20key",
            "CORBALOC::1.1@[::1]:7,:localhost,other:text/k%4",
            "corbaloc:uiop:1.2@/run/a@b.sock,shmiop:@name|a/b",
            "corbaloc:lite+uiop:@name|key,iiop:192.0.2.7",
            "corbaloc:rir:/NameService",
        ];
        let (mut good, mut all) = (0, 0);
        for text in texts {
            for at in 0..=text.len() {
                let (before, after) = text.split_at(at);
                let rest = after.get(1..).unwrap_or_default();
                let others = ["", ":", "@", "/", ",", "|", "%41", "1.", " ", "rir:", "+", "ä", "["];
                for other in others {
                    for changed in
                        [format!("{before}{other}{rest}"), format!("{before}{other}{after}")]
                    {
                        all += 1;
                        let found = found(&changed);
                        match ObjectUrl::parse(&changed) {
                            Ok(ObjectUrl::Corbaloc(corbaloc)) => {
                                good += 1;
                                assert_eq!(found, Ok(expected(corbaloc)), "{changed}");
                            }
                            Ok(_) => assert_eq!(found, Err(bad_param::BAD_SCHEME), "{changed}"),
                            // Of what the small ORB has not, it does not say what is wrong with it.
                            Err(_) if found == Err(bad_param::BAD_SCHEME) => {}
                            Err(error) => assert_eq!(found, Err(error.minor()), "{changed}"),
                        }
                    }
                }
            }
        }
        assert!(good > all / 4 && good < all, "{good} of {all}");
    }

    #[test]
    fn digits_are_octets() {
        assert_eq!(octets("00fFa1"), Ok(Vec::from([0, 255, 161])));
        for digits in ["0", "0g", "012", "ä"] {
            assert_eq!(octets(digits), Err(MALFORMED), "{digits}");
        }
        let long: String = core::iter::repeat_n('a', MAX_URL).collect();
        assert_eq!(found(&format!("corbaloc::/{long}")), Err(bad_param::BAD_URL));
    }
}
