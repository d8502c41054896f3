//! Bands and adapters in words, as options have them.

mod properties;

use std::time::Duration;

use zorb_core::policy::Policies;
use zorb_core::{Error, Phase};
use zorb_transport::ProtocolRegistry;

use properties::Protocols;

use super::{Priority, PriorityBand, PriorityBands, RtOrb, ServeInTime};

/// Bands like `0-9999,10000-32767`.
pub(crate) fn bands(words: &str) -> Option<PriorityBands> {
    let number = |text: &str| Priority::new(text.trim().parse().ok()?).ok();
    let band = |word: &str| {
        let (low, high) = word.split_once('-')?;
        PriorityBand::new(number(low)?, number(high)?).ok()
    };
    let bands: Option<Vec<_>> = words.split(',').map(band).collect();
    PriorityBands::new(bands?).ok()
}

/// The protocols of calls, and what connections are like that they go over, beside other policies.
pub(crate) fn protocols_of_calls(
    registry: &ProtocolRegistry,
    words: &str,
    policies: Policies,
) -> Result<Policies, Error> {
    let wrong = |word: &str| {
        Error::new(Phase::Configure, format!("the protocols of calls: the word {word:?}"))
            .with_hint("they are protocols=uiop,iiop, iiop.dscp=46, send_buffer=65536")
    };
    let mut protocols = Protocols::default();
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').ok_or_else(|| wrong(word))?;
        match name {
            "protocols" => protocols.choose(registry, value),
            _ => protocols.say(registry, name, value),
        }
        .ok_or_else(|| wrong(word))?;
    }
    protocols.into_policies_of_calls(policies).map_err(|scheme| {
        Error::new(Phase::Configure, format!("the protocols of calls: properties of {scheme}"))
            .with_hint("name it among protocols=")
    })
}

/// A priority.
fn priority(word: &str) -> Option<Priority> {
    Priority::new(word.parse().ok()?).ok()
}

/// Within so many milliseconds of the end of a request's time.
fn in_time(millis: &str) -> Option<ServeInTime> {
    let tolerance = Duration::from_millis(millis.parse().ok()?);
    Some(ServeInTime::new().tolerance(tolerance))
}

impl RtOrb {
    /// The policies of an adapter in words, as in the option `RtAdapter`:
    ///
    /// | Word | Policy |
    /// |---|---|
    /// | `client-propagated=PRIORITY` | [`client_propagated`](Self::client_propagated) |
    /// | `server-declared=PRIORITY` | [`server_declared`](Self::server_declared) |
    /// | `pool=NAME` | that of the [configured pool](Self::configured_threadpool) of this name |
    /// | `bands=LOW-HIGH,LOW-HIGH` | [`PriorityBands`] |
    /// | `in-time`, `in-time=MS` | [`ServeInTime`], with a tolerance of so many milliseconds |
    /// | `protocols=SCHEME,SCHEME` | [`ServerProtocols`](zorb_core::policy::ServerProtocols), in this order |
    /// | `client-protocols=SCHEME,SCHEME` | [`ClientProtocols`](zorb_core::policy::ClientProtocols), which references tell clients to use |
    /// | `SCHEME.PROPERTY=VALUE` | what connections are like of a protocol that `protocols` names |
    /// | `PROPERTY=VALUE` | the same of all: [`ConnectionProperties`](zorb_core::policy::ConnectionProperties) |
    ///
    /// A property has the name of its field; those of clients, from `max_connections` on, are none of an
    /// adapter's. What is true or false is said by `yes` or `no`.
    ///
    /// # Errors
    /// A word that is none of them, a protocol that the ORB does not have; those of [`configured_threadpool`](Self::configured_threadpool).
    pub fn described_policies(&self, words: &str) -> Result<Policies, Error> {
        let mut policies = Policies::new();
        let mut protocols = Protocols::default();
        for word in words.split_whitespace() {
            let wrong = || wrong(word);
            let (name, value) = match word.split_once('=') {
                Some(said) => said,
                None if word == "in-time" => (word, "0"),
                None => return Err(wrong()),
            };
            policies = match name {
                "in-time" => policies.with(in_time(value).ok_or_else(wrong)?),
                "client-propagated" => {
                    policies.with(self.client_propagated(priority(value).ok_or_else(wrong)?))
                }
                "server-declared" => {
                    policies.with(self.server_declared(priority(value).ok_or_else(wrong)?))
                }
                "pool" => policies.with(self.configured_threadpool(value)?.policy()),
                "bands" => policies.with(bands(value).ok_or_else(wrong)?),
                "client-protocols" => {
                    let mut told = Protocols::default();
                    told.choose(self.orb.protocols(), value).ok_or_else(wrong)?;
                    // Nothing but protocols is said of them.
                    told.into_policies_of_calls(policies).map_err(|_| wrong())?
                }
                "protocols" => {
                    protocols.choose(self.orb.protocols(), value).ok_or_else(wrong)?;
                    policies
                }
                _ => {
                    protocols.say(self.orb.protocols(), name, value).ok_or_else(wrong)?;
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
fn wrong(word: &str) -> Error {
    Error::new(Phase::Configure, format!("the policies of an adapter: the word {word:?}")).with_hint(
        "they are client-propagated=1000, server-declared=1000, pool=NAME, bands=0-99,100-32767, in-time, \
         protocols=uiop,iiop, client-protocols=uiop, iiop.dscp=46, send_buffer=65536",
    )
}
