//! A Rust scope with unique names.

use std::collections::HashMap;

use zorb_idl::Span;

use super::case::{Case, convert, escape};
use crate::Warning;

/// The names in use in a scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The Rust name, and the IDL name it is derived from.
    assigned: HashMap<String, String>,
    /// The number of clashes with a name.
    clashes: HashMap<String, usize>,
}

impl Scope {
    /// Assigns the Rust name for an IDL name; a clash gets a trailing `_` and a warning.
    pub(crate) fn assign(
        &mut self,
        idl: &str,
        case: Case,
        span: Span,
        warnings: &mut Vec<Warning>,
    ) -> String {
        self.assign_converted(convert(idl, case), idl, case, Some((span, warnings)))
    }

    /// Like [`Scope::assign`] for a generated name, without a warning on a clash.
    pub(crate) fn assign_silently(&mut self, name: &str, case: Case) -> String {
        self.assign_converted(name.to_owned(), name, case, None)
    }

    fn assign_converted(
        &mut self,
        converted: String,
        idl: &str,
        case: Case,
        report: Option<(Span, &mut Vec<Warning>)>,
    ) -> String {
        let wanted = escape(converted.clone(), case);
        let mut name = wanted.clone();
        while self.assigned.contains_key(&name) {
            // `name_`, then `name_2`: the count keeps a file with many clashes from taking
            // quadratic time.
            let count = self.clashes.entry(wanted.clone()).or_default();
            *count += 1;
            let number = if *count == 1 { String::new() } else { count.to_string() };
            name = escape(format!("{converted}_{number}"), case);
        }
        if let (Some((span, warnings)), Some(first)) = (report, self.assigned.get(&wanted)) {
            warnings.push(Warning {
                message: format!(
                    "`{first}` and `{idl}` both map to `{wanted}` in Rust: `{idl}` is renamed to `{name}`"
                ),
                span,
            });
        }
        self.assigned.insert(name.clone(), idl.to_owned());
        name
    }

    /// Whether a name is in use.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.assigned.contains_key(name)
    }
}
