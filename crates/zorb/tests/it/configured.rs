//! Selection of protocols by configuration: those of an ORB, of its endpoints, and of its calls.
#![cfg(all(feature = "shm", feature = "toml", feature = "unix"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use crate::support::{Adder, Servant};
use zorb::giop::{GiopLite, ProfileTag};
use zorb::policy::{ClientProtocols, Policies, ServerProtocols};
use zorb::protocols::UiopProtocol;
use zorb::transport::Composed;
use zorb::{Interface as _, Orb, OrbBuilder, SystemExceptionKind};

const IIOP: ProfileTag = ProfileTag::INTERNET_IOP;
const UIOP: ProfileTag = ProfileTag::TAO_UIOP;
const SHMIOP: ProfileTag = ProfileTag::TAO_SHMIOP;

fn with(options: &[(&str, &str)]) -> OrbBuilder {
    let builder = Orb::builder().without_environment();
    options.iter().fold(builder, |builder, (name, value)| builder.option(name, *value))
}

fn schemes(orb: &Orb) -> Vec<String> {
    let protocols = orb.protocols().protocols();
    protocols.iter().map(|protocol| protocol.scheme().to_owned()).collect()
}

fn adder(orb: &Orb) -> Adder {
    orb.root_poa().activate(Servant).unwrap()
}

fn tags(adder: &Adder) -> Vec<ProfileTag> {
    adder.as_object().ior().profiles.iter().map(|profile| profile.tag).collect()
}

fn there(client: &Orb, adder: &Adder) -> Adder {
    client.resolve(&adder.object().to_ior_string()).unwrap()
}

#[test]
fn an_orb_has_the_protocols_that_are_named_in_that_order() {
    let all = schemes(&with(&[]).build().unwrap());
    assert!(all.len() >= 5 && all[0] == "iiop", "{all:?}");
    let two = with(&[("Protocols", "UIOP, lite+iiop")]).build().unwrap();
    assert_eq!(schemes(&two), ["uiop", "lite+iiop"]);
    // Without endpoints, the ORB listens with the first protocol.
    assert_eq!(tags(&adder(&two)), [UIOP]);
    let rest = with(&[("Protocols", "-iiop;-shmiop")]).build().unwrap();
    let left = all.iter().filter(|name| !["iiop", "shmiop"].contains(&name.as_str()));
    assert!(schemes(&rest).iter().eq(left));
    // An endpoint of an unknown protocol is an error.
    let listens = with(&[("Protocols", "uiop")]).listen("iiop://127.0.0.1:0").build();
    let text = format!("{:?}", listens.unwrap_err());
    assert!(text.contains("no protocol \"iiop\""), "{text}");
}

#[test]
fn a_name_that_no_protocol_has_is_an_error_that_lists_those_there_are() {
    for (option, value) in [
        ("Protocols", "iiop,ipx"),
        ("Protocols", "-ipx"),
        ("ClientProtocols", "ipx,any"),
        ("ServerProtocols", "uiop,ipx"),
    ] {
        let error = with(&[(option, value)]).build().unwrap_err();
        let (text, hint) = (format!("{error:?}"), error.hint().unwrap_or_default().to_owned());
        assert!(
            text.contains(&format!("option {option} (program): no protocol \"ipx\"")),
            "{text}"
        );
        assert!(hint.contains("iiop, uiop, shmiop"), "{hint}");
    }
    // A disabled protocol cannot be used.
    let off = with(&[("Protocols", "iiop,uiop"), ("ClientProtocols", "shmiop")]).build();
    assert_eq!(off.unwrap_err().hint(), Some("available protocols: iiop, uiop"));
    let mixed = with(&[("Protocols", "iiop,-uiop")]).build().unwrap_err();
    assert!(format!("{mixed:?}").contains("option Protocols"), "{mixed}");
}

#[test]
fn a_server_listens_with_the_protocols_that_are_named_in_that_order() {
    let server = |names: &str| {
        let options = [("ServerProtocols", names)];
        let orb = with(&options).listen("iiop://127.0.0.1:0").listen("uiop://").listen("shmiop://");
        orb.build().unwrap()
    };
    for (names, expected) in [
        ("uiop,iiop", &[UIOP, IIOP][..]),
        ("shmiop", &[SHMIOP]),
        ("lite+uiop,shmiop,iiop", &[SHMIOP, IIOP]),
    ] {
        let orb = server(names);
        assert_eq!(orb.endpoints().len(), expected.len(), "{names}");
        assert_eq!(tags(&adder(&orb)), expected, "{names}");
    }
    // Without remaining endpoints, each protocol gets its own.
    for orb in [
        server("lite+uiop,lite+iiop"),
        with(&[("ServerProtocols", "lite+uiop,lite+iiop")]).build().unwrap(),
    ] {
        assert!(orb.endpoints().is_empty());
        let adder = adder(&orb);
        assert_eq!(tags(&adder), [ProfileTag::ZORB_LITE_UIOP, ProfileTag::ZORB_LITE_IIOP]);
        assert_eq!(there(&with(&[]).build().unwrap(), &adder).add(1, 2), Ok(3));
    }
}

#[test]
fn calls_go_by_the_protocols_that_are_named_in_that_order() {
    let server = with(&[]).listen("iiop://127.0.0.1:0").listen("uiop://").build().unwrap();
    let adder = adder(&server);
    let call = |names: &str| {
        let client = with(&[("ClientProtocols", names)]).build().unwrap();
        there(&client, &adder).add(1, 2)
    };
    for names in ["iiop", "uiop", "uiop,iiop", "shmiop,uiop", "shmiop,any"] {
        assert_eq!(call(names), Ok(3), "{names}");
    }
    assert_eq!(call("shmiop").unwrap_err().kind, SystemExceptionKind::InvPolicy);
    // A policy of the program takes precedence.
    let client = with(&[("ClientProtocols", "shmiop")]).build().unwrap();
    let iiop = zorb::policy::Policies::new().with(zorb::policy::ClientProtocols::new([IIOP]));
    let own = there(&client, &adder).object().with_policies(&iiop).unwrap();
    assert_eq!(own.non_existent(), Ok(false));

    // If the preferred protocol cannot carry a call, the next one is used.
    let path = server.endpoints()[1].strip_prefix("uiop://").unwrap().to_owned();
    std::fs::remove_file(path).unwrap();
    assert_eq!(call("uiop,iiop"), Ok(3));
    assert_eq!(call("uiop,any"), Ok(3));
    assert_eq!(call("uiop").unwrap_err().kind, SystemExceptionKind::Transient);
}

/// If no endpoint answers, the error is that of the last one tried.
#[test]
fn the_preferred_protocol_is_tried_first() {
    let server = with(&[]).listen("iiop://127.0.0.1:0").listen("uiop://").build().unwrap();
    let adder = adder(&server);
    server.shutdown(true).unwrap();
    for (names, last) in
        [("iiop,uiop", "uiop://"), ("uiop,iiop", "iiop://"), ("uiop,any", "iiop://")]
    {
        let client = with(&[("ClientProtocols", names)]).build().unwrap();
        let text = format!("{:?}", there(&client, &adder).add(1, 2).unwrap_err());
        assert!(text.contains(&format!("to {last}")), "{names}: {text}");
    }
}

#[test]
fn a_protocol_is_named_once() {
    for (option, value) in [
        ("Protocols", "iiop,uiop,iiop"),
        ("Protocols", "-iiop,-iiop"),
        ("ClientProtocols", "uiop,UIOP,any"),
        ("ServerProtocols", "iiop;iiop"),
    ] {
        let failure = format!("{:?}", with(&[(option, value)]).build().unwrap_err());
        assert!(failure.contains(&format!("option {option} (program): ")), "{failure}");
        assert!(failure.contains("is listed twice"), "{failure}");
    }
}

/// Two protocols cannot have one scheme, nor profiles of one kind: references could not tell them apart.
#[test]
fn protocols_that_cannot_be_told_apart_are_an_error() {
    let again = |tag| Composed::new(&GiopLite, UiopProtocol::new(), tag);
    let error = with(&[]).protocol(Arc::new(again(UIOP))).build().unwrap_err();
    let text = format!("{error:?}");
    assert!(text.contains("already registered for profiles of kind TAO UIOP"), "{text}");
    // It can replace the protocol of its scheme, or be registered without the plain one.
    with(&[]).protocol(Arc::new(again(ProfileTag(0x7a6c_0001)))).build().unwrap();
    let alone = with(&[("Protocols", "lite+uiop,iiop")]).protocol(Arc::new(again(UIOP)));
    assert_eq!(schemes(&alone.build().unwrap()), ["lite+uiop", "iiop"]);
    // One that comes later is refused, and nothing has changed.
    let orb = with(&[]).build().unwrap();
    let before = schemes(&orb);
    let refused = orb.protocols().register(Arc::new(UiopProtocol::new())).unwrap_err();
    assert!(format!("{refused:?}").contains("uiop"), "{refused}");
    assert_eq!(schemes(&orb), before);
}

/// The options that correspond to policies are visible in the policies.
#[test]
fn chosen_protocols_are_read_back_as_policies() {
    let options = [("ClientProtocols", "uiop,lite+iiop,any"), ("ServerProtocols", "uiop,iiop")];
    let orb = with(&options).build().unwrap();
    let expected = ClientProtocols::new([UIOP, ProfileTag::ZORB_LITE_IIOP]).or_any();
    assert_eq!(orb.policy_manager().policy(), Some(expected.clone()));
    let object = orb.string_to_object("corbaloc::127.0.0.1:9/nobody").unwrap().unwrap();
    assert_eq!(object.client_policy(), Some(expected));
    let expected = ServerProtocols::new([UIOP, IIOP]);
    assert_eq!(orb.policy_manager().policy(), Some(expected));
    assert!(orb.policy_manager().policy_overrides().is_empty(), "nobody has set one");
    // A policy that is set wins over it.
    let own = ClientProtocols::new([IIOP]);
    orb.policy_manager().add(&Policies::new().with(own.clone())).unwrap();
    assert_eq!(object.client_policy(), Some(own));
    let plain = with(&[]).build().unwrap();
    assert_eq!(plain.policy_manager().policy::<ClientProtocols>(), None);
    assert_eq!(plain.policy_manager().policy::<ServerProtocols>(), None);
}

/// An error names the feature that adds the missing protocol.
#[cfg(not(feature = "arq"))]
#[test]
fn a_protocol_that_the_program_was_built_without_is_told_from_one_that_nobody_has() {
    let without = [
        with(&[("ClientProtocols", "rudp")]).build(),
        with(&[("Protocols", "-rudp")]).build(),
        with(&[]).listen("rudp://127.0.0.1:0").build(),
    ];
    for refused in without {
        let error = refused.unwrap_err();
        let (text, hint) = (format!("{error:?}"), error.hint().unwrap_or_default().to_owned());
        assert!(text.contains("no protocol \"rudp\""), "{text}");
        assert!(hint.contains("it requires the feature arq"), "{hint}");
    }
    let unknown = with(&[]).listen("ipx://127.0.0.1:0").build().unwrap_err();
    let hint = unknown.hint().unwrap_or_default();
    assert!(hint.contains("available protocols: iiop") && !hint.contains("feature"), "{hint}");
}

/// Options are checked as they are for an ORB, without there being one.
#[test]
fn options_can_be_checked_without_an_orb() {
    let good = with(&[("ClientProtocols", "uiop")]).listen("iiop://256.256.256.256:0");
    assert_eq!(good.checked_options().unwrap().client_protocols, ["uiop"]);
    let bad = with(&[("ServerProtocols", "ipx")]);
    assert!(bad.options().is_ok() && bad.checked_options().is_err());
}

/// Options of a protocol that an ORB does without are no error; of one that the program has not they are.
#[cfg(not(feature = "tls"))]
#[test]
fn options_of_protocols_that_are_not_there() {
    let mut arguments = vec!["-ORBSsliopKey", "key.pem"];
    for refused in [
        with(&[("SsliopKey", "key.pem")]).build(),
        with(&[]).arguments(&mut arguments).build(),
        with(&[("ssliop_key", "key.pem")]).build(),
    ] {
        let error = refused.unwrap_err();
        let failure = format!("{error:?}");
        assert!(failure.contains("this program was built without ssliop"), "{failure}");
        assert_eq!(error.hint(), Some("ssliop requires the feature tls"));
    }
    // Of one that no program has, they are unknown like any other.
    let failure = format!("{:?}", with(&[("IpxKey", "key.pem")]).build().unwrap_err());
    assert!(failure.contains("unknown option IpxKey (program)"), "{failure}");
}

#[cfg(feature = "tls")]
#[test]
fn options_of_protocols_that_are_switched_off_are_left_alone() {
    let options = [("Protocols", "iiop"), ("SsliopKey", "there-is-no-such-file.pem")];
    assert_eq!(schemes(&with(&options).build().unwrap()), ["iiop"]);
    assert!(with(&options[1..]).build().is_err());
}

#[test]
fn files_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zorb.toml");
    let text = "protocols = [\"uiop\", \"iiop\"]\nserver_protocols = \"iiop\"\n\
                client_protocols = [\"iiop\", \"any\"]\n";
    std::fs::write(&file, text).unwrap();
    let builder = || Orb::builder().without_environment().config_file(&file);
    let orb = builder().build().unwrap();
    assert_eq!(schemes(&orb), ["uiop", "iiop"]);
    assert_eq!(tags(&adder(&orb)), [IIOP]);
    assert_eq!(orb.options().client_protocols, ["iiop", "any"]);
    // A stronger front replaces the list.
    let arguments = [
        "-ORBProtocols",
        "shmiop",
        "-ORBServerProtocols",
        "shmiop",
        "-ORBClientProtocols",
        "shmiop",
    ];
    let orb = builder().arguments(&mut arguments.to_vec()).build().unwrap();
    assert_eq!(schemes(&orb), ["shmiop"]);
    let _: Arc<_> = orb.protocols().by_scheme("shmiop").unwrap();
}
