//! The command line.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{bench, bridge, call, config, demo, idl, ifr, ior, ping, rt, sched};
use crate::failure::{Failure, OK, Outcome, USAGE};
use crate::log::{Log, LogLevel};
use crate::screen;

/// The tools of Zorb, a real-time CORBA object request broker.
///
/// Every command also takes the ORB's options, as `-ORBName value`; `zorb config` lists them.
#[derive(Debug, Parser)]
#[command(name = "zorb", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 all went well, 1 what was asked about failed, \
                        2 the question was wrong.")]
struct Cli {
    /// What the ORB tells of itself on standard error
    ///
    /// Warnings and errors, if it is not given; `zorb bench` tells nothing.
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<LogLevel>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Idl(idl::IdlArgs),
    Ior(ior::IorArgs),
    Ping(ping::PingArgs),
    Call(call::CallArgs),
    Ifr(ifr::IfrArgs),
    Bridge(bridge::BridgeArgs),
    Sched(sched::SchedArgs),
    Config(config::ConfigArgs),
    Rt(rt::RtArgs),
    Bench(bench::BenchArgs),
    /// The server of `zorb demo`.
    #[command(name = demo::SERVER_COMMAND, hide = true)]
    DemoServer,
    /// A peer of `zorb bench`.
    #[command(name = bench::PEER_COMMAND, hide = true)]
    BenchPeer {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

impl Command {
    /// How much is told when nobody has said it.
    const fn log_level(&self) -> LogLevel {
        match self {
            // What is measured is the ORB alone.
            Self::Bench(_) | Self::BenchPeer { .. } => LogLevel::Off,
            // There is no ORB that could tell anything.
            Self::Idl(_) | Self::Ior(_) | Self::Rt(_) => LogLevel::Off,
            _ => LogLevel::Warn,
        }
    }
}

/// Does what `arguments` (the program's name first) ask for.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let status = match parse_and_run(arguments) {
        Ok(status) => status,
        Err(failure) => {
            screen::tell_failure(&failure);
            failure.status()
        }
    };
    ExitCode::from(status)
}

fn parse_and_run(arguments: Vec<OsString>) -> Outcome {
    let (own, orb) = split(arguments)?;
    let cli = match Cli::try_parse_from(own) {
        Ok(cli) => cli,
        Err(answer) => {
            // A reader that has seen enough, as `head`, is no failure.
            let _ = answer.print();
            return Ok(if answer.use_stderr() { USAGE } else { OK });
        }
    };
    let _log = Log::start(cli.log.unwrap_or_else(|| cli.command.log_level()))?;
    match cli.command {
        Command::Demo(args) => demo::run(&args, &orb),
        Command::Idl(args) => idl::run(&args),
        Command::Ior(args) => ior::run(&args),
        Command::Ping(args) => ping::run(&args, &orb),
        Command::Call(args) => call::run(&args, &orb),
        Command::Ifr(args) => ifr::run(&args, &orb),
        Command::Bridge(args) => bridge::run(&args, &orb),
        Command::Sched(args) => sched::run(&args, &orb),
        Command::Config(args) => config::run(&args, &orb),
        Command::Rt(args) => rt::run(&args),
        Command::Bench(args) => bench::run(&args, &orb),
        Command::DemoServer => demo::serve(&orb),
        Command::BenchPeer { words } => bench::run_peer(&words, &orb),
    }
}

/// Takes the ORB's options out: what is left, and all arguments for the ORB to find them in.
fn split(arguments: Vec<OsString>) -> Result<(Vec<OsString>, Vec<String>), Failure> {
    let readable: Option<Vec<&str>> = arguments.iter().map(|argument| argument.to_str()).collect();
    let Some(readable) = readable else {
        // A file name outside UTF-8: such a line has no options for the ORB.
        return Ok((arguments, Vec::new()));
    };
    let all: Vec<String> = readable.into_iter().map(str::to_owned).collect();
    // Those of the protocols too.
    let own = zorb::Orb::builder()
        .without_environment()
        .options()
        .and_then(|mut options| options.take_arguments(all.iter().cloned()))
        .map_err(|error| Failure::from(error).into_usage())?;
    Ok((own.into_iter().map(OsString::from).collect(), all))
}
