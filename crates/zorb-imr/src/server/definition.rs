//! What an administrator says about a server.

use super::values::{Decoder, Encoder};
use crate::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use crate::server_repository::Selection;

/// A server as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) startup: StartupOptions,
    /// How many processes run at once.
    pub(crate) instances: u32,
    pub(crate) choice: Selection,
    /// The server whose process this one is a part of.
    pub(crate) linked_to: Option<String>,
}

impl Definition {
    pub(crate) fn new(startup: StartupOptions) -> Self {
        Self { startup, instances: 1, choice: Selection::RoundRobin, linked_to: None }
    }

    /// A server that has registered without having been added: it is not started.
    pub(crate) fn unmanaged() -> Self {
        Self::new(StartupOptions {
            command_line: String::new(),
            environment: Vec::new(),
            working_directory: String::new(),
            activation: ActivationMode::Manual,
            activator: String::new(),
            start_limit: 1,
        })
    }

    /// How often a start is tried.
    pub(crate) fn attempts(&self) -> u32 {
        u32::try_from(self.startup.start_limit).unwrap_or(1).max(1)
    }

    pub(crate) fn to_octets(&self) -> Vec<u8> {
        let StartupOptions {
            command_line,
            environment,
            working_directory,
            activation,
            activator,
            start_limit,
        } = &self.startup;
        let mut encoder = Encoder::default();
        encoder.text(command_line).number(environment.len() as u64);
        for EnvironmentVariable { name, value } in environment {
            encoder.text(name).text(value);
        }
        encoder.text(working_directory).number(*activation as u64).text(activator);
        encoder.number((*start_limit).max(0).unsigned_abs().into());
        encoder.number(self.instances.into()).number(self.choice as u64);
        encoder.text(self.linked_to.as_deref().unwrap_or_default());
        encoder.finish()
    }

    pub(crate) fn from_octets(octets: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(octets)?;
        let command_line = decoder.text()?;
        let mut environment = Vec::new();
        for _ in 0..decoder.number()? {
            environment.push(EnvironmentVariable { name: decoder.text()?, value: decoder.text()? });
        }
        let working_directory = decoder.text()?;
        let activation = match decoder.number()? {
            0 => ActivationMode::Normal,
            1 => ActivationMode::Manual,
            2 => ActivationMode::PerClient,
            3 => ActivationMode::AutoStart,
            _ => return None,
        };
        let activator = decoder.text()?;
        let start_limit = decoder.number()?.try_into().ok()?;
        let startup = StartupOptions {
            command_line,
            environment,
            working_directory,
            activation,
            activator,
            start_limit,
        };
        let instances = decoder.number()?.try_into().ok()?;
        let choice = match decoder.number()? {
            0 => Selection::RoundRobin,
            1 => Selection::LeastLoaded,
            2 => Selection::ByKey,
            _ => return None,
        };
        let linked_to = Some(decoder.text()?).filter(|name| !name.is_empty());
        decoder.finish(Self { startup, instances, choice, linked_to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Definition {
        let variable = EnvironmentVariable { name: "A".into(), value: "ü".into() };
        let startup = StartupOptions {
            command_line: "server 'a b'".into(),
            environment: vec![variable],
            working_directory: "/tmp".into(),
            activation: ActivationMode::AutoStart,
            activator: "host".into(),
            start_limit: 7,
        };
        let linked_to = Some("other".into());
        Definition { startup, instances: 3, choice: Selection::ByKey, linked_to }
    }

    #[test]
    fn a_definition_survives() {
        for definition in [sample(), Definition::unmanaged()] {
            assert_eq!(Definition::from_octets(&definition.to_octets()), Some(definition));
        }
    }

    #[test]
    fn truncated_or_longer_octets_are_no_definition() {
        let octets = sample().to_octets();
        for len in 0..octets.len() {
            assert_eq!(Definition::from_octets(&octets[..len]), None, "{len} octets");
        }
        assert_eq!(Definition::from_octets(&[&octets[..], &[0]].concat()), None);
    }
}
