//! Policies of ORBs, threads, references, calls and adapters.

use std::time::Duration;

use zorb::giop::ProfileTag;
use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::policy::{
    ConnectionProperties, ConnectionTimeout, Levels, Policies, PolicyType, ProtocolChoice,
    RelativeRoundtripTimeout, ServeInTime, ServerProtocols, SyncScope, TypedPolicy,
};
use zorb::{CdrError, CdrReader, CdrWriter};
use zorb::{Interface, Orb, Result};

/// Policies of the ORB, of a reference, and of one call.
pub fn levels<T: Interface>(orb: &Orb, teller: &T) -> Result<T> {
    let defaults = Policies::new()
        .with(RelativeRoundtripTimeout(Duration::from_secs(10)))
        .with(ConnectionTimeout(Duration::from_secs(1)));
    orb.policy_manager().add(&defaults)?;

    let synchronous = Policies::new().with(SyncScope::WithTarget);
    let teller = teller.with_policies(&synchronous)?;

    let short = Policies::new().with(RelativeRoundtripTimeout(Duration::from_millis(20)));
    let once = teller.for_call(&short)?;
    let limit = once.as_object().client_policy::<RelativeRoundtripTimeout>();
    assert_eq!(limit.map(|limit| limit.0), Some(Duration::from_millis(20)));
    Ok(teller)
}

/// Policies of the calling thread while `work` runs.
pub fn during(orb: &Orb, work: impl FnOnce()) -> Result<()> {
    let quick = Policies::new().with(RelativeRoundtripTimeout(Duration::from_millis(100)));
    orb.policy_current().during(&quick, work)
}

/// A POA whose TCP connections use expedited forwarding.
pub fn expedited(root: &Poa) -> Result<Poa, PoaError> {
    let mut expedited = ConnectionProperties::default();
    expedited.dscp = Some(46);
    expedited.no_delay = Some(true);
    let iiop = ProtocolChoice { profile: ProfileTag::INTERNET_IOP, properties: Some(expedited) };
    let protocols = ServerProtocols::new([iiop, ProfileTag::TAO_UIOP.into()]);
    root.create("control", PoaPolicies::new().with(protocols))
}

/// A POA that discards late requests.
pub fn in_time(root: &Poa) -> Result<Poa, PoaError> {
    let in_time = ServeInTime::new().tolerance(Duration::from_millis(2));
    root.create("fresh", PoaPolicies::new().with(in_time))
}

/// The price of calls to a POA's objects, exposed to clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Tariff(pub u16);

impl TypedPolicy for Tariff {
    const POLICY_TYPE: PolicyType = PolicyType(0x4558_0001);
    const LEVELS: Levels = Levels::ADAPTER;
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> Result<(), CdrError> {
        writer.write_u16(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> Result<Self, CdrError> {
        reader.read_u16().map(Self)
    }
}

/// A POA that exposes its tariff in its references.
pub fn premium(root: &Poa) -> Result<Poa, PoaError> {
    root.create("premium", PoaPolicies::new().with(Tariff(7)))
}

#[cfg(test)]
mod tests {
    use zorb::ObjectRef;

    use super::*;

    #[test]
    fn policies_hold_where_they_are_set() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let object: ObjectRef =
            orb.string_to_object("corbaloc::127.0.0.1:1/nobody").unwrap().unwrap();
        let shaped = levels(&orb, &object).unwrap();
        assert_eq!(shaped.client_policy(), Some(SyncScope::WithTarget));
        let limit = || object.client_policy::<RelativeRoundtripTimeout>().unwrap().0;
        assert_eq!(limit(), Duration::from_secs(10));
        during(&orb, || assert_eq!(limit(), Duration::from_millis(100))).unwrap();
        assert_eq!(limit(), Duration::from_secs(10));
    }

    #[test]
    fn connections_of_the_adapter_are_expedited() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let control = expedited(&orb.root_poa()).unwrap();
        let dscp = |profile| control.connection_properties(profile).unwrap().dscp;
        assert_eq!(dscp(ProfileTag::INTERNET_IOP), Some(46));
        assert_eq!(dscp(ProfileTag::TAO_UIOP), None);
    }

    #[test]
    fn references_of_the_adapter_have_its_tariff() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let root = orb.root_poa();
        assert_eq!(premium(&root).unwrap().policies().others.value(), Some(&Tariff(7)));
        assert!(in_time(&root).unwrap().policies().others.value::<ServeInTime>().is_some());
        let named = PoaPolicies::new().user_ids().with(Tariff(8));
        let named = root.create("named", named).unwrap();
        let object: ObjectRef = named.create_reference_with_id(&b"one"[..]).unwrap();
        assert_eq!(object.exposed_policy::<Tariff>(), Ok(Some(Tariff(8))));
    }
}
