//! Contexts: properties that a request carries.

use std::collections::BTreeMap;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};

/// Named strings that a client sends with a call, `CORBA::Context` (CORBA 3.3 part 1, 8.6).
///
/// An operation with a `context` clause takes one after its parameters. Only the properties that the clause
/// names are sent; a name that ends in `*` stands for all names with that prefix.
///
/// ```
/// let context = zorb_core::Context::new().with("LANG", "en").with("USER", "ada");
/// assert_eq!(context.value("LANG"), Some("en"));
/// assert_eq!(context.only(&["US*"]), zorb_core::Context::new().with("USER", "ada"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Context(BTreeMap<String, String>);

impl Context {
    /// A context without properties.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds or changes a property.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set(name, value);
        self
    }

    /// Sets a property (`set_one_value`).
    #[doc(alias = "set_one_value")]
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of a property.
    #[doc(alias = "get_values")]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All properties, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The properties that a `context` clause with these names selects.
    #[must_use]
    pub fn only(&self, names: &[&str]) -> Self {
        let is_selected = |name: &str| {
            names.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == *pattern,
            })
        };
        let selected = self.0.iter().filter(|(name, _)| is_selected(name));
        Self(selected.map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}

impl zorb_interp::Tabled for Context {}

/// Encoded as a sequence of strings: name, value, name, value.
impl Wire for Context {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(value.0.len().saturating_mul(2), "context")?;
        value.0.iter().try_for_each(|(name, value)| {
            String::write(name, writer)?;
            String::write(value, writer)
        })
    }

    /// A last name without a value gets an empty value. A message that ends before the context has an empty
    /// context, since stubs of some ORBs send none.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let mut context = Self::new();
        if reader.remaining() == 0 {
            return Ok(context);
        }
        let mut strings = <Vec<String>>::read(reader)?.into_iter();
        while let Some(name) = strings.next() {
            context.set(name, strings.next().unwrap_or_default());
        }
        Ok(context)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(octets: &[u8]) -> CdrResult<Context> {
        Context::read(&mut CdrReader::new(octets, zorb_cdr::ByteOrder::Big))
    }

    #[test]
    fn a_request_may_end_before_its_context() {
        assert_eq!(read(&[]).unwrap(), Context::new());
        assert_eq!(read(&[0, 0, 0, 0]).unwrap(), Context::new());
        assert!(read(&[0, 0, 0]).is_err());
        assert!(read(&[0, 0, 0, 2, 0, 0, 0, 1, 0]).is_err());
    }

    #[test]
    fn a_name_without_a_value_gets_an_empty_one() {
        let octets = [0, 0, 0, 1, 0, 0, 0, 2, b'A', 0];
        assert_eq!(read(&octets).unwrap(), Context::new().with("A", ""));
    }
}
