//! Parses protocols and the properties of their connections.

use std::str::FromStr;

use zorb_core::policy::{
    ClientProtocols, ConnectionProperties, Policies, ProtocolChoice, ServerProtocols,
};
use zorb_transport::ProtocolRegistry;

/// Selected protocols and the properties of connections.
#[derive(Debug, Default)]
pub(super) struct Protocols {
    /// The selected protocols in order; `None` for all.
    chosen: Option<Vec<ProtocolChoice>>,
    /// Properties of protocols by scheme, which may precede the selection.
    by_scheme: Vec<(String, ProtocolChoice)>,
    common: ConnectionProperties,
}

/// The protocol of a scheme.
fn known(registry: &ProtocolRegistry, scheme: &str) -> Option<ProtocolChoice> {
    registry.by_scheme(scheme).map(|protocol| protocol.profile_tag().into())
}

impl Protocols {
    /// Selects the protocols `SCHEME,SCHEME`; `None` if a scheme is unknown.
    pub(super) fn choose(&mut self, registry: &ProtocolRegistry, value: &str) -> Option<()> {
        let chosen = value.split(',').map(|scheme| known(registry, scheme));
        self.chosen = Some(chosen.collect::<Option<_>>()?);
        Some(())
    }

    /// Sets `PROPERTY=VALUE` or `SCHEME.PROPERTY=VALUE`; `None` if it is invalid.
    pub(super) fn set(
        &mut self,
        registry: &ProtocolRegistry,
        name: &str,
        value: &str,
    ) -> Option<()> {
        let Some((scheme, property)) = name.rsplit_once('.') else {
            return set_property(&mut self.common, name, value);
        };
        let known_at = self.by_scheme.iter().position(|(known, _)| known == scheme);
        let index = match known_at {
            Some(index) => index,
            None => {
                self.by_scheme.push((scheme.to_owned(), known(registry, scheme)?));
                self.by_scheme.len() - 1
            }
        };
        let (_, choice) = self.by_scheme.get_mut(index)?;
        set_property(choice.properties.get_or_insert_default(), property, value)
    }

    /// Adds them to the policies of an adapter.
    ///
    /// # Errors
    /// The scheme of a protocol that has properties and is not selected.
    pub(super) fn into_policies(self, policies: Policies) -> Result<Policies, String> {
        self.into(policies, |policies, choices| policies.with(ServerProtocols::new(choices)))
    }

    /// Adds them to the policies of calls.
    ///
    /// # Errors
    /// The scheme of a protocol that has properties and is not selected.
    pub(super) fn into_policies_of_calls(self, policies: Policies) -> Result<Policies, String> {
        self.into(policies, |policies, choices| policies.with(ClientProtocols::new(choices)))
    }

    fn into(
        self,
        mut policies: Policies,
        choose: impl FnOnce(Policies, Vec<ProtocolChoice>) -> Policies,
    ) -> Result<Policies, String> {
        let Self { chosen, by_scheme, common } = self;
        let mut choices = chosen.unwrap_or_default();
        for (scheme, described) in by_scheme {
            let chosen = choices.iter_mut().find(|choice| choice.profile == described.profile);
            chosen.ok_or(scheme)?.properties = described.properties;
        }
        if !choices.is_empty() {
            policies = choose(policies, choices);
        }
        if common != ConnectionProperties::default() {
            policies = policies.with(common);
        }
        Ok(policies)
    }
}

/// Sets a property by name; `None` if there is none of that name, or the value is invalid.
fn set_property(properties: &mut ConnectionProperties, name: &str, value: &str) -> Option<()> {
    fn number<N: FromStr>(field: &mut Option<N>, value: &str) -> Option<()> {
        *field = Some(value.parse().ok()?);
        Some(())
    }
    fn boolean(field: &mut Option<bool>, value: &str) -> Option<()> {
        *field = Some(match value {
            "yes" => true,
            "no" => false,
            _ => return None,
        });
        Some(())
    }
    match name {
        "send_buffer" => number(&mut properties.send_buffer, value),
        "receive_buffer" => number(&mut properties.receive_buffer, value),
        "keep_alive" => boolean(&mut properties.keep_alive, value),
        "no_delay" => boolean(&mut properties.no_delay, value),
        "dont_route" => boolean(&mut properties.dont_route, value),
        "network_priority" => boolean(&mut properties.network_priority, value),
        "dscp" => number(&mut properties.dscp, value).filter(|()| properties.dscp <= Some(63)),
        "socket_priority" => number(&mut properties.socket_priority, value),
        "pacing_rate" => number(&mut properties.pacing_rate, value),
        "copy_threshold" => number(&mut properties.copy_threshold, value),
        "preallocate" => number(&mut properties.preallocate, value),
        "fragment_size" => number(&mut properties.fragment_size, value),
        _ => None,
    }
}
