//! Creating policies from numbers and anys (CORBA 3.3 part 1, 8.10.2.3: `ORB::create_policy`).

use std::error::Error;
use std::fmt;

use zorb_types::{Any, TcKind};

use super::{
    BidirectionalPolicy, ConnectionTimeout, MaxHops, Policy, PolicyType, PrivateConnection, Rebind,
    RelativeRequestTimeout, RelativeRoundtripTimeout, ReplyEndTime, RequestEndTime, SyncScope,
    TypedPolicy,
};

/// Why a policy cannot be created: `CORBA::PolicyError`, whose `reason` is the discriminant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PolicyError {
    /// `BAD_POLICY`: the number is not that of a policy that Zorb knows.
    BadPolicy = 0,
    /// `UNSUPPORTED_POLICY`: the policy is known, but not supported, or has no value of an IDL type.
    UnsupportedPolicy = 1,
    /// `BAD_POLICY_TYPE`: the value's type is not that of the policy.
    BadPolicyType = 2,
    /// `BAD_POLICY_VALUE`: the policy has no such value.
    BadPolicyValue = 3,
    /// `UNSUPPORTED_POLICY_VALUE`: the policy's value is not supported.
    UnsupportedPolicyValue = 4,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadPolicy => "there is no such policy",
            Self::UnsupportedPolicy => "the policy is not supported",
            Self::BadPolicyType => "the value's type is not that of the policy",
            Self::BadPolicyValue => "the policy has no such value",
            Self::UnsupportedPolicyValue => "the policy's value is not supported",
        })
    }
}

impl Error for PolicyError {}

impl Policy {
    /// Creates a policy by its number from the value that the standard defines for it (`ORB::create_policy`), for
    /// programs that know the policy only at run time. Others use [`Policy::new`].
    ///
    /// # Errors
    /// The standard's reason; [`UnsupportedPolicy`](PolicyError::UnsupportedPolicy) for all policies of the standard that
    /// cannot be created here, such as CORBA Messaging's start times, priorities, routing and queue order.
    #[doc(alias = "create_policy")]
    pub fn create(policy_type: PolicyType, value: &Any) -> Result<Self, PolicyError> {
        match policy_type {
            PolicyType::REBIND => of::<Rebind>(value, TcKind::Short),
            PolicyType::SYNC_SCOPE => of::<SyncScope>(value, TcKind::Short),
            PolicyType::REQUEST_END_TIME => of::<RequestEndTime>(value, TcKind::Struct),
            PolicyType::REPLY_END_TIME => of::<ReplyEndTime>(value, TcKind::Struct),
            PolicyType::RELATIVE_REQUEST_TIMEOUT => {
                of::<RelativeRequestTimeout>(value, TcKind::ULongLong)
            }
            PolicyType::RELATIVE_ROUNDTRIP_TIMEOUT => {
                of::<RelativeRoundtripTimeout>(value, TcKind::ULongLong)
            }
            PolicyType::CONNECTION_TIMEOUT => of::<ConnectionTimeout>(value, TcKind::ULongLong),
            PolicyType::MAX_HOPS => of::<MaxHops>(value, TcKind::UShort),
            PolicyType::BIDIRECTIONAL => of::<BidirectionalPolicy>(value, TcKind::UShort),
            PolicyType::PRIVATE_CONNECTION => Ok(Self::new(PrivateConnection)),
            known if known.name().is_some() => Err(PolicyError::UnsupportedPolicy),
            _ => Err(PolicyError::BadPolicy),
        }
    }
}

/// A policy whose value has a type of this kind, encoded in anys as in references.
fn of<P: TypedPolicy>(value: &Any, kind: TcKind) -> Result<Policy, PolicyError> {
    let found = value.type_code().resolved();
    let is_utc = || found.id() == "IDL:omg.org/TimeBase/UtcT:1.0";
    if found.kind() != kind || (kind == TcKind::Struct && !is_utc()) {
        return Err(PolicyError::BadPolicyType);
    }
    let read = P::read(&mut value.reader());
    read.map(Policy::new).map_err(|_| PolicyError::BadPolicyValue)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zorb_types::TypeCode;

    use super::*;
    use crate::policy::{Deadline, Levels, Policies};

    fn utc(id: &str) -> Any {
        let members = [
            ("time", TypeCode::plain(TcKind::ULongLong)),
            ("inacclo", TypeCode::plain(TcKind::ULong)),
            ("inacchi", TypeCode::plain(TcKind::UShort)),
            ("tdf", TypeCode::plain(TcKind::Short)),
        ];
        let type_code = TypeCode::structure(id, "UtcT", &members).unwrap();
        Any::build(type_code, |writer| {
            Deadline::from_time_t(77).write_utc(writer);
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn policies_are_created_by_number() {
        let second = Any::new::<u64>(&10_000_000).unwrap();
        let limit = Policy::create(PolicyType::RELATIVE_ROUNDTRIP_TIMEOUT, &second).unwrap();
        assert_eq!(limit.value(), Some(&RelativeRoundtripTimeout(Duration::from_secs(1))));
        let hops = Policy::create(PolicyType::MAX_HOPS, &Any::new::<u16>(&3).unwrap()).unwrap();
        assert_eq!(hops.value(), Some(&MaxHops(3)));
        let both = Any::new::<u16>(&1).unwrap();
        let both = Policy::create(PolicyType::BIDIRECTIONAL, &both).unwrap();
        assert_eq!(
            Policies::new().with(BidirectionalPolicy::Both).policy(PolicyType::BIDIRECTIONAL),
            Some(&both)
        );
        let scope = Policy::create(PolicyType::SYNC_SCOPE, &Any::new::<i16>(&2).unwrap()).unwrap();
        assert_eq!(scope.value(), Some(&SyncScope::WithServer));
        let end = utc("IDL:omg.org/TimeBase/UtcT:1.0");
        let end = Policy::create(PolicyType::REPLY_END_TIME, &end).unwrap();
        assert_eq!(end.value(), Some(&ReplyEndTime(Deadline::from_time_t(77))));
    }

    #[test]
    fn what_cannot_be_created_has_the_reason_of_the_standard() {
        let number = Any::new::<u64>(&7).unwrap();
        let refused = |policy_type, value: &Any| Policy::create(policy_type, value).unwrap_err();
        for unsupported in PolicyType::UNSUPPORTED {
            assert_eq!(refused(unsupported, &number), PolicyError::UnsupportedPolicy);
        }
        assert_eq!(refused(PolicyType(4711), &number), PolicyError::BadPolicy);
        assert_eq!(refused(PolicyType::SYNC_SCOPE, &number), PolicyError::BadPolicyType);
        let another = utc("IDL:example/UtcT:1.0");
        assert_eq!(refused(PolicyType::REQUEST_END_TIME, &another), PolicyError::BadPolicyType);
        let two = Any::new::<u16>(&2).unwrap();
        assert_eq!(refused(PolicyType::BIDIRECTIONAL, &two), PolicyError::BadPolicyValue);
        let seven = Any::new::<i16>(&7).unwrap();
        assert_eq!(refused(PolicyType::REBIND, &seven), PolicyError::BadPolicyValue);
    }

    /// A program's own type for a policy of the standard.
    #[derive(Clone, Debug, PartialEq)]
    struct StartTime;

    impl TypedPolicy for StartTime {
        const POLICY_TYPE: PolicyType = PolicyType::REQUEST_START_TIME;
        const LEVELS: Levels = Levels::CLIENT;

        fn write(&self, _: &mut zorb_cdr::CdrWriter<'_>) -> zorb_cdr::CdrResult<()> {
            Ok(())
        }

        fn read(_: &mut zorb_cdr::CdrReader<'_>) -> zorb_cdr::CdrResult<Self> {
            Ok(Self)
        }
    }

    #[test]
    fn policies_without_effect_cannot_be_set() {
        let refused = Policies::new().with(StartTime).check(Levels::OBJECT).unwrap_err();
        assert_eq!(refused.kind, zorb_types::SystemExceptionKind::InvPolicy);
        assert_eq!(refused.minor, zorb_types::minor::inv_policy::NO_FACTORY);
    }
}
