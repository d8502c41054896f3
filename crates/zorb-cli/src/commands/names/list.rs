//! `zorb names ls` and `zorb names resolve`.

use clap::Args;
use serde::Serialize;

use super::service::{Names, bindings};
use crate::failure::{Failure, OK, Outcome};
use crate::screen;

/// List the bindings of a context
///
/// Contexts end with `/`. JSON: a list of objects with `name`, `id`, `kind`, `type`.
#[derive(Args, Debug)]
pub(crate) struct LsArgs {
    /// The context, as a name or `corbaname:`; the root by default
    #[arg(value_name = "NAME")]
    context: Option<String>,
}

/// Print the object reference that a name is bound to
///
/// JSON: an object with `name`, `type_id`, `ior`.
#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    /// The name, or a `corbaname:`
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Serialize)]
struct Resolved<'a> {
    name: &'a str,
    type_id: String,
    ior: String,
}

pub(super) fn ls(args: &LsArgs, names: &Names) -> Outcome {
    let all = bindings(&names.context(args.context.as_deref())?)?;
    if names.json {
        screen::print_json(&all)?;
    } else {
        let lines: String = all.iter().map(|binding| binding.line() + "\n").collect();
        screen::print(&lines)?;
    }
    Ok(OK)
}

pub(super) fn resolve(args: &ResolveArgs, names: &Names) -> Outcome {
    let nil = || Failure::new(format!("{} is bound to nil", args.name));
    let object = names.resolve(&args.name)?.ok_or_else(nil)?;
    let ior = object.to_ior_string();
    match names.json {
        true => {
            let type_id = object.ior().type_id.clone();
            screen::print_json(&Resolved { name: &args.name, type_id, ior })?;
        }
        false => screen::print(&format!("{ior}\n"))?,
    }
    Ok(OK)
}
