//! Output: results on standard output, everything else on standard error, colors only on terminals.

use std::io::{ErrorKind, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;

/// Style of errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Style of hints and successes.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Style of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// Style of secondary text.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Prints `text` on standard output.
///
/// A reader that closes the pipe early, such as `head`, is not a failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_to_reader(text).map(drop)
}

/// Like [`print`]; returns whether the reader is still there.
pub(crate) fn print_to_reader(text: &str) -> Result<bool, Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::from(error).during("standard output")),
    }
}

/// Writes a file, or standard output if the name is `-`.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if is_standard(file) {
        return print(text);
    }
    let written = std::fs::write(file, text);
    written.map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

/// Whether the name denotes standard output.
pub(crate) fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value)?)
}

/// A value as lines of JSON, without characters that control a terminal.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(format!("writing JSON: {error}")))?;
    Ok(zorb::dynamic::json::escape_controls(&text).into_owned() + "\n")
}

/// Prints a line on standard error, ignoring errors.
pub(crate) fn print_stderr(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Prints a failure on standard error.
pub(crate) fn print_failure(failure: &Failure) {
    // Both may contain what a server has sent.
    let message = visible_lines(&failure.to_string());
    print_stderr(&format!("{}: {message}", paint(ERROR, "error")));
    if let Some(advice) = failure.advice() {
        print_stderr(&format!("  {}: {}", paint(GOOD, "hint"), visible_lines(advice)));
    }
}

/// A progress bar on standard error, if that is a terminal.
pub(crate) fn progress_bar(steps: usize) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let bar = ProgressBar::with_draw_target(u64::try_from(steps).ok(), target);
    match ProgressStyle::with_template("{msg:18} [{bar:40}] {percent:>3} %  {eta}") {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// `text` in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Replaces control characters, so that text from elsewhere cannot control the terminal.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

/// The same for each of several lines.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// `count` and the noun, in the plural unless `count` is one.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
