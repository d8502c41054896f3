use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader};

use super::*;

/// The encoding of a policy's value, as TAO's and JacORB's.
fn octets(policy: impl TypedPolicy, order: ByteOrder) -> Vec<u8> {
    Policy::new(policy).to_wire(order).unwrap().value
}

fn read<P: TypedPolicy>(octets: &[u8]) -> Result<P, zorb_cdr::CdrError> {
    P::read(&mut CdrReader::for_encapsulation(octets)?)
}

#[test]
fn values_have_the_encoding_of_the_messaging_module() {
    use ByteOrder::{Big, Little};
    // 1 s is 10,000,000 units of 100 ns, 0x98_9680.
    let second = Duration::from_secs(1);
    let little = [1, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x96, 0x98, 0, 0, 0, 0, 0];
    assert_eq!(octets(RelativeRoundtripTimeout(second), Little), little);
    let big = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x98, 0x96, 0x80];
    assert_eq!(octets(RelativeRequestTimeout(second), Big), big);
    assert_eq!(octets(ConnectionTimeout(second), Big), big);
    assert_eq!(read::<RelativeRoundtripTimeout>(&little).unwrap().0, second);
    assert_eq!(octets(SyncScope::WithTarget, Little), [1, 0, 3, 0]);
    assert_eq!(octets(Rebind::NoReconnect, Big), [0, 0, 0, 2]);
    assert_eq!(read::<SyncScope>(&[0, 0, 0, 2]).unwrap(), SyncScope::WithServer);
}

#[test]
fn invalid_values_are_rejected() {
    assert_eq!(read::<SyncScope>(&[0, 0, 0, 4]).unwrap_err().kind, CdrErrorKind::BadEnum);
    assert_eq!(read::<Rebind>(&[0, 0, 0xff, 0xff]).unwrap_err().kind, CdrErrorKind::BadEnum);
    assert!(read::<RelativeRoundtripTimeout>(&[1, 0, 0, 0]).is_err());
    assert!(read::<RelativeRoundtripTimeout>(&[]).is_err());
}

#[test]
fn times_are_rounded_up() {
    let back = |time| {
        let octets = octets(RelativeRoundtripTimeout(time), ByteOrder::NATIVE);
        read::<RelativeRoundtripTimeout>(&octets).unwrap().0
    };
    let nanos = Duration::from_nanos;
    for (time, read) in [(0, 0), (1, 100), (100, 100), (101, 200), (1_000_000_000, 1_000_000_000)] {
        assert_eq!(back(nanos(time)), nanos(read));
    }
    assert!(back(Duration::MAX) > Duration::from_secs(50_000 * 365 * 24 * 3600));
}

#[test]
fn a_set_has_one_policy_of_a_type() {
    let set =
        Policies::new().with(SyncScope::None).with(Rebind::NoRebind).with(SyncScope::WithServer);
    assert_eq!(set.len(), 2);
    assert_eq!(set.value(), Some(&SyncScope::WithServer));
    assert_eq!(set.value::<ConnectionTimeout>(), None);
    let twice = [SyncScope::None, SyncScope::None].map(Policy::new);
    let refused = Policies::from_list(twice).unwrap_err();
    assert_eq!(refused.minor, zorb_types::minor::bad_param::DUPLICATE_POLICY);
    let other = Policies::new().with(Rebind::NoReconnect);
    let both = set.clone().overridden_by(&other);
    assert_eq!(both.value(), Some(&Rebind::NoReconnect));
    assert_eq!(both.value(), Some(&SyncScope::WithServer));
    assert_ne!(both, set);
    assert_eq!(format!("{other:?}"), "{NoReconnect}");
}
