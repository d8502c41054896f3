use super::*;

fn remote(text: &str) -> Result<String, String> {
    match HostPort::parse_remote(text, 2809) {
        Ok(address) => Ok(address.to_string()),
        Err(error) => Err(error.reason().to_owned()),
    }
}

#[test]
fn addresses_come_to_one_canonical_form() {
    for (text, canonical) in [
        ("host:1", "host:1"),
        ("HOST.Example.COM:1234", "host.example.com:1234"),
        ("host", "host:2809"),
        ("host:", "host:2809"),
        ("host:00080", "host:80"),
        ("", "localhost:2809"),
        (":1", "localhost:1"),
        ("192.0.2.1:65535", "192.0.2.1:65535"),
        ("[::1]:1", "[::1]:1"),
        ("[2001:DB8:0:0::0001]", "[2001:db8::1]:2809"),
        ("[::1]:", "[::1]:2809"),
        ("my_host-1.lan:5", "my_host-1.lan:5"),
    ] {
        assert_eq!(remote(text).as_deref(), Ok(canonical), "{text:?}");
        assert_eq!(remote(canonical).as_deref(), Ok(canonical));
    }
}

#[test]
fn invalid_addresses_are_rejected_with_the_violated_rule() {
    for (text, rule) in [
        ("host:65536", "at most 65535"),
        ("host:99999999999999999999", "at most 65535"),
        ("host:-1", "is a number"),
        ("host:+1", "is a number"),
        ("host:http", "is a number"),
        ("host:0", "port 0"),
        ("::1", "must be in brackets"),
        ("2001:db8::1:80", "must be in brackets"),
        ("[::1", "not closed"),
        ("[::1]80", "must follow"),
        ("[host]:80", "brackets must contain"),
        ("[]:80", "brackets must contain"),
        ("[127.0.0.1]:80", "brackets must contain"),
        ("ho/st:80", "letters, digits"),
        ("höst:80", "letters, digits"),
        ("user@host:80", "letters, digits"),
        ("host]:80", "letters, digits"),
    ] {
        let reason = remote(text).unwrap_err();
        assert!(reason.contains(rule), "{text:?} gave: {reason}");
    }
    assert!(remote(&"h".repeat(256)).unwrap_err().contains("255"));
    assert!(remote(&"h".repeat(255)).is_ok());
}

#[test]
fn profile_hosts_have_no_brackets() {
    let address = HostPort::new("2001:db8::1", 1).unwrap();
    assert_eq!(address.to_string(), "[2001:db8::1]:1");
    assert_eq!(address.host.to_profile_host(), "2001:db8::1");
    assert_eq!(HostPort::new("Server", 1).unwrap().host.to_profile_host(), "server");
    assert!(HostPort::new("", 1).is_err());
    assert!(HostPort::new("server", 0).is_err());
}

#[test]
fn listening_has_options_and_all_interfaces() {
    let parse = ListenAddress::parse;
    let all = |port| ListenAddress { host: None, port, published: Vec::new() };
    assert_eq!(parse("").unwrap(), all(0));
    assert_eq!(parse(":2809").unwrap(), all(2809));
    let full = parse("[::1]:7/hostname_in_ior=Gate.example.com").unwrap();
    assert_eq!(full.host, Some(Host::Ip(Ipv6Addr::LOCALHOST.into())));
    assert_eq!(full.port, 7);
    let host = Host::Name("gate.example.com".to_owned());
    assert_eq!(full.published, [Published { host, port: None }]);
    assert_eq!(parse("h:7/").unwrap().published, []);
    let published = parse(":7/hostname_in_ior=::2&publish=a:1&publish=[::3]").unwrap().published;
    let published = published.iter().map(|place| (place.host.to_string(), place.port));
    let expected = [("[::2]", None), ("a", Some(1)), ("[::3]", None)];
    assert!(published.eq(expected.map(|(host, port)| (host.to_owned(), port))));
}

#[test]
fn unknown_listening_options_are_named() {
    let error = ListenAddress::parse("h:7/hostname_in_ior=a&speed=fast").unwrap_err();
    assert_eq!(error.text(), "speed=fast");
    assert!(error.reason().contains("hostname_in_ior"));
    assert!(ListenAddress::parse("h:7/hostname_in_ior").is_err());
    assert!(ListenAddress::parse("h:7/hostname_in_ior=").is_err());
    assert!(ListenAddress::parse("h:7/hostname_in_ior=a b").is_err());
    for all_interfaces in
        ["hostname_in_ior=::", "publish=0.0.0.0", "publish=[::ffff:0.0.0.0]", "publish=[::]:5000"]
    {
        let error = ListenAddress::parse(&format!("h:7/{all_interfaces}")).unwrap_err();
        assert!(error.reason().contains("all interfaces"), "{error}");
    }
    let many = |count| ListenAddress::parse(&format!(":7/{}", "publish=a&".repeat(count)));
    assert!(many(64).is_ok() && many(65).is_err());
}
