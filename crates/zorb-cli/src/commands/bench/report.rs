//! `zorb bench report`: an HTML page of results.

use std::io::ErrorKind;

use serde::Serialize;
use zorb_bench_page::{Folder, Run, page};

use super::args::ReportArgs;
use crate::failure::{Failure, OK, Outcome};
use crate::screen;

pub(super) fn run(args: &ReportArgs) -> Outcome {
    let shown = args.folder.display();
    let found = Folder::read(&args.folder).map_err(|error| {
        let failure = Failure::new(format!("{shown}: {error}"));
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => failure.hint(advice(args)),
            _ => failure,
        }
    })?;
    for (name, reason) in &found.left_out {
        let line = format!("{name} is skipped: {reason}");
        screen::print_stderr(&format!(
            "{}: {}",
            screen::paint(screen::WARNING, "warning"),
            screen::visible(&line)
        ));
    }
    if found.runs.is_empty() {
        let failure = Failure::new(format!("{shown} contains no results of `zorb bench`"));
        return Err(failure.hint(advice(args)));
    }
    screen::write(&args.output, &page(&found)?)?;
    if !screen::is_standard(&args.output) {
        let (file, count) = (args.output.display(), screen::counted(found.runs.len(), "run"));
        screen::print(&format!("{file}: a page of {count}\n"))?;
    }
    Ok(OK)
}

/// How to create results.
fn advice(args: &ReportArgs) -> String {
    let file = args.folder.join("latency.json");
    format!("run `zorb bench latency --json {}` to create results", file.display())
}

/// The HTML page of one report.
pub(super) fn page_of(name: &str, report: &impl Serialize) -> Result<String, Failure> {
    let run = Run::of_report(name, report).map_err(Failure::new)?;
    Ok(page(&Folder { runs: vec![run], left_out: Vec::new() })?)
}
