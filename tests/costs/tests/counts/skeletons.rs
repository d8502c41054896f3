//! The allocations of a server for an operation of fixed-size types, by three skeletons: one with code, one with tables,
//! and one without either, which gets a list of named values (DSI).

use std::borrow::Cow;

use zorb::dynamic::{Dynamic, DynamicServant, Mode, NamedValue, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{
    Any, Interface as _, ObjectRef, Orb, OrbBuilder, SystemException, TypeCode, Typed as _,
};
use zorb_os::alloc::AllocationCount;

const CALLS: u64 = 200;

/// The code generated from `idl/skeletons.idl`.
mod idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    pub mod compiled {
        zorb::include_idl!("skeletons_compiled");
    }
    pub mod interpretive {
        zorb::include_idl!("skeletons_interpretive");
    }
}

use idl::compiled::skeletons::{Sample, Sampler};

const LAST: Sample = Sample { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };

struct Servant;

/// A servant of each engine's types.
macro_rules! servant {
    ($engine:ident) => {
        const _: () = {
            use idl::$engine::skeletons::{Sample, SamplerServant};

            impl SamplerServant for Servant {
                fn next(&self, last: &Sample, count: i32) -> zorb::Result<(Sample, f64)> {
                    let mean = last.d / f64::from(count);
                    Ok((Sample { l: last.l + 1, ..*last }, mean))
                }
            }
        };
    };
}

servant!(compiled);
servant!(interpretive);

/// The same without a skeleton.
struct Listed {
    sample: TypeCode,
    long: TypeCode,
    double: TypeCode,
}

impl DynamicServant for Listed {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        Sampler::REPOSITORY_ID.into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let Self { sample, long, double } = self;
        let list = request.arguments(vec![
            NamedValue::typed("last", Mode::In, sample.clone()),
            NamedValue::typed("count", Mode::In, long.clone()),
            NamedValue::typed("mean", Mode::Out, double.clone()),
        ])?;
        let [last, count, mean] = list else { return Err(ServerRequest::unknown_operation()) };
        let last = last.value.as_ref().and_then(|value| value.get::<Sample>());
        let count = count.value.as_ref().and_then(|value| value.get::<i32>());
        let (last, count) = last.zip(count).ok_or_else(ServerRequest::unknown_operation)?;
        mean.value = Some(Any::new::<f64>(&(last.d / f64::from(count)))?);
        request.set_result(Any::new::<Sample>(&Sample { l: last.l + 1, ..last })?)
    }
}

fn builder() -> OrbBuilder {
    // On a busy machine the watchdog would take a call for a slow one and start a thread.
    Orb::builder().without_environment().option("StallTakeover", "3600000")
}

/// Allocations of the server for a call. The least of three rounds: the test harness may still be settling down.
fn allocations(client: &Orb, ior: &str) -> u64 {
    let there: Sampler = client.resolve(ior).unwrap();
    let repeat = || {
        for _ in 0..CALLS {
            let (sample, mean) = there.next(&LAST, 3).unwrap();
            assert_eq!((sample, mean), (Sample { l: 3, ..LAST }, 1.5));
        }
    };
    repeat();
    let round = || {
        let before = (AllocationCount::this_thread(), AllocationCount::total());
        repeat();
        let here = AllocationCount::this_thread().since(before.0).allocations;
        AllocationCount::total().since(before.1).allocations - here
    };
    let least = round().min(round()).min(round());
    assert_eq!(least % CALLS, 0, "as many for each call");
    least / CALLS
}

#[test]
fn a_skeleton_of_fixed_size_types_allocates_nothing_and_a_list_of_named_values_does() {
    let _alone = crate::alone();
    let server = builder().listen("uiop://").build().unwrap();
    let poa = server.root_poa();
    let compiled: Sampler = poa.activate(Servant).unwrap();
    let interpretive: idl::interpretive::skeletons::Sampler = poa.activate(Servant).unwrap();
    let listed =
        Listed { sample: Sample::type_code(), long: i32::type_code(), double: f64::type_code() };
    let listed: ObjectRef = poa.activate(Dynamic(listed)).unwrap();
    let client = builder().build().unwrap();
    let count = |object: &ObjectRef| allocations(&client, &object.to_ior_string());
    assert_eq!(count(compiled.as_object()), 0, "compiled");
    assert_eq!(count(interpretive.as_object()), 0, "by tables");
    // The list and its three names, and values.
    let found = count(&listed);
    assert!(found > 4, "{found} by a list of named values");
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
