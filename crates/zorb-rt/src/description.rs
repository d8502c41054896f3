//! Parses priority bands and policies from the text of options.

mod properties;

use std::time::Duration;

use zorb_core::policy::{Policies, ServeInTime};
use zorb_core::{Error, Phase};
use zorb_transport::ProtocolRegistry;

use properties::Protocols;

use super::{Priority, PriorityBand, PriorityBands, RtOrb};

/// Bands like `0-9999,10000-32767`.
pub(crate) fn bands(text: &str) -> Option<PriorityBands> {
    let number = |number: &str| Priority::new(number.trim().parse().ok()?).ok();
    let band = |band: &str| {
        let (low, high) = band.split_once('-')?;
        PriorityBand::new(number(low)?, number(high)?).ok()
    };
    let bands: Option<Vec<_>> = text.split(',').map(band).collect();
    PriorityBands::new(bands?).ok()
}

/// Adds the protocols of calls and the properties of their connections to other policies.
pub(crate) fn protocols_of_calls(
    registry: &ProtocolRegistry,
    text: &str,
    policies: Policies,
) -> Result<Policies, Error> {
    let invalid = |setting: &str| {
        Error::new(Phase::Configure, format!("the protocols of calls: invalid setting {setting:?}"))
            .with_hint("settings are protocols=uiop,iiop, iiop.dscp=46, send_buffer=65536")
    };
    let mut protocols = Protocols::default();
    for setting in text.split_whitespace() {
        let (name, value) = setting.split_once('=').ok_or_else(|| invalid(setting))?;
        match name {
            "protocols" => protocols.choose(registry, value),
            _ => protocols.set(registry, name, value),
        }
        .ok_or_else(|| invalid(setting))?;
    }
    protocols.into_policies_of_calls(policies).map_err(|scheme| {
        Error::new(Phase::Configure, format!("the protocols of calls: properties of {scheme}"))
            .with_hint("name it among protocols=")
    })
}

/// A priority in decimal digits.
fn priority(setting: &str) -> Option<Priority> {
    Priority::new(setting.parse().ok()?).ok()
}

/// The policy with a tolerance in milliseconds.
fn in_time(millis: &str) -> Option<ServeInTime> {
    let tolerance = Duration::from_millis(millis.parse().ok()?);
    Some(ServeInTime::new().tolerance(tolerance))
}

impl RtOrb {
    /// The policies of an adapter that a text describes, in the syntax of the option `RtAdapter`:
    ///
    /// | Setting | Policy |
    /// |---|---|
    /// | `client-propagated=PRIORITY` | [`client_propagated`](Self::client_propagated) |
    /// | `server-declared=PRIORITY` | [`server_declared`](Self::server_declared) |
    /// | `pool=NAME` | the [configured pool](Self::configured_threadpool) of this name |
    /// | `bands=LOW-HIGH,LOW-HIGH` | [`PriorityBands`] |
    /// | `in-time`, `in-time=MS` | [`ServeInTime`], with a tolerance in milliseconds |
    /// | `protocols=SCHEME,SCHEME` | [`ServerProtocols`](zorb_core::policy::ServerProtocols), in this order |
    /// | `client-protocols=SCHEME,SCHEME` | [`ClientProtocols`](zorb_core::policy::ClientProtocols) in references |
    /// | `SCHEME.PROPERTY=VALUE` | a property of connections of a protocol in `protocols` |
    /// | `PROPERTY=VALUE` | a property of all connections: [`ConnectionProperties`](zorb_core::policy::ConnectionProperties) |
    ///
    /// A property has the name of its field. Adapters have no properties of clients, which are those from
    /// `max_connections` on. Boolean values are `yes` and `no`.
    ///
    /// # Errors
    /// A setting is invalid, the ORB does not have a protocol, or [`configured_threadpool`](Self::configured_threadpool)
    /// fails.
    pub fn described_policies(&self, text: &str) -> Result<Policies, Error> {
        let mut policies = Policies::new();
        let mut protocols = Protocols::default();
        for setting in text.split_whitespace() {
            let invalid = || invalid(setting);
            let (name, value) = match setting.split_once('=') {
                Some(pair) => pair,
                None if setting == "in-time" => (setting, "0"),
                None => return Err(invalid()),
            };
            policies = match name {
                "in-time" => policies.with(in_time(value).ok_or_else(invalid)?),
                "client-propagated" => {
                    policies.with(self.client_propagated(priority(value).ok_or_else(invalid)?))
                }
                "server-declared" => {
                    policies.with(self.server_declared(priority(value).ok_or_else(invalid)?))
                }
                "pool" => policies.with(self.configured_threadpool(value)?.policy()),
                "bands" => policies.with(bands(value).ok_or_else(invalid)?),
                "client-protocols" => {
                    let mut for_clients = Protocols::default();
                    for_clients.choose(self.orb.protocols(), value).ok_or_else(invalid)?;
                    // They have no properties.
                    for_clients.into_policies_of_calls(policies).map_err(|_| invalid())?
                }
                "protocols" => {
                    protocols.choose(self.orb.protocols(), value).ok_or_else(invalid)?;
                    policies
                }
                _ => {
                    protocols.set(self.orb.protocols(), name, value).ok_or_else(invalid)?;
                    policies
                }
            };
        }
        protocols.into_policies(policies).map_err(|scheme| {
            let what = format!("the policies of an adapter: properties of {scheme}");
            Error::new(Phase::Configure, what)
                .with_hint("name it among protocols=, the adapter's protocols")
        })
    }
}

#[cold]
fn invalid(setting: &str) -> Error {
    Error::new(Phase::Configure, format!("the policies of an adapter: invalid setting {setting:?}")).with_hint(
        "settings are client-propagated=1000, server-declared=1000, pool=NAME, bands=0-99,100-32767, in-time, \
         protocols=uiop,iiop, client-protocols=uiop, iiop.dscp=46, send_buffer=65536",
    )
}
