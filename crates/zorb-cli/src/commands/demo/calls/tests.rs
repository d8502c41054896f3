use zorb_bench::demo::{Answers, EchoServant, HeraldServant, LobbyServant, SensorsServant};

use super::*;

fn orb() -> zorb::Orb {
    zorb::Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap()
}

/// The demo's objects, served by `servant` in this process.
fn objects<S>(orb: &zorb::Orb, servant: fn() -> S) -> Objects
where
    S: EchoServant + SensorsServant + HeraldServant,
{
    let poa = orb.root_poa();
    Objects {
        echo: poa.activate(servant()).unwrap(),
        sensors: poa.activate(servant()).unwrap(),
        herald: poa.activate(servant()).unwrap(),
        listener: demo::listen(&poa).unwrap(),
    }
}

/// A servant with only wrong answers.
struct WrongAnswers;

impl EchoServant for WrongAnswers {
    fn nothing(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn add(&self, a: i32, _: i32) -> zorb::Result<i32> {
        Ok(a)
    }

    fn greet(&self, _: &str) -> zorb::Result<String> {
        Ok("Hello nobody!".to_owned())
    }

    fn invert(&self, data: &[u8]) -> zorb::Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

impl SensorsServant for WrongAnswers {
    fn calibrate(&self, measured: &[Reading], _: f64) -> zorb::Result<Vec<Reading>> {
        Ok(measured.get(1..).unwrap_or_default().to_vec())
    }

    fn latest(&self, _: u32) -> zorb::Result<f64, LatestError> {
        Ok(0.0)
    }
}

impl HeraldServant for WrongAnswers {
    fn tell(&self, _: Option<&Listener>, value: i32) -> zorb::Result<i32> {
        Ok(value)
    }
}

#[test]
fn correct_replies_pass() {
    let orb = orb();
    for call in calls(&objects(&orb, || Answers)) {
        for number in [0, 1, u32::MAX] {
            call.make(number).unwrap_or_else(|failure| panic!("{}: {failure}", call.name));
        }
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn wrong_replies_are_detected() {
    let orb = orb();
    let mut calls = calls(&objects(&orb, || WrongAnswers)).into_iter();
    // An empty reply cannot be wrong.
    assert_eq!(calls.next().map(|call| call.name), Some("void"));
    for call in calls {
        assert!(call.make(1).is_err(), "{}", call.name);
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn sizes_include_whole_messages() {
    let orb = orb();
    let objects = objects(&orb, || Answers);
    let sizes = sizes(&orb, &objects).unwrap();
    let calls = calls(&objects);
    assert_eq!(sizes.len(), calls.len());
    for (Sizes { call, callback }, Call { name, .. }) in sizes.iter().zip(&calls) {
        // A GIOP header, a request id, and the minimum of a reply.
        assert!(call.request > 24 && call.reply >= 24, "{name}: {call:?}");
        assert_eq!(callback.is_some(), *name == "callback");
        let data = match *name {
            "octets_4k" => 4096,
            "structs" => 64 * 24,
            _ => 0,
        };
        assert!(call.request >= data && call.reply >= data, "{name}: {call:?}");
        assert!(call.request < data + 512 && call.reply < data + 512, "{name}: {call:?}");
    }
    let callback = sizes.last().and_then(|sizes| sizes.callback).unwrap();
    assert!(callback.request > 24 && callback.reply >= 24, "{callback:?}");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_lobby_with_nil_references_is_rejected() {
    struct Empty;
    impl LobbyServant for Empty {
        fn the_echo(&self) -> zorb::Result<Option<Echo>> {
            Ok(None)
        }
        fn the_sensors(&self) -> zorb::Result<Option<Sensors>> {
            Ok(None)
        }
        fn the_herald(&self) -> zorb::Result<Option<Herald>> {
            Ok(None)
        }
    }
    let orb = orb();
    let lobby: Lobby = orb.root_poa().activate(Empty).unwrap();
    let outcome = Objects::resolve(&orb, &lobby.as_object().to_ior_string());
    assert!(outcome.err().unwrap().to_string().contains("nil"));
    orb.shutdown(true).unwrap();
}
