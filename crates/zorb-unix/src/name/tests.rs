use super::*;

fn endpoint(address: &str) -> Result<String, String> {
    let endpoint = SocketName::parse(address).and_then(|name| name.to_endpoint("uiop"));
    endpoint.map(|e| e.address().to_owned()).map_err(|error| error.reason().to_owned())
}

#[test]
fn names_come_to_one_canonical_form() {
    for (text, canonical) in [
        ("/tmp/x.sock", "/tmp/x.sock"),
        ("//tmp///x.sock", "/tmp/x.sock"),
        ("/./tmp/././x", "/tmp/x"),
        ("/tmp/../x", "/tmp/../x"),
        ("/tmp/.x", "/tmp/.x"),
        ("/x", "/x"),
        ("/tmp/a@b", "/tmp/a@b"),
        ("/tmp/é", "/tmp/é"),
        ("@name", "@name"),
        ("@/tmp//x", "@/tmp//x"),
        ("@@", "@@"),
    ] {
        assert_eq!(endpoint(text).as_deref(), Ok(canonical), "{text:?}");
        assert_eq!(endpoint(canonical).as_deref(), Ok(canonical));
    }
}

#[test]
fn invalid_addresses_are_rejected_with_the_violated_rule() {
    for (text, rule) in [
        ("", "a path is missing"),
        ("x.sock", "starts at the root"),
        ("./x.sock", "starts at the root"),
        ("localhost:2809", "starts at the root"),
        ("@", "must follow the '@'"),
        ("/", "a folder"),
        ("//", "a folder"),
        ("/.", "a folder"),
        ("/tmp/", "a folder"),
        ("/tmp/.", "a folder"),
        ("/tmp/a b", "a space"),
        ("/tmp/a\0b", "a control character"),
        ("@a\nb", "a control character"),
    ] {
        let reason = endpoint(text).unwrap_err();
        assert!(reason.contains(rule), "{text:?}: {reason}");
    }
}

#[test]
fn names_are_as_long_as_the_system_has_room_for() {
    for first in ["/", "@"] {
        let room = MAX_NAME_LEN + usize::from(first == "@") - 1;
        let longest = format!("{first}{}", "x".repeat(room));
        let name = SocketName::parse(&longest).unwrap();
        name.to_address().unwrap();
        let reason = endpoint(&format!("{longest}x")).unwrap_err();
        assert!(reason.contains("107 octets, this one has 108"), "{reason}");
    }
    // The limit counts octets, not characters.
    assert!(endpoint(&format!("/{}", "é".repeat(54))).is_err());
    assert!(endpoint(&format!("/{}", "é".repeat(53))).is_ok());
}

#[test]
fn the_system_gets_what_was_named() {
    let path = SocketName::parse("/tmp/x").unwrap().to_address().unwrap();
    assert_eq!(path.as_pathname(), Some(Path::new("/tmp/x")));
    let name = SocketName::parse("@x").unwrap().to_address().unwrap();
    assert_eq!(name.as_abstract_namespace(), Some(&b"x"[..]));
}

#[test]
fn listen_addresses_are_parsed() {
    let named = |name| Location::Named(SocketName::parse(name).unwrap());
    for (text, location, mode) in [
        ("/tmp/x", named("/tmp/x"), None),
        ("/tmp/x?", named("/tmp/x"), None),
        ("/tmp/x?mode=0660", named("/tmp/x"), Some(0o660)),
        ("/tmp/x?mode=0660&mode=7", named("/tmp/x"), Some(7)),
        ("", Location::NewPath, None),
        ("?mode=777", Location::NewPath, Some(0o777)),
        ("/tmp/", Location::NewPathIn("/tmp/".into()), None),
        ("//tmp/./xx//?mode=660", Location::NewPathIn("/tmp/xx/".into()), Some(0o660)),
        ("/", Location::NewPathIn("/".into()), None),
        ("@", Location::NewAbstract, None),
        ("@name", named("@name"), None),
    ] {
        assert_eq!(ListenAddress::parse(text), Ok(ListenAddress { location, mode }), "{text:?}");
    }
    for (text, rule) in [
        ("x", "starts at the root"),
        ("/tmp/x?mode", "the only one is"),
        ("/tmp/x?owner=me", "the only one is"),
        ("/tmp/x?mode=", "octal number"),
        ("/tmp/x?mode=0888", "octal number"),
        ("/tmp/x?mode=1000", "octal number"),
        ("/tmp/x?mode=+7", "octal number"),
        ("/tmp/x?mode=77777777777777777777", "octal number"),
        ("@name?mode=7", "no mode"),
        ("@?mode=7", "no mode"),
    ] {
        let reason = ListenAddress::parse(text).unwrap_err().reason().to_owned();
        assert!(reason.contains(rule), "{text:?}: {reason}");
    }
}
