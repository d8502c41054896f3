//! Object URLs.

use zorb_giop::{
    Corbaloc, CorbalocAddress, Corbaname, GiopVersion, HostPort, Ior, NamingContextAddress,
    ObjectUrl, UrlErrorKind,
};
use zorb_types::{SystemException, SystemExceptionKind, minor};

fn parse(text: &str) -> ObjectUrl {
    ObjectUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn corbaloc(text: &str) -> Corbaloc {
    match parse(text) {
        ObjectUrl::Corbaloc(corbaloc) => corbaloc,
        other => panic!("{other:?}"),
    }
}

fn address(protocol: &str, version: Option<GiopVersion>, address: &str) -> CorbalocAddress {
    let (protocol, address) = (protocol.to_string(), address.to_string());
    CorbalocAddress { protocol, version, address }
}

#[test]
fn one_address() {
    let v1_2 = Some(GiopVersion::V1_2);
    for (text, expected) in [
        ("corbaloc::host/k", address("iiop", None, "host")),
        ("corbaloc:iiop:host:99/k", address("iiop", None, "host:99")),
        ("CorbaLoc:IIOP:1.2@Host/k", address("iiop", v1_2, "Host")),
        ("corbaloc::1.9@host/k", address("iiop", v1_2, "host")),
        ("corbaloc::/k", address("iiop", None, "")),
        ("corbaloc::1.1@:2000/k", address("iiop", Some(GiopVersion::V1_1), ":2000")),
        ("corbaloc::[2001:db8::1]:99/k", address("iiop", None, "[2001:db8::1]:99")),
        ("corbaloc:ssliop:1.2@host:99/k", address("ssliop", v1_2, "host:99")),
        ("corbaloc:uiop:1.2@/tmp/a/socket|k", address("uiop", v1_2, "/tmp/a/socket")),
        ("corbaloc:uiop:/tmp/a@b|k", address("uiop", None, "/tmp/a@b")),
        ("corbaloc:shmiop:1.2@/tmp/a/socket|k", address("shmiop", v1_2, "/tmp/a/socket")),
        ("corbaloc:shmiop:/tmp/a@b|k", address("shmiop", None, "/tmp/a@b")),
        ("corbaloc:shmiop:@a/b|k", address("shmiop", None, "@a/b")),
        ("corbaloc:shmiop:1.2@host:99/k", address("shmiop", v1_2, "host:99")),
    ] {
        let Corbaloc { addresses, key } = corbaloc(text);
        assert_eq!((addresses, key), (vec![expected], b"k".to_vec()), "{text}");
    }
    assert_eq!(address("iiop", None, "h").effective_version(), GiopVersion::V1_0);
}

#[test]
fn several_addresses_share_the_key() {
    let url = corbaloc("corbaloc::one,iiop:1.2@two:2,shmiop:three/Some/Key");
    let protocols: Vec<_> = url.addresses.iter().map(|one| one.protocol.as_str()).collect();
    assert_eq!(protocols, ["iiop", "iiop", "shmiop"]);
    assert_eq!(url.addresses[1].address, "two:2");
    assert_eq!(url.key, b"Some/Key");
    assert_eq!(corbaloc("corbaloc::host").key, b"");
    assert_eq!(corbaloc("corbaloc::host/").key, b"");
}

#[test]
fn keys_are_escaped_and_unescaped() {
    let url = corbaloc("corbaloc::h/a%20b%2Fc%ff%25;/:?@&=+$,-_.!~*'()");
    assert_eq!(url.key, b"a b/c\xff%;/:?@&=+$,-_.!~*'()");
    let printed = ObjectUrl::Corbaloc(url.clone()).to_string();
    assert_eq!(printed, "corbaloc:iiop:h/a%20b/c%ff%25;/:?@&=+$,-_.!~*'()");
    assert_eq!(corbaloc(&printed), url);
    // Keys of most ORBs contain a NUL.
    assert_eq!(corbaloc("corbaloc::h/%00k%00").key, b"\0k\0");
}

#[test]
fn initial_references() {
    let rir = |key: &str| ObjectUrl::Rir { key: key.to_string() };
    assert_eq!(parse("corbaloc:rir:/RootPOA"), rir("RootPOA"));
    assert_eq!(parse("corbaloc:RIR:"), rir("NameService"));
    assert_eq!(parse("corbaloc:rir:/"), rir("NameService"));
    assert_eq!(rir("A B").to_string(), "corbaloc:rir:/A%20B");
}

#[test]
fn names() {
    let at = |key: &str, name: &str| {
        let addresses = vec![address("iiop", None, "host:1")];
        let context =
            NamingContextAddress::Corbaloc(Corbaloc { addresses, key: key.as_bytes().to_vec() });
        ObjectUrl::Corbaname(Corbaname { context, name: name.to_string() })
    };
    assert_eq!(parse("corbaname::host:1#a/b.c"), at("NameService", "a/b.c"));
    assert_eq!(parse("corbaname::host:1/Other%20One#a%20%5c/b"), at("Other One", "a \\/b"));
    assert_eq!(parse("corbaname::host:1"), at("NameService", ""));
    assert_eq!(parse("corbaname::host:1/K#"), at("K", ""));
    assert_eq!(at("K", "é").to_string(), "corbaname:iiop:host:1/K#%c3%a9");
    assert_eq!(parse("corbaname::host:1/K#%c3%a9"), at("K", "é"));
    let rir = |key: &str, name: &str| {
        let context = NamingContextAddress::Rir { key: key.to_string() };
        ObjectUrl::Corbaname(Corbaname { context, name: name.to_string() })
    };
    assert_eq!(parse("corbaname:rir:#a/b"), rir("NameService", "a/b"));
    assert_eq!(parse("corbaname:rir:/Mine#a"), rir("Mine", "a"));
    assert_eq!(rir("Mine", "a").to_string(), "corbaname:rir:/Mine#a");
}

#[test]
fn files_and_references() {
    let file = |path: &str| ObjectUrl::File(path.to_string());
    assert_eq!(parse("file:///tmp/a%20b.ior"), file("/tmp/a b.ior"));
    assert_eq!(parse("file://localhost/x"), file("/x"));
    assert_eq!(parse("file:relative/x"), file("relative/x"));
    assert_eq!(parse("FILE:/x"), file("/x"));
    let nil = "IOR:00000000000000010000000000000000";
    assert_eq!(parse(nil), ObjectUrl::Ior(Ior::NIL));
    assert_eq!(parse(&format!("  {nil}\n")), ObjectUrl::Ior(Ior::NIL));
}

#[test]
fn printing_and_parsing_is_a_round_trip() {
    for text in [
        "corbaloc:iiop:1.2@host:2809/key",
        "corbaloc:iiop:one,ssliop:1.1@two:2/a%01b",
        "corbaloc:uiop:1.2@/tmp/s|k%20y",
        "corbaloc:shmiop:one,shmiop:1.2@/tmp/s|k%20y",
        "corbaloc:shmiop:1.2@@name|k",
        "corbaloc:shmiop:1.2@/tmp/s,shmiop:one/k",
        "corbaloc:iiop:host",
        "corbaname:iiop:host/NameService#a.b/c",
        "corbaloc:rir:/NameService",
        "file:///a/b",
        "file:////a",
        "file:relative",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn errors_have_reason_position_and_minor_code() {
    use UrlErrorKind::{BadAddress, BadScheme, BadSchemeSpecificPart, Other};
    let long = format!("corbaloc::h/{}", "k".repeat(70_000));
    let many = format!("corbaloc:{}:h/k", ":h,".repeat(256));
    for (text, kind, position) in [
        ("", BadScheme, 0),
        ("nonsense", BadScheme, 0),
        ("  http://host/x", BadScheme, 2),
        ("corbaloc:", BadAddress, 9),
        ("corbaloc:host/key", BadAddress, 9),
        ("corbaloc::a,b/key", BadAddress, 12),
        ("corbaloc::a,/key", BadAddress, 12),
        ("corbaloc:i p:a/key", BadAddress, 9),
        ("corbaloc::1.2.3@a/key", BadAddress, 10),
        ("corbaloc::+1.2@a/key", BadAddress, 10),
        ("corbaloc::2.0@a/key", BadAddress, 10),
        ("corbaloc::@a/key", BadAddress, 10),
        ("corbaloc::a b/key", BadAddress, 11),
        ("corbaloc:rir:x", BadAddress, 13),
        ("corbaloc:rir:,:host/key", BadAddress, 13),
        ("corbaloc::host,rir:/key", BadAddress, 15),
        ("file://elsewhere/x", BadAddress, 5),
        ("corbaloc::a/k%2", BadSchemeSpecificPart, 13),
        ("corbaloc::a/%zz", BadSchemeSpecificPart, 12),
        ("corbaname::a#%ff", BadSchemeSpecificPart, 13),
        ("file:", BadSchemeSpecificPart, 5),
        ("IOR:0x", BadSchemeSpecificPart, 5),
        (" IOR:000", BadSchemeSpecificPart, 8),
        ("IOR:00", BadSchemeSpecificPart, 0),
        (&long, Other, 0),
        (&many, BadAddress, 9 + 3 * 256),
    ] {
        let shown = text.get(..text.len().min(40)).unwrap_or_default();
        let error = ObjectUrl::parse(text).expect_err(shown);
        assert_eq!((error.kind, error.position), (kind, position), "{shown}: {error}");
        assert!(!error.reason.is_empty() && !error.hint.is_empty());
        let code = match kind {
            BadScheme => minor::bad_param::BAD_SCHEME,
            BadAddress => minor::bad_param::BAD_ADDRESS,
            BadSchemeSpecificPart => minor::bad_param::BAD_SCHEME_SPECIFIC_PART,
            Other => minor::bad_param::BAD_URL,
        };
        let exception = SystemException::from(error);
        assert_eq!((exception.kind, exception.minor), (SystemExceptionKind::BadParam, code));
    }
}

#[test]
fn host_and_port() {
    for (text, host, port) in [
        ("host", "host", 2809),
        ("host:1", "host", 1),
        ("", "localhost", 2809),
        (":65535", "localhost", 65535),
        ("[2001:db8::1]", "2001:db8::1", 2809),
        ("[::1]:0", "::1", 0),
    ] {
        let expected = HostPort { host: host.to_string(), port };
        assert_eq!(HostPort::parse(text), Ok(expected.clone()), "{text}");
        assert_eq!(HostPort::parse(&expected.to_string()), Ok(expected));
    }
    for (text, position) in [
        ("host:", 5),
        ("host:x", 5),
        ("host:+1", 5),
        ("host:65536", 5),
        ("::1", 1),
        ("a:1:2", 2),
        ("[::1", 0),
        ("[]:1", 1),
        ("[::1]x", 5),
        ("[::1]:", 6),
        ("a b:1", 1),
        ("[[1]:2", 1),
        ("[a b]:2", 2),
        ("a]:1", 1),
    ] {
        let error = HostPort::parse(text).expect_err(text);
        assert_eq!(error.position, position, "{text}: {error}");
    }
}
