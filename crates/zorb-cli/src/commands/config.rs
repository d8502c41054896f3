//! `zorb config`: the effective options and their origins.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use zorb::options::{OptionKind, OptionSpec, Options, Origin};

use crate::failure::{OK, Outcome};
use crate::screen::{self, FAINT, HEADING, paint};

/// Show the ORB's options, their values, and the origin of each value
///
/// Values come from the file that ZORB_CONFIG names, the environment, and `-ORB` arguments; later
/// sources override earlier ones. All of them override a program's values, unless it forces those.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb config
  zorb config -ORBRoundTripTimeout 500
  zorb config -ORBProtocols uiop,iiop -ORBClientProtocols uiop,any
  zorb config --default > zorb.toml; ZORB_CONFIG=zorb.toml zorb config")]
pub(crate) struct ConfigArgs {
    /// JSON output
    #[arg(long)]
    json: bool,
    /// A zorb.toml with every option commented out at its default
    #[arg(long, conflicts_with = "json")]
    default: bool,
}

pub(crate) fn run(args: &ConfigArgs, orb: &[String]) -> Outcome {
    if args.default {
        let defaults = crate::orb::builder().without_environment().options()?;
        screen::print(&default_file(&defaults))?;
        return Ok(OK);
    }
    let options = crate::orb::builder().arguments(&mut orb.to_vec()).checked_options()?;
    if args.json {
        let rows: Vec<Value> = options.table().map(|spec| option_json(spec, &options)).collect();
        screen::print_json(&json!({ "options": rows }))?;
    } else {
        screen::print(&table(&options))?;
    }
    Ok(OK)
}

fn option_json(spec: &OptionSpec, options: &Options) -> Value {
    let range = match spec.kind {
        OptionKind::Number(least, most) => json!({ "min": least, "max": most }),
        OptionKind::OneOf(words) => json!(words),
        _ => Value::Null,
    };
    json!({
        "owner": spec.owner,
        "name": spec.name,
        "key": spec.key,
        "variable": spec.variable(),
        "value": options.value(spec),
        "unit": spec.unit,
        "default": spec.default(),
        "range": range,
        "origin": options.origin(spec.name).to_string(),
        "overridden": overridden(spec, options),
        "help": spec.help,
    })
}

/// The overridden values of an option, each with its origin.
fn overridden(spec: &OptionSpec, options: &Options) -> Vec<String> {
    let all = options.overridden();
    let of_it = all.iter().filter(|overridden| overridden.name == spec.name);
    of_it.map(|overridden| overridden.overridden_value().to_string()).collect()
}

fn table(options: &Options) -> String {
    let shown = |value: &str, unit: &str| match (value, unit) {
        ("", _) => "-".to_owned(),
        (value, "") => value.to_owned(),
        (value, unit) => format!("{value} {unit}"),
    };
    let rows: Vec<[String; 3]> = options
        .table()
        .map(|spec| {
            let value = screen::visible(&options.value(spec));
            let default = shown(&spec.default(), spec.unit);
            [spec.name.to_owned(), shown(&value, spec.unit), default]
        })
        .collect();
    let width = |column: usize, heading: &str| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count());
        widths.max().unwrap_or(0).max(heading.len())
    };
    let widths = [width(0, "option"), width(1, "value"), width(2, "default")];
    let [name_width, value_width, default_width] = widths;
    let mut text = String::new();
    let heading = format!(
        "{:name_width$}  {:value_width$}  {:default_width$}  from",
        "option", "value", "default"
    );
    let _ = writeln!(text, "{}", paint(HEADING, &heading));
    let mut owner = "";
    for (spec, [name, value, default]) in options.table().zip(&rows) {
        if spec.owner != owner {
            owner = spec.owner;
            let _ = writeln!(text, "\n{}", paint(HEADING, &format!("Options of {owner}:")));
        }
        let origin = options.origin(spec.name);
        let value = format!("{value:value_width$}");
        let value = if origin == Origin::Default { value } else { paint(HEADING, &value) };
        let mut from = origin.to_string();
        for overridden in overridden(spec, options) {
            let _ = write!(from, ", overrides {overridden}");
        }
        let _ = writeln!(text, "{name:name_width$}  {value}  {default:default_width$}  {from}");
        let _ = writeln!(text, "  {}", paint(FAINT, spec.help));
    }
    let _ = writeln!(
        text,
        "\nSet an option with -ORBName VALUE, the variable ZORB_NAME, or the file that \
         ZORB_CONFIG names\n(`zorb config --default` writes one)."
    );
    text
}

/// A configuration file with every option commented out at its default.
fn default_file(options: &Options) -> String {
    let mut text = String::from(
        "# Options of a Zorb ORB, at their defaults. Remove the `#` to set an option, and name this\n\
         # file in the variable ZORB_CONFIG. The environment and -ORB arguments override this file; it\n\
         # overrides the program, unless the program forces a value.\n",
    );
    // A table contains all keys after it, so tables come last.
    let (tables, values): (Vec<&OptionSpec>, Vec<_>) =
        options.table().partition(|spec| spec.kind == OptionKind::NameValuePairs);
    let mut owner = "";
    for spec in values.into_iter().chain(tables) {
        if spec.owner != owner {
            owner = spec.owner;
            let _ = writeln!(text, "\n# Options of {owner}:");
        }
        let form = match spec.kind {
            OptionKind::Number(..) | OptionKind::OneOf(_) => {
                format!(" ({} {}", spec.kind.describe(), spec.unit).trim_end().to_owned() + ")"
            }
            _ => String::new(),
        };
        let (key, default) = (spec.key, spec.default());
        let _ = writeln!(text, "\n# {}{form}", spec.help);
        let _ = writeln!(text, "# -ORB{}, {}", spec.name, spec.variable());
        let _ = match spec.kind {
            OptionKind::Number(..) => writeln!(text, "#{key} = {default}"),
            OptionKind::List => writeln!(text, "#{key} = []"),
            OptionKind::NameValuePairs => writeln!(text, "#[{key}]\n#name = \"value\""),
            _ => writeln!(text, "#{key} = {default:?}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Options {
        crate::orb::builder().without_environment().options().unwrap()
    }

    #[test]
    fn the_default_file_sets_no_option() {
        let mut options = defaults();
        options.take_toml(&default_file(&defaults()), "zorb.toml").unwrap();
        for spec in options.table() {
            assert_eq!(options.origin(spec.name), Origin::Default, "{}", spec.name);
        }
    }

    #[test]
    fn overridden_values_are_shown() {
        let orb = crate::orb::builder().without_environment().max_forwards(3);
        let options = orb.arguments(&mut vec!["-ORBMaxForwards", "4"]).options().unwrap();
        let shown = table(&options);
        let from = "argument -ORBMaxForwards, overrides 3 (program)";
        assert!(shown.lines().any(|line| line.starts_with("MaxForwards") && line.ends_with(from)));
        let spec = options.table().find(|spec| spec.name == "MaxForwards").unwrap();
        assert_eq!(option_json(spec, &options)["overridden"], json!(["3 (program)"]));
    }

    #[test]
    fn every_line_of_the_default_file_can_be_uncommented() {
        let file = default_file(&defaults());
        let used: String = file
            .lines()
            .filter_map(|line| line.strip_prefix('#').filter(|line| !line.starts_with(' ')))
            .fold(String::new(), |text, line| text + line + "\n");
        let mut options = defaults();
        options.take_toml(&used, "zorb.toml").unwrap();
        for spec in options.table() {
            let set = options.origin(spec.name) != Origin::Default;
            let is_list = spec.kind == OptionKind::List;
            assert!(set || is_list, "{} is not set by\n{used}", spec.name);
            if matches!(spec.kind, OptionKind::Number(..)) {
                assert_eq!(options.value(spec), spec.default(), "{}", spec.name);
            }
        }
    }
}
