//! JSON output: members in the order of IDL, numbers with all digits.

use std::borrow::Cow;
use std::fmt;

/// A JSON value for output. `{}` prints one line; `{:#}` prints one line per member and per element that is not a
/// number or short string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`, `true`, `false` or a number in the syntax of JSON.
    Word(String),
    /// A string, without its quotes and escapes.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object, in the order of its members.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// `null`.
    pub fn null() -> Self {
        Self::Word("null".to_owned())
    }

    /// A number or boolean with this text in JSON.
    pub(super) fn word(text: impl fmt::Display) -> Self {
        Self::Word(text.to_string())
    }

    fn is_single(&self) -> bool {
        match self {
            Self::Word(_) | Self::String(_) => true,
            Self::Array(parts) => parts.is_empty(),
            Self::Object(members) => members.is_empty(),
        }
    }

    /// Writes the value; on one line if `indent` is `None`.
    fn print(&self, f: &mut fmt::Formatter<'_>, indent: Option<usize>) -> fmt::Result {
        let deeper = indent.map(|indent| indent + 2);
        match self {
            Self::Word(text) => f.write_str(text),
            Self::String(text) => quote(text, f),
            Self::Array(parts) => {
                // Numbers and short words stay on one line.
                let inner = if parts.iter().all(Self::is_single) { None } else { deeper };
                let outer = inner.and(indent);
                f.write_str("[")?;
                for (index, part) in parts.iter().enumerate() {
                    separate(index, inner, f)?;
                    part.print(f, inner)?;
                }
                end(outer, f)?;
                f.write_str("]")
            }
            Self::Object(members) if members.is_empty() => f.write_str("{}"),
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    separate(index, deeper, f)?;
                    quote(name, f)?;
                    f.write_str(": ")?;
                    value.print(f, deeper)?;
                }
                end(indent, f)?;
                f.write_str("}")
            }
        }
    }
}

fn separate(index: usize, indent: Option<usize>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match indent {
        Some(indent) => {
            f.write_str(if index > 0 { ",\n" } else { "\n" })?;
            write!(f, "{:indent$}", "")
        }
        None if index > 0 => f.write_str(", "),
        None => Ok(()),
    }
}

fn end(indent: Option<usize>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match indent {
        Some(indent) => write!(f, "\n{:indent$}", ""),
        None => Ok(()),
    }
}

fn quote(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    f.write_str(&escape_controls(&quoted))
}

/// JSON text that a terminal can show: with escapes, `\u007f`, for U+007F to U+009F in its strings.
///
/// Terminals obey some of these control characters, and JSON allows them as they are. The others, below U+0020, it
/// does not.
pub fn escape_controls(json: &str) -> Cow<'_, str> {
    let is_control = |char: char| ('\u{7f}'..='\u{9f}').contains(&char);
    if !json.contains(is_control) {
        return json.into();
    }
    let mut escaped = String::with_capacity(json.len());
    for char in json.chars() {
        match is_control(char) {
            true => escaped.extend(format!("\\u{:04x}", u32::from(char)).chars()),
            false => escaped.push(char),
        }
    }
    escaped.into()
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, f.alternate().then_some(0))
    }
}
