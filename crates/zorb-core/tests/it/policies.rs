//! Policies: the levels at which they can be set, which one applies, and their effect on calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::scripted::{Play, script};
use crate::support::{Echo, Servant, builder, client, server, server_in_order, until_noted};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_core::poa::{PoaError, PoaPolicies};
use zorb_core::policy::{
    ConnectionTimeout, Levels, MaxHops, Policies, Policy, PolicyType, Rebind,
    RelativeRequestTimeout, RelativeRoundtripTimeout, SetOverrideType, SyncScope, TypedPolicy,
};
use zorb_core::{Interface, ObjectRef, Orb};
use zorb_giop::{ComponentTag, ServiceId};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// A user-defined policy that clients must know.
#[derive(Clone, Debug, PartialEq)]
struct Colour(u16);

impl TypedPolicy for Colour {
    const POLICY_TYPE: PolicyType = PolicyType(0x5a52_4277);
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u16(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u16().map(Self)
    }
}

/// A policy for servers only.
#[derive(Clone, Debug, PartialEq)]
struct Weight(u16);

impl TypedPolicy for Weight {
    const POLICY_TYPE: PolicyType = PolicyType(0x5a52_4278);
    const LEVELS: Levels = Levels::SERVER;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u16(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u16().map(Self)
    }
}

const HOUR: Duration = Duration::from_secs(3600);

fn limit(time: Duration) -> Policies {
    Policies::new().with(RelativeRoundtripTimeout(time))
}

/// The levels, the strongest first.
const LEVELS: [&str; 4] = ["call", "object", "thread", "orb"];

fn set(level: &str, orb: &Orb, echo: ObjectRef, time: Duration) -> ObjectRef {
    match level {
        "call" => echo.for_call(&limit(time)).unwrap(),
        "object" => echo.with_policies(&limit(time)).unwrap(),
        "thread" => {
            orb.policy_current().add(&limit(time)).unwrap();
            echo
        }
        _ => {
            orb.policy_manager().add(&limit(time)).unwrap();
            echo
        }
    }
}

fn unset(orb: &Orb) {
    let nothing = Policies::new();
    orb.policy_current().set_policy_overrides(&nothing, SetOverrideType::SetOverride).unwrap();
    orb.policy_manager().set_policy_overrides(&nothing, SetOverrideType::SetOverride).unwrap();
}

#[test]
fn the_strongest_level_with_a_policy_of_the_type_wins() {
    let (_server, echo) = server();
    let orb = builder().option("RoundTripTimeout", "77000").build().unwrap();
    let plain: ObjectRef = orb.resolve(&echo.object().to_ior_string()).unwrap();
    for levels in 0..1_u32 << LEVELS.len() {
        let mut object = plain.clone();
        let mut expected = Duration::from_secs(77);
        // From the weakest on, so that the last one wins.
        for (number, level) in LEVELS.iter().enumerate().rev() {
            if levels & (1 << number) != 0 {
                expected = Duration::from_secs(number as u64 + 1);
                object = set(level, &orb, object, expected);
            }
        }
        let found = object.client_policy::<RelativeRoundtripTimeout>().unwrap();
        assert_eq!(found.0, expected, "levels {levels:04b}");
        assert_eq!(object.policy::<RelativeRoundtripTimeout>(), Ok(Some(found)));
        // The policies of other types are unchanged.
        assert_eq!(object.client_policy(), Some(SyncScope::WithTransport));
        assert_eq!(object.client_policy(), Some(ConnectionTimeout(Duration::from_secs(10))));
        assert_eq!(object.client_policy::<RelativeRequestTimeout>(), None);
        unset(&orb);
    }
}

#[test]
fn a_call_keeps_the_limit_of_the_level_that_wins() {
    let (server_orb, echo) = server();
    let (orb, there) = client(&echo);
    for (strongest, name) in LEVELS.iter().enumerate() {
        // The weaker ones do not time out.
        let mut object = there.object().clone();
        for (number, level) in LEVELS.iter().enumerate().rev().filter(|(n, _)| *n >= strongest) {
            let time = if number == strongest { Duration::from_millis(5) } else { HOUR };
            object = set(level, &orb, object, time);
        }
        let late = object.unchecked_narrow::<Echo>().wait_for(-1).unwrap_err();
        // It may be over before the request is sent.
        assert_eq!(late.kind, SystemExceptionKind::Timeout, "{name}");
        unset(&orb);
    }
    // The servant's waiting threads end when the note that they wait for has arrived.
    there.note(-1).unwrap();
    until_noted(&there, -1);
    server_orb.shutdown(true).unwrap();
}

#[test]
fn a_policy_is_refused_where_it_cannot_be() {
    let (orb, echo) = server();
    let weight = Policies::new().with(Weight(1));
    let refused = |level: &str, set: Result<(), zorb_types::SystemException>| {
        let exception = set.unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::NoPermission, "{level}");
        assert_eq!(exception.minor, minor::no_permission::POLICY_LEVEL, "{level}");
    };
    refused("thread", orb.policy_current().add(&weight));
    refused("object", echo.with_policies(&weight).map(drop));
    refused("call", echo.for_call(&weight).map(drop));
    orb.policy_manager().add(&weight).unwrap();
    let clients = PoaPolicies::new().with(SyncScope::WithServer);
    let refused = orb.root_poa().create("refused", clients).unwrap_err();
    assert!(matches!(refused, PoaError::InvalidPolicy { .. }), "{refused}");
}

#[test]
fn adapters_begin_with_the_policies_of_servers_that_the_orb_has() {
    let (orb, _echo) = server();
    orb.policy_manager().add(&Policies::new().with(Weight(1)).with(Colour(7))).unwrap();
    let root = orb.root_poa();
    let plain = root.create("plain", PoaPolicies::new()).unwrap();
    assert_eq!(plain.policies().others, Policies::new().with(Weight(1)));
    let own = root.create("own", PoaPolicies::new().with(Weight(2))).unwrap();
    assert_eq!(own.policies().others.value(), Some(&Weight(2)));
}

/// The root adapter is created on first use.
#[test]
fn the_root_adapter_begins_with_the_policies_that_the_orb_has_by_then() {
    let orb = builder().build().unwrap();
    orb.policy_manager().add(&Policies::new().with(Weight(1)).with(Colour(7))).unwrap();
    let root = orb.root_poa();
    assert_eq!(root.policies().others, Policies::new().with(Weight(1)));
    orb.policy_manager().add(&Policies::new().with(Weight(2))).unwrap();
    assert_eq!(orb.root_poa().policies().others.value(), Some(&Weight(1)), "it is made once");
    let child = root.create("child", PoaPolicies::new()).unwrap();
    assert_eq!(child.policies().others.value(), Some(&Weight(2)), "children are made later");
    // A root adapter that was never used need not be destroyed.
    let other = builder().build().unwrap();
    other.shutdown(true).unwrap();
    let late = other.root_poa().create("late", PoaPolicies::new()).unwrap_err();
    assert!(matches!(late, PoaError::System(_)), "{late}");
}

#[test]
fn references_tell_of_an_adapters_policies() {
    let (orb, plain) = server();
    let policies = PoaPolicies::new().with(Colour(0x0102)).with(Weight(3));
    let poa = orb.root_poa().create("coloured", policies).unwrap();
    let echo: Echo = poa.activate(Servant::default()).unwrap();
    let (_client, there) = client(&echo);
    let there = there.object();
    assert_eq!(there.exposed_policy(), Ok(Some(Colour(0x0102))));
    assert_eq!(there.exposed_policy::<Weight>(), Ok(None), "clients need not know it");
    assert_eq!(plain.object().exposed_policy::<Colour>(), Ok(None));

    let profile = zorb_giop::IiopProfile::decode(&there.ior().profiles[0].data).unwrap();
    let mut components = profile.components.iter();
    let component = components.find(|known| known.tag == ComponentTag::POLICIES).unwrap();
    let number = |value: u32| value.to_ne_bytes();
    let order = cfg!(target_endian = "little") as u8;
    let [high, low] = 0x0102_u16.to_ne_bytes();
    let octets = [
        &[order, 0, 0, 0][..],
        &number(1),
        &number(0x5a52_4277),
        &number(4),
        &[order, 0, high, low],
    ];
    assert_eq!(component.data, octets.concat());

    // The sides agree on one policy and contradict each other on another.
    assert_eq!(there.policy(), Ok(Some(Colour(0x0102))));
    let same = there.with_policies(&Policies::new().with(Colour(0x0102))).unwrap();
    assert_eq!(same.policy(), Ok(Some(Colour(0x0102))));
    let other = there.with_policies(&Policies::new().with(Colour(9))).unwrap();
    assert_eq!(other.client_policy(), Some(Colour(9)));
    let contradiction = other.policy::<Colour>().unwrap_err();
    assert_eq!(contradiction.kind, SystemExceptionKind::InvPolicy);
    assert_eq!(contradiction.minor, minor::inv_policy::CANNOT_RECONCILE);
}

#[test]
fn a_references_policies_are_its_own() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let object = there.object();
    let set = Policies::new().with(SyncScope::WithServer).with(Rebind::NoRebind);
    let shaped = object.with_policies(&set).unwrap();
    assert_eq!(shaped.policy_overrides(), set);
    assert!(object.policy_overrides().is_empty());
    let replaced = shaped.set_policy_overrides(&limit(HOUR), SetOverrideType::SetOverride).unwrap();
    assert_eq!(replaced.policy_overrides(), limit(HOUR));
    let timed = shaped.with_timeout(HOUR);
    assert_eq!(timed.policy_overrides(), set.with(RelativeRoundtripTimeout(HOUR)));
    assert_eq!(
        timed.policy_overrides().policy(PolicyType::REBIND).map(Policy::policy_type),
        Some(PolicyType::REBIND)
    );
    assert_eq!(timed, there.object().clone(), "it is the same object");
}

#[test]
fn a_threads_policies_are_its_own_and_end_with_their_work() {
    let (orb, echo) = server();
    let wanted = || echo.object().client_policy::<SyncScope>();
    let current = orb.policy_current();
    let scope = Policies::new().with(SyncScope::WithTarget);
    let inside = current.during(&scope, || {
        let elsewhere = std::thread::scope(|threads| threads.spawn(wanted).join().unwrap());
        assert_eq!(elsewhere, Some(SyncScope::WithTransport));
        wanted()
    });
    assert_eq!(inside, Ok(Some(SyncScope::WithTarget)));
    assert_eq!(wanted(), Some(SyncScope::WithTransport));
    let panics = || current.during(&scope, || std::panic::resume_unwind(Box::new(())));
    let panicked = catch_unwind(AssertUnwindSafe(panics));
    assert!(panicked.is_err());
    assert!(current.policy_overrides().is_empty());
    // Another ORB of the same thread has policies of its own.
    let other = builder().build().unwrap();
    current.add(&scope).unwrap();
    assert!(other.policy_current().policy_overrides().is_empty());
    assert_eq!(current.policy_overrides(), scope);
    unset(&orb);
}

#[test]
fn a_one_way_call_waits_for_what_its_scope_says() {
    let (server_orb, echo) = server_in_order();
    let (_client, there) = client(&echo);
    let id = server_orb.root_poa().id_of(&echo).unwrap();
    server_orb.root_poa().deactivate(&id).unwrap();
    // A missing object is reported only if the call waits for an answer.
    for (scope, hears) in [
        (SyncScope::None, false),
        (SyncScope::WithTransport, false),
        (SyncScope::WithServer, true),
        (SyncScope::WithTarget, true),
    ] {
        let scoped = there.with_policies(&Policies::new().with(scope)).unwrap();
        let kind = scoped.note(1).map_err(|exception| exception.kind);
        assert_eq!(kind, if hears { Err(SystemExceptionKind::ObjectNotExist) } else { Ok(()) });
    }
    let servant = Arc::new(Servant::default());
    let echo: Echo = server_orb.root_poa().activate_shared(&servant).unwrap();
    let (_client, there) = client(&echo);
    let target = there.with_policies(&Policies::new().with(SyncScope::WithTarget)).unwrap();
    target.note(5).unwrap();
    assert_eq!(servant.noted.load(Ordering::SeqCst), 5, "the servant has run");
    there.with_policies(&Policies::new().with(SyncScope::WithServer)).unwrap().note(6).unwrap();
    assert_eq!(there.noted().unwrap(), 6, "requests of one connection run in their order");
}

#[test]
fn a_bound_reference_does_not_move_unless_it_may() {
    let (first_orb, first) = server();
    let (orb, _) = client(&first);
    first_orb.publish("echo", &first).unwrap();
    let address = first_orb.endpoints()[0].replace("iiop://", "");
    let published: ObjectRef =
        orb.string_to_object(&format!("corbaloc::{address}/echo")).unwrap().unwrap();
    let policy = Policies::new().with(Rebind::NoRebind);
    let strict: Echo = published.with_policies(&policy).unwrap().unchecked_narrow();
    // The forward that finds the object is part of the first call.
    assert_eq!(strict.twice(3).unwrap(), 6);
    assert_eq!(strict.twice(4).unwrap(), 8);
    // The object is removed; the published name would lead to another one.
    first_orb.unpublish("echo");
    let id = first_orb.root_poa().id_of(&first).unwrap();
    first_orb.root_poa().deactivate(&id).unwrap();
    let second: Echo = first_orb.root_poa().activate(Servant::default()).unwrap();
    first_orb.publish("echo", &second).unwrap();
    let refused = strict.twice(5).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Rebind);
    assert_eq!(refused.completed, CompletionStatus::No);
    let free: Echo = published.unchecked_narrow();
    assert_eq!(free.twice(5).unwrap(), 10);
}

#[test]
fn a_bound_reference_does_not_reconnect_unless_it_may() {
    let ends = || vec![Play::Answer, Play::Close];
    for policy in [Rebind::Transparent, Rebind::NoRebind, Rebind::NoReconnect] {
        let reconnects = policy != Rebind::NoReconnect;
        let (ior, server) = script(match reconnects {
            true => vec![ends(), vec![Play::Answer]],
            false => vec![ends()],
        });
        let orb = builder().build().unwrap();
        let echo: ObjectRef = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
        let echo = echo.with_policies(&Policies::new().with(policy)).unwrap();
        let echo: Echo = echo.unchecked_narrow();
        assert_eq!(echo.twice(1).unwrap(), 2);
        match (echo.twice(2), reconnects) {
            (Ok(twice), true) => assert_eq!(twice, 4),
            (Err(refused), false) => {
                let what = (refused.kind, refused.minor, refused.completed);
                let code = minor::rebind::CONNECTION_CLOSED;
                assert_eq!(what, (SystemExceptionKind::Rebind, code, CompletionStatus::No));
            }
            (other, _) => panic!("{policy:?}: {other:?}"),
        }
        orb.shutdown(true).unwrap();
        assert_eq!(server.join().unwrap(), if reconnects { 3 } else { 2 }, "{policy:?}");
    }
}

#[test]
fn a_call_follows_as_many_forwards_as_its_policy_says() {
    let (server_orb, echo) = server();
    server_orb.publish("echo", &echo).unwrap();
    let address = server_orb.endpoints()[0].replace("iiop://", "");
    let url = format!("corbaloc::{address}/echo");
    let orb = builder().build().unwrap();
    assert_eq!(orb.policy_manager().policy(), Some(MaxHops(8)), "that of the option");
    for (most, follows) in [(0, false), (1, true)] {
        let hops = Policies::new().with(MaxHops(most));
        let published: ObjectRef = orb.string_to_object(&url).unwrap().unwrap();
        let found: Echo = published.with_policies(&hops).unwrap().unchecked_narrow();
        let code = minor::imp_limit::TOO_MANY_FORWARDS;
        let wanted = if follows { Ok(6) } else { Err(code) };
        assert_eq!(found.twice(3).map_err(|exception| exception.minor), wanted, "{most}");
    }
}

#[test]
fn a_request_that_gets_no_connection_in_its_time_is_not_sent() {
    let (server_orb, echo) = server();
    let orb = builder().option("MaxConnectionsPerEndpoint", "1").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| there.wait_for(9));
        // When the one connection has been taken, a request with a limit does not get it.
        let policy = Policies::new().with(RelativeRequestTimeout(Duration::from_millis(2)));
        let hasty = there.with_policies(&policy).unwrap();
        let late = std::iter::repeat_with(|| hasty.twice(1)).find_map(Result::err).unwrap();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        assert_eq!(late.completed, CompletionStatus::No);
        echo.note(9).unwrap();
        busy.join().unwrap().unwrap();
        // Once sent, a request may take any time.
        assert_eq!(there.twice(2).unwrap(), 4);
    });
    server_orb.shutdown(true).unwrap();
}

/// Adds this number of contexts to every request.
#[derive(Debug)]
struct Along(u32);

impl ClientRequestInterceptor for Along {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        (0..self.0).try_for_each(|number| {
            info.add_request_service_context(ServiceId(0x5a52_4200 + number), b"along", false)
        })
    }
}

#[test]
fn more_contexts_than_a_message_may_have_are_refused_and_not_omitted() {
    let (_server, echo) = server();
    let (orb, _) = client(&echo);
    let ior = echo.object().to_ior_string();
    let call_with = |number| {
        orb.add_client_request_interceptor("along", move |_| Some(Arc::new(Along(number))));
        orb.resolve::<Echo>(&ior).unwrap().twice(2)
    };
    assert_eq!(call_with(9), Ok(4));
    assert_eq!(call_with(1022), Ok(4));
    let exception = call_with(1023).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(exception.minor, minor::imp_limit::TOO_MANY_CONTEXTS);
}

/// Counts the intercepted calls that have not ended.
#[derive(Debug, Default)]
struct UnderWay(AtomicI32);

impl UnderWay {
    fn end(&self) -> Result<(), SystemException> {
        self.0.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

impl ClientRequestInterceptor for UnderWay {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn receive_reply(&self, _: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.end()
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert!(info.outcome().unwrap().system_exception().is_some());
        self.end()
    }
}

#[test]
fn an_interceptor_runs_at_the_end_of_calls_that_fail_as_well() {
    let (_server, echo) = server();
    let orb = builder().build().unwrap();
    let under_way = Arc::new(UnderWay::default());
    let counted = Arc::clone(&under_way);
    orb.add_client_request_interceptor("under way", move |_| Some(Arc::clone(&counted) as _));
    let echo: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    assert_eq!(echo.twice(2), Ok(4));
    assert_eq!(under_way.0.load(Ordering::SeqCst), 0);
    assert!(echo.panic_now().is_err());
    assert_eq!(under_way.0.load(Ordering::SeqCst), 0, "a system exception");
    assert!(echo.unknown().is_err());
    assert_eq!(under_way.0.load(Ordering::SeqCst), 0, "an operation that there is not");
}
