//! What an object key says.
//!
//! To a client a key is mere octets. Each ORB has its own forms, though, and who looks for a lost
//! object wants to know its adapter and id; so the known forms are taken apart here.

use zorb::giop::OrbType;
use zorb::poa::{KeyParts, system_id};

use super::facts::{Facts, printable};

/// Begins the keys that TAO's adapters make.
const TAO_PREFIX: [u8; 4] = [0x14, 0x01, 0x0f, 0x00];
/// Names an adapter in omniORB's keys.
const OMNI_NAME: u8 = 0xff;
/// Begins omniORB's transient keys.
const OMNI_TRANSIENT: u8 = 0xfe;

/// Everything that is known about `key`, of a reference that names `orb` as its maker.
pub(super) fn explain(key: &[u8], orb: Option<OrbType>) -> Facts {
    let facts = Facts::default().with("octets", key).with_detail("printable", printable(key));
    let form = zorb(key).or_else(|| tao(key)).or_else(|| match orb {
        Some(OrbType::OMNIORB) => omniorb(key),
        Some(OrbType::JACORB) => jacorb(key),
        _ => None,
    });
    let form =
        form.or_else(|| is_name(key).then(|| Facts::new("a plain name").with("name", text(key))));
    match form {
        Some(form) => {
            let maker = form.title().to_owned();
            facts.with("form", form.with_detail("maker", maker))
        }
        None => facts,
    }
}

/// As `zorb_core` lays its keys out.
fn zorb(key: &[u8]) -> Option<Facts> {
    match KeyParts::parse(key) {
        KeyParts::Transient { adapter, stamp, id } => {
            let facts = Facts::new("Zorb, transient")
                .with("adapter", adapter)
                .with("stamp", format!("{stamp:08x}"));
            Some(match system_id(id) {
                Some((slot, generation)) => facts.with("slot", slot).with("generation", generation),
                None => facts.with("object_id", id),
            })
        }
        KeyParts::Persistent { path, id } => {
            let path = path.strip_suffix(&[0]).unwrap_or(path);
            let names: Vec<String> = path.split(|octet| *octet == 0).map(text).collect();
            let facts = Facts::new("Zorb, persistent");
            Some(facts.with("adapter", adapter_path(&names)).with("object_id", id))
        }
        KeyParts::Name(_) => None,
    }
}

/// The prefix, then letters: root or other adapter, system or user id, persistent or transient.
fn tao(key: &[u8]) -> Option<Facts> {
    let flags_and_rest = key.strip_prefix(&TAO_PREFIX)?;
    let mut facts = Facts::new("TAO");
    let Some((&[root, ids, lifespan], rest)) = flags_and_rest.split_first_chunk::<3>() else {
        return Some(facts.with("rest", flags_and_rest));
    };
    let transient = match lifespan {
        b'T' => true,
        b'P' => false,
        _ => return Some(facts.with("rest", flags_and_rest)),
    };
    facts.set_title(if transient { "TAO, transient" } else { "TAO, persistent" });
    facts.add("root_adapter", root == b'R');
    facts.add("ids", if ids == b'S' { "system" } else { "user" });
    if !transient {
        return Some(facts.with("rest", rest));
    }
    match take_u32(rest).and_then(|(seconds, rest)| Some((seconds, take_u32(rest)?))) {
        Some((seconds, (microseconds, rest))) => {
            facts.add("created", format!("{seconds}.{microseconds:06} s after 1970"));
            Some(facts.with("rest", rest))
        }
        None => Some(facts.with("rest", rest)),
    }
}

/// The adapters' names, each after an octet FF; then FE and a stamp, or 0 and the id. A key of
/// another form is the id of an object in the adapter for plain names.
fn omniorb(key: &[u8]) -> Option<Facts> {
    let mut names = Vec::new();
    let mut rest = key;
    while let Some((&OMNI_NAME, after)) = rest.split_first() {
        let end =
            after.iter().position(|octet| matches!(*octet, 0 | OMNI_TRANSIENT | OMNI_NAME))?;
        let (name, after) = after.split_at_checked(end)?;
        names.push(text(name));
        rest = after;
    }
    match rest.split_first()? {
        (&OMNI_TRANSIENT, after) => {
            let (stamp, id) = after.split_first_chunk::<8>()?;
            let facts = Facts::new("omniORB, transient").with("adapter", adapter_path(&names));
            Some(facts.with("stamp", stamp.as_slice()).with("object_id", id))
        }
        (0, id) if !names.is_empty() => {
            let facts = Facts::new("omniORB, persistent").with("adapter", adapter_path(&names));
            Some(facts.with("object_id", id))
        }
        _ if is_name(key) => {
            Some(Facts::new("omniORB, a plain name (omniINSPOA)").with("name", text(key)))
        }
        _ => None,
    }
}

/// Server, adapters and id between slashes; `%` escapes.
fn jacorb(key: &[u8]) -> Option<Facts> {
    let mut parts = key.split(|octet| *octet == b'/');
    let server = parts.next()?;
    let mut names: Vec<&[u8]> = parts.collect();
    let id = names.pop()?;
    let names: Vec<String> = names.into_iter().map(text).collect();
    let facts = Facts::new("JacORB").with("server", text(server));
    Some(facts.with("adapter", adapter_path(&names)).with("object_id", id))
}

fn adapter_path(names: &[String]) -> String {
    match names {
        [] => "RootPOA".to_owned(),
        names => names.join("/"),
    }
}

fn take_u32(octets: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = octets.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*number), rest))
}

fn is_name(key: &[u8]) -> bool {
    !key.is_empty() && key.iter().all(|octet| matches!(octet, b' '..=b'~'))
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(key: &[u8], orb: Option<OrbType>) -> serde_json::Value {
        let facts = explain(key, orb);
        serde_json::to_value(&facts).unwrap()["form"].clone()
    }

    #[test]
    fn a_transient_key_of_zorb_has_slot_and_generation() {
        let form = json(b"Z\x01\0\0\0\x03\xde\xad\xbe\xef\0\0\0\x07\0\0\0\x09", None);
        assert_eq!(form["adapter"], 3);
        assert_eq!(form["stamp"], "deadbeef");
        assert_eq!((form["slot"].as_u64(), form["generation"].as_u64()), (Some(7), Some(9)));
    }

    #[test]
    fn a_persistent_key_of_zorb_has_path_and_id() {
        let form = json(b"Z\x02\0\x04a\0b\0id", None);
        assert_eq!(
            (form["adapter"].as_str(), form["object_id"].as_str()),
            (Some("a/b"), Some("6964"))
        );
    }

    #[test]
    fn keys_of_tao_are_known_by_their_prefix() {
        let form = json(b"\x14\x01\x0f\0RST\0\0\0\x05\0\0\0\x07rest", None);
        assert_eq!(form["created"], "5.000007 s after 1970");
        assert_eq!(form["root_adapter"], true);
        assert_eq!(json(b"\x14\x01\x0f\0", None)["rest"], "");
        assert_eq!(json(b"\x14\x01\x0f\0???", None)["rest"], "3f3f3f");
    }

    #[test]
    fn cut_off_keys_are_taken_as_they_are() {
        let whole: [(&[u8], Option<OrbType>); 4] = [
            (b"Z\x01\0\0\0\x03\xde\xad\xbe\xef\0\0\0\x07\0\0\0\x09", None),
            (b"Z\x02\0\x04a\0b\0id", None),
            (b"\xffadapter\xfe12345678id", Some(OrbType::OMNIORB)),
            (b"server/adapter/id", Some(OrbType::JACORB)),
        ];
        for (key, orb) in whole {
            for end in 0..=key.len() {
                let facts = serde_json::to_value(explain(&key[..end], orb)).unwrap();
                assert_eq!(facts["octets"].as_str().map(str::len), Some(end * 2));
            }
        }
    }
}
