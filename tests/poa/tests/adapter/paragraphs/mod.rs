//! The tables of paragraphs.

mod managers;
mod operations;
mod policies;
mod servant_managers;

use crate::Paragraph;
use crate::scene::Scene;
use crate::servants::Kind;

/// All paragraphs.
pub(crate) fn all() -> impl Iterator<Item = Paragraph> {
    [managers::TABLE, policies::TABLE, operations::TABLE, servant_managers::TABLE]
        .into_iter()
        .flatten()
        .map(|&(section, says, kinds, check)| Paragraph { section, says, kinds, check })
}

/// Section, what it says, the kinds of servants, and the check.
type Row = (&'static str, &'static str, &'static [Kind], fn(&Scene));
