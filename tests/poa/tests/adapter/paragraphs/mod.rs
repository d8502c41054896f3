//! The tables of paragraphs.

mod activators;
mod adapter_activators;
mod creation;
mod current;
mod endings;
mod etherealization;
mod ids;
mod locators;
mod manager_changes;
mod managers;
mod operations;
mod policies;
mod threads;

use crate::Paragraph;
use crate::scene::Scene;
use crate::servants::Kind;

/// All paragraphs.
pub(crate) fn all() -> impl Iterator<Item = Paragraph> {
    [
        managers::TABLE,
        manager_changes::TABLE,
        adapter_activators::TABLE,
        activators::TABLE,
        etherealization::TABLE,
        locators::TABLE,
        policies::TABLE,
        threads::TABLE,
        ids::TABLE,
        creation::TABLE,
        operations::TABLE,
        endings::TABLE,
        current::TABLE,
    ]
    .into_iter()
    .flatten()
    .map(|&(section, says, kinds, check)| Paragraph { section, says, kinds, check })
}

/// Section, what it says, the kinds of servants, and the check.
type Row = (&'static str, &'static str, &'static [Kind], fn(&Scene));
