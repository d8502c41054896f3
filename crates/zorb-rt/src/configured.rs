//! The policies that options set.

use std::sync::Arc;

use zorb_core::policy::{Policies, PrivateConnection, RelativeRequestTimeout, SyncScope};
use zorb_core::{Error, OnewayQueue, Orb, Phase};

use super::configuration::options_of;
use super::setting::Settings;
use super::{RtOneways, RtOrb, description};

/// The policies of calls that options set.
fn policies_of_calls(orb: &Orb) -> Result<Policies, Error> {
    let options = options_of(orb.options());
    let invalid = |name: &str, value: &str| {
        let origin = orb.options().origin(name);
        Error::new(Phase::Configure, format!("option {name} = {value:?} ({origin})"))
    };
    let mut policies = Policies::new();
    let bands = options.rt_bands.trim();
    if !bands.is_empty() {
        policies = policies.with(description::bands(bands).ok_or_else(|| {
            invalid("RtBands", bands).with_hint("bands are LOW-HIGH, as in 0-9999,10000-32767")
        })?);
    }
    policies = description::protocols_of_calls(orb.protocols(), &options.rt_protocols, policies)
        .map_err(|error| invalid("RtProtocols", &options.rt_protocols).with_source(error))?;
    if options.rt_private_connections {
        policies = policies.with(PrivateConnection);
    }
    if options.rt_oneways == RtOneways::Queued {
        policies = policies.with(SyncScope::None).with(OnewayQueue::default());
    }
    if let Some(timeout) = options.rt_request_timeout {
        policies = policies.with(RelativeRequestTimeout(timeout));
    }
    Ok(policies)
}

/// The path of the root adapter.
const ROOT: &str = "/";

/// The policies that the option `RtAdapter` gives to the adapter at `path`.
fn policies_of_adapter(orb: &Orb, settings: &Arc<Settings>, path: &str) -> Result<Policies, Error> {
    let options = options_of(orb.options());
    let of = |name: &str| options.rt_adapter.iter().find(|(known, _)| known == name);
    let others = || if path == ROOT { None } else { of("*") };
    let Some((name, text)) = of(path).or_else(others) else { return Ok(Policies::new()) };
    let rt = RtOrb { orb: orb.clone(), settings: Arc::clone(settings) };
    rt.described_policies(text).map_err(|error| {
        let origin = orb.options().origin("RtAdapter");
        let what = format!("option RtAdapter, adapter {path:?}, by {name:?} ({origin})");
        Error::new(Phase::Configure, what).with_source(error)
    })
}

/// Checks the option `RtPool`, whose pools are created on first use.
fn check_pools(orb: &Orb, settings: &Arc<Settings>) -> Result<(), Error> {
    let rt = RtOrb { orb: orb.clone(), settings: Arc::clone(settings) };
    for (name, description) in &options_of(orb.options()).rt_pool {
        if let Err(error) = rt.threadpool(name).settings(description) {
            let origin = orb.options().origin("RtPool");
            let what = format!("option RtPool = \"{name}={description}\" ({origin})");
            return Err(Error::new(Phase::Configure, what).with_source(error));
        }
    }
    Ok(())
}

/// Applies the options to calls and adapters of `orb` unless the program has set the policies.
pub(crate) fn apply(orb: &Orb, settings: &Arc<Settings>) -> Result<(), Error> {
    let manager = orb.policy_manager();
    let (own, mut added) = (manager.policy_overrides(), Policies::new());
    for policy in &policies_of_calls(orb)? {
        if own.policy(policy.policy_type()).is_none() {
            added.put(policy.clone());
        }
    }
    if !added.is_empty() {
        manager.add(&added)?;
    }
    check_pools(orb, settings)?;
    if !options_of(orb.options()).rt_adapter.is_empty() {
        let settings = Arc::clone(settings);
        orb.set_adapter_policies(move |orb, path| policies_of_adapter(orb, &settings, path));
    }
    Ok(())
}
