//! `zorb names bind` and `zorb names rm`.

use clap::Args;
use serde_json::json;
use zorb::{Interface as _, ObjectRef};
use zorb_naming::cos_naming::naming_context::{
    BindContextError, BindError, BindNewContextError, DestroyError, NotFound, NotFoundReason,
    ResolveError,
};
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_naming::name_to_string;
use zorb_naming::naming_extensions::ExtendedContext;
use zorb_naming::naming_extensions::extended_context::BindForError;

use super::service::{Names, explained, parsed};
use crate::commands::ior;
use crate::failure::{Failure, OK, Outcome};
use crate::screen;

/// Bind a name to an object
#[derive(Args, Debug)]
pub(crate) struct BindArgs {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
    /// Object reference, file that contains one, or `-` for standard input
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Bind the object as a context, through which names can lead
    #[arg(long)]
    context: bool,
    /// Replace a binding
    #[arg(long)]
    replace: bool,
    /// Create contexts of the name that do not exist
    #[arg(long)]
    parents: bool,
    /// Seconds after which the binding is removed unless it is renewed, that is, bound again with --replace (Zorb's
    /// service only)
    #[arg(long, value_name = "SECONDS", conflicts_with = "context", value_parser = clap::value_parser!(u32).range(1..))]
    lease: Option<u32>,
}

/// Remove a binding
///
/// A context that it is bound to stays, without a name, unless --destroy is given: `zorb names orphans` finds it.
#[derive(Args, Debug)]
pub(crate) struct RmArgs {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
    /// Destroy the context that it is bound to, which must be empty
    #[arg(long)]
    destroy: bool,
}

fn taken(text: &str) -> Failure {
    Failure::new(format!("{text} is bound already")).hint("replace it with --replace")
}

pub(super) fn bind(args: &BindArgs, names: &Names) -> Outcome {
    let name = parsed(&args.name)?;
    let url = ior::load(&args.reference)?;
    let object = names.orb.string_to_object(&url)?;
    let mut created = Vec::new();
    if args.parents {
        for count in 1..name.len() {
            let parent = name.get(..count).unwrap_or_default();
            match names.root.bind_new_context(parent) {
                Ok(_) => created.push(name_to_string(parent)),
                Err(BindNewContextError::AlreadyBound(_)) => {}
                Err(error) => return Err(explained(error, &args.name)),
            }
        }
    }
    if let Some(seconds) = args.lease {
        lease(args, names, &name, object.as_ref(), seconds)?;
    } else {
        bind_to_stay(args, names, &name, object.as_ref())?;
    }
    if names.json {
        screen::print_json(&json!({ "bound": args.name, "created": created }))?;
    }
    Ok(OK)
}

/// Why a name is not bound.
fn not_bound(error: impl Into<ResolveError>, name: &str) -> Failure {
    let error = error.into();
    let is_missing = |not_found: &NotFound| not_found.why == NotFoundReason::MissingNode;
    let lacks_context =
        matches!(&error, ResolveError::NotFound(not_found) if is_missing(not_found));
    let failure = explained(error, name);
    if lacks_context { failure.hint("create its contexts with --parents") } else { failure }
}

/// Binds an object for a time.
fn lease(
    args: &BindArgs,
    names: &Names,
    name: &[NameComponent],
    object: Option<&ObjectRef>,
    seconds: u32,
) -> Result<(), Failure> {
    let root: ExtendedContext = names.root.as_object().unchecked_narrow();
    let done = match args.replace {
        true => root.rebind_for(name, object, seconds).map_err(BindForError::from),
        false => root.bind_for(name, object, seconds),
    };
    match done {
        Err(BindForError::AlreadyBound(_)) => Err(taken(&args.name)),
        outcome => outcome.map_err(|error| not_bound(error, &args.name)),
    }
}

fn bind_to_stay(
    args: &BindArgs,
    names: &Names,
    name: &[NameComponent],
    object: Option<&ObjectRef>,
) -> Result<(), Failure> {
    let context = || -> Option<NamingContext> { Some(object?.unchecked_narrow()) };
    let root = &names.root;
    match (args.context, args.replace) {
        (false, false) => match root.bind(name, object) {
            Err(BindError::AlreadyBound(_)) => return Err(taken(&args.name)),
            outcome => outcome.map_err(|error| not_bound(error, &args.name))?,
        },
        (true, false) => match root.bind_context(name, context().as_ref()) {
            Err(BindContextError::AlreadyBound(_)) => return Err(taken(&args.name)),
            outcome => outcome.map_err(|error| not_bound(error, &args.name))?,
        },
        (false, true) => {
            root.rebind(name, object).map_err(|error| not_bound(error, &args.name))?;
        }
        (true, true) => root
            .rebind_context(name, context().as_ref())
            .map_err(|error| not_bound(error, &args.name))?,
    }
    Ok(())
}

pub(super) fn rm(args: &RmArgs, names: &Names) -> Outcome {
    let name = parsed(&args.name)?;
    if args.destroy {
        let context = names.context(Some(&args.name))?;
        match context.destroy() {
            Err(DestroyError::NotEmpty(_)) => {
                let failure = Failure::new(format!("{} is not empty", args.name));
                return Err(failure.hint("remove its bindings first: `zorb names ls` shows them"));
            }
            outcome => outcome.map_err(zorb::Error::from)?,
        }
    }
    names.root.unbind(&name).map_err(|error| explained(error, &args.name))?;
    if names.json {
        screen::print_json(&json!({ "removed": args.name, "destroyed": args.destroy }))?;
    }
    Ok(OK)
}
