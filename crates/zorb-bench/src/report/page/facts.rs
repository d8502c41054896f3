//! What was measured on, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::results::Run;
use super::table;
use super::text::{Escaped, in_table};

/// What makes a machine the same one, with what people call it.
const MACHINE: [(&str, &str); 5] = [
    ("cpu", "Processor"),
    ("cores", "Cores"),
    ("kernel", "Kernel"),
    ("governor", "Clock governor"),
    ("zorb", "Zorb"),
];
/// What differs from run to run.
const STATE: [(&str, &str); 4] =
    [("date", "date"), ("pin", "pinning"), ("fifo", "priority"), ("load", "load before")];

/// A sentence under the title.
pub(super) fn summary(runs: &[Run]) -> String {
    let experiments: BTreeSet<&str> =
        runs.iter().flat_map(|run| &run.rows).map(|row| row.experiment.as_str()).collect();
    let days: BTreeSet<&str> = runs
        .iter()
        .filter_map(|run| run.machine.get("date"))
        .filter_map(|date| date.get(..10))
        .collect();
    let days = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => format!(", {}", Escaped(first)),
        (Some(first), Some(last)) => format!(", {} to {}", Escaped(first), Escaped(last)),
        _ => String::new(),
    };
    format!(
        "<p class=\"meta\">{} of {}{days}</p>\n",
        counted(experiments.len(), "experiment"),
        counted(runs.len(), "run"),
    )
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Machines, and runs on them.
pub(super) fn section(runs: &[Run]) -> String {
    let machines: Vec<BTreeMap<&str, &str>> = {
        let mut machines = Vec::new();
        for run in runs.iter().filter(|run| !run.machine.is_empty()) {
            let machine = machine(run);
            if !machines.contains(&machine) {
                machines.push(machine);
            }
        }
        machines
    };
    let heading = if machines.len() > 1 { "Machines and runs" } else { "Machine and runs" };
    let mut html = format!("<section id=\"machine\">\n<h2>{heading}</h2>\n");
    for (index, machine) in machines.iter().enumerate() {
        html += "<dl class=\"facts\">";
        if machines.len() > 1 {
            let _ = write!(html, "<div><dt>Machine</dt><dd>{}</dd></div>", index + 1);
        }
        for (name, words) in MACHINE {
            if let Some(value) = machine.get(name) {
                let _ = write!(html, "<div><dt>{words}</dt><dd>{}</dd></div>", Escaped(value));
            }
        }
        html += "</dl>\n";
    }
    html += &table::boxed("Runs", &table_of(runs, &machines));
    html + "</section>\n"
}

fn machine(run: &Run) -> BTreeMap<&str, &str> {
    let facts =
        MACHINE.iter().filter_map(|(name, _)| Some((*name, run.machine.get(*name)?.as_str())));
    facts.collect()
}

fn table_of(runs: &[Run], machines: &[BTreeMap<&str, &str>]) -> String {
    let known =
        STATE.iter().filter(|(name, _)| runs.iter().any(|run| run.machine.contains_key(*name)));
    let known: Vec<_> = known.collect();
    let mut html = String::from("<thead><tr><th scope=\"col\">file</th>");
    if machines.len() > 1 {
        html += "<th scope=\"col\">machine</th>";
    }
    html += "<th scope=\"col\">experiments</th><th scope=\"col\">peers</th>\
             <th scope=\"col\" class=\"n\">calls</th>";
    for (_, words) in &known {
        let _ = write!(html, "<th scope=\"col\">{words}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for run in runs {
        let _ = write!(html, "<tr class=\"first\"><th scope=\"row\">{}</th>", Escaped(&run.name));
        if machines.len() > 1 {
            let own = machine(run);
            let place = machines.iter().position(|machine| *machine == own);
            let place =
                place.map_or_else(|| "\u{2013}".to_owned(), |place| (place + 1).to_string());
            let _ = write!(html, "<td>{place}</td>");
        }
        let distinct = |of: fn(&super::super::results::Measured) -> &str| {
            let mut names: Vec<&str> = Vec::new();
            for name in run.rows.iter().map(of) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(", ")
        };
        let calls: f64 = run.rows.iter().filter_map(|row| row.number("calls")).sum();
        let calls = if calls > 0.0 { in_table(calls, 0) } else { "\u{2013}".to_owned() };
        let _ = write!(
            html,
            "<td>{}</td><td>{}</td><td class=\"n\">{calls}</td>",
            Escaped(&distinct(|row| &row.experiment)),
            Escaped(&distinct(|row| &row.peer)),
        );
        for (name, _) in &known {
            let value = run.machine.get(*name).map_or("\u{2013}", String::as_str);
            let _ = write!(html, "<td>{}</td>", Escaped(value));
        }
        html += "</tr>\n";
    }
    html + "</tbody>"
}
