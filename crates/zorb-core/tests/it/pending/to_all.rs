//! One call of many objects, whose arguments are encoded once.

use std::cell::Cell;

use crate::support::{Echo, RepeatError, Servant, client, server, until_noted};
use zorb_cdr::{CdrWriter, Wire};
use zorb_core::{ObjectRef, Pending};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_types::{CompletionStatus, SystemException};

/// The same object over an older version of GIOP, which aligns arguments otherwise and has no code set for them.
fn over_giop_1_0(object: &ObjectRef) -> ObjectRef {
    let ior = object.ior();
    let profile = IiopProfile::decode(&ior.profiles[0].data).unwrap();
    let old = IiopProfile { version: GiopVersion::V1_0, components: Vec::new(), ..profile };
    let profiles = vec![old.encode(zorb_cdr::ByteOrder::NATIVE).unwrap()];
    ObjectRef::new(object.core(), Ior { type_id: ior.type_id.clone(), profiles })
}

#[test]
fn the_same_call_of_many_objects_is_encoded_once() {
    let (_server, echo) = server();
    let (_other_server, other) = server();
    let (orb, there) = client(&echo);
    let other: Echo = orb.resolve(&other.object().to_ior_string()).unwrap();
    let mut targets: Vec<_> =
        (0..100).map(|at| [&there, &other][at % 2].object().clone()).collect();
    let encoded = Cell::new(0);
    let arguments = |writer: &mut CdrWriter<'_>| {
        encoded.set(encoded.get() + 1);
        String::write("\u{e4}", writer)?;
        i32::write(&3, writer)
    };
    let send = |targets: &[ObjectRef]| -> Vec<Pending<String, RepeatError>> {
        ObjectRef::send_to_all(targets, "repeat", arguments, String::read)
    };
    let check = |results: Vec<Pending<String, RepeatError>>| {
        for result in results {
            assert_eq!(result.wait().unwrap(), "\u{e4}\u{e4}\u{e4}");
        }
    };
    check(send(&targets));
    assert_eq!(encoded.get(), 1);
    // One that encodes the arguments otherwise, and one of the same ORB.
    targets.push(over_giop_1_0(there.object()));
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    targets.push(own.object().clone());
    check(send(&targets));
    assert!((2..=4).contains(&encoded.get()), "{}", encoded.get());
}

#[test]
fn one_way_requests_and_failures_are_those_of_single_ones() {
    let (_server, echo) = server();
    let (_orb, there) = client(&echo);
    let nil = ObjectRef::new(there.object().core(), Ior::NIL);
    let targets = [there.object().clone(), nil, there.object().clone()];
    let write = |writer: &mut CdrWriter<'_>| i32::write(&7, writer);
    let sent = ObjectRef::send_oneway_to_all(&targets, "note", write);
    assert_eq!(sent.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    until_noted(&there, 7);
    let twice: Vec<Pending<i32, SystemException>> =
        ObjectRef::send_to_all(&targets, "twice", write, i32::read);
    let results: Vec<_> = twice.into_iter().map(Pending::wait).collect();
    assert_eq!((results[0].clone(), results[2].clone()), (Ok(14), Ok(14)));
    assert_eq!(results[1].clone().unwrap_err().completed, CompletionStatus::No);
}
