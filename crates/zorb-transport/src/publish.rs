//! Rules for the addresses in references: the option `PublishRules`.

mod condition;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::{OptionKind, OptionSpec, OptionValue};

use condition::{Condition, Subject};

/// Rules for the addresses in references, in order.
///
/// A rule is a condition: it allows the addresses for which the condition is true or, with a `-` before it, excludes
/// them. Of the rules whose conditions are true of an address, the first decides. Where there is none, the address is
/// allowed if all rules exclude. A reference contains the allowed addresses in the order of the rules that allow them.
///
/// | Condition | is true of |
/// |---|---|
/// | `interface=eth*` | addresses of a network interface with such a name; `*` stands for any characters |
/// | `ipv4`, `ipv6` | addresses of that family |
/// | `192.0.2.0/24`, `2001:db8::7` | addresses in that network, or that address |
/// | `loopback` | `127.0.0.0/8`, `::1`, and the name `localhost` |
/// | `link-local` | `169.254.0.0/16`, `fe80::/10` |
/// | `private` | `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, `fc00::/7` |
/// | `name=*.example.org` | such host names; the other conditions are not applied to names, which are not looked up |
///
/// Displayed and parsed as a list with `;` or `,` between the rules:
///
/// ```
/// use zorb_transport::PublishRules;
///
/// let rules: PublishRules = "-interface=docker*, 10.1.0.0/16, ipv6".parse()?;
/// assert!(rules.check("10.1.2.3".parse()?, &["eth0"]).is_allowed());
/// assert!(!rules.check("10.1.2.3".parse()?, &["docker0"]).is_allowed());
/// assert!(!rules.check("10.2.2.3".parse()?, &["eth0"]).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishRules(Vec<PublishRule>);

impl PublishRules {
    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether references may contain `address`, which the interfaces with these names have; none if it is not an
    /// address of this machine.
    #[must_use]
    pub fn check(&self, address: IpAddr, interfaces: &[&str]) -> PublishVerdict<'_> {
        self.first(Subject::Address(address.to_canonical(), interfaces))
    }

    /// Whether references may contain the host name `name`. `localhost` must be allowed as an address, too.
    #[must_use]
    pub fn check_name(&self, name: &str) -> PublishVerdict<'_> {
        let name = name.trim_end_matches('.');
        let verdict = self.first(Subject::Name(&name.to_ascii_lowercase()));
        if name.eq_ignore_ascii_case("localhost") && verdict.is_allowed() {
            let as_address = self.check(std::net::Ipv4Addr::LOCALHOST.into(), &["lo"]);
            if !as_address.is_allowed() {
                return as_address;
            }
        }
        verdict
    }

    /// The verdict of the first rule that applies.
    fn first(&self, subject: Subject<'_>) -> PublishVerdict<'_> {
        let mut allows_others = false;
        for (rank, rule) in self.0.iter().enumerate() {
            match rule.condition.holds(subject) {
                Some(true) if rule.excludes => return PublishVerdict::Excluded { by: Some(rule) },
                Some(true) => return PublishVerdict::Allowed { rank, by: Some(rule) },
                Some(false) => allows_others |= !rule.excludes,
                None => {}
            }
        }
        match allows_others {
            true => PublishVerdict::Excluded { by: None },
            false => PublishVerdict::Allowed { rank: 0, by: None },
        }
    }
}

impl FromStr for PublishRules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rules = text.split([';', ',']).map(str::trim).filter(|rule| !rule.is_empty());
        rules.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for PublishRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rule) in self.0.iter().enumerate() {
            write!(f, "{}{rule}", if index == 0 { "" } else { ";" })?;
        }
        Ok(())
    }
}

impl OptionValue for PublishRules {
    const KIND: OptionKind = OptionKind::List;

    fn take(&mut self, text: &str, _: &OptionSpec) -> Result<(), String> {
        let Self(further) = text.parse()?;
        self.0.extend(further);
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        self.to_string()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// One of the [`PublishRules`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishRule {
    excludes: bool,
    condition: Condition,
}

impl PublishRule {
    /// Whether it names loopback or link-local addresses, or a network, so that they are meant although there may be
    /// addresses that more clients can reach.
    #[must_use]
    pub fn names_addresses(&self) -> bool {
        self.condition.names_addresses()
    }
}

impl FromStr for PublishRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (excludes, condition) = match text.strip_prefix('-') {
            Some(condition) => (true, condition),
            None => (false, text),
        };
        Ok(Self { excludes, condition: condition.parse()? })
    }
}

impl fmt::Display for PublishRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.excludes { "-" } else { "" }, self.condition)
    }
}

/// What [`PublishRules`] say of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishVerdict<'r> {
    /// References may contain it.
    Allowed {
        /// Addresses are published in the order of their ranks: the number of the rule from 0; 0 if none applies.
        rank: usize,
        /// The rule that allows it; `None` if no rule applies.
        by: Option<&'r PublishRule>,
    },
    /// References must not contain it.
    Excluded {
        /// The rule that excludes it; `None` if no rule allows it.
        by: Option<&'r PublishRule>,
    },
}

impl PublishVerdict<'_> {
    /// Whether references may contain the address.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}
