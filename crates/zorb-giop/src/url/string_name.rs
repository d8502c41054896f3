//! Stringified names of the naming service, as after the `#` of a `corbaname:`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// One component of a [`StringName`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StringNameComponent {
    /// The id.
    pub id: String,
    /// The kind; often empty.
    pub kind: String,
}

/// A stringified name of CosNaming (Naming Service 1.3, 2.4): `/` separates components, `.` separates id
/// and kind, and `\` escapes `/`, `.` and `\`.
///
/// ```
/// use zorb_giop::StringName;
///
/// let name: StringName = r"plant/pump\.2.device".parse()?;
/// assert_eq!(name.components[1].id, "pump.2");
/// assert_eq!(name.components[1].kind, "device");
/// assert_eq!(name.to_string(), r"plant/pump\.2.device");
/// # Ok::<(), zorb_giop::StringNameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StringName {
    /// The components, outermost first.
    pub components: Vec<StringNameComponent>,
}

/// The reason why text is not a [`StringName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StringNameError {
    /// A component has neither id nor kind.
    EmptyComponent,
    /// A component has two unescaped dots.
    TwoKinds,
    /// A component ends with a dot, so that its kind is missing.
    EmptyKind,
    /// A `\` at the end, or before a character that needs no escape.
    BadEscape,
}

impl fmt::Display for StringNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EmptyComponent => "a component of the name is empty",
            Self::TwoKinds => "a component of the name has two kinds",
            Self::EmptyKind => "a component of the name ends with a dot",
            Self::BadEscape => "only \\, / and . may follow a \\ in a name",
        })
    }
}

impl core::error::Error for StringNameError {}

impl FromStr for StringName {
    type Err = StringNameError;

    fn from_str(text: &str) -> Result<Self, StringNameError> {
        let mut components = Vec::new();
        let mut id = String::new();
        let mut kind: Option<String> = None;
        let mut characters = text.chars();
        loop {
            let next = characters.next();
            match next {
                Some('\\') => match characters.next() {
                    Some(escaped @ ('\\' | '/' | '.')) => {
                        kind.as_mut().unwrap_or(&mut id).push(escaped);
                    }
                    _ => return Err(StringNameError::BadEscape),
                },
                Some('.') if kind.is_some() => return Err(StringNameError::TwoKinds),
                Some('.') => kind = Some(String::new()),
                Some('/') | None => {
                    // A single dot is the component with empty id and kind.
                    match kind.as_deref() {
                        None if id.is_empty() => return Err(StringNameError::EmptyComponent),
                        Some("") if !id.is_empty() => return Err(StringNameError::EmptyKind),
                        _ => {}
                    }
                    components.push(StringNameComponent {
                        id: core::mem::take(&mut id),
                        kind: kind.take().unwrap_or_default(),
                    });
                    if next.is_none() {
                        return Ok(Self { components });
                    }
                }
                Some(character) => kind.as_mut().unwrap_or(&mut id).push(character),
            }
        }
    }
}

impl fmt::Display for StringName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, component) in self.components.iter().enumerate() {
            if number > 0 {
                f.write_str("/")?;
            }
            write_escaped(&component.id, f)?;
            if !component.kind.is_empty() || component.id.is_empty() {
                f.write_str(".")?;
                write_escaped(&component.kind, f)?;
            }
        }
        Ok(())
    }
}

fn write_escaped(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use fmt::Write as _;
    for character in text.chars() {
        if matches!(character, '/' | '.' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn name(text: &str) -> StringName {
        text.parse().unwrap()
    }

    #[test]
    fn names_have_components_with_ids_and_kinds() {
        let name = name(r"a\/b\.c.d/./.k/x");
        let parts: Vec<_> =
            name.components.iter().map(|part| (part.id.as_str(), part.kind.as_str())).collect();
        assert_eq!(parts, [("a/b.c", "d"), ("", ""), ("", "k"), ("x", "")]);
        assert_eq!(name.to_string(), r"a\/b\.c.d/./.k/x");
    }

    #[test]
    fn malformed_names_are_refused() {
        for (text, error) in [
            ("", StringNameError::EmptyComponent),
            ("a//b", StringNameError::EmptyComponent),
            ("/a", StringNameError::EmptyComponent),
            ("a/", StringNameError::EmptyComponent),
            ("a.b.c", StringNameError::TwoKinds),
            ("a.", StringNameError::EmptyKind),
            (r"a\x", StringNameError::BadEscape),
            (r"a\", StringNameError::BadEscape),
        ] {
            assert_eq!(text.parse::<StringName>(), Err(error), "{text}");
        }
    }
}
