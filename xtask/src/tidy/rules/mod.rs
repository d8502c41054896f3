//! One rule a file. A new rule is a file with a `RULE` and its tests, and a line in [`ALL`].

mod docs;
mod foreign;
mod ignore;
mod layers;
mod length;
mod licence;
mod links;
mod lock;
mod neutral;
mod panic;
mod shared;
mod sleep;
mod unsafety;

use super::Rule;

/// Every rule, in the order in which `--list` shows them.
pub(super) const ALL: &[Rule] = &[
    layers::RULE,
    neutral::RULE,
    length::RULE,
    unsafety::RULE,
    docs::RULE,
    panic::RULE,
    foreign::RULE,
    shared::RULE,
    licence::RULE,
    links::RULE,
    lock::RULE,
    ignore::RULE,
    sleep::RULE,
];

/// The crate that a path below `crates/` belongs to.
fn crate_of(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split('/').next()
}

/// Runs one rule over made-up files: `path:line` of every finding.
#[cfg(test)]
fn places(rule: &Rule, files: &[(&str, &str)]) -> Vec<String> {
    let mut found = (rule.check)(&super::Tree::from_texts(files));
    found.sort();
    found.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
}
