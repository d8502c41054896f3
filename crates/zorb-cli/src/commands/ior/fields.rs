//! What is known about a reference: a tree that is printed as text or as JSON.

use serde::{Serialize, Serializer};

/// One thing that is known.
#[derive(Debug)]
pub(super) enum Fact {
    /// Words. They may come from the reference: only [`render`](super::render) makes them safe.
    Text(String),
    /// A number.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// Octets that say nothing, or that are to be seen as they are.
    Octets(Vec<u8>),
    /// Several words.
    Texts(Vec<String>),
    /// Several things of a kind, each with its facts.
    Groups(Vec<Facts>),
    /// A thing with facts of its own.
    Group(Facts),
}

/// Facts in order, each with its name, and a few words that sum them up.
#[derive(Debug, Default)]
pub(super) struct Facts {
    title: String,
    facts: Vec<Named>,
}

/// A fact with its name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) fact: Fact,
    /// Whether the text for people has it in other words already.
    pub(super) is_for_programs: bool,
}

impl Facts {
    /// No facts yet about something that `title` sums up.
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), facts: Vec::new() }
    }

    /// Adds a fact.
    pub(super) fn add(&mut self, name: &'static str, fact: impl Into<Fact>) {
        self.facts.push(Named { name, fact: fact.into(), is_for_programs: false });
    }

    /// The same facts and one more, which the title holds already: JSON alone shows it.
    #[must_use]
    pub(super) fn with_detail(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.facts.push(Named { name, fact: fact.into(), is_for_programs: true });
        self
    }

    /// The same facts and one more.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.add(name, fact);
        self
    }

    /// The words that sum the facts up; JSON leaves them out.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Sets the words that sum the facts up.
    pub(super) fn set_title(&mut self, title: impl Into<String>) {
        self.title = title.into();
    }

    /// The facts in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Named> {
        self.facts.iter()
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Fact {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Fact {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Fact {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u16> for Fact {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<&[u8]> for Fact {
    fn from(octets: &[u8]) -> Self {
        Self::Octets(octets.to_vec())
    }
}

impl From<Vec<String>> for Fact {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl From<Vec<Facts>> for Fact {
    fn from(groups: Vec<Facts>) -> Self {
        Self::Groups(groups)
    }
}

impl From<Facts> for Fact {
    fn from(facts: Facts) -> Self {
        Self::Group(facts)
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.facts.iter().map(|named| (named.name, &named.fact)))
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Octets(octets) => serializer.serialize_str(&hex(octets)),
            Self::Texts(texts) => serializer.collect_seq(texts),
            Self::Groups(groups) => serializer.collect_seq(groups),
            Self::Group(facts) => facts.serialize(serializer),
        }
    }
}

/// Octets as hexadecimal digits.
pub(super) fn hex(octets: &[u8]) -> String {
    use std::fmt::Write as _;
    octets.iter().fold(String::with_capacity(octets.len() * 2), |mut text, octet| {
        let _ = write!(text, "{octet:02x}");
        text
    })
}

/// Octets as text: printable ASCII as it is, dots for the rest.
pub(super) fn printable(octets: &[u8]) -> String {
    let char = |octet: &u8| if matches!(octet, b' '..=b'~') { char::from(*octet) } else { '.' };
    octets.iter().map(char).collect()
}
