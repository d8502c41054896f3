//! `zorb sched serve`: serves the scheduling service.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use zorb::Interface;
use zorb_sched::{Strategy, TaskFile};
use zorb_sched_service::SchedulerService;

use super::analyze;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen::{self, counted};

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
    /// Endpoint to listen at, as `iiop://HOST:PORT`; repeatable
    #[arg(long, value_name = "URL")]
    listen: Vec<String>,
    /// File to write the object reference to
    #[arg(long, value_name = "FILE")]
    ior: Option<PathBuf>,
}

pub(super) fn run(args: &ServeArgs, arguments: &[String]) -> Outcome {
    let interrupt = Interrupt::watch()?;
    let TaskFile { mut system, set } = match &args.file {
        Some(file) => TaskFile::parse(&analyze::read(file)?)
            .map_err(|error| Failure::new(format!("{}: {error}", file.display())).into_usage())?,
        None => TaskFile::default(),
    };
    system.strategy = args.strategy.unwrap_or(system.strategy);
    let count = set.len();

    let orb = zorb::Orb::builder().arguments(&mut arguments.to_vec());
    let orb = orb.force(|orb| args.listen.iter().fold(orb, |orb, url| orb.listen(url))).build()?;
    let service = SchedulerService::new(set, system);
    let reference = service.serve(&orb.root_poa()).map_err(zorb::Error::from)?;
    orb.publish(KEY, &reference)?;
    let text = reference.to_ior_string();
    if let Some(file) = &args.ior {
        screen::write(file, &text)?;
    }
    screen::print(&format!("{text}\n"))?;
    let endpoints = orb.endpoints().join(", ");
    screen::print_stderr(&format!("serving {} at {endpoints}", counted(count, "operation")));

    while interrupt.wait(Duration::from_secs(3600)).is_none() {}
    orb.shutdown(true)?;
    Ok(OK)
}
