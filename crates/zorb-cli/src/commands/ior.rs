//! `zorb ior`: decodes an object reference.

mod component;
mod fields;
mod key;
mod profile;
mod render;
mod url;

use std::io::Read;
use std::path::Path;

use clap::Args;

use crate::failure::{Failure, OK, Outcome};
use crate::screen;

/// The maximum number of octets read from a file or standard input.
const MAX_INPUT: u64 = 2 << 20;

/// Decode an object reference: type, profiles, addresses, object key and components
///
/// Accepts `IOR:`, `corbaloc:`, `corbaname:` and `file:`. Contacts no server: the output shows only
/// what the reference contains.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb ior IOR:010000001a00000049444c3a...
  zorb ior corbaloc:iiop:1.2@localhost:2809/NameService
  zorb ior server.ior
  my-server --print-ior | zorb ior --json -")]
pub(crate) struct IorArgs {
    /// Object reference, file that contains one, or `-` for standard input
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// JSON output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &IorArgs) -> Outcome {
    let text = load(&args.reference)?;
    let fields = url::explain(&text)?;
    if args.json {
        screen::print_json(&fields)?;
    } else {
        screen::print(&render::render(&fields))?;
    }
    Ok(OK)
}

/// The object reference in the argument, or in the file that it names.
pub(crate) fn load(argument: &str) -> Result<String, Failure> {
    let text = if argument == "-" {
        let mut text = String::new();
        std::io::stdin()
            .take(MAX_INPUT)
            .read_to_string(&mut text)
            .map_err(|error| Failure::new(format!("reading standard input: {error}")))?;
        text
    } else if has_scheme(argument) || !Path::new(argument).exists() {
        argument.to_owned()
    } else {
        read_file(argument)?
    };
    let text = text.trim();
    match text.get(.."file:".len()) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file:") => url::read_file_url(text),
        _ => Ok(text.to_owned()),
    }
}

fn has_scheme(text: &str) -> bool {
    let scheme = text.trim_start().split_once(':').map_or("", |(scheme, _)| scheme);
    ["IOR", "corbaloc", "corbaname", "file"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

fn read_file(path: &str) -> Result<String, Failure> {
    let failed = |error| Failure::new(format!("cannot read {path}: {error}"));
    let mut text = String::new();
    // Opening a pipe would block, and reading a device might never end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Failure::new(format!("cannot read {path}: not a regular file")));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_INPUT).read_to_string(&mut text).map_err(failed)?;
    Ok(text.trim().to_owned())
}
