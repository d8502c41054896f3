//! Decodes object keys.
//!
//! An object key is opaque to clients. But every ORB has its own key formats, and the adapter and
//! object id in a key help to diagnose problems, so the known formats are decoded here.

use zorb::giop::OrbType;
use zorb::poa::{KeyParts, system_id};

use super::fields::{Node, printable};

/// The prefix of keys of TAO's adapters.
const TAO_PREFIX: [u8; 4] = [0x14, 0x01, 0x0f, 0x00];
/// Precedes an adapter name in omniORB's keys.
const OMNI_NAME: u8 = 0xff;
/// Precedes the stamp in omniORB's transient keys.
const OMNI_TRANSIENT: u8 = 0xfe;

/// Decodes `key`, from a reference whose ORB type is `orb`.
pub(super) fn explain(key: &[u8], orb: Option<OrbType>) -> Node {
    let fields = Node::default().with("octets", key).with_detail("printable", printable(key));
    let form = zorb(key).or_else(|| tao(key)).or_else(|| match orb {
        Some(OrbType::OMNIORB) => omniorb(key),
        Some(OrbType::JACORB) => jacorb(key),
        _ => None,
    });
    let form =
        form.or_else(|| is_name(key).then(|| Node::new("a plain name").with("name", text(key))));
    match form {
        Some(form) => {
            let maker = form.title().to_owned();
            fields.with("form", form.with_detail("maker", maker))
        }
        None => fields,
    }
}

/// The key format of `zorb_core`.
fn zorb(key: &[u8]) -> Option<Node> {
    match KeyParts::parse(key) {
        KeyParts::Transient { adapter, stamp, id } => {
            let fields = Node::new("Zorb, transient")
                .with("adapter", adapter)
                .with("stamp", format!("{stamp:08x}"));
            Some(match system_id(id) {
                Some((slot, generation)) => {
                    fields.with("slot", slot).with("generation", generation)
                }
                None => fields.with("object_id", id),
            })
        }
        KeyParts::Persistent { path, id } => {
            let path = path.strip_suffix(&[0]).unwrap_or(path);
            let names: Vec<String> = path.split(|octet| *octet == 0).map(text).collect();
            let fields = Node::new("Zorb, persistent");
            Some(fields.with("adapter", adapter_path(&names)).with("object_id", id))
        }
        KeyParts::Name(_) => None,
    }
}

/// The prefix, then letters: root or other adapter, system or user id, persistent or transient.
fn tao(key: &[u8]) -> Option<Node> {
    let flags_and_rest = key.strip_prefix(&TAO_PREFIX)?;
    let mut fields = Node::new("TAO");
    let Some((&[root, ids, lifespan], rest)) = flags_and_rest.split_first_chunk::<3>() else {
        return Some(fields.with("rest", flags_and_rest));
    };
    let transient = match lifespan {
        b'T' => true,
        b'P' => false,
        _ => return Some(fields.with("rest", flags_and_rest)),
    };
    fields.set_title(if transient { "TAO, transient" } else { "TAO, persistent" });
    fields.add("root_adapter", root == b'R');
    fields.add("ids", if ids == b'S' { "system" } else { "user" });
    if !transient {
        return Some(fields.with("rest", rest));
    }
    match take_u32(rest).and_then(|(seconds, rest)| Some((seconds, take_u32(rest)?))) {
        Some((seconds, (microseconds, rest))) => {
            fields.add("created", format!("{seconds}.{microseconds:06} s after 1970"));
            Some(fields.with("rest", rest))
        }
        None => Some(fields.with("rest", rest)),
    }
}

/// The names of the adapters, each after an octet FF; then FE and a stamp, or 0 and the object id.
/// A key of another format is the id of an object in the adapter for plain names.
fn omniorb(key: &[u8]) -> Option<Node> {
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
            let fields = Node::new("omniORB, transient").with("adapter", adapter_path(&names));
            Some(fields.with("stamp", stamp.as_slice()).with("object_id", id))
        }
        (0, id) if !names.is_empty() => {
            let fields = Node::new("omniORB, persistent").with("adapter", adapter_path(&names));
            Some(fields.with("object_id", id))
        }
        _ if is_name(key) => {
            Some(Node::new("omniORB, a plain name (omniINSPOA)").with("name", text(key)))
        }
        _ => None,
    }
}

/// Server, adapters and object id, separated by slashes; `%` escapes.
fn jacorb(key: &[u8]) -> Option<Node> {
    let mut parts = key.split(|octet| *octet == b'/');
    let server = parts.next()?;
    let mut names: Vec<&[u8]> = parts.collect();
    let id = names.pop()?;
    let names: Vec<String> = names.into_iter().map(text).collect();
    let fields = Node::new("JacORB").with("server", text(server));
    Some(fields.with("adapter", adapter_path(&names)).with("object_id", id))
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
        let fields = explain(key, orb);
        serde_json::to_value(&fields).unwrap()["form"].clone()
    }

    #[test]
    fn transient_keys_of_zorb_have_slot_and_generation() {
        let form = json(b"Z\x01\0\0\0\x03\xde\xad\xbe\xef\0\0\0\x07\0\0\0\x09", None);
        assert_eq!(form["adapter"], 3);
        assert_eq!(form["stamp"], "deadbeef");
        assert_eq!((form["slot"].as_u64(), form["generation"].as_u64()), (Some(7), Some(9)));
    }

    #[test]
    fn persistent_keys_of_zorb_have_path_and_id() {
        let form = json(b"Z\x02\0\x04a\0b\0id", None);
        assert_eq!(
            (form["adapter"].as_str(), form["object_id"].as_str()),
            (Some("a/b"), Some("6964"))
        );
    }

    #[test]
    fn keys_of_tao_are_recognized_by_their_prefix() {
        let form = json(b"\x14\x01\x0f\0RST\0\0\0\x05\0\0\0\x07rest", None);
        assert_eq!(form["created"], "5.000007 s after 1970");
        assert_eq!(form["root_adapter"], true);
        assert_eq!(json(b"\x14\x01\x0f\0", None)["rest"], "");
        assert_eq!(json(b"\x14\x01\x0f\0???", None)["rest"], "3f3f3f");
    }

    #[test]
    fn truncated_keys_are_opaque() {
        let whole: [(&[u8], Option<OrbType>); 4] = [
            (b"Z\x01\0\0\0\x03\xde\xad\xbe\xef\0\0\0\x07\0\0\0\x09", None),
            (b"Z\x02\0\x04a\0b\0id", None),
            (b"\xffadapter\xfe12345678id", Some(OrbType::OMNIORB)),
            (b"server/adapter/id", Some(OrbType::JACORB)),
        ];
        for (key, orb) in whole {
            for end in 0..=key.len() {
                let fields = serde_json::to_value(explain(&key[..end], orb)).unwrap();
                assert_eq!(fields["octets"].as_str().map(str::len), Some(end * 2));
            }
        }
    }
}
