//! Options of an ORB that come with a protocol.

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// Any text.
    Text,
    /// URLs separated by `;` or `,`.
    Urls,
    /// Names separated by `;` or `,`.
    Names,
    /// `NAME=URL`; may be given more than once.
    NamedUrl,
    /// `NAME=WORDS`; may be given more than once.
    Named,
    /// A whole number between the two, both included.
    Number(u64, u64),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// One option: its names, form, default, unit and meaning.
#[derive(Debug)]
pub struct OptionSpec {
    /// The name as in `-ORBName`; matched without regard to case.
    pub name: &'static str,
    /// The key in `zorb.toml`; in capitals after `ZORB_` it is the environment variable.
    pub key: &'static str,
    /// The form of its value.
    pub kind: OptionKind,
    /// The default, as text.
    pub default: &'static str,
    /// The unit of a number: `"ms"`, `"us"`, `"octets"`, or empty.
    pub unit: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

impl OptionSpec {
    /// The environment variable that sets this option.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("ZORB_{}", self.key.to_ascii_uppercase())
    }
}
