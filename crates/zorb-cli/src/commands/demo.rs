//! `zorb demo`: calls of several types to a server in a second process, with their costs.

mod calls;
mod exchange;
mod measure;
mod raw;
mod relay;
mod server;
mod server_process;
mod table;

use std::time::{Duration, Instant};

use clap::Args;
use zorb_os::thread;

use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;
use calls::{Objects, calls};
use exchange::CALL_TIMEOUT;
use measure::Plan;
use server_process::ServerProcess;
use table::Report;

pub(crate) use server::serve;
pub(crate) use server_process::SERVER_COMMAND;

/// Start a server in a second process, call it, and measure the calls
///
/// Every operation is called over IIOP on this machine, and its reply is checked. The calls
/// alternate with a bare TCP ping-pong of the same sizes between the same two processes; the ratio
/// of the medians is the overhead of the ORB. Both processes run on one processor. The operation
/// `callback` calls back into this process; its ping-pong contains another ping-pong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb demo
  zorb demo --quick --json
  zorb demo --calls-seconds 3")]
pub(crate) struct DemoArgs {
    /// JSON output
    #[arg(long)]
    json: bool,
    /// Short run: the numbers are not significant
    #[arg(long, conflicts_with = "calls_seconds")]
    quick: bool,
    /// Duration per operation in seconds, including the ping-pong
    #[arg(long, value_name = "SECONDS", default_value = "0.4", value_parser = calls_seconds)]
    calls_seconds: Duration,
}

fn calls_seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.2..=600.0).contains(number));
    number.map(Duration::from_secs_f64).ok_or_else(|| "expected 0.2 to 600".to_owned())
}

pub(crate) fn run(args: &DemoArgs, orb: &[String]) -> Outcome {
    let processor = share_a_processor();
    let interrupt = Interrupt::watch()?;
    let server = ServerProcess::start().map_err(|failure| failure.during("starting the server"))?;
    let processor = processor.map(|number| format!("; both processes run on processor {number}"));
    screen::print_stderr(&format!(
        "server: process {}{}",
        server.id(),
        processor.unwrap_or_default()
    ));
    let plan = if args.quick { Plan::quick() } else { Plan::of(args.calls_seconds) };
    let measured = measure_all(&server, &plan, orb, &interrupt);
    // After a signal, failures are its consequences.
    if let Some(signal) = interrupt.arrived() {
        drop(server);
        return Err(Failure::interrupted(signal));
    }
    let report = measured?;
    server.stop().map_err(|failure| failure.during("stopping the server"))?;
    if args.json {
        screen::print_json(&report)?;
    } else {
        screen::print(&report.to_string())?;
    }
    Ok(OK)
}

/// Restricts this process and the one that it starts to one processor. Otherwise the time to wake a
/// processor and the placement of threads would dominate the measurement and vary between blocks.
fn share_a_processor() -> Option<usize> {
    let processor = *thread::affinity().ok()?.last()?;
    thread::set_affinity(&[processor]).ok()?;
    Some(processor)
}

fn measure_all(
    server: &ServerProcess,
    plan: &Plan,
    arguments: &[String],
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let start = Instant::now();
    let orb = crate::orb::builder()
        .arguments(&mut arguments.to_vec())
        .force(|orb| orb.listen("iiop://127.0.0.1:0"))
        .connect_timeout(CALL_TIMEOUT)
        .round_trip_timeout(CALL_TIMEOUT)
        .build()?;
    let objects = Objects::resolve(&orb, server.lobby())?;
    let sizes = calls::sizes(&orb, &objects)?;
    let calls = calls(&objects);
    let progress = screen::progress_bar(calls.len() * plan.blocks());
    let mut rows = Vec::new();
    for (call, sizes) in calls.iter().zip(&sizes) {
        progress.set_message(call.name);
        let row = measure::measure(call, sizes, server.raw_address(), plan, || {
            progress.inc(1);
            interrupt.check()
        });
        match row {
            Ok(row) => rows.push(row),
            Err(failure) => {
                progress.finish_and_clear();
                return Err(failure.during(call.name));
            }
        }
    }
    progress.finish_and_clear();
    orb.shutdown(true)?;
    Ok(Report { rows, elapsed: start.elapsed() })
}
