//! `zorb names import`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use zorb_naming::import::OmniNames;

use super::service::Names;
use crate::failure::{Failure, OK, Outcome};
use crate::screen::{self, counted};

/// The maximum size of a file, in octets.
const MAX_FILE: u64 = 1 << 30;

/// Bind all names of a data file of omniNames
///
/// Contexts of the file become contexts of the service. Names that are bound already stay as they are. Clients find the
/// service at the old address if it listens there; references to contexts other than the root change.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// omninames.dat, in the data folder of omniNames; stop omniNames before
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn run(args: &ImportArgs, names: &Names) -> Outcome {
    let failed = |what: String| Failure::new(format!("{}: {what}", args.file.display()));
    let metadata = std::fs::metadata(&args.file).map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return Err(failed(format!("not a file of at most {MAX_FILE} octets")));
    }
    let octets = std::fs::read(&args.file).map_err(|error| failed(error.to_string()))?;
    let file = OmniNames::parse(&octets).map_err(|error| failed(error.to_string()))?;
    let done = file.bind_in(&names.orb, &names.root)?;
    if names.json {
        screen::print_json(&json!({
            "contexts": done.contexts,
            "bindings": done.bindings,
            "existing": done.existing,
            "unreachable": done.unreachable,
        }))?;
        return Ok(OK);
    }
    let (contexts, bindings) =
        (counted(done.contexts, "context"), counted(done.bindings, "binding"));
    screen::print(&format!("{bindings}, with {contexts}\n"))?;
    if done.existing > 0 {
        screen::print_stderr(&format!("{} existed already", counted(done.existing, "name")));
    }
    if done.unreachable > 0 {
        let left = counted(done.unreachable, "context");
        screen::print_stderr(&format!("{left} without a name left out"));
    }
    Ok(OK)
}
