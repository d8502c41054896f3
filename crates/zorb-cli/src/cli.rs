//! The command line.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use zorb::options::split_arguments;
use zorb_bench::peer::PeerArguments;

use crate::commands::{
    bench, bridge, call, config, demo, idl, ifr, imr, ior, names, ping, rt, sched, serve, store,
    top,
};
use crate::failure::{Failure, OK, Outcome, USAGE};
use crate::log::{Log, LogLevel};
use crate::screen;

/// Tools of Zorb, a real-time CORBA object request broker.
///
/// Every command also accepts the ORB's options, as `-ORBName value`; `zorb config` lists them.
#[derive(Debug, Parser)]
#[command(name = "zorb", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 success, 1 failure, 2 usage error.")]
struct Cli {
    /// Log level of the ORB on standard error
    ///
    /// Default: warn; off for `bench`, `idl`, `ior`, `rt`, `store` and `top`.
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
    Serve(serve::ServeArgs),
    #[command(visible_alias = "naming")]
    Names(names::NamesArgs),
    Imr(imr::ImrArgs),
    Bridge(bridge::BridgeArgs),
    Sched(sched::SchedArgs),
    Store(store::StoreArgs),
    Top(top::TopArgs),
    Config(config::ConfigArgs),
    Rt(rt::RtArgs),
    Bench(bench::BenchArgs),
    /// Serve `zorb demo`
    #[command(name = demo::SERVER_COMMAND, hide = true)]
    DemoServer,
    /// Run a peer of `zorb bench`
    #[command(name = bench::PEER_COMMAND, hide = true)]
    BenchPeer(PeerArguments),
}

impl Command {
    /// The log level if none is given.
    const fn log_level(&self) -> LogLevel {
        match self {
            // A measurement must not include logging.
            Self::Bench(_) | Self::BenchPeer(_) => LogLevel::Off,
            // These commands have no ORB.
            Self::Idl(_) | Self::Ior(_) | Self::Rt(_) | Self::Store(_) | Self::Top(_) => {
                LogLevel::Off
            }
            _ => LogLevel::Warn,
        }
    }
}

/// Runs the command line `arguments` (the program's name first).
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    let status = match parse_and_run(arguments) {
        Ok(status) => status,
        Err(failure) => {
            screen::print_failure(&failure);
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
            // A reader that closes the pipe early, such as `head`, is not a failure.
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
        Command::Serve(args) => serve::run(&args, &orb),
        Command::Names(args) => names::run(&args, &orb),
        Command::Imr(args) => imr::run(&args, &orb),
        Command::Bridge(args) => bridge::run(&args, &orb),
        Command::Sched(args) => sched::run(&args, &orb),
        Command::Store(args) => store::run(&args),
        Command::Top(args) => top::run(&args),
        Command::Config(args) => config::run(&args, &orb),
        Command::Rt(args) => rt::run(&args),
        Command::Bench(args) => bench::run(&args, &orb),
        Command::DemoServer => demo::serve(&orb),
        Command::BenchPeer(arguments) => bench::run_peer(arguments, orb),
    }
}

/// Separates the ORB's arguments: returns the others, and those.
fn split(mut arguments: Vec<OsString>) -> Result<(Vec<OsString>, Vec<String>), Failure> {
    let orb = split_arguments(&mut arguments);
    // A wrong option is a usage error of every command.
    let checked = crate::orb::builder().without_environment().arguments(&mut orb.clone()).options();
    checked.map_err(|error| Failure::from(error).into_usage())?;
    Ok((arguments, orb))
}
