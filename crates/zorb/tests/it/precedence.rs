//! The precedence of levels for each connection property: the most specific level that sets it decides.
#![allow(clippy::unwrap_used)]

use zorb::giop::ProfileTag;
use zorb::poa::PoaPolicies;
use zorb::policy::{
    ClientProtocols, ConnectionProperties, Policies, ProtocolChoice, ServerProtocols,
};
use zorb::{ObjectRef, Orb};

const IIOP: ProfileTag = ProfileTag::INTERNET_IOP;
const UIOP: ProfileTag = ProfileTag::TAO_UIOP;

/// A property: how a level says a value of it, and what it comes to, as a number.
struct Property {
    name: &'static str,
    option: Option<(&'static str, &'static str)>,
    /// The effective value of the option, or its default.
    by_option: i64,
    say: fn(&mut ConnectionProperties, i64),
    read: fn(&ConnectionProperties) -> Option<i64>,
}

macro_rules! number {
    ($name:ident, $option:expr, $by_option:expr) => {
        Property {
            name: stringify!($name),
            option: $option,
            by_option: $by_option,
            say: |properties, value| properties.$name = Some(value.try_into().unwrap()),
            read: |properties| properties.$name.map(|value| value.try_into().unwrap()),
        }
    };
}

macro_rules! flag {
    ($name:ident, $option:literal, $by_option:literal) => {
        Property {
            name: stringify!($name),
            option: Some(($option, if $by_option == 1 { "yes" } else { "no" })),
            by_option: $by_option,
            say: |properties, value| properties.$name = Some(value % 2 == 1),
            read: |properties| properties.$name.map(i64::from),
        }
    };
}

fn properties() -> Vec<Property> {
    vec![
        number!(send_buffer, Some(("SendBuffer", "9999")), 9999),
        number!(receive_buffer, Some(("ReceiveBuffer", "8888")), 8888),
        flag!(keep_alive, "KeepAlive", 1),
        flag!(no_delay, "NoDelay", 0),
        flag!(dont_route, "DontRoute", 1),
        Property {
            name: "network_priority",
            option: None,
            by_option: -1,
            say: |properties, value| properties.network_priority = Some(value % 2 == 1),
            read: |properties| properties.network_priority.map(i64::from),
        },
        number!(dscp, Some(("Dscp", "63")), 63),
        number!(socket_priority, Some(("SocketPriority", "6")), 6),
        number!(pacing_rate, Some(("PacingRate", "7777")), 7777),
        number!(copy_threshold, Some(("CopyThreshold", "6666")), 6666),
        number!(preallocate, Some(("Preallocate", "5555")), 5555),
        number!(fragment_size, Some(("FragmentSize", "4444")), 4444),
        number!(max_connections, Some(("MaxConnectionsPerEndpoint", "44")), 44),
        number!(max_calls, Some(("MaxCallsPerConnection", "33")), 33),
        number!(queued_calls, Some(("MaxQueuedCalls", "22")), 22),
        number!(queued_octets, Some(("MaxQueuedOctets", "1111")), 1111),
    ]
}

/// The levels, the strongest first; at each the protocol's own properties come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Call,
    Reference,
    Thread,
    Orb,
}

const LEVELS: [Level; 4] = [Level::Call, Level::Reference, Level::Thread, Level::Orb];

fn of(property: &Property, value: i64) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    (property.say)(&mut properties, value);
    properties
}

fn general(property: &Property, value: i64) -> Policies {
    Policies::new().with(of(property, value))
}

fn reference(orb: &Orb) -> ObjectRef {
    orb.string_to_object("corbaloc::127.0.0.1:9/nobody").unwrap().unwrap()
}

/// The effective value of the property for TCP with these policies at these levels.
fn effective(property: &Property, profile: ProfileTag, said: &[(Level, Policies)]) -> Option<i64> {
    let orb = Orb::builder().without_environment();
    let orb = match property.option {
        Some((name, value)) => orb.option(name, value),
        None => orb,
    };
    let orb = orb.build().unwrap();
    let mut object = reference(&orb);
    for (level, policies) in said {
        match level {
            Level::Call => object = object.for_call(policies).unwrap(),
            Level::Reference => object = object.with_policies(policies).unwrap(),
            Level::Thread => orb.policy_current().add(policies).unwrap(),
            Level::Orb => orb.policy_manager().add(policies).unwrap(),
        }
    }
    (property.read)(&object.connection_properties(profile))
}

#[test]
fn every_property_is_decided_by_the_strongest_level_that_speaks_of_it() {
    for property in properties() {
        let otherwise =
            (property.option.is_some() || property.by_option >= 0).then_some(property.by_option);
        assert_eq!(effective(&property, IIOP, &[]), otherwise, "{}", property.name);
        // Values differ from level to level, as far as a property has so many.
        let value = |level: Level| 1 + level as i64;
        let seen = |level: Level| (property.read)(&of(&property, value(level)));
        // Every set of levels.
        for set in 1..1 << LEVELS.len() {
            let said: Vec<_> =
                LEVELS.into_iter().filter(|level| set & (1 << *level as usize) != 0).collect();
            let policies: Vec<_> =
                said.iter().map(|level| (*level, general(&property, value(*level)))).collect();
            let strongest = seen(*said.iter().min().unwrap());
            for profile in [IIOP, UIOP] {
                let found = effective(&property, profile, &policies);
                assert_eq!(found, strongest, "{} {said:?}", property.name);
            }
        }
    }
}

#[test]
fn settings_of_a_protocol_apply_only_to_it_and_take_precedence_at_their_level() {
    for property in properties() {
        let own = |value| {
            let properties = Some(of(&property, value));
            let iiop = ProtocolChoice { profile: IIOP, properties };
            Policies::new().with(ClientProtocols::new([iiop, ProtocolChoice::from(UIOP)]))
        };
        let seen = |value| (property.read)(&of(&property, value));
        for (place, level) in LEVELS.into_iter().enumerate() {
            // At its own level it comes first, and other protocols have what is said of all.
            let both = own(1).overridden_by(&general(&property, 2));
            assert_eq!(effective(&property, IIOP, &[(level, both.clone())]), seen(1));
            assert_eq!(effective(&property, UIOP, &[(level, both)]), seen(2));
            for (other_place, other) in LEVELS.into_iter().enumerate() {
                let said = [(level, own(1)), (other, general(&property, 2))];
                if place == other_place {
                    continue;
                }
                let stronger = if place < other_place { seen(1) } else { seen(2) };
                let found = effective(&property, IIOP, &said);
                assert_eq!(found, stronger, "{} {level:?} {other:?}", property.name);
                assert_eq!(effective(&property, UIOP, &said), seen(2));
                // Only the more specific of two protocol policies has an effect.
                let said = [(level, own(1)), (other, own(2))];
                assert_eq!(effective(&property, IIOP, &said), stronger, "{}", property.name);
            }
        }
    }
}

/// The settings of a level of servers: for TCP, and for all protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    General,
    OfTcp,
    Both,
}

const SAID: [Said; 4] = [Said::Nothing, Said::General, Said::OfTcp, Said::Both];

/// Policies of a server that say `of_tcp` of TCP and `general` of all.
fn of_server(property: &Property, said: Said, [of_tcp, general]: [i64; 2]) -> Policies {
    let mut policies = Policies::new();
    if matches!(said, Said::OfTcp | Said::Both) {
        let properties = Some(of(property, of_tcp));
        let iiop = ProtocolChoice { profile: IIOP, properties };
        policies = policies.with(ServerProtocols::new([iiop, ProtocolChoice::from(UIOP)]));
    }
    if matches!(said, Said::General | Said::Both) {
        policies = policies.with(of(property, general));
    }
    policies
}

/// Options that affect only clients.
const OPTIONS_OF_CLIENTS: [&str; 6] = [
    "preallocate",
    "fragment_size",
    "max_connections",
    "max_calls",
    "queued_calls",
    "queued_octets",
];

/// The adapter, then the ORB that it was made in, then the options; at each level what is said of the very
/// protocol first. Nothing that clients say changes it.
#[test]
fn connections_of_an_adapter_are_as_the_adapter_says_then_the_orb() {
    for property in properties() {
        let is_clients = OPTIONS_OF_CLIENTS.contains(&property.name);
        let option = property.option.filter(|_| !is_clients).map(|_| property.by_option);
        let seen = |value| (property.read)(&of(&property, value));
        for adapter in SAID {
            for of_orb in SAID {
                let orb = Orb::builder().without_environment();
                let orb = match property.option {
                    Some((name, value)) => orb.option(name, value),
                    None => orb,
                };
                let orb = orb.build().unwrap();
                orb.policy_manager().add(&of_server(&property, of_orb, [3, 4])).unwrap();
                let mut policies = PoaPolicies::new();
                policies.others = of_server(&property, adapter, [1, 2]);
                let poa = orb.root_poa().create("adapter", policies).unwrap();
                let client = general(&property, 5);
                orb.policy_current().add(&client).unwrap();

                let general = match (adapter, of_orb) {
                    (Said::General | Said::Both, _) => seen(2),
                    (_, Said::General | Said::Both) => seen(4),
                    _ => option,
                };
                let of_tcp = match (adapter, of_orb) {
                    (Said::OfTcp | Said::Both, _) => seen(1),
                    (Said::General, _) => seen(2),
                    (_, Said::OfTcp | Said::Both) => seen(3),
                    _ => general,
                };
                for (profile, expected) in [(IIOP, of_tcp), (UIOP, general)] {
                    let found = (property.read)(&poa.connection_properties(profile).unwrap());
                    let what = (property.name, adapter, of_orb, profile);
                    assert_eq!(found, expected, "{what:?}");
                }
            }
        }
    }
}
