use super::*;

/// A machine with these addresses besides those of the loopback interface, each as `interface address`, by default of
/// eth0. `down` is an interface that is not up.
pub(super) fn machine(addresses: &[&str]) -> Vec<InterfaceAddress> {
    let interface = |text: &&str| {
        let (name, address) = text.split_once(' ').unwrap_or(("eth0", *text));
        InterfaceAddress {
            name: name.to_owned(),
            address: address.parse().unwrap(),
            is_up: name != "down",
            is_loopback: name == "lo",
        }
    };
    ["lo 127.0.0.1", "lo ::1"].iter().chain(addresses).map(interface).collect()
}

/// The published addresses of a socket that listens at `address` and is bound to `bound`, on a machine with these
/// addresses.
fn published(
    rules: &str,
    address: &str,
    bound: &str,
    addresses: &[&str],
) -> Result<Vec<String>, String> {
    let address = ListenAddress::parse(address).unwrap();
    let served =
        Served { host: address.host.as_ref(), bound: bound.parse().unwrap(), takes_ipv4: true };
    let found =
        served.published(&address.published, &rules.parse().unwrap(), &machine(addresses))?;
    Ok(found.iter().map(ToString::to_string).collect())
}

/// The only address that is published without rules.
fn one(address: &str, bound: &str, addresses: &[&str]) -> String {
    let mut found = published("", address, bound, addresses).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// The addresses that these rules publish of a socket at all interfaces.
fn by(rules: &str, addresses: &[&str]) -> Vec<String> {
    published(rules, ":7", "[::]:7", addresses).unwrap()
}

#[test]
fn a_host_is_published_as_it_was_given() {
    let machine = ["192.0.2.1", "2001:db8::1"];
    assert_eq!(one("127.0.0.1:0", "127.0.0.1:7", &machine), "127.0.0.1:7");
    assert_eq!(one("[::1]:0", "[::1]:7", &machine), "[::1]:7");
    assert_eq!(one("Server:7", "192.0.2.1:7", &machine), "server:7");
}

#[test]
fn without_rules_all_interfaces_publish_the_first_reachable_address() {
    let both = ["2001:db8::1", "192.0.2.1", "192.0.2.2"];
    assert_eq!(one(":7", "[::]:7", &both), "192.0.2.1:7");
    assert_eq!(one("0.0.0.0:7", "0.0.0.0:7", &both), "192.0.2.1:7");
    assert_eq!(one("[::]:7", "[::]:7", &both), "[2001:db8::1]:7");
    assert_eq!(one(":7", "[::]:7", &["2001:db8::1"]), "[2001:db8::1]:7");
    assert_eq!(one("[::]:7", "[::]:7", &["192.0.2.1"]), "192.0.2.1:7");
    assert_eq!(one("0.0.0.0:7", "0.0.0.0:7", &["2001:db8::1"]), "127.0.0.1:7");
}

#[test]
fn without_a_network_the_loopback_is_published() {
    assert_eq!(one(":7", "[::]:7", &[]), "127.0.0.1:7");
    assert_eq!(one("[::]:7", "[::]:7", &["fe80::1"]), "[::1]:7");
    assert_eq!(one("0.0.0.0:7", "0.0.0.0:7", &[]), "127.0.0.1:7");
    assert_eq!(by("ipv6", &["fe80::1"]), ["[::1]:7"]);
}

#[test]
fn published_ports_replace_the_bound_one() {
    let machine = ["192.0.2.1"];
    for (options, expected) in [
        ("publish=gate:5000", vec!["gate:5000"]),
        ("publish=Gate", vec!["gate:7"]),
        ("publish=[2001:db8::9]:5000", vec!["[2001:db8::9]:5000"]),
        ("publish=a:1&publish=a:2&publish=[::9]&publish=a:1", vec!["a:1", "a:2", "[::9]:7"]),
    ] {
        let found = published("", &format!(":0/{options}"), "[::]:7", &machine);
        assert_eq!(found.unwrap(), expected);
    }
    for wrong in ["publish=", "publish=gate:0", "publish=fe80::1", "publish=[fe80::1%eth0]:7"] {
        assert!(ListenAddress::parse(&format!(":0/{wrong}")).is_err(), "{wrong}");
    }
}

#[test]
fn rules_choose_and_order_the_addresses_of_all_interfaces() {
    let host = ["eth0 192.0.2.1", "eth1 10.0.0.1", "eth1 2001:db8::1", "docker0 172.17.0.1"];
    let all = ["192.0.2.1:7", "10.0.0.1:7", "172.17.0.1:7", "[2001:db8::1]:7"];
    assert_eq!(by("ipv4;ipv6", &host), all);
    assert_eq!(by("-loopback", &host), all);
    assert_eq!(by("ipv6;interface=eth*", &host), ["[2001:db8::1]:7", "192.0.2.1:7", "10.0.0.1:7"]);
    assert_eq!(by("-interface=docker*;-ipv6", &host), ["192.0.2.1:7", "10.0.0.1:7"]);
    assert_eq!(by("10.0.0.0/8", &host), ["10.0.0.1:7"]);
    let only_ipv4 = published("ipv6;ipv4", "0.0.0.0:7", "0.0.0.0:7", &host).unwrap();
    assert_eq!(only_ipv4, all[..3]);
    let ipv6_first = published("-private", "[::]:7", "[::]:7", &host).unwrap();
    assert_eq!(ipv6_first, ["[2001:db8::1]:7", "192.0.2.1:7"]);
}

#[test]
fn less_reachable_addresses_are_left_out_unless_a_rule_names_them() {
    let host = ["192.0.2.1", "fe80::1", "169.254.0.1", "down 192.0.2.9"];
    assert_eq!(by("ipv4;ipv6", &host), ["192.0.2.1:7"]);
    assert_eq!(by("interface=*", &host), ["192.0.2.1:7"]);
    assert_eq!(by("loopback;ipv4", &host), ["127.0.0.1:7", "[::1]:7", "192.0.2.1:7"]);
    assert_eq!(by("ipv4;127.0.0.0/8", &host), ["192.0.2.1:7"]);
    assert_eq!(by("-192.0.2.1", &host), ["169.254.0.1:7"]);
    assert_eq!(by("interface=lo", &host), ["127.0.0.1:7", "[::1]:7"]);
    assert_eq!(by("link-local", &host), ["169.254.0.1:7", "[fe80::1]:7"]);
}

#[test]
fn rules_also_apply_to_addresses_that_an_endpoint_names() {
    let host = ["eth0 10.0.0.1", "eth1 192.0.2.1"];
    let at = |rules, address, bound| published(rules, address, bound, &host);
    assert!(at("interface=eth1", "10.0.0.1:7", "10.0.0.1:7").is_err());
    assert_eq!(at("interface=eth0", "10.0.0.1:7", "10.0.0.1:7").unwrap(), ["10.0.0.1:7"]);
    assert!(at("interface=eth1", ":7/publish=203.0.113.5", "[::]:7").is_err());
    let allowed = "interface=eth1;203.0.113.5";
    assert_eq!(at(allowed, ":7/publish=203.0.113.5", "[::]:7").unwrap(), ["203.0.113.5:7"]);
    let two = ":7/publish=10.0.0.1:1&publish=192.0.2.1:2&publish=gate:3";
    assert_eq!(at("-private", two, "[::]:7").unwrap(), ["192.0.2.1:2", "gate:3"]);
    assert_eq!(at("-name=gate", two, "[::]:7").unwrap(), ["10.0.0.1:1", "192.0.2.1:2"]);
    let turned = at("192.0.0.0/8;10.0.0.0/8", two, "[::]:7").unwrap();
    assert_eq!(turned, ["192.0.2.1:2", "gate:3", "10.0.0.1:1"]);
    // The name of an excluded address is excluded, too.
    assert!(at("-private", "server:7", "10.0.0.1:7").is_err());
    assert_eq!(at("-private", "server:7", "192.0.2.1:7").unwrap(), ["server:7"]);
    assert!(at("-loopback", ":7/publish=localhost", "[::]:7").is_err());
}

#[test]
fn the_error_names_the_rules_and_the_addresses() {
    let error = published("-ipv4;interface=eth1", ":7", "[::]:7", &["192.0.2.1"]).unwrap_err();
    let expected = "the option PublishRules (-ipv4;interface=eth1) excludes all addresses: \
                    127.0.0.1 (-ipv4), 192.0.2.1 (-ipv4), [::1] (no rule allows it)";
    assert_eq!(error, expected);
    let served = Served { host: None, bound: "0.0.0.0:7".parse().unwrap(), takes_ipv4: true };
    let error = served.published(&[], &"ipv4".parse().unwrap(), &[]).unwrap_err();
    assert!(error.ends_with("this machine has no address that is up"), "{error}");
}
