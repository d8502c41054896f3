//! The HTML page of all results: self-contained, without scripts or network access.

mod bars;
mod chart;
mod distribution;
mod machines;
mod metric;
mod plot;
mod scale;
mod section;
mod sweep;
mod table;
mod text;
mod timeline;
mod work;

use askama::Template;
use zorb_bench::{Error, Result};

use crate::results::{Folder, Run};
use chart::Styles;
use section::{Section, SectionView};
use table::Table;

#[cfg(test)]
mod tests;

/// What the template shows.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    summary: String,
    /// Of each machine, names and values.
    machines: Vec<Vec<(&'static str, &'a str)>>,
    runs: Table,
    sections: Vec<SectionView<'a>>,
    others: Vec<Other<'a>>,
    skipped: &'a [(String, String)],
}

/// A table that a result file contains in addition to its rows.
struct Other<'a> {
    name: &'a str,
    table: Table,
}

/// The page of all runs of a folder, which lists skipped files.
///
/// # Errors
/// The template cannot be rendered.
pub fn page(results: &Folder) -> Result<String> {
    let runs = &results.runs;
    let mut sections: Vec<Section<'_>> = runs.iter().flat_map(Section::all).collect();
    sections.sort_by_key(Section::rank);
    let charted = sections.iter().flat_map(|section| &section.charted);
    let rows = sections.iter().flat_map(|section| &section.rows).copied();
    let styles = Styles::of(charted.chain(rows).map(|row| row.peer.as_str()));
    let views = sections.iter().enumerate().map(|(index, section)| {
        let same = |other: &&Section<'_>| other.experiment == section.experiment;
        let ambiguous = sections.iter().filter(same).count() > 1;
        section.view(format!("e{}", index + 1), ambiguous, &styles)
    });
    let machines = machines::distinct(runs);
    let page = Page {
        summary: machines::summary(runs),
        runs: machines::runs(runs, &machines),
        machines,
        sections: views.collect(),
        others: others(runs),
        skipped: &results.left_out,
    };
    let page = page.render().map_err(|error| Error::new(format!("the page: {error}")))?;
    Ok(text::visible(&page))
}

fn others(runs: &[Run]) -> Vec<Other<'_>> {
    let tables = runs.iter().flat_map(|run| run.tables.iter().map(move |table| (run, table)));
    tables
        .map(|(run, (name, rows))| Other {
            name,
            table: table::other(format!("{name}, from {}", run.name), rows),
        })
        .collect()
}
