//! `zorb names`: a client of naming services.

mod change;
mod import;
mod list;
mod orphans;
mod service;
mod tree;
mod watch;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Outcome};
use crate::interrupt::Interrupt;
use service::{Access, Names};

/// Show and change the names of any naming service
///
/// A NAME is a stringified name, such as plant/pump.device; `\` escapes `/`, `.` and `\` in it. Without --naming, the
/// service is the initial reference NameService (-ORBInitRef NameService=URL), or the one at port 2809 of this machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb names ls
  zorb names tree plant --json
  zorb names bind plant/pump.device pump.ior --parents
  zorb names resolve --naming corbaloc::names.example/NameService plant/pump.device
  zorb names resolve corbaname::names.example#plant/pump.device
  zorb names rm plant/pump.device
  zorb names watch plant
  zorb names import /var/lib/omniorb/omninames.dat")]
pub(crate) struct NamesArgs {
    #[command(flatten)]
    access: Access,
    #[command(subcommand)]
    command: NamesCommand,
}

#[derive(Debug, Subcommand)]
enum NamesCommand {
    Ls(list::LsArgs),
    Tree(tree::TreeArgs),
    Bind(change::BindArgs),
    Resolve(list::ResolveArgs),
    Rm(change::RmArgs),
    Watch(watch::WatchArgs),
    Import(import::ImportArgs),
    Orphans(orphans::OrphansArgs),
}

pub(crate) fn run(args: &NamesArgs, arguments: &[String]) -> Outcome {
    let interrupt = match &args.command {
        // Before the ORB starts threads.
        NamesCommand::Watch(_) => Some(Interrupt::watch()?),
        _ => None,
    };
    let names = Names::open(&args.access, arguments)?;
    let outcome = match &args.command {
        NamesCommand::Ls(args) => list::ls(args, &names),
        NamesCommand::Tree(args) => tree::run(args, &names),
        NamesCommand::Bind(args) => change::bind(args, &names),
        NamesCommand::Resolve(args) => list::resolve(args, &names),
        NamesCommand::Rm(args) => change::rm(args, &names),
        NamesCommand::Watch(args) => watch::run(args, &names, interrupt.as_ref()),
        NamesCommand::Import(args) => import::run(args, &names),
        NamesCommand::Orphans(args) => orphans::run(args, &names),
    };
    let ended = names.orb.shutdown(true).map_err(Failure::from);
    let outcome = outcome?;
    ended.map(|()| outcome)
}
