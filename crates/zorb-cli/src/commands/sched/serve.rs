//! `zorb sched serve`: serves the scheduling service.

use std::path::PathBuf;

use clap::Args;
use zorb_sched::{Strategy, TaskFile};
use zorb_sched_service::SchedulerService;
use zorb_service::check_writer;

use super::analyze;
use crate::failure::{Failure, Outcome};
use crate::screen::counted;
use crate::service::Service;

/// The key under which the service is published.
const KEY: &str = "ScheduleService";

/// Serve the scheduling service, compatible with TAO's RtecScheduler::Scheduler
///
/// Prints its object reference. Clients describe operations, trigger the computation of priorities,
/// and query them. Serves until Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb sched serve --listen iiop://localhost:2820
  zorb sched serve flight.toml --strategy muf --ior scheduler.ior
  zorb call corbaloc::localhost:2820/ScheduleService --idl RtecScheduler.idl lookup Imu::sample")]
pub(crate) struct ServeArgs {
    /// Initial operations and machine, in the format of `zorb sched analyze`
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Strategy, instead of the file's: rms, dm, edf, mlf or muf
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,
    #[command(flatten)]
    service: Service,
}

pub(super) fn run(args: &ServeArgs, arguments: &[String]) -> Outcome {
    let TaskFile { mut system, set } = match &args.file {
        Some(file) => TaskFile::parse(&analyze::read(file)?)
            .map_err(|error| Failure::new(format!("{}: {error}", file.display())).into_usage())?,
        None => TaskFile::default(),
    };
    system.strategy = args.strategy.unwrap_or(system.strategy);
    let contents = counted(set.len(), "operation");
    let mut scheduler = SchedulerService::new(set, system);
    args.service.run(arguments, KEY, &contents, |orb| {
        scheduler.set_write_check(check_writer(orb));
        scheduler.serve(&orb.root_poa())
    })
}
