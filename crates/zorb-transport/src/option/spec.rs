//! Descriptions of options: the rows of the tables.

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// Any text.
    Text,
    /// Values separated by `;` or `,`. The option may be given more than once.
    List,
    /// `NAME=VALUE`. The option may be given more than once.
    NameValuePairs,
    /// A whole number between the two, both included.
    Number(u64, u64),
    /// One of these keywords, case-insensitive.
    OneOf(&'static [&'static str]),
}

impl OptionKind {
    /// This kind, or integers in `range` if one is given.
    #[doc(hidden)]
    #[must_use]
    pub const fn within(self, range: &[(u64, u64)]) -> Self {
        match range {
            [(least, most)] => Self::Number(*least, *most),
            _ => self,
        }
    }

    /// The kind for documentation: `1 to 1024`, `yes, no`, `list`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::List => "list, separated by ; or ,".to_owned(),
            Self::NameValuePairs => "NAME=VALUE, repeatable".to_owned(),
            Self::Number(least, most) => format!("{least} to {most}"),
            Self::OneOf(words) => words.join(", "),
        }
    }
}

/// The description of an option: owner, names, kind, default, unit and help.
/// [`options!`](crate::options!) creates it.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The owner: `orb`, `sockets`, or a protocol or extension.
    pub owner: &'static str,
    /// The name as in `-ORBName`, case-insensitive.
    pub name: &'static str,
    /// The key in `zorb.toml`; in capitals after `ZORB_` it is the environment variable.
    pub key: &'static str,
    /// The kind of its value.
    pub kind: OptionKind,
    /// The unit of a number: `"ms"`, `"us"`, `"octets"`, or empty.
    pub unit: &'static str,
    /// Help in one line.
    pub help: &'static str,
    /// Returns the default as text.
    #[doc(hidden)]
    pub default: fn() -> String,
}

impl OptionSpec {
    /// The default as text that could be set.
    #[must_use]
    pub fn default(&self) -> String {
        (self.default)()
    }

    /// The environment variable that sets this option.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("ZORB_{}", self.key.to_ascii_uppercase())
    }

    /// Whether `name` is its name or its key, case-insensitive.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.key.eq_ignore_ascii_case(name)
    }
}

/// A compile-time check that the key is the name in snake case: `IdleTimeout`, `idle_timeout`.
#[doc(hidden)]
pub const fn check_key(name: &str, key: &str) {
    let (name, key) = (name.as_bytes(), key.as_bytes());
    let (mut from, mut to, mut same) = (0, 0, !name.is_empty());
    while from < name.len() && same {
        if from > 0 && name[from].is_ascii_uppercase() {
            same = to < key.len() && key[to] == b'_';
            to += 1;
        }
        same = same && to < key.len() && key[to] == name[from].to_ascii_lowercase();
        (from, to) = (from + 1, to + 1);
    }
    // tidy: allow(panic): it runs in the compiler
    assert!(same && to == key.len(), "an option's field has its name in snake case");
}
