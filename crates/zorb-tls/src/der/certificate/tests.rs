#![allow(clippy::unwrap_used)]

use super::*;

/// `kind`, the length, `parts`.
fn der(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let mut octets = vec![kind];
    match value.len() {
        short @ 0..=0x7f => octets.push(short as u8),
        long @ 0..=0xff => octets.extend([0x81, long as u8]),
        long => octets.extend([0x82, (long >> 8) as u8, long as u8]),
    }
    octets.extend(value);
    octets
}

fn attribute(id: &[u8], kind: u8, value: &[u8]) -> Vec<u8> {
    der(0x31, &[&der(0x30, &[&der(0x06, &[id]), &der(kind, &[value])])])
}

/// A certificate with this subject and these alternative names, and only the fields that are read.
fn certificate(subject: &[Vec<u8>], alternatives: &[Vec<u8>]) -> Vec<u8> {
    let flat = |parts: &[Vec<u8>]| der(0x30, &parts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let empty = der(0x30, &[]);
    let names = der(0x04, &[&flat(alternatives)]);
    let other =
        der(0x30, &[&der(0x06, &[&[0x55, 0x1d, 0x0f]]), &der(0x01, &[&[0xff]]), &der(0x04, &[])]);
    let names = der(0x30, &[&der(0x06, &[ALTERNATIVE_NAMES]), &names]);
    let extensions = der(0xa3, &[&der(0x30, &[&other, &names])]);
    let version = der(0xa0, &[&der(0x02, &[&[2]])]);
    let serial = der(0x02, &[&[1]]);
    let body = der(
        0x30,
        &[&version, &serial, &empty, &empty, &empty, &flat(subject), &empty, &extensions],
    );
    der(0x30, &[&body, &empty])
}

#[test]
fn subjects_read_as_rfc_4514_writes_them() {
    let subject = [
        attribute(&[0x55, 4, 6], 0x13, b"DE"),
        attribute(&[0x55, 4, 10], 0x0c, "Müller, Söhne".as_bytes()),
        attribute(&[0x2a, 0x03, 0x84, 0x22], 0x16, b" odd # "),
        attribute(&[0x55, 4, 11], 0x1e, &[0x20, 0xac]),
        attribute(&[0x55, 4, 3], 0x14, b"caf\xe9\n"),
        attribute(&[0x55, 4, 5], 0x02, &[7]),
    ];
    let names = names(&certificate(&subject, &[])).unwrap();
    let expected =
        "SERIALNUMBER=#020107,CN=café\\0a,OU=€,1.2.3.546=\\ odd # \\ ,O=Müller\\, Söhne,C=DE";
    assert_eq!(names.subject, expected.replace("# \\ ", "#\\ "));
}

#[test]
fn alternative_names_say_their_kind() {
    let alternatives = [
        der(0x82, &[b"Host.Example.COM"]),
        der(0x87, &[&[192, 0, 2, 7]]),
        der(0x87, &[&[0; 16]]),
        der(0x87, &[&[1, 2, 3]]),
        der(0x86, &[b"spiffe://example/console"]),
        der(0x81, &[b"a@example.com"]),
        der(0x82, &["ü".as_bytes()]),
        der(0x82, &[b"host\nERROR: all is lost"]),
        der(0xa0, &[b"other"]),
    ];
    let names = names(&certificate(&[], &alternatives)).unwrap();
    let expected = [
        "dns:host.example.com",
        "ip:192.0.2.7",
        "ip:::",
        "uri:spiffe://example/console",
        "email:a@example.com",
    ];
    assert_eq!(names.alternatives, expected);
    assert_eq!(names.subject, "");
}

#[test]
fn damaged_certificates_are_harmless() {
    let subject = [attribute(&[0x55, 4, 3], 0x0c, b"server")];
    let whole = certificate(&subject, &[der(0x82, &[b"host"])]);
    assert!(names(&whole).is_some());
    for end in 0..whole.len() {
        assert_eq!(names(&whole[..end]), None, "{end}");
    }
    for at in 0..whole.len() {
        for change in [0, 1, 0x30, 0x7f, 0x80, 0x83, 0x84, 0xff] {
            let mut other = whole.clone();
            other[at] = change;
            let _ = names(&other);
        }
    }
}
