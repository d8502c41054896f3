//! Progress, interruption and outputs, which all experiments have in common.

use std::path::Path;

use super::progress::Progress;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output<'a> {
    json: Option<&'a Path>,
    html: Option<&'a Path>,
    /// A folder, and the name of the files in it.
    folder: Option<(&'a Path, &'a str)>,
}

/// What is written.
pub(super) struct Results {
    pub(super) json: String,
    pub(super) html: String,
    pub(super) table: String,
    /// Claims that fail; unclear ones do not.
    pub(super) failures: Vec<String>,
}

impl<'a> Output<'a> {
    /// # Errors
    /// JSON and HTML would both go to standard output.
    pub(super) fn new(
        json: Option<&'a Path>,
        html: Option<&'a Path>,
        folder: Option<(&'a Path, &'a str)>,
    ) -> Result<Self, Failure> {
        if is_standard(json) && is_standard(html) {
            let both = "`--json -` and `--html -` cannot both write to standard output";
            return Err(Failure::new(both).into_usage());
        }
        Ok(Self { json, html, folder })
    }

    /// Runs a measurement and returns its result, or the failure of an interrupted one.
    pub(super) fn measure<T>(
        find: impl FnOnce(&mut Progress<'_>) -> zorb_bench::Result<T>,
    ) -> Result<T, Failure> {
        // Before any thread is started.
        let interrupt = Interrupt::watch()?;
        let mut progress = Progress::new(&interrupt);
        let outcome = find(&mut progress);
        progress.finish();
        // After a signal, failures are its consequences.
        match interrupt.arrived() {
            Some(signal) => Err(Failure::interrupted(signal)),
            None => Ok(outcome?),
        }
    }

    /// Writes the selected files, and prints the table unless one of them is standard output.
    ///
    /// # Errors
    /// A file cannot be written, or a claim fails.
    pub(super) fn write(&self, results: &Results) -> Outcome {
        let Results { json, html, table, failures } = results;
        if let Some(file) = self.json {
            screen::write(file, json)?;
        }
        if let Some(file) = self.html {
            screen::write(file, html)?;
        }
        if let Some((folder, name)) = self.folder {
            let failed = |error| Failure::new(format!("{}: {error}", folder.display()));
            std::fs::create_dir_all(folder).map_err(failed)?;
            screen::write(&folder.join(format!("{name}.json")), json)?;
            screen::write(&folder.join(format!("{name}.html")), html)?;
        }
        if !is_standard(self.json) && !is_standard(self.html) {
            screen::print(table)?;
        }
        judge(failures)
    }
}

/// The failure of a measurement whose claims fail.
fn judge(failures: &[String]) -> Outcome {
    if failures.is_empty() {
        return Ok(OK);
    }
    let count = screen::counted(failures.len(), "claim");
    Err(Failure::new(format!("{count} failed: {}", failures.join("; "))))
}

/// Whether the file is standard output.
fn is_standard(file: Option<&Path>) -> bool {
    file.is_some_and(screen::is_standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_fails_fails_the_command_after_its_results_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results.json");
        let page = folder.path().join("results.html");
        let output = Output::new(Some(&file), Some(&page), None).unwrap();
        let results = |failures: &[&str]| Results {
            json: "{}".to_owned(),
            html: String::new(),
            table: String::new(),
            failures: failures.iter().map(|what| (*what).to_owned()).collect(),
        };
        assert_eq!(output.write(&results(&[])).unwrap(), OK);
        let failure = output.write(&results(&["a is less than b", "c"])).unwrap_err();
        assert_eq!(
            (failure.status(), failure.to_string().as_str()),
            (crate::failure::FAILED, "2 claims failed: a is less than b; c")
        );
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{}");
    }
}
