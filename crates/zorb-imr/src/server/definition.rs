//! What an administrator says about a server.

use zorb::CdrResult;

use super::values::{from_octets, to_octets};
use crate::implementation_repository::{ActivationMode, StartupOptions};
use crate::server_repository::{Selection, StoredDefinition};

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

    /// The stored form.
    ///
    /// # Errors
    /// Text contains NUL.
    pub(crate) fn to_octets(&self) -> CdrResult<Vec<u8>> {
        let Self { startup, instances, choice, linked_to } = self.clone();
        let linked_to = linked_to.unwrap_or_default();
        to_octets::<StoredDefinition>(&StoredDefinition { startup, instances, choice, linked_to })
    }

    /// # Errors
    /// The octets are not those of a definition.
    pub(crate) fn from_octets(octets: &[u8]) -> CdrResult<Self> {
        let StoredDefinition { startup, instances, choice, linked_to } =
            from_octets::<StoredDefinition>(octets)?;
        let linked_to = Some(linked_to).filter(|name| !name.is_empty());
        Ok(Self { startup, instances, choice, linked_to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation_repository::EnvironmentVariable;

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
            let octets = definition.to_octets().unwrap();
            assert_eq!(Definition::from_octets(&octets).unwrap(), definition);
        }
    }

    #[test]
    fn truncated_or_longer_octets_are_no_definition() {
        let octets = sample().to_octets().unwrap();
        for len in 0..octets.len() {
            assert!(Definition::from_octets(&octets[..len]).is_err(), "{len} octets");
        }
        assert!(Definition::from_octets(&[&octets[..], &[0]].concat()).is_err());
    }

    #[test]
    fn text_with_nul_is_not_stored() {
        let definition = Definition { linked_to: Some("a\0b".into()), ..sample() };
        assert!(definition.to_octets().is_err());
    }
}
