//! `zorb idl compile`: Rust from IDL.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, painted, print_count};
use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen::{self, WARNING, paint};

/// Compile IDL files to Rust, one Rust file for each
///
/// Build scripts use the crate `zorb-build` instead.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl compile hello.idl -o src
  zorb idl compile hello.idl -o - | less
  zorb idl compile shop.idl --extern CosNaming=::zorb_naming::cos_naming
  zorb idl compile shop.idl --marshal profile --usage shop.usage
  zorb idl compile sensor.idl --target nano")]
pub(super) struct CompileArgs {
    #[command(flatten)]
    input: Input,
    /// Output folder; `-` is standard output
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// IDL module for which no code is generated, and the Rust module to use instead
    #[arg(long = "extern", value_name = "MODULE=PATH", value_parser = extern_module)]
    externs: Vec<(String, String)>,
    /// Operation or attribute, or all of an interface or module, whose servants get the upcall; repeatable
    #[arg(long = "upcall", value_name = "NAME")]
    upcalls: Vec<String>,
    /// Interface, or all of a module, that gets servant traits with deferred replies; repeatable
    #[arg(long = "deferred", value_name = "NAME")]
    deferred: Vec<String>,
    /// Operation or attribute, or all of an interface or module, that gets methods for pending calls; repeatable
    #[arg(long = "ami", value_name = "NAME")]
    ami: Vec<String>,
    /// Struct, operation or attribute, or all of an interface or module, that gets views, which read members in place from
    /// received octets; repeatable
    #[arg(long = "view", value_name = "NAME")]
    views: Vec<String>,
    /// Generate reply handlers, the interfaces `AMI_...Handler`, and for what `--ami` selects methods that pass results
    /// to them
    #[arg(long)]
    reply_handlers: bool,
    /// Marshalling engine: compiled code for each type and operation (fast), or tables with an interpreter (small); or
    /// by profile, compiled code for what a program has used most and tables for the rest
    #[arg(long, value_enum, default_value_t = Engine::Compiled)]
    marshal: Engine,
    /// File that a program has written with the option UsageFile; needs `--marshal profile`; repeatable
    #[arg(long, value_name = "FILE")]
    usage: Vec<PathBuf>,
    /// ORB that the code is for: the full ORB, or the small ORB, the crate zorb-nano
    #[arg(long, value_enum, default_value_t = TargetName::Zorb)]
    target: TargetName,
    /// How a server of the small ORB finds operations: by linear search (small, the default) or by a perfect hash;
    /// needs `--target nano`
    #[arg(long, value_enum)]
    lookup: Option<LookupName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TargetName {
    Zorb,
    Nano,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LookupName {
    Linear,
    PerfectHash,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Engine {
    Compiled,
    Interpretive,
    Profile,
}

fn extern_module(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((module, path)) if !module.is_empty() && !path.is_empty() => {
            Ok((module.to_owned(), path.to_owned()))
        }
        _ => Err("expected MODULE=PATH, as in CosNaming=::zorb_naming::cos_naming".to_owned()),
    }
}

pub(super) fn compile(args: &CompileArgs) -> Outcome {
    if args.lookup.is_some() && matches!(args.target, TargetName::Zorb) {
        return Err(Failure::new("`--lookup` needs `--target nano`: the full ORB has one lookup")
            .into_usage());
    }
    match (args.marshal, args.usage.is_empty()) {
        (Engine::Profile, true) => {
            return Err(Failure::new("`--marshal profile` needs `--usage FILE`")
                .hint("a program writes the file with its option UsageFile")
                .into_usage());
        }
        (Engine::Compiled | Engine::Interpretive, false) => {
            return Err(Failure::new("`--usage` needs `--marshal profile`").into_usage());
        }
        _ => {}
    }
    if matches!(args.target, TargetName::Nano) {
        let only_full = [
            ("--upcall", !args.upcalls.is_empty()),
            ("--deferred", !args.deferred.is_empty()),
            ("--ami", !args.ami.is_empty()),
            ("--view", !args.views.is_empty()),
            ("--reply-handlers", args.reply_handlers),
        ];
        if let Some((option, _)) = only_full.iter().find(|(_, is_given)| *is_given) {
            let message =
                format!("`{option}` needs `--target zorb`: the small ORB has no such calls");
            return Err(Failure::new(message).into_usage());
        }
    }
    let mut config = zorb_build::Config::new();
    for folder in &args.input.front_end.include {
        config = config.include_path(folder);
    }
    for (name, value) in &args.input.front_end.defines {
        config = match value {
            Some(value) => config.define_as(name, value),
            None => config.define(name),
        };
    }
    config = args.input.front_end.allow.iter().fold(config, |config, code| config.allow(*code));
    for (module, path) in &args.externs {
        config = config.extern_module(module, path);
    }
    config = args.upcalls.iter().fold(config, |config, name| config.upcall(name));
    config = args.deferred.iter().fold(config, |config, name| config.deferred(name));
    config = args.ami.iter().fold(config, |config, name| config.ami(name));
    config = args.views.iter().fold(config, |config, name| config.view(name));
    if args.reply_handlers {
        config = config.reply_handlers();
    }
    config = config.marshal(match args.marshal {
        Engine::Compiled => zorb_build::Marshal::Compiled,
        Engine::Interpretive => zorb_build::Marshal::Interpretive,
        Engine::Profile => zorb_build::Marshal::Profile,
    });
    config = args.usage.iter().fold(config, |config, file| config.usage_file(file));
    config = config.target(match args.target {
        TargetName::Zorb => zorb_build::Target::Zorb,
        TargetName::Nano => zorb_build::Target::Nano,
    });
    config = config.lookup(match args.lookup {
        None | Some(LookupName::Linear) => zorb_build::Lookup::Linear,
        Some(LookupName::PerfectHash) => zorb_build::Lookup::PerfectHash,
    });
    let outputs = match config.generate(&args.input.files) {
        Ok(outputs) => outputs,
        Err(zorb_build::Error::Idl(findings)) => {
            screen::print_stderr(&painted(&findings));
            let starting = |word| findings.lines().filter(|line| line.starts_with(word)).count();
            print_count(starting("error["), starting("warning["));
            return Ok(FAILED);
        }
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    for output in &outputs {
        output.warnings.iter().for_each(|warning| screen::print_stderr(&with_severity(warning)));
        if args.output.as_os_str() == "-" {
            screen::print(&output.text)?;
            continue;
        }
        let path = args.output.join(format!("{}.rs", output.name));
        std::fs::create_dir_all(&args.output)
            .and_then(|()| std::fs::write(&path, &output.text))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        screen::print_stderr(&format!("wrote {}", path.display()));
    }
    Ok(OK)
}

/// A warning that begins with its severity, as diagnostics do.
fn with_severity(warning: &str) -> String {
    match warning.starts_with("warning[") {
        true => painted(warning),
        false => format!("{} {warning}", paint(WARNING, "warning:")),
    }
}
