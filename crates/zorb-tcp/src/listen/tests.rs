use super::*;

/// Returns the published host of a socket that listens at `address` and is bound to `bound`, on a
/// machine with these interfaces besides the loopback.
fn published_for(
    address: &str,
    bound: &str,
    host_option: Option<&str>,
    addresses: &[&str],
) -> String {
    let address = ListenAddress::parse(address).unwrap();
    let mut options = ListenOptions::default();
    options.published_host = host_option.map(str::to_owned);
    let interface = |name: &str, address: &str| InterfaceAddress {
        name: name.to_owned(),
        address: address.parse().unwrap(),
        is_up: true,
        is_loopback: name == "lo",
    };
    let mut interfaces = vec![interface("lo", "127.0.0.1"), interface("lo", "::1")];
    interfaces.extend(addresses.iter().map(|address| interface("eth0", address)));
    let bound = bound.parse().unwrap();
    published(&address, bound, &options, &interfaces).unwrap().to_string()
}

#[test]
fn a_host_is_published_as_it_was_given() {
    let machine = ["192.0.2.1", "2001:db8::1"];
    assert_eq!(published_for("127.0.0.1:0", "127.0.0.1:7", None, &machine), "127.0.0.1:7");
    assert_eq!(published_for("[::1]:0", "[::1]:7", None, &machine), "[::1]:7");
    assert_eq!(published_for("Server:7", "192.0.2.1:7", None, &machine), "server:7");
}

#[test]
fn all_interfaces_publish_the_first_reachable_address() {
    let both = ["2001:db8::1", "192.0.2.1", "192.0.2.2"];
    assert_eq!(published_for(":7", "[::]:7", None, &both), "192.0.2.1:7");
    assert_eq!(published_for("0.0.0.0:7", "0.0.0.0:7", None, &both), "192.0.2.1:7");
    assert_eq!(published_for("[::]:7", "[::]:7", None, &both), "[2001:db8::1]:7");
    assert_eq!(published_for(":7", "[::]:7", None, &["2001:db8::1"]), "[2001:db8::1]:7");
    assert_eq!(published_for("[::]:7", "[::]:7", None, &["192.0.2.1"]), "192.0.2.1:7");
    assert_eq!(published_for("0.0.0.0:7", "0.0.0.0:7", None, &["2001:db8::1"]), "127.0.0.1:7");
}

#[test]
fn without_a_network_the_loopback_is_published() {
    assert_eq!(published_for(":7", "[::]:7", None, &[]), "127.0.0.1:7");
    assert_eq!(published_for("[::]:7", "[::]:7", None, &["fe80::1"]), "[::1]:7");
    assert_eq!(published_for("0.0.0.0:7", "0.0.0.0:7", None, &[]), "127.0.0.1:7");
}

#[test]
fn the_urls_option_wins_over_the_listeners_option() {
    assert_eq!(published_for("127.0.0.1:0", "127.0.0.1:7", Some("gate"), &[]), "gate:7");
    assert_eq!(published_for(":0", "[::]:7", Some("2001:db8::9"), &[]), "[2001:db8::9]:7");
    let url = ":0/hostname_in_ior=front";
    assert_eq!(published_for(url, "[::]:7", Some("gate"), &["192.0.2.1"]), "front:7");
}

#[test]
fn a_published_port_replaces_the_bound_one() {
    let machine = ["192.0.2.1"];
    for (option, published) in [
        ("publish=gate:5000", "gate:5000"),
        ("publish=Gate", "gate:7"),
        ("publish=[2001:db8::9]:5000", "[2001:db8::9]:5000"),
    ] {
        let url = format!(":0/{option}");
        assert_eq!(published_for(&url, "[::]:7", Some("host"), &machine), published);
    }
    for wrong in ["publish=", "publish=gate:0", "publish=fe80::1", "publish=[fe80::1%eth0]:7"] {
        assert!(ListenAddress::parse(&format!(":0/{wrong}")).is_err(), "{wrong}");
    }
}
