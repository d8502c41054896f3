//! The decoded fields of a reference: a tree, rendered as text or JSON.

use serde::{Serialize, Serializer};

/// The value of a field.
#[derive(Debug)]
pub(super) enum Value {
    /// Text. It may come from the reference: only [`render`](super::render) escapes it.
    Text(String),
    /// A number.
    Number(u64),
    /// A Boolean.
    Flag(bool),
    /// Opaque octets.
    Octets(Vec<u8>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of nodes of the same kind, each with its fields.
    Groups(Vec<Node>),
    /// A node with fields of its own.
    Group(Node),
}

/// Fields in order, with a title.
#[derive(Debug, Default)]
pub(super) struct Node {
    title: String,
    fields: Vec<Field>,
}

/// A named field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) value: Value,
    /// Whether only JSON shows it, because the title already includes it.
    pub(super) json_only: bool,
}

impl Node {
    /// Creates a node without fields.
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), fields: Vec::new() }
    }

    /// Adds a field.
    pub(super) fn add(&mut self, name: &'static str, value: impl Into<Value>) {
        self.fields.push(Field { name, value: value.into(), json_only: false });
    }

    /// Adds a field that the title already includes: only JSON shows it.
    #[must_use]
    pub(super) fn with_detail(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.push(Field { name, value: value.into(), json_only: true });
        self
    }

    /// Adds a field.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.add(name, value);
        self
    }

    /// The title; JSON omits it.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Sets the title.
    pub(super) fn set_title(&mut self, title: impl Into<String>) {
        self.title = title.into();
    }

    /// The fields in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<&[u8]> for Value {
    fn from(octets: &[u8]) -> Self {
        Self::Octets(octets.to_vec())
    }
}

impl From<Vec<String>> for Value {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl From<Vec<Node>> for Value {
    fn from(groups: Vec<Node>) -> Self {
        Self::Groups(groups)
    }
}

impl From<Node> for Value {
    fn from(fields: Node) -> Self {
        Self::Group(fields)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|named| (named.name, &named.value)))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Octets(octets) => serializer.serialize_str(&hex(octets)),
            Self::Texts(texts) => serializer.collect_seq(texts),
            Self::Groups(groups) => serializer.collect_seq(groups),
            Self::Group(fields) => fields.serialize(serializer),
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

/// Octets as text: printable ASCII unchanged, dots for the rest.
pub(super) fn printable(octets: &[u8]) -> String {
    let char = |octet: &u8| if matches!(octet, b' '..=b'~') { char::from(*octet) } else { '.' };
    octets.iter().map(char).collect()
}
