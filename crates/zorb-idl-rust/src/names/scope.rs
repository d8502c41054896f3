//! One Rust scope, in which every name is given once.

use std::collections::HashMap;

use super::case::{Case, convert, escape};
use crate::Warning;
use zorb_idl::Span;

/// The names given in a scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The Rust name, and the IDL name it was made of.
    given: HashMap<String, String>,
    /// How often a name was wanted again.
    clashes: HashMap<String, usize>,
}

impl Scope {
    /// The Rust name for an IDL name; a clash gets a trailing `_` and a warning.
    pub(crate) fn give(
        &mut self,
        idl: &str,
        case: Case,
        span: Span,
        warnings: &mut Vec<Warning>,
    ) -> String {
        self.give_converted(convert(idl, case), idl, case, Some((span, warnings)))
    }

    /// The same for a name that is made up here: it gives way silently.
    pub(crate) fn give_quietly(&mut self, name: &str, case: Case) -> String {
        self.give_converted(name.to_owned(), name, case, None)
    }

    fn give_converted(
        &mut self,
        converted: String,
        idl: &str,
        case: Case,
        report: Option<(Span, &mut Vec<Warning>)>,
    ) -> String {
        let wanted = escape(converted.clone(), case);
        let mut name = wanted.clone();
        while self.given.contains_key(&name) {
            // `name_`, then `name_2`: the count keeps a file of nothing but clashes cheap.
            let count = self.clashes.entry(wanted.clone()).or_default();
            *count += 1;
            let number = if *count == 1 { String::new() } else { count.to_string() };
            name = escape(format!("{converted}_{number}"), case);
        }
        if let (Some((span, warnings)), Some(first)) = (report, self.given.get(&wanted)) {
            warnings.push(Warning {
                message: format!(
                    "`{first}` and `{idl}` both become `{wanted}` in Rust: `{idl}` is named `{name}`"
                ),
                span,
            });
        }
        self.given.insert(name.clone(), idl.to_owned());
        name
    }

    /// Whether a name is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }
}
