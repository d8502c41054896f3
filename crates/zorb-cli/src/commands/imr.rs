//! `zorb imr`: a client of implementation repositories.

mod add;
mod control;
mod list;
mod repository;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Outcome};
pub(crate) use list::state_name;
use repository::{Access, Servers};

/// Show and change the servers of an implementation repository
///
/// The NAME of a server of Zorb is that of its persistent adapter below the root. Without --repository, the repository is
/// the initial reference ImplRepoService (-ORBInitRef ImplRepoService=URL), or the one at port 2809 of this machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb serve imr --store /var/lib/zorb
  zorb imr add Bank -- /usr/bin/bank-server --quiet
  zorb imr add Shop --mode auto --instances 3 --env LANG=C -- shop-server
  zorb imr add 'JACORB:shop/ShopPOA' -- jaco -Djacorb.use_tao_imr=on -Djacorb.implname=shop Shop
  zorb imr list
  zorb imr start Bank
  zorb imr stop Bank")]
pub(crate) struct ImrArgs {
    #[command(flatten)]
    access: Access,
    #[command(subcommand)]
    command: ImrCommand,
}

#[derive(Debug, Subcommand)]
enum ImrCommand {
    Add(add::AddArgs),
    List(list::ListArgs),
    Start(control::StartArgs),
    Stop(control::StopArgs),
    Autostart(control::AutostartArgs),
    Rm(control::RmArgs),
}

pub(crate) fn run(args: &ImrArgs, arguments: &[String]) -> Outcome {
    let servers = Servers::open(&args.access, arguments)?;
    let outcome = match &args.command {
        ImrCommand::Add(args) => add::run(args, &servers),
        ImrCommand::List(args) => list::run(args, &servers),
        ImrCommand::Start(args) => control::start(args, &servers),
        ImrCommand::Stop(args) => control::stop(args, &servers),
        ImrCommand::Autostart(args) => control::autostart(args, &servers),
        ImrCommand::Rm(args) => control::rm(args, &servers),
    };
    let ended = servers.orb.shutdown(true).map_err(Failure::from);
    let outcome = outcome?;
    ended.map(|()| outcome)
}
