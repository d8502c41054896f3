//! The policies of CORBA Messaging that Zorb does not have: setting one fails at every level.

use crate::support::{Echo, server};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::Orb;
use zorb_core::poa::{PoaError, PoaPolicies};
use zorb_core::policy::{Levels, Policies, PolicyType, TypedPolicy};
use zorb_types::{SystemExceptionKind, minor};

/// A program's own type for a policy of CORBA Messaging.
#[derive(Clone, Debug, PartialEq)]
struct OfMessaging<const NUMBER: u32>;

impl<const NUMBER: u32> TypedPolicy for OfMessaging<NUMBER> {
    const POLICY_TYPE: PolicyType = PolicyType(NUMBER);
    const LEVELS: Levels = Levels::CLIENT.and(Levels::SERVER);

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self)
    }
}

/// At each level.
fn is_invalid<const NUMBER: u32>(orb: &Orb, echo: &Echo) {
    let policy = OfMessaging::<NUMBER>;
    let policies = Policies::new().with(policy.clone());
    for (level, set) in [
        ("orb", orb.policy_manager().add(&policies)),
        ("thread", orb.policy_current().add(&policies)),
        ("thread", orb.policy_current().during(&policies, || ())),
        ("object", echo.object().with_policies(&policies).map(drop)),
        ("call", echo.object().for_call(&policies).map(drop)),
    ] {
        let invalid = set.unwrap_err();
        let what = (invalid.kind, invalid.minor);
        let expected = (SystemExceptionKind::InvPolicy, minor::inv_policy::NO_FACTORY);
        assert_eq!(what, expected, "{NUMBER} {level}");
    }
    let invalid = orb.root_poa().create("invalid", PoaPolicies::new().with(policy)).unwrap_err();
    assert!(matches!(invalid, PoaError::InvalidPolicy { .. }), "{NUMBER} {invalid}");
}

#[test]
fn start_times_priorities_routing_and_queue_order_are_invalid_policies() {
    let (orb, echo) = server();
    is_invalid::<{ PolicyType::REQUEST_PRIORITY.0 }>(&orb, &echo);
    is_invalid::<{ PolicyType::REPLY_PRIORITY.0 }>(&orb, &echo);
    is_invalid::<{ PolicyType::REQUEST_START_TIME.0 }>(&orb, &echo);
    is_invalid::<{ PolicyType::REPLY_START_TIME.0 }>(&orb, &echo);
    is_invalid::<{ PolicyType::ROUTING.0 }>(&orb, &echo);
    is_invalid::<{ PolicyType::QUEUE_ORDER.0 }>(&orb, &echo);
    assert_eq!(echo.twice(2), Ok(4));
}
