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

use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use super::results::{Folder, Run};
use crate::error::{Error, Result};
use chart::Styles;
use section::{Section, SectionView};
use table::Table;

#[cfg(test)]
mod tests;

/// What the template shows.
#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    summary: String,
    /// Of each machine, names and values.
    machines: Vec<Vec<(&'static str, &'a str)>>,
    runs: Table,
    sections: Vec<SectionView<'a>>,
    others: Vec<Other<'a>>,
    skipped: &'a [(String, String)],
}

/// A table that a result file contains in addition to its rows.
#[derive(Serialize)]
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
        style: include_str!("page/style.css"),
        summary: machines::summary(runs),
        runs: machines::runs(runs, &machines),
        machines,
        sections: views.collect(),
        others: others(runs),
        skipped: &results.left_out,
    };
    let failed = |error: minijinja::Error| Error::new(format!("the page: {error:#}"));
    let mut environment = Environment::new();
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(string) if !value.is_safe() && !string.chars().all(text::is_visible) => {
            let visible = Value::from(text::visible(string));
            minijinja::escape_formatter(out, state, &visible)
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_template("page.html", include_str!("page/page.html")).map_err(failed)?;
    let template = environment.get_template("page.html").map_err(failed)?;
    template.render(Serde(&page)).map_err(failed)
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
