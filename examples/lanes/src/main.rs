//! Urgent calls that are late without lanes and on time with them.
//!
//! Two clients call one server: one requests a long inspection, the other meanwhile raises alarms, which must be
//! answered within a second. With one thread for all calls, the alarms wait for the inspection. With a lane per
//! priority they have their own thread.
//!
//! The argument is the time limit of alarms with lanes in seconds, for machines that are busy with other work.
#![allow(clippy::print_stdout, reason = "the program prints its results")]

use std::error::Error;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb::rt::{LaneBuilder, Priority, RtOrb, Threadpool};
use zorb::{Interface as _, Orb};

zorb::include_idl!("plant");
use plant::{Warden, WardenServant};

/// The number of alarms.
const ALARMS: u32 = 2;
/// The default time limit of an alarm.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The events in order.
#[derive(Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    grown: Condvar,
}

impl Log {
    fn add(&self, line: impl Into<String>) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
        self.grown.notify_all();
    }

    /// Waits until the log has `count` lines.
    fn wait_for(&self, count: usize) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.grown.wait_while(lines, |lines| lines.len() < count));
    }
}

struct MyWarden {
    log: Arc<Log>,
    /// The number of log lines after which the inspection ends.
    enough: usize,
}

impl WardenServant for MyWarden {
    fn inspect(&self) -> zorb::Result<()> {
        self.log.add("the inspection begins");
        self.log.wait_for(self.enough);
        self.log.add("the inspection ends");
        Ok(())
    }

    fn alarm(&self, _number: u32) -> zorb::Result<()> {
        Ok(())
    }
}

/// The priorities of both kinds of call.
fn priorities() -> zorb::Result<(Priority, Priority)> {
    Ok((Priority::new(1000)?, Priority::new(30_000)?))
}

/// Lets both clients call an object served by `pool`; returns the number of alarms that took longer than `limit`.
fn run(
    server: &RtOrb,
    orb: &Orb,
    (pool, title): (&Threadpool, &str),
    limit: Duration,
) -> Result<u32, Box<dyn Error>> {
    let (slow, urgent) = priorities()?;
    let log = Arc::<Log>::default();
    let policies = PoaPolicies::new().with(server.client_propagated(slow)).with(pool.policy());
    let poa = orb.root_poa().create(title, policies)?;
    let enough = 1 + ALARMS as usize;
    let warden: Warden = poa.activate(MyWarden { log: Arc::clone(&log), enough })?;

    let client = Orb::builder().build()?;
    let rt = RtOrb::builder().attach(&client)?;
    let warden: Warden = client.resolve(&warden.as_object().to_ior_string())?;
    let late = thread::scope(|scope| {
        let inspecting = scope.spawn(|| {
            rt.current().set_priority(slow)?;
            warden.inspect()
        });
        log.wait_for(1);
        let alarming = scope.spawn(|| {
            rt.current().set_priority(urgent)?;
            let warden = warden.with_timeout(limit);
            let mut late = 0;
            for number in 1..=ALARMS {
                let heard = warden.alarm(number).is_ok();
                late += u32::from(!heard);
                let line = if heard { "is on time" } else { "is late" };
                log.add(format!("alarm {number} {line}"));
            }
            Ok::<_, zorb::SystemException>(late)
        });
        let late = alarming.join().map_err(|_| "the urgent client panicked")??;
        inspecting.join().map_err(|_| "the slow client panicked")??;
        Ok::<_, Box<dyn Error>>(late)
    })?;
    client.shutdown(true)?;

    println!("{title}");
    for line in &*log.lines.lock().unwrap_or_else(PoisonError::into_inner) {
        println!("  {line}");
    }
    Ok(late)
}

fn main() -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let rt = RtOrb::builder().attach(&orb)?;
    if let Some(denial) = rt.denial() {
        eprintln!("{denial}; continuing without it");
    }
    let (slow, urgent) = priorities()?;

    let shared = rt.threadpool("shared").without_lanes(LaneBuilder::new(slow, 1)).create()?;
    let without = run(&rt, &orb, (&shared, "one thread for all"), TIME_LIMIT)?;

    let lanes = rt
        .threadpool("lanes")
        .lane(LaneBuilder::new(slow, 1))
        .lane(LaneBuilder::new(urgent, 1))
        .create()?;
    let limit = match std::env::args().nth(1) {
        Some(seconds) => Duration::from_secs(seconds.parse()?),
        None => TIME_LIMIT,
    };
    let with = run(&rt, &orb, (&lanes, "a lane for each priority"), limit)?;

    println!("late alarms: {without} of {ALARMS} without lanes, {with} of {ALARMS} with them");
    orb.shutdown(true)?;
    Ok(())
}
