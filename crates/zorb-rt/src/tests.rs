use zorb_cdr::ByteOrder;
use zorb_core::policy::Policy;

use super::*;

#[test]
fn priorities_are_0_to_32767() {
    assert_eq!(Priority::new(0).unwrap(), Priority::MIN);
    assert_eq!(Priority::new(32_767).unwrap(), Priority::MAX);
    for value in [-1, i16::MIN] {
        let refused = Priority::new(value).unwrap_err();
        assert_eq!(refused.kind, zorb_types::SystemExceptionKind::BadParam);
    }
}

/// The native priorities of some CORBA priorities.
fn mapped(mapping: &impl PriorityMapping, values: &[i16]) -> Vec<Option<i16>> {
    let native = |value| mapping.to_native(Priority::new(value).unwrap()).map(|native| native.0);
    values.iter().map(|value| native(*value)).collect()
}

#[test]
fn mappings_return_native_priorities() {
    let (low, high) = (NativePriority(1), NativePriority(89));
    let values = [0, 1, 88, 89, 90, 16_384, 32_767];
    assert_eq!(
        mapped(&Linear::new(low, high), &values),
        [1, 1, 1, 1, 1, 45, 89].map(Some),
        "all are spread over those there are"
    );
    let direct = mapped(&Direct::new(low, high), &values);
    assert_eq!(direct, [None, Some(1), Some(88), Some(89), None, None, None]);
    let continuous = mapped(&Continuous::new(low, high), &values);
    assert_eq!(continuous, [Some(1), Some(2), Some(89), None, None, None, None]);
}

#[test]
fn mapping_back_and_forth_returns_the_same_native_priority() {
    let ranges = [(0, 89), (1, 99), (1, 1), (40, 60), (-7, 1_000)];
    for (low, high) in ranges.map(|(low, high)| (NativePriority(low), NativePriority(high))) {
        let mappings: [&dyn PriorityMapping; 3] =
            [&Linear::new(low, high), &Direct::new(low, high), &Continuous::new(low, high)];
        for mapping in mappings {
            for native in (-1..=100).map(NativePriority) {
                let inside = native.0 >= low.0.max(0) && native.0 <= high.0.min(99);
                let priority = mapping.to_corba(native);
                assert_eq!(priority.is_some(), inside, "{native} {mapping:?}");
                let back = priority.and_then(|priority| mapping.to_native(priority));
                assert_eq!(back, inside.then_some(native), "{mapping:?}");
            }
        }
    }
}

#[test]
fn linear_keeps_the_order_of_priorities() {
    let linear = Linear::default();
    let natives: Vec<_> =
        (0..=i16::MAX).map(|value| linear.to_native(Priority::new(value).unwrap())).collect();
    assert!(natives.is_sorted());
    assert_eq!(natives.first(), Some(&Some(NativePriority::SHARED)));
    assert_eq!(natives.last(), Some(&Some(NativePriority::DEFAULT_MAX)));
}

#[test]
fn the_service_context_is_an_encapsulated_short() {
    let hundred = Priority::new(100).unwrap();
    assert_eq!(context::encode(hundred, ByteOrder::Little), [1, 0, 100, 0]);
    assert_eq!(context::encode(hundred, ByteOrder::Big), [0, 0, 0, 100]);
    assert_eq!(context::decode(&[1, 0, 100, 0]), Some(hundred));
    assert_eq!(context::decode(&[0, 0, 0x7f, 0xff]), Some(Priority::MAX));
    for hostile in [&[][..], &[1], &[1, 0], &[1, 0, 100], &[0, 0, 0x80, 0], &[0, 0, 0xff, 0xff]] {
        assert_eq!(context::decode(hostile), None, "{hostile:?}");
    }
}

#[test]
fn the_policy_is_an_enumerator_and_a_short() {
    let orb = zorb_core::Orb::builder().without_environment().build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let octets = |model, order| Policy::new(model).to_wire(order).unwrap().value;
    let propagated = || rt.client_propagated(Priority::new(7).unwrap());
    let declared = || rt.server_declared(Priority::new(0x0102).unwrap());
    // As TAO encodes it: byte order, padding, ulong model, short server_priority.
    assert_eq!(octets(propagated(), ByteOrder::Little), [1, 0, 0, 0, 0, 0, 0, 0, 7, 0]);
    assert_eq!(octets(declared(), ByteOrder::Little), [1, 0, 0, 0, 1, 0, 0, 0, 2, 1]);
    assert_eq!(octets(declared(), ByteOrder::Big), [0, 0, 0, 0, 0, 0, 0, 1, 1, 2]);

    use zorb_core::policy::TypedPolicy;
    let read = |octets: &[u8]| {
        PriorityModel::read(&mut zorb_cdr::CdrReader::for_encapsulation(octets).unwrap())
    };
    assert_eq!(read(&[1, 0, 0, 0, 1, 0, 0, 0, 2, 1]).unwrap(), declared());
    for hostile in [
        &[1, 0, 0, 0, 2, 0, 0, 0, 2, 1][..],
        &[1, 0, 0, 0, 1, 0, 0, 0, 2, 0x80],
        &[1, 0, 0, 0, 1, 0, 0, 0, 2],
        &[1, 0, 0],
    ] {
        assert!(read(hostile).is_err(), "{hostile:?}");
    }
}

#[test]
fn bands_are_a_sequence_of_pairs_of_shorts() {
    use zorb_core::policy::TypedPolicy;
    let number = |value| Priority::new(value).unwrap();
    let band = |low, high| PriorityBand::new(number(low), number(high)).unwrap();
    let bands = PriorityBands::new([band(0, 9), band(0x0102, 32_767)]).unwrap();
    // As TAO encodes it: byte order, padding, ulong length, and each band as two shorts.
    let little = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0xff, 0x7f];
    assert_eq!(Policy::new(bands.clone()).to_wire(ByteOrder::Little).unwrap().value, little);
    let big = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 9, 1, 2, 0x7f, 0xff];
    assert_eq!(Policy::new(bands.clone()).to_wire(ByteOrder::Big).unwrap().value, big);
    let read = |octets: &[u8]| {
        PriorityBands::read(&mut zorb_cdr::CdrReader::for_encapsulation(octets).unwrap())
    };
    assert_eq!(read(&little).unwrap(), bands);
    for hostile in [
        &[1, 0, 0, 0, 0, 0, 0, 0][..],
        &[1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 9],
        &[1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 8, 0],
        &[1, 0, 0, 0, 1, 0, 0, 0, 0, 0x80, 8, 0],
        &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0x3f, 0, 0, 8, 0],
    ] {
        assert!(read(hostile).is_err(), "{hostile:?}");
    }
}

#[test]
fn a_thread_has_the_priority_that_was_set() {
    let orb = zorb_core::Orb::builder().without_environment().build().unwrap();
    let mapping = Direct::new(NativePriority(0), NativePriority(50));
    let rt = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let current = rt.current();
            let unset = current.priority().unwrap_err();
            assert_eq!(unset.kind, zorb_types::SystemExceptionKind::Initialize);
            let ten = Priority::new(10).unwrap();
            current.set_priority(ten).unwrap();
            assert_eq!(current.priority().unwrap(), ten);
            let beyond = current.set_priority(Priority::new(51).unwrap()).unwrap_err();
            assert_eq!(beyond.kind, zorb_types::SystemExceptionKind::DataConversion);
            assert_eq!(current.priority().unwrap(), ten);
            if rt.denial().is_none() {
                let schedule = zorb_os::priority::current().unwrap();
                assert_eq!(schedule, zorb_os::priority::Schedule::Fifo(10));
                assert_eq!(rt.denials(), 0);
            } else {
                assert_eq!(rt.denials(), 1);
            }
        });
    });
}

/// A mapping to native priorities that do not exist.
#[derive(Debug)]
struct TooHigh;

impl PriorityMapping for TooHigh {
    fn to_native(&self, _: Priority) -> Option<NativePriority> {
        Some(NativePriority(120))
    }

    fn to_corba(&self, _: NativePriority) -> Option<Priority> {
        None
    }
}

#[test]
fn denied_priorities_are_counted_and_refused_if_configured() {
    let orb = zorb_core::Orb::builder().without_environment().build().unwrap();
    let ask = |denied| {
        let rt = RtOrb::builder().mapping(TooHigh).denied(denied).attach(&orb).unwrap();
        let set = rt.current().set_priority(Priority::MAX).map_err(|exception| exception.kind);
        (set, rt.denials(), rt.denial().is_some())
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let refused = zorb_types::SystemExceptionKind::NoPermission;
            assert_eq!(ask(Denied::Refuse), (Err(refused), 1, true));
            assert_eq!(ask(Denied::Run), (Ok(()), 1, true));
        });
    });
}
