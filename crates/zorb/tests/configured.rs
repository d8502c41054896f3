//! Protocols by configuration: which an ORB has, which it listens with, which its calls go by.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::sync::Arc;

use support::{Adder, Servant};
use zorb::giop::ProfileTag;
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
    // What is first is what is listened with where nothing is said.
    assert_eq!(tags(&adder(&two)), [UIOP]);
    let rest = with(&[("Protocols", "-iiop;-shmiop")]).build().unwrap();
    let left = all.iter().filter(|name| !["iiop", "shmiop"].contains(&name.as_str()));
    assert!(schemes(&rest).iter().eq(left));
    // An endpoint of a protocol that is not there is an error.
    let listens = with(&[("Protocols", "uiop")]).listen("iiop://127.0.0.1:0").build();
    let story = listens.unwrap_err().to_string();
    assert!(story.contains("no protocol \"iiop\""), "{story}");
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
        let (story, hint) = (error.to_string(), error.advice().unwrap_or_default().to_owned());
        assert!(
            story.contains(&format!("option {option} (builder): no protocol \"ipx\"")),
            "{story}"
        );
        assert!(hint.contains("iiop, uiop, shmiop"), "{hint}");
    }
    // What is switched off is not there to be used.
    let off = with(&[("Protocols", "iiop,uiop"), ("ClientProtocols", "shmiop")]).build();
    assert_eq!(off.unwrap_err().advice(), Some("there are here: iiop, uiop"));
    let mixed = with(&[("Protocols", "iiop,-uiop")]).build().unwrap_err();
    assert!(mixed.to_string().contains("option Protocols"), "{mixed}");
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
    // Where no endpoint is left, or none is named, each protocol has one of its own.
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
    // A policy of the program's own has the last word.
    let client = with(&[("ClientProtocols", "shmiop")]).build().unwrap();
    let iiop = zorb::policy::Policies::new().with(zorb::policy::ClientProtocols::new([IIOP]));
    let own = there(&client, &adder).object().with_policies(&iiop).unwrap();
    assert_eq!(own.non_existent(), Ok(false));

    // What the preferred one cannot do the next one does, where there is a next one.
    let path = server.endpoints()[1].strip_prefix("uiop://").unwrap().to_owned();
    std::fs::remove_file(path).unwrap();
    assert_eq!(call("uiop,iiop"), Ok(3));
    assert_eq!(call("uiop,any"), Ok(3));
    assert_eq!(call("uiop").unwrap_err().kind, SystemExceptionKind::Transient);
}

/// Where nobody answers, the story is that of the endpoint that was tried last.
#[test]
fn the_preferred_protocol_is_tried_first() {
    let server = with(&[]).listen("iiop://127.0.0.1:0").listen("uiop://").build().unwrap();
    let adder = adder(&server);
    server.shutdown(true).unwrap();
    for (names, last) in
        [("iiop,uiop", "uiop://"), ("uiop,iiop", "iiop://"), ("uiop,any", "iiop://")]
    {
        let client = with(&[("ClientProtocols", names)]).build().unwrap();
        let story = zorb::Error::from(there(&client, &adder).add(1, 2).unwrap_err()).to_string();
        assert!(story.contains(&format!("to {last}")), "{names}: {story}");
    }
}

/// Options of a protocol that an ORB does without are no error; of one that the program has not they are.
#[cfg(not(feature = "tls"))]
#[test]
fn options_of_protocols_that_are_not_there() {
    assert!(with(&[("SsliopKey", "key.pem")]).build().is_err());
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
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("zorb.toml");
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
    let orb = builder().arguments(arguments.map(str::to_owned)).build().unwrap();
    assert_eq!(schemes(&orb), ["shmiop"]);
    let _: Arc<_> = orb.protocols().by_scheme("shmiop").unwrap();
}
