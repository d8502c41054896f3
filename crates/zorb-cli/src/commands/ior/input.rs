//! Reads a reference from an argument, standard input or a file.

use std::io::Read;
use std::path::Path;

use zorb::giop::{ObjectUrl, UrlError};

use crate::failure::Failure;

/// The maximum number of octets read from a file or standard input.
const MAX_INPUT: u64 = 2 << 20;

/// The object reference in the argument, or in the file that it names.
pub(crate) fn load(argument: &str) -> Result<String, Failure> {
    let text = if argument == "-" {
        let mut text = String::new();
        std::io::stdin()
            .take(MAX_INPUT)
            .read_to_string(&mut text)
            .map_err(|error| Failure::new(format!("reading standard input: {error}")))?;
        text
    } else if Path::new(argument).exists() && !has_scheme(argument) {
        read_file(argument)?
    } else if argument.contains(':') || argument.trim().is_empty() {
        argument.to_owned()
    } else {
        let failure = Failure::new(format!("there is no file {argument}"));
        return Err(failure.hint("give a file, IOR:..., corbaloc:..., or - for standard input"));
    };
    let text = unquoted(&text);
    match text.get(.."file:".len()) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file:") => read_file_url(text),
        _ => Ok(text.to_owned()),
    }
}

/// The reference without the quotes of a JSON string: `zorb call` prints results as JSON.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn has_scheme(text: &str) -> bool {
    let scheme = text.trim_start().split_once(':').map_or("", |(scheme, _)| scheme);
    ["IOR", "corbaloc", "corbaname", "file"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

pub(super) fn read_file(path: &str) -> Result<String, Failure> {
    let failed = |error| Failure::new(format!("cannot read {path}: {error}"));
    let mut text = String::new();
    // Opening a pipe would block, and reading a device might never end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Failure::new(format!("cannot read {path}: not a regular file")));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_INPUT).read_to_string(&mut text).map_err(failed)?;
    Ok(unquoted(&text).to_owned())
}

/// Reads the file of a `file:` URL.
fn read_file_url(text: &str) -> Result<String, Failure> {
    match parse(text)? {
        ObjectUrl::File(path) => read_file(&path),
        _ => Ok(text.to_owned()),
    }
}

/// Parses a URL of an object.
pub(super) fn parse(text: &str) -> Result<ObjectUrl, Failure> {
    ObjectUrl::parse(text).map_err(|error| {
        let UrlError { reason, position, hint, cause, .. } = error;
        let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
        Failure::new(format!(
            "not a valid object reference: {reason} at position {position}{cause}"
        ))
        .hint(hint)
    })
}
