//! The object that a thread serves.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use zorb_cdr::CdrReader;
use zorb_core::poa::{AnyServant, ObjectId, Poa, PoaCurrent, PoaError, PoaPolicies};
use zorb_core::{ObjectRef, Orb, Result, Served, ServedBy, ServerCall};
use zorb_types::SystemException;

use super::views;
use crate::support::{Acting, Echo, builder, server, until};

/// A servant with a handle to itself.
type Knowing = Acting<Box<dyn Fn(i32) -> Result<i32> + Send + Sync>>;

fn knowing(
    act: impl Fn(&Arc<Knowing>, i32) -> Result<i32> + Send + Sync + 'static,
) -> Arc<Knowing> {
    Arc::new_cyclic(|own: &Weak<Knowing>| {
        let own = Weak::clone(own);
        Acting(Box::new(move |value| act(&own.upgrade().unwrap(), value)) as Box<_>)
    })
}

fn number(id: &ObjectId) -> i32 {
    id.to_string().parse().unwrap()
}

#[test]
fn the_current_object_is_that_of_the_innermost_upcall() {
    for strategy in ["thru_poa", "direct", "marshalled"] {
        let orb = builder().listen("iiop://127.0.0.1:0").option("CollocationStrategy", strategy);
        let orb: Orb = orb.build().unwrap();
        let poa = orb.root_poa().create("many", PoaPolicies::new().user_ids().multiple_ids());
        let (poa, current) = (poa.unwrap(), orb.poa_current());
        let next = Arc::new(OnceLock::<Echo>::new());
        let inner = Arc::clone(&next);
        let servant = Arc::new(Acting(move |depth| {
            let id = current.object_id()?;
            let within = match depth {
                0 => 0,
                _ => inner.get().unwrap().twice(depth - 1)?,
            };
            assert_eq!(current.object_id()?, id);
            assert_eq!(current.poa()?.path(), "many");
            let here: Echo = current.reference()?;
            assert_eq!(current.poa()?.id_of(&here)?, id);
            Ok(within * 10 + number(&id))
        }));
        let seven: Echo = poa.activate_shared_with_id("7", &servant).unwrap();
        next.set(poa.activate_shared_with_id("8", &servant).unwrap()).unwrap();
        let (_client, views) = views(&seven);
        for view in &views {
            assert_eq!(view.twice(1), Ok(87), "{strategy}");
            assert_eq!(view.twice(2), Ok(887), "{strategy}");
            assert_eq!(view.twice(0), Ok(7), "{strategy}");
        }
        assert_eq!(orb.poa_current().object_id().unwrap_err(), PoaError::NoContext);
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn the_current_call_is_that_of_the_innermost_upcall() {
    for strategy in ["thru_poa", "direct", "marshalled"] {
        let orb = builder().listen("iiop://127.0.0.1:0").option("CollocationStrategy", strategy);
        let orb: Orb = orb.build().unwrap();
        let current = orb.poa_current();
        let next = Arc::new(OnceLock::<Echo>::new());
        let inner = Arc::clone(&next);
        let calls = Arc::<Mutex<Vec<(String, bool)>>>::default();
        let log = Arc::clone(&calls);
        let noting = Acting(move |depth| {
            let note = || {
                let caller = current.caller()?;
                if let Some(caller) = &caller {
                    assert!(caller.address().starts_with("127.0.0.1:"), "{caller:?}");
                }
                let call = (current.operation()?, caller.is_some());
                log.lock().unwrap().push(call);
                Ok::<_, PoaError>(())
            };
            note()?;
            if depth == 1 {
                inner.get().unwrap().note(0)?;
                note()?;
            }
            Ok(depth)
        });
        let echo: Echo = orb.root_poa().activate(noting).unwrap();
        next.set(echo.clone()).unwrap();
        let (_client, views) = views(&echo);
        for (view, is_remote) in views.iter().zip([false, true]) {
            assert_eq!(view.twice(1), Ok(1), "{strategy}");
            let (outer, within) = (("twice".to_owned(), is_remote), ("note".to_owned(), false));
            until(|| calls.lock().unwrap().len() == 3);
            let mut noted = std::mem::take(&mut *calls.lock().unwrap());
            if strategy == "marshalled" {
                // A one-way call may be served by another thread.
                noted.sort();
                assert_eq!(noted, [within, outer.clone(), outer]);
            } else {
                assert_eq!(noted, [outer.clone(), within, outer], "{strategy}");
            }
        }
        assert_eq!(orb.poa_current().operation(), Err(PoaError::NoContext));
        assert_eq!(orb.poa_current().caller().unwrap_err(), PoaError::NoContext);
        orb.shutdown(true).unwrap();
    }
}

/// Replies with the name of the operation.
struct Named(PoaCurrent);

impl ServedBy<Named> for ObjectRef {
    fn dispatch(servant: &Named, call: &mut ServerCall<'_>) -> Served {
        let operation = servant.0.operation()?;
        assert_eq!(operation, call.operation_name());
        call.reply_dynamic(None, |writer| writer.write_latin1(&operation))
    }
}

#[test]
fn an_operation_of_any_name_is_the_current_one() {
    let (orb, _) = server();
    let object: ObjectRef = orb.root_poa().activate(Named(orb.poa_current())).unwrap();
    let client = builder().build().unwrap();
    let there: ObjectRef = client.resolve(&object.to_ior_string()).unwrap();
    // The last one is converted: the message has it in ISO 8859-1.
    for name in ["name", "_name", "gr\u{f6}\u{df}e"] {
        for view in [&object, &there] {
            let read = |reader: &mut CdrReader<'_>| reader.read_latin1_owned("name");
            let replied = view.invoke::<_, SystemException>(name, |_| Ok(()), read);
            assert_eq!(replied.as_deref(), Ok(name));
        }
    }
}

#[test]
fn this_is_the_object_being_served() {
    let (orb, _) = server();
    let current: PoaCurrent = orb.initial_local("POACurrent").unwrap();
    let served = |current: PoaCurrent| {
        knowing(move |own, _| {
            let here: Echo = current.poa()?.reference_of(own)?;
            assert_eq!(current.servant()?, AnyServant::of::<Echo, _>(Arc::clone(own)));
            Ok(number(&current.poa()?.id_of(&here)?))
        })
    };
    let many = PoaPolicies::new().user_ids().multiple_ids();
    let active = orb.root_poa().create("active", many.clone()).unwrap();
    let servant = served(current.clone());
    let ask = |poa: &Poa, id: &str, servant: &Arc<Knowing>| {
        let echo: Echo = poa.activate_shared_with_id(id, servant).unwrap();
        let (_client, views) = views(&echo);
        views.iter().for_each(|view| assert_eq!(view.twice(1), Ok(id.parse().unwrap())));
    };
    ask(&active, "1", &servant);
    ask(&active, "2", &servant);
    assert_eq!(active.reference_of::<_, Echo>(&servant).unwrap_err(), PoaError::WrongPolicy);

    let defaults = orb.root_poa().create("defaults", many.non_retain().default_servant()).unwrap();
    let asked = current.clone();
    let by_default = knowing(move |own, _| {
        let (poa, servant) = (asked.poa()?, AnyServant::of::<Echo, _>(Arc::clone(own)));
        Ok(number(&poa.servant_to_id(&servant)?))
    });
    let servant = AnyServant::of::<Echo, _>(by_default);
    defaults.set_servant(servant.clone()).unwrap();
    for id in ["3", "4"] {
        let echo: Echo = defaults.create_reference_with_id(id).unwrap();
        let (_client, views) = views(&echo);
        views.iter().for_each(|view| assert_eq!(view.twice(1), Ok(id.parse().unwrap())));
    }
    assert_eq!(defaults.servant_to_id(&servant).unwrap_err(), PoaError::ServantNotActive);
}

#[test]
fn an_object_deactivated_in_its_upcall_remains_the_current_one() {
    let (orb, _) = server();
    let current = orb.poa_current();
    let poa = orb.root_poa().create("once", PoaPolicies::new().user_ids()).unwrap();
    let servant = Acting(move |_| {
        let id = current.object_id()?;
        current.poa()?.deactivate(&id)?;
        Ok(number(&current.object_id()?))
    });
    let echo: Echo = poa.activate_with_id("5", servant).unwrap();
    let (_client, [_, there]) = views(&echo);
    assert_eq!(there.twice(1), Ok(5));
    assert!(there.twice(1).is_err());
}
