//! One rule per file. A new rule is a file with a `RULE` and its tests, and an entry in [`ALL`].

pub(crate) mod cycles;
mod layers;
mod length;
mod links;
mod lints;
mod neutral;
mod unsafe_code;
mod untested;

use super::Rule;

/// Every rule, in the order of `--list`.
pub(super) const ALL: &[Rule] = &[
    layers::RULE,
    cycles::RULE,
    lints::RULE,
    neutral::RULE,
    unsafe_code::RULE,
    length::RULE,
    links::RULE,
    untested::RULE,
];

/// Applies one rule to these files; returns `path:line` of every finding.
#[cfg(test)]
fn positions(rule: &Rule, files: &[(&str, &str)]) -> Vec<String> {
    let mut found = (rule.check)(&super::Tree::from_texts(files));
    found.sort();
    found.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
}
