//! Which server an object key belongs to.
//!
//! | Server | Its name | Its object keys |
//! |---|---|---|
//! | Zorb's | the first adapter below the root | those of persistent adapters |
//! | JacORB's | `JACORB:implementation/adapter` | `implementation/adapter/object` |
//! | any other | up to the first `/` of its keys | text |

use zorb::poa::KeyParts;

/// The longest part of a key that may be a name, in octets.
const LONGEST: usize = 1024;
/// The most names that a key may have.
const MOST: usize = 16;

/// The names that the server of an object may have, the most likely first.
pub(crate) fn candidates(key: &[u8]) -> Vec<String> {
    match KeyParts::parse(key) {
        KeyParts::Persistent { path, .. } => {
            let first = path.split(|octet| *octet == 0).next().unwrap_or_default();
            text(first).into_iter().map(str::to_owned).collect()
        }
        KeyParts::Transient { .. } => Vec::new(),
        KeyParts::Name(key) => of_text(key),
    }
}

fn of_text(key: &[u8]) -> Vec<String> {
    let slashes = key.iter().enumerate().filter(|(_, octet)| **octet == b'/');
    let ends: Vec<usize> = slashes.map(|(at, _)| at).take(MOST).collect();
    let upto = |end: usize| key.get(..end).and_then(text);
    let jacorb = ends.iter().rev().filter_map(|end| Some(format!("JACORB:{}", upto(*end)?)));
    let first = upto(ends.first().copied().unwrap_or(key.len())).map(str::to_owned);
    first.into_iter().chain(jacorb).collect()
}

fn text(octets: &[u8]) -> Option<&str> {
    std::str::from_utf8(octets).ok().filter(|text| !text.is_empty() && text.len() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_keys() {
        assert_eq!(candidates(b"Z\x02\0\x0eBank\0Accounts\0id"), ["Bank"]);
        assert_eq!(candidates(b"Z\x01\0\0\0\x01\0\0\0\x01id"), [""; 0]);
        assert_eq!(candidates(b"Bank"), ["Bank"]);
        assert_eq!(
            candidates(b"impl/Adapter/Inner/\xff\0"),
            ["impl", "JACORB:impl/Adapter/Inner", "JACORB:impl/Adapter", "JACORB:impl"]
        );
    }

    #[test]
    fn anything_may_be_a_key() {
        assert_eq!(candidates(b""), [""; 0]);
        assert_eq!(candidates(b"Z\x02\0\0id"), [""; 0]);
        assert_eq!(candidates(&[0xff; 100]), [""; 0]);
        assert_eq!(candidates(&[b'a'; 2000]), [""; 0]);
        assert!(candidates(&[b'/'; 1 << 20]).len() <= MOST + 1);
    }
}
