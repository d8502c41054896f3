//! Which server an object key belongs to.
//!
//! | Server | Its name | Its object keys |
//! |---|---|---|
//! | Zorb's | the first adapter below the root | those of persistent adapters |
//! | JacORB's | `JACORB:implementation/adapter` | `implementation/adapter/object` |
//! | TAO's | the adapter, with `-ORBServerId`: `id:adapter` | those of persistent adapters |
//! | any other | up to the first `/` of its keys | text |
//!
//! TAO's object keys, whose numbers are big-endian:
//!
//! ```text
//! 14 01 0f 00  'N' below the root  'U' user or 'S' system ids  'P' persistent
//! with user ids: path length (4)
//! hint (8), unless the server is configured without
//! path: the names of the adapters from the root on, each followed by NUL
//! object id
//! ```

use zorb::poa::KeyParts;

/// The longest part of a key that may be a name, in octets.
const LONGEST: usize = 1024;
/// The most names that a key may have.
const MOST: usize = 16;

/// The first octets of TAO's object keys.
const TAO: &[u8] = b"\x14\x01\x0f\0";
/// The name of TAO's root adapter in paths; old versions have an empty one.
const TAO_ROOT: &[u8] = b"RootPOA\0";
/// The octets of the index and the generation that TAO's paths begin with.
const TAO_HINT: usize = 8;

/// What the server of an object may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// The name of the server.
    Server(String),
    /// The name of its adapter, which may be a part of the server's name.
    Adapter(String),
}

/// The names that the server of an object may have, the most likely first.
pub(super) fn candidates(key: &[u8]) -> Vec<Candidate> {
    if let Some(key) = key.strip_prefix(TAO) {
        return of_tao(key).unwrap_or_default();
    }
    let names = match KeyParts::parse(key) {
        KeyParts::Persistent { path, .. } => {
            let first = path.split(|octet| *octet == 0).next().unwrap_or_default();
            text(first).into_iter().map(str::to_owned).collect()
        }
        KeyParts::Transient { .. } => Vec::new(),
        KeyParts::Name(key) => of_text(key),
    };
    names.into_iter().map(Candidate::Server).collect()
}

/// The adapter in the name of a server that contains more: `JACORB:implementation/adapter` or `id:adapter`. Servers leave
/// that out when they report their shutdown.
pub(super) fn adapter_of(name: &str) -> Option<&str> {
    let (first, rest) = name.split_once(':')?;
    match first {
        "JACORB" => rest.split_once('/').map(|(_, adapter)| adapter),
        _ => Some(rest),
    }
}

/// The adapters in a key of TAO, the innermost first: each registers for itself. `None` if they are not persistent.
fn of_tao(key: &[u8]) -> Option<Vec<Candidate>> {
    let path = match key.split_first_chunk::<3>()? {
        (b"NUP", rest) => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?
        }
        // System ids have no fixed length; they follow an end of the path, or look like further adapters.
        (b"NSP", rest) => rest,
        _ => return None,
    };
    let behind_hint = path.get(TAO_HINT..);
    let names = path.strip_prefix(TAO_ROOT).or_else(|| {
        let path = behind_hint?;
        path.strip_prefix(TAO_ROOT).or_else(|| path.strip_prefix(b"\0"))
    })?;
    let names = names.split(|octet| *octet == 0).map_while(text).take(MOST);
    let mut adapters: Vec<_> = names.map(|name| Candidate::Adapter(name.to_owned())).collect();
    adapters.reverse();
    Some(adapters)
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

    fn names(key: &[u8]) -> Vec<String> {
        let name = |candidate| match candidate {
            Candidate::Server(name) | Candidate::Adapter(name) => name,
        };
        candidates(key).into_iter().map(name).collect()
    }

    #[test]
    fn names_follow_from_keys() {
        assert_eq!(names(b"Z\x02\0\x0eBank\0Accounts\0id"), ["Bank"]);
        assert_eq!(names(b"Z\x01\0\0\0\x01\0\0\0\x01id"), [""; 0]);
        assert_eq!(names(b"Bank"), ["Bank"]);
        assert_eq!(
            names(b"impl/Adapter/Inner/\xff\0"),
            ["impl", "JACORB:impl/Adapter/Inner", "JACORB:impl/Adapter", "JACORB:impl"]
        );
    }

    /// Keys of servers of TAO, in references that their users have published.
    #[test]
    fn names_follow_from_keys_of_tao() {
        // The first is of the example `Simple/grid`, and the second of the naming service.
        let of_grid = b"\x14\x01\x0f\0NUP\0\0\0\x1a\0\0\0\0\x01\0\0\0RootPOA\0child_poa\0\0\0\0\0\x01\0\0\0Grid";
        let of_naming = b"\x14\x01\x0f\0NUP\0\0\0\x1c\0\0\0\0\x01\0\0\0RootPOA\0NameService\0\0\0\0\0\x01\0\0\0NameService";
        // Of an old version, without the root's name.
        let of_old =
            b"\x14\x01\x0f\0NUP\0\0\0\x13\0\0\0\0\x01\0\0\0\0child_poa\0\0\0\0\0\x01\0\0\0factory";
        // Of the telecom log service, whose ids are the system's.
        let of_log = b"\x14\x01\x0f\0NSP\0\0\0\0\x01\0\0\0RootPOA\0factory_POA\0\0\0\0\0\x01\0\0\0\x01\0\0\0";
        for (key, adapter) in [
            (&of_grid[..], "child_poa"),
            (of_naming, "NameService"),
            (of_old, "child_poa"),
            (of_log, "factory_POA"),
        ] {
            assert_eq!(candidates(key), [Candidate::Adapter(adapter.to_owned())]);
        }
        // Without hints in paths, and below another adapter.
        let inner = b"\x14\x01\x0f\0NUP\0\0\0\x0cRootPOA\0A\0B\0id";
        assert_eq!(names(inner), ["B", "A"]);
        let with_system_ids = b"\x14\x01\x0f\0NSP\x07\0\0\0\x01\0\0\0RootPOA\0A\0\x05\0\0\0";
        assert_eq!(names(with_system_ids), ["\x05", "A"]);
    }

    #[test]
    fn transient_and_truncated_keys_of_tao_have_no_name() {
        let transient = b"\x14\x01\x0f\0NUT\x5f\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0id";
        assert_eq!(names(transient), [""; 0]);
        assert_eq!(names(b"\x14\x01\x0f\0RUP\0\0\0\x08RootPOA\0id"), [""; 0]);
        let whole = b"\x14\x01\x0f\0NUP\0\0\0\x13\0\0\0\0\x01\0\0\0RootPOA\0A\0\0id";
        assert_eq!(names(whole), ["A"]);
        for length in TAO.len()..30 {
            assert_eq!(names(&whole[..length]), [""; 0], "{length} octets");
        }
        assert_eq!(names(b"\x14\x01\x0f\0NUP\xff\xff\xff\xffRootPOA\0A\0"), [""; 0]);
        let deep = [b"\x14\x01\x0f\0NSP".as_slice(), TAO_ROOT, &b"A\0".repeat(10_000)].concat();
        assert_eq!(names(&deep).len(), MOST);
    }

    #[test]
    fn adapters_are_parts_of_names() {
        assert_eq!(adapter_of("Bank"), None);
        assert_eq!(adapter_of("id:Bank"), Some("Bank"));
        assert_eq!(adapter_of("JACORB:impl/Bank/Inner"), Some("Bank/Inner"));
        assert_eq!(adapter_of("JACORB:Bank"), None);
    }

    #[test]
    fn anything_may_be_a_key() {
        assert_eq!(names(b""), [""; 0]);
        assert_eq!(names(b"Z\x02\0\0id"), [""; 0]);
        assert_eq!(names(&[0xff; 100]), [""; 0]);
        assert_eq!(names(&[b'a'; 2000]), [""; 0]);
        assert!(names(&[b'/'; 1 << 20]).len() <= MOST + 1);
    }
}
