use super::*;

fn rules(text: &str) -> PublishRules {
    text.parse().unwrap()
}

/// Which rule decides over an address of `interface`, with its effect.
fn verdict(text: &str, address: &str, interface: &str) -> String {
    let rules = rules(text);
    match rules.check(address.parse().unwrap(), &[interface]) {
        PublishVerdict::Allowed { rank, by } => {
            format!("{rank} {}", by.map_or_else(|| "no rule".to_owned(), ToString::to_string))
        }
        PublishVerdict::Excluded { by } => {
            by.map_or_else(|| "not allowed".to_owned(), |by| format!("excluded by {by}"))
        }
    }
}

#[test]
fn conditions_are_true_of_what_they_name() {
    for (rule, holds, fails) in [
        ("ipv4", "192.0.2.1", "2001:db8::1"),
        ("IPv6", "2001:db8::1", "192.0.2.1"),
        ("ipv4", "::ffff:192.0.2.1", "::1"),
        ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
        ("10.1.2.3/15", "10.0.0.1", "10.2.0.1"),
        ("0.0.0.0/0", "192.0.2.1", "::1"),
        ("::/0", "::1", "192.0.2.1"),
        ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
        ("[2001:db8::1]", "2001:db8::1", "2001:db8::2"),
        ("loopback", "127.8.0.1", "128.0.0.1"),
        ("loopback", "::1", "::2"),
        ("link-local", "169.254.9.9", "169.253.9.9"),
        ("link-local", "fe80::1", "fec0::1"),
        ("private", "172.31.0.1", "172.32.0.1"),
        ("private", "fd00::1", "fe00::1"),
    ] {
        assert_eq!(verdict(rule, holds, "eth0"), format!("0 {}", rules(rule)), "{rule}");
        assert_eq!(verdict(rule, fails, "eth0"), "not allowed", "{rule}");
    }
}

#[test]
fn names_of_interfaces_may_have_wildcards() {
    for (pattern, holds, fails) in [
        ("eth0", "eth0", "eth01"),
        ("eth*", "eth", "th0"),
        ("*", "lo", ""),
        ("br-*-*0", "br-a-b-0", "br-a0"),
        ("*0*0", "00", "0"),
    ] {
        let rule = format!("interface={pattern}");
        assert!(verdict(&rule, "192.0.2.1", holds).starts_with('0'), "{pattern}");
        assert!(pattern == "*" || verdict(&rule, "192.0.2.1", fails) == "not allowed", "{pattern}");
    }
    // One of several interfaces with the address is sufficient.
    let (rules, address) = (rules("-interface=docker*"), "fe80::1".parse().unwrap());
    assert!(!rules.check(address, &["eth0", "docker0"]).is_allowed());
    assert!(rules.check(address, &[]).is_allowed());
}

#[test]
fn the_first_rule_that_applies_decides() {
    let list = "-10.1.0.0/16, 10.0.0.0/8; ipv6";
    assert_eq!(verdict(list, "10.1.0.1", "eth0"), "excluded by -10.1.0.0/16");
    assert_eq!(verdict(list, "10.2.0.1", "eth0"), "1 10.0.0.0/8");
    assert_eq!(verdict(list, "2001:db8::1", "eth0"), "2 ipv6");
    assert_eq!(verdict(list, "192.0.2.1", "eth0"), "not allowed");
    // Where all rules exclude, the rest is allowed.
    assert_eq!(verdict("-ipv6;-loopback", "192.0.2.1", "eth0"), "0 no rule");
    assert_eq!(verdict("", "192.0.2.1", "eth0"), "0 no rule");
}

#[test]
fn host_names_have_rules_of_their_own() {
    let names = |text: &str, name: &str| rules(text).check_name(name).is_allowed();
    assert!(names("10.0.0.0/8;-loopback", "gate.example.org"));
    assert!(names("name=*.example.org", "Gate.Example.org"));
    assert!(!names("name=*.example.org", "gate.example.com"));
    assert!(!names("-name=*.lan", "server.lan."));
    assert!(names("-name=*.lan", "server.example.org"));
    assert!(!names("-loopback", "localhost"));
    assert!(!names("192.0.2.0/24", "LocalHost"));
    assert!(names("interface=lo", "localhost"));
    // Rules for names do not apply to addresses.
    assert_eq!(verdict("name=a", "192.0.2.1", "eth0"), "0 no rule");
}

#[test]
fn rules_are_written_as_they_are_read() {
    let text =
        "-interface=docker*;10.0.0.0/8;2001:db8::7;-loopback;link-local;private;ipv4;-name=*.lan";
    assert_eq!(rules(text).to_string(), text);
    assert_eq!(rules(" Loopback , ,NAME=A ;").to_string(), "loopback;name=a");
    for (wrong, reason) in [
        ("looback", "expected ipv4"),
        ("--ipv4", "expected ipv4"),
        ("interface=", "a name is missing"),
        ("device=eth0", "interface=NAME"),
        ("10.0.0.0/33", "from 0 to 32"),
        ("10.0.0.0/x", "from 0 to 32"),
        ("::/129", "from 0 to 128"),
        ("::ffff:10.0.0.0/104", "as IPv4"),
        ("fe80::1%eth0", "expected ipv4"),
    ] {
        let error = wrong.parse::<PublishRules>().unwrap_err();
        assert!(error.contains(reason), "{wrong}: {error}");
    }
}
