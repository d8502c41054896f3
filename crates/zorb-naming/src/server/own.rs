//! References to the root context that do not come from this server: `corbaloc::host:port/NameService`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use zorb::giop::Ior;

/// The key under which naming services are published: that of omniNames, TAO and JacORB.
pub const KEY: &str = "NameService";

/// Whether a reference has the root's published key, at addresses that `root`, the server's own reference, has, too.
/// `localhost`, 127.0.0.1 and ::1 are the same address.
pub(crate) fn names_root(ior: &Ior, root: &Ior) -> bool {
    let is_own = |host: &str, port: u16| {
        root.iiop_profiles().any(|own| own.port == port && is_same(&own.host, host))
    };
    let profiles = ior.iiop_profiles().filter(|profile| {
        profile.object_key == KEY.as_bytes() && is_own(&profile.host, profile.port)
    });
    // All of them, as it may lead to other servers as well.
    !ior.is_nil() && profiles.count() == ior.profiles.len()
}

fn is_same(own: &str, other: &str) -> bool {
    own.eq_ignore_ascii_case(other) || is_loopback(own) && is_loopback(other)
}

/// Whether it is the machine's usual name for itself. Other servers may listen on the other loopback addresses.
fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| {
            address == IpAddr::V4(Ipv4Addr::LOCALHOST) || address == IpAddr::V6(Ipv6Addr::LOCALHOST)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zorb::cdr::ByteOrder;
    use zorb::giop::{GiopVersion, IiopProfile, ProfileTag, TaggedProfile};

    fn ior(addresses: &[(&str, u16)], key: &str) -> Ior {
        let profile = |(host, port): &(&str, u16)| {
            let profile = IiopProfile {
                version: GiopVersion::V1_0,
                host: (*host).to_owned(),
                port: *port,
                object_key: key.into(),
                components: Vec::new(),
            };
            profile.encode(ByteOrder::Big).unwrap()
        };
        Ior { type_id: String::new(), profiles: addresses.iter().map(profile).collect() }
    }

    #[test]
    fn the_published_key_at_own_addresses_is_the_root() {
        let root = ior(&[("127.0.0.1", 2809), ("Names.example", 2810)], "\0key");
        for own in [
            &[("127.0.0.1", 2809)][..],
            &[("localhost", 2809), ("names.EXAMPLE", 2810)],
            &[("::1", 2809)],
        ] {
            assert!(names_root(&ior(own, KEY), &root), "{own:?}");
        }
        for other in [
            &[][..],
            &[("127.0.0.1", 2810)],
            &[("127.0.0.2", 2809)],
            &[("names.example", 2809)],
            &[("127.0.0.1", 2809), ("other.example", 2809)],
        ] {
            assert!(!names_root(&ior(other, KEY), &root), "{other:?}");
        }
        assert!(!names_root(&ior(&[("127.0.0.1", 2809)], "Name"), &root));
        let mut more = ior(&[("127.0.0.1", 2809)], KEY);
        more.profiles.push(TaggedProfile { tag: ProfileTag(77), data: vec![1] });
        assert!(!names_root(&more, &root), "a profile of another protocol");
    }
}
