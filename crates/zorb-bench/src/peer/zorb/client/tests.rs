use super::*;
use crate::driver::Answer;
use crate::operation::Action;
use crate::peer::client::answer;

fn client() -> ZorbClient {
    ZorbClient::connect(&PeerArguments::parsed("zorb client collocated")).unwrap()
}

#[test]
fn every_operation_works() {
    let client = client();
    for &operation in Operation::ALL {
        for payload in [1, 100, 5000] {
            let sink = operation.action() == Action::Sink;
            let kind = if sink { "flood" } else { "run" };
            let line = format!("{kind} {operation} {payload} 3");
            let text = answer(&client, &line).to_string();
            let done = Answer::parse(&text, !sink).unwrap();
            assert!(matches!(done, Answer::Done(_)), "{line}: {text}");
        }
    }
}

#[test]
fn floods_are_the_same_by_every_engine() {
    for (engine, views_only) in [("interpretive", false), ("view", true)] {
        let line = format!("zorb client collocated --engine {engine}");
        let client = ZorbClient::connect(&PeerArguments::parsed(&line)).unwrap();
        for &operation in Operation::ALL.iter().filter(|one| one.action() == Action::Sink) {
            let text = answer(&client, &format!("flood {operation} 100 3")).to_string();
            let has_views = matches!(operation, Operation::SendStructs | Operation::SendPadded);
            let expected = if views_only && !has_views { "unsupported " } else { "done " };
            assert!(text.starts_with(expected), "{engine} {operation}: {text}");
        }
    }
}

#[test]
fn a_servant_without_a_skeleton_answers_stubs_and_dynamic_calls() {
    let line = "zorb client collocated --engine dsi";
    let client = ZorbClient::connect(&PeerArguments::parsed(line)).unwrap();
    for (operation, expected) in [
        ("ping", "done "),
        ("echo_structs", "done "),
        ("dii_octets", "done "),
        ("dii_structs", "done "),
        ("echo_string", "unsupported "),
        ("codec_structs", "unsupported "),
        ("cube_long", "unsupported "),
    ] {
        let text = answer(&client, &format!("run {operation} 100 3")).to_string();
        assert!(text.starts_with(expected), "{operation}: {text}");
    }
}

#[test]
fn a_collocated_object_has_no_shared_connection() {
    let text = answer(&client(), "run ping 0 1 shared=1").to_string();
    assert!(text.starts_with("unsupported "), "{text}");
}

#[test]
fn wrong_replies_are_detected() {
    let suite = client().suite;
    let mut wrong: Vec<Box<dyn TwoWay>> = vec![
        echo::<i32>(suite.clone(), 3, |_, data| Ok(data[1..].to_vec())),
        echo::<u8>(suite.clone(), 3, |_, data| Ok(vec![data[0], data[1], !data[2]])),
        cube_many::<i16>(suite.clone(), 3, |_, numbers| Ok(numbers.to_vec())),
        cube_one::<i32>(suite, |_, number| Ok(number.cubed() + 1)),
    ];
    for call in &mut wrong {
        assert!(call.make(7, 1).is_err());
    }
}
