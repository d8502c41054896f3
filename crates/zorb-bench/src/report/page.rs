//! All results on one page of HTML, which needs nothing else: no scripts, no network.

mod bars;
mod course;
mod distribution;
mod facts;
mod figure;
mod looks;
mod metric;
mod plot;
mod scale;
mod section;
mod sweep;
mod table;
mod text;
mod work;

use std::fmt::Write as _;

use super::results::{Folder, Run};
use looks::Looks;
use section::Section;
use text::Escaped;

#[cfg(test)]
mod tests;

const STYLE: &str = include_str!("page/style.css");

/// The page that shows all runs of a folder, and names what was left out.
#[must_use]
pub fn page(results: &Folder) -> String {
    let runs = &results.runs;
    let mut sections: Vec<Section<'_>> = runs.iter().flat_map(Section::all).collect();
    sections.sort_by_key(Section::place);
    let charted = sections.iter().flat_map(|section| &section.charted);
    let rows = sections.iter().flat_map(|section| &section.rows).copied();
    let looks = Looks::of(charted.chain(rows).map(|row| row.peer.as_str()));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>Zorb benchmark report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Zorb benchmark report</h1>\n{}</header>\n<main>\n",
        facts::summary(runs),
    );
    contents(&mut html, &sections);
    html += &facts::section(runs);
    for (index, section) in sections.iter().enumerate() {
        html += &section.html(&format!("e{}", index + 1), &looks);
    }
    others(&mut html, runs);
    left_out(&mut html, &results.left_out);
    html += "</main>\n</body>\n</html>\n";
    html
}

fn contents(html: &mut String, sections: &[Section<'_>]) {
    if sections.len() < 2 {
        return;
    }
    *html += "<nav aria-label=\"Contents\"><ul>\n";
    for (index, section) in sections.iter().enumerate() {
        let _ = write!(html, "<li><a href=\"#e{}\">{}</a>", index + 1, Escaped(section.title()));
        // Which of several is meant.
        if sections.iter().filter(|other| other.experiment == section.experiment).count() > 1 {
            let _ = write!(
                html,
                " <small>{} {}</small>",
                Escaped(section.transport),
                Escaped(&section.run.name)
            );
        }
        *html += "</li>\n";
    }
    *html += "</ul></nav>\n";
}

/// Tables that experiments brought along.
fn others(html: &mut String, runs: &[Run]) {
    for run in runs {
        for (name, rows) in &run.tables {
            let caption = format!("{name}, from {}", run.name);
            let table = table::boxed(&caption, &table::other(rows));
            let _ = write!(html, "<section>\n<h2>{}</h2>\n{table}</section>\n", Escaped(name));
        }
    }
}

fn left_out(html: &mut String, left_out: &[(String, String)]) {
    if left_out.is_empty() {
        return;
    }
    *html += "<section id=\"left-out\">\n<h2>Left out</h2>\n<ul>\n";
    for (name, reason) in left_out {
        let _ = writeln!(html, "<li><code>{}</code>: {}</li>", Escaped(name), Escaped(reason));
    }
    *html += "</ul>\n</section>\n";
}
