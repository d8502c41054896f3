//! Distinguished names as text (RFC 4514).

use std::fmt::Write as _;

use super::{Der, OID, SEQUENCE, SET};

/// The attributes with a short name, by the octets of their ids.
const SHORT_NAMES: &[(&[u8], &str)] = &[
    (&[0x55, 4, 3], "CN"),
    (&[0x55, 4, 5], "SERIALNUMBER"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 9], "STREET"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1], "UID"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25], "DC"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1], "emailAddress"),
];

/// The name, its last component first: `CN=console,O=Example`.
pub(super) fn distinguished_name(mut name: Der<'_>) -> Option<String> {
    let mut parts = Vec::new();
    while !name.is_empty() {
        let mut part = name.open(SET)?;
        let mut text = String::new();
        while !part.is_empty() {
            let mut attribute = part.open(SEQUENCE)?;
            let id = attribute.expect(OID)?;
            let (kind, value) = attribute.next()?;
            if !text.is_empty() {
                text.push('+');
            }
            match SHORT_NAMES.iter().find(|(known, _)| *known == id) {
                Some((_, name)) => text.push_str(name),
                None => dotted(id, &mut text),
            }
            text.push('=');
            match string(kind, value) {
                Some(value) => escaped(&value, &mut text),
                None => hexadecimal(kind, value, &mut text),
            }
        }
        parts.push(text);
    }
    parts.reverse();
    Some(parts.join(","))
}

/// The text of a value of a string type.
fn string(kind: u8, value: &[u8]) -> Option<String> {
    match kind {
        // UTF8String, NumericString, PrintableString, IA5String
        0x0c | 0x12 | 0x13 | 0x16 => std::str::from_utf8(value).ok().map(str::to_owned),
        // TeletexString, in practice Latin-1
        0x14 => Some(value.iter().map(|&octet| char::from(octet)).collect()),
        // BMPString
        0x1e if value.len().is_multiple_of(2) => {
            let units = value.chunks_exact(2).map(|pair| match *pair {
                [high, low] => u16::from_be_bytes([high, low]),
                _ => 0,
            });
            char::decode_utf16(units).collect::<Result<_, _>>().ok()
        }
        _ => None,
    }
}

fn escaped(value: &str, into: &mut String) {
    let last = value.chars().count().saturating_sub(1);
    for (at, character) in value.chars().enumerate() {
        let at_end = at == 0 || at == last;
        if matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';' | '=')
            || (at == 0 && character == '#')
            || (at_end && character == ' ')
        {
            into.push('\\');
            into.push(character);
        } else if character.is_control() {
            let mut octets = [0; 4];
            for octet in character.encode_utf8(&mut octets).bytes() {
                let _ = write!(into, "\\{octet:02x}");
            }
        } else {
            into.push(character);
        }
    }
}

/// A value that is not a string, as its octets: `#0402beef`. Its length has one or two octets.
fn hexadecimal(kind: u8, value: &[u8], into: &mut String) {
    let _ = write!(into, "#{kind:02x}");
    let _ = match value.len() {
        short @ 0..=0x7f => write!(into, "{short:02x}"),
        long => write!(into, "82{:04x}", long & 0xffff),
    };
    for octet in value {
        let _ = write!(into, "{octet:02x}");
    }
}

/// An object identifier in dotted notation.
fn dotted(id: &[u8], into: &mut String) {
    let (mut number, mut first) = (0_u64, true);
    for &octet in id {
        number = number << 7 | u64::from(octet & 0x7f);
        if octet & 0x80 != 0 {
            continue;
        }
        let _ = if first {
            let root = (number / 40).min(2);
            write!(into, "{root}.{}", number - root * 40)
        } else {
            write!(into, ".{number}")
        };
        (number, first) = (0, false);
    }
}
