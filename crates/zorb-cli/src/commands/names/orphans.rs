//! `zorb names orphans`.

use clap::Args;
use serde::Serialize;
use serde_json::json;
use zorb::Interface as _;
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_naming::naming_extensions::ExtendedContext;

use super::service::{Names, Shown, bindings};
use crate::failure::{Failure, OK, Outcome};
use crate::screen::{self, counted};

/// How many contexts a command asks for at once.
const AT_ONCE: u32 = 1000;

/// Show contexts to which no name leads, or remove them
///
/// Such contexts were created and never bound, or their bindings were removed. One that a client is about to bind is
/// among them, and so is one that is in use, but bound in another naming service or known by a stored reference only:
/// look at them before you remove them. Shows the reference of each, for `zorb names bind --context`, and its
/// bindings; at most 1,000 contexts. JSON: a list of objects with `ior` and `bindings`; with --remove, an object with
/// `removed`. Works with Zorb's naming service, for clients that may change names.
#[derive(Args, Debug)]
pub(crate) struct OrphansArgs {
    /// Remove their bindings, and destroy them, also those that are in use without a name
    #[arg(long)]
    remove: bool,
}

#[derive(Serialize)]
struct Orphan {
    ior: String,
    bindings: Vec<Shown>,
}

pub(super) fn run(args: &OrphansArgs, names: &Names) -> Outcome {
    let failed = |exception| Failure::from(zorb::Error::from(exception));
    let other = || Failure::new("the naming service is not Zorb's: it cannot find such contexts");
    let root =
        names.root.as_object().narrow::<ExtendedContext>().map_err(failed)?.ok_or_else(other)?;
    let orphans = || -> Result<Vec<NamingContext>, Failure> {
        Ok(root.orphans(AT_ONCE).map_err(failed)?.into_iter().flatten().collect())
    };
    if args.remove {
        let mut removed = 0;
        loop {
            let ended = orphans()?.iter().map(remove).collect::<Result<Vec<_>, _>>()?.len();
            removed += ended;
            if ended == 0 {
                break;
            }
        }
        match names.json {
            true => screen::print_json(&json!({ "removed": removed }))?,
            false => screen::print(&format!("{} removed\n", counted(removed, "context")))?,
        }
        return Ok(OK);
    }
    let shown = orphans()?.iter().map(orphan).collect::<Result<Vec<_>, _>>()?;
    match names.json {
        true => screen::print_json(&shown)?,
        false => {
            let mut text = String::new();
            for orphan in &shown {
                text.push_str(&format!("{}\n", orphan.ior));
                let lines = orphan.bindings.iter().map(|it| format!("  {}\n", it.line()));
                text.extend(lines);
            }
            screen::print(&text)?;
        }
    }
    Ok(OK)
}

fn orphan(context: &NamingContext) -> Result<Orphan, Failure> {
    Ok(Orphan { ior: context.to_ior_string(), bindings: bindings(context)? })
}

/// Removes the bindings of a context, and the context.
fn remove(context: &NamingContext) -> Result<(), Failure> {
    for Shown { id, kind, .. } in bindings(context)? {
        context.unbind(&[NameComponent { id, kind }]).map_err(zorb::Error::from)?;
    }
    Ok(context.destroy().map_err(zorb::Error::from)?)
}
