//! What is true with any rules, on any machine: no reference contains an address that the rules exclude.
//!
//! The rules are applied here by a second, simple implementation for a few addresses.

use proptest::prelude::*;

use super::tests::machine;
use super::*;

/// Addresses with the conditions that are true of them, besides those of their interfaces.
const ADDRESSES: [(&str, &[&str]); 9] = [
    ("127.0.0.1", &["ipv4", "loopback", "127.0.0.0/8"]),
    ("::1", &["ipv6", "loopback", "::1"]),
    ("10.0.0.1", &["ipv4", "private", "10.0.0.0/8", "10.0.0.1"]),
    ("10.1.0.1", &["ipv4", "private", "10.0.0.0/8"]),
    ("192.0.2.1", &["ipv4", "192.0.2.0/24"]),
    ("169.254.1.1", &["ipv4", "link-local"]),
    ("fe80::1", &["ipv6", "link-local"]),
    ("fd00::1", &["ipv6", "private"]),
    ("2001:db8::1", &["ipv6", "2001:db8::/32"]),
];
const CONDITIONS: [&str; 14] = [
    "ipv4",
    "ipv6",
    "loopback",
    "link-local",
    "private",
    "10.0.0.0/8",
    "10.0.0.1",
    "127.0.0.0/8",
    "::1",
    "192.0.2.0/24",
    "2001:db8::/32",
    "interface=eth0",
    "interface=eth1",
    "interface=lo",
];
const INTERFACES: [&str; 4] = ["lo", "eth0", "eth1", "down"];
/// What is bound, and whether an IPv6 socket takes IPv4.
const BOUND: [(&str, &str, bool); 5] = [
    (":7", "[::]:7", true),
    ("[::]:7", "[::]:7", true),
    ("[::]:7", "[::]:7", false),
    ("0.0.0.0:7", "0.0.0.0:7", true),
    ("10.0.0.1:7", "10.0.0.1:7", true),
];

type Rules = Vec<(bool, &'static str)>;

/// The number of the rule that allows an address; `None` if it is excluded.
fn rank(rules: &Rules, address: &str, table: &[(&str, &str)]) -> Option<usize> {
    let known = ADDRESSES.iter().find(|(known, _)| *known == address).unwrap().1;
    let holds = |condition: &str| match condition.strip_prefix("interface=") {
        Some(name) => table.iter().any(|(of, its)| *of == name && *its == address),
        None => known.contains(&condition),
    };
    match rules.iter().position(|(_, condition)| holds(condition)) {
        Some(first) => (!rules[first].0).then_some(first),
        None => rules.iter().all(|(excludes, _)| *excludes).then_some(0),
    }
}

fn rules() -> impl Strategy<Value = Rules> {
    prop::collection::vec((any::<bool>(), prop::sample::select(&CONDITIONS[..])), 1..5)
}

fn address() -> impl Strategy<Value = &'static str> {
    (0..ADDRESSES.len()).prop_map(|index| ADDRESSES[index].0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reference_contains_an_excluded_address(
        rules in rules(),
        table in prop::collection::vec((prop::sample::select(&INTERFACES[..]), address()), 0..6),
        named in prop::collection::vec((address(), 1_u16..4), 0..4),
        bound in prop::sample::select(&BOUND[..]),
    ) {
        let text: Vec<_> =
            rules.iter().map(|(excludes, rule)| format!("{}{rule}", if *excludes { "-" } else { "" })).collect();
        let parsed: PublishRules = text.join(",").parse().unwrap();
        let listed: Vec<_> = table.iter().map(|(name, address)| format!("{name} {address}")).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        let all = [("lo", "127.0.0.1"), ("lo", "::1")].into_iter().chain(table.iter().copied()).collect::<Vec<_>>();
        let allowed = |address: &str| rank(&rules, address, &all);

        let (url, socket, takes_ipv4) = bound;
        let requested = ListenAddress::parse(url).unwrap();
        let socket: SocketAddr = socket.parse().unwrap();
        let published: Vec<_> = named.iter().map(|(address, port)| {
            Published { host: Host::parse(address).unwrap(), port: Some(*port) }
        }).collect();
        let served = Served { host: requested.host.as_ref(), bound: socket, takes_ipv4 };
        let found = served.published(&published, &parsed, &machine(&listed));

        // What could be published: the named addresses, the bound one, or those of the interfaces that are up.
        let is_served = |address: &str| match address.contains(':') {
            true => socket.is_ipv6(),
            false => takes_ipv4,
        };
        let could: Vec<(&str, u16)> = if !named.is_empty() {
            named.clone()
        } else if !socket.ip().is_unspecified() {
            vec![("10.0.0.1", 7)]
        } else {
            let up = all.iter().filter(|(name, address)| *name != "down" && is_served(address));
            up.map(|(_, address)| (*address, 7)).collect()
        };
        match found {
            Ok(found) => {
                prop_assert!(!found.is_empty());
                let mut ranks = Vec::new();
                for (index, published) in found.iter().enumerate() {
                    let known = could.iter().find(|(address, port)| {
                        Host::parse(address).unwrap() == published.host && *port == published.port
                    });
                    prop_assert!(known.is_some(), "{published} is not an address of this endpoint");
                    let rank = allowed(known.unwrap().0);
                    prop_assert!(rank.is_some(), "{published} is excluded by {parsed}");
                    ranks.push(rank);
                    prop_assert!(!found[..index].contains(published), "{published} is there twice");
                }
                prop_assert!(ranks.is_sorted(), "{found:?} is not in the order of {parsed}");
                // Named addresses are all there, and so are those that every client may be able to reach.
                let is_needed = |address: &str| !named.is_empty() || scope(address.parse().unwrap()) == 0;
                for (address, port) in could {
                    let published = HostPort { host: Host::parse(address).unwrap(), port };
                    let is_missing = allowed(address).is_some() && is_needed(address) && !found.contains(&published);
                    prop_assert!(!is_missing, "{published} is missing in {found:?}");
                }
            }
            Err(error) => {
                prop_assert!(could.iter().all(|(address, _)| allowed(address).is_none()), "{error}");
                prop_assert!(error.contains(&parsed.to_string()));
                for (address, _) in could {
                    prop_assert!(error.contains(address), "{address} is not in: {error}");
                }
            }
        }
    }
}
