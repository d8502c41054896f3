//! What is printed: results on standard output, everything else on standard error, colours on
//! terminals alone.

use std::io::{ErrorKind, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;

/// Of errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Of warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Of hints, and of what went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// Of what matters less.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Prints `text` as it is.
///
/// A reader that has seen enough, as `head`, is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_to_reader(text).map(drop)
}

/// The same; whether there still is a reader.
pub(crate) fn print_to_reader(text: &str) -> Result<bool, Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::from(error).during("standard output")),
    }
}

/// Writes a file, or prints, where the file's name is `-`.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if is_standard(file) {
        return print(text);
    }
    let written = std::fs::write(file, text);
    written.map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

/// Whether the name means standard output.
pub(crate) fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(format!("writing JSON: {error}")))?;
    print(&(text + "\n"))
}

/// Prints a line on standard error. Nothing can be done when that fails.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Prints a failure on standard error.
pub(crate) fn tell_failure(failure: &Failure) {
    tell(&format!("{}: {failure}", paint(ERROR, "error")));
    if let Some(advice) = failure.advice() {
        tell(&format!("  {}: {advice}", paint(GOOD, "hint")));
    }
}

/// A bar on standard error, if that is a terminal.
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

/// Text from elsewhere, which must not steer the terminal.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

/// `count` and the noun, in the plural unless it is one.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
