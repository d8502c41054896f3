//! `zorb names watch`.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use zorb::dynamic::json::escape_controls;

use super::service::{Names, Shown, bindings};
use crate::commands::ping::positive_seconds;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

/// Print changes of a context until Ctrl-C
///
/// Lists the context in intervals: first all bindings, then `+` for new and `-` for removed ones. JSON: an object per
/// line, with `change`, `name`, `type`.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// The context, as a name or `corbaname:`; the root by default
    #[arg(value_name = "NAME")]
    context: Option<String>,
    /// Seconds between lists
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = positive_seconds)]
    interval: Duration,
}

pub(super) fn run(args: &WatchArgs, names: &Names, interrupt: Option<&Interrupt>) -> Outcome {
    let interrupt = interrupt.ok_or_else(|| Failure::new("signals are not watched"))?;
    let context = names.context(args.context.as_deref())?;
    let mut before: BTreeSet<Shown> = BTreeSet::new();
    loop {
        let now: BTreeSet<Shown> = bindings(&context)?.into_iter().collect();
        let gone = before.difference(&now).map(|binding| ('-', binding));
        let new = now.difference(&before).map(|binding| ('+', binding));
        for (change, binding) in gone.chain(new) {
            if !screen::print_to_reader(&line(names.json, change, binding))? {
                return Ok(OK);
            }
        }
        before = now;
        if interrupt.wait(args.interval).is_some() {
            return Ok(OK);
        }
    }
}

fn line(json: bool, change: char, binding: &Shown) -> String {
    if !json {
        return format!("{change} {}\n", binding.line());
    }
    let change = if change == '+' { "added" } else { "removed" };
    let value = json!({ "change": change, "name": binding.name, "type": binding.r#type });
    escape_controls(&value.to_string()).into_owned() + "\n"
}
