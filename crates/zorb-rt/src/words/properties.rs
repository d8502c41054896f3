//! The protocols of an adapter, or of calls, and what their connections are like, in words.

use std::str::FromStr;

use zorb_core::policy::{
    ClientProtocols, ConnectionProperties, Policies, ProtocolChoice, ServerProtocols,
};
use zorb_transport::ProtocolRegistry;

/// What words say of protocols.
#[derive(Debug, Default)]
pub(super) struct Protocols {
    /// Those that are chosen, in their order; `None` for all.
    chosen: Option<Vec<ProtocolChoice>>,
    /// What is said of protocols by their schemes, which may come before they are chosen.
    of_protocols: Vec<(String, ProtocolChoice)>,
    of_all: ConnectionProperties,
}

/// The protocol of a scheme.
fn known(registry: &ProtocolRegistry, scheme: &str) -> Option<ProtocolChoice> {
    registry.by_scheme(scheme).map(|protocol| protocol.profile_tag().into())
}

impl Protocols {
    /// Takes `SCHEME,SCHEME`; `None` for a scheme of no protocol.
    pub(super) fn choose(&mut self, registry: &ProtocolRegistry, value: &str) -> Option<()> {
        let chosen = value.split(',').map(|scheme| known(registry, scheme));
        self.chosen = Some(chosen.collect::<Option<_>>()?);
        Some(())
    }

    /// Takes `PROPERTY=VALUE` or `SCHEME.PROPERTY=VALUE`; `None` for what is neither.
    pub(super) fn say(
        &mut self,
        registry: &ProtocolRegistry,
        name: &str,
        value: &str,
    ) -> Option<()> {
        let Some((scheme, property)) = name.rsplit_once('.') else {
            return set(&mut self.of_all, name, value);
        };
        let place = self.of_protocols.iter().position(|(said, _)| said == scheme);
        let place = match place {
            Some(place) => place,
            None => {
                self.of_protocols.push((scheme.to_owned(), known(registry, scheme)?));
                self.of_protocols.len() - 1
            }
        };
        let (_, choice) = self.of_protocols.get_mut(place)?;
        set(choice.properties.get_or_insert_default(), property, value)
    }

    /// The same as policies of an adapter, beside others.
    ///
    /// # Errors
    /// The scheme of a protocol of which something is said and that is not chosen.
    pub(super) fn into_policies(self, policies: Policies) -> Result<Policies, String> {
        self.into(policies, |policies, choices| policies.with(ServerProtocols::new(choices)))
    }

    /// The same as policies of calls, beside others.
    ///
    /// # Errors
    /// The scheme of a protocol of which something is said and that is not chosen.
    pub(super) fn into_policies_of_calls(self, policies: Policies) -> Result<Policies, String> {
        self.into(policies, |policies, choices| policies.with(ClientProtocols::new(choices)))
    }

    fn into(
        self,
        mut policies: Policies,
        choose: impl FnOnce(Policies, Vec<ProtocolChoice>) -> Policies,
    ) -> Result<Policies, String> {
        let Self { chosen, of_protocols, of_all } = self;
        let mut choices = chosen.unwrap_or_default();
        for (scheme, said) in of_protocols {
            let same = choices.iter_mut().find(|choice| choice.profile == said.profile);
            same.ok_or(scheme)?.properties = said.properties;
        }
        if !choices.is_empty() {
            policies = choose(policies, choices);
        }
        if of_all != ConnectionProperties::default() {
            policies = policies.with(of_all);
        }
        Ok(policies)
    }
}

/// Sets a property by its name; `None` for one that there is not, or a value that is none of its.
fn set(properties: &mut ConnectionProperties, name: &str, value: &str) -> Option<()> {
    fn number<N: FromStr>(place: &mut Option<N>, value: &str) -> Option<()> {
        *place = Some(value.parse().ok()?);
        Some(())
    }
    fn truth(place: &mut Option<bool>, value: &str) -> Option<()> {
        *place = Some(match value {
            "yes" => true,
            "no" => false,
            _ => return None,
        });
        Some(())
    }
    match name {
        "send_buffer" => number(&mut properties.send_buffer, value),
        "receive_buffer" => number(&mut properties.receive_buffer, value),
        "keep_alive" => truth(&mut properties.keep_alive, value),
        "no_delay" => truth(&mut properties.no_delay, value),
        "dont_route" => truth(&mut properties.dont_route, value),
        "network_priority" => truth(&mut properties.network_priority, value),
        "dscp" => number(&mut properties.dscp, value).filter(|()| properties.dscp <= Some(63)),
        "socket_priority" => number(&mut properties.socket_priority, value),
        "pacing_rate" => number(&mut properties.pacing_rate, value),
        "copy_threshold" => number(&mut properties.copy_threshold, value),
        "preallocate" => number(&mut properties.preallocate, value),
        "fragment_size" => number(&mut properties.fragment_size, value),
        _ => None,
    }
}
