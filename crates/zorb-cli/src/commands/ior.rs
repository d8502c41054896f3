//! `zorb ior`: decodes an object reference.

mod component;
mod fields;
mod input;
mod key;
mod profile;
mod render;
mod url;

use clap::Args;

use crate::failure::{OK, Outcome};
use crate::screen;

pub(crate) use input::load;

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
