//! Urgent calls that are late, and the lanes by which they are not.
//!
//! Two clients call one server: one asks for an inspection, which takes long, the other sounds alarms
//! meanwhile, which have to be answered within a second. Served by one thread for all, the alarms wait
//! for the inspection. With a lane for each priority they have a thread of their own.
//!
//! An argument says how many seconds alarms may take where there are lanes, as on a machine that is
//! very busy with something else.
#![allow(clippy::print_stdout, reason = "what happens is what this shows")]

use std::error::Error;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb::rt::{LaneBuilder, Priority, RtOrb, Threadpool};
use zorb::{Interface as _, Orb};

zorb::include_idl!("plant");
use plant::{Warden, WardenServant};

/// How many alarms there are.
const ALARMS: u32 = 2;
/// When an alarm is late, unless an argument says otherwise.
const SOON: Duration = Duration::from_secs(1);

/// What has happened, in order.
#[derive(Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    grown: Condvar,
}

impl Log {
    fn say(&self, line: impl Into<String>) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
        self.grown.notify_all();
    }

    /// Waits until so many lines are there.
    fn wait_for(&self, count: usize) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.grown.wait_while(lines, |lines| lines.len() < count));
    }
}

struct MyWarden {
    log: Arc<Log>,
    /// How many lines there are when the inspection has seen everything.
    enough: usize,
}

impl WardenServant for MyWarden {
    fn inspect(&self) -> zorb::Result<()> {
        self.log.say("the inspection begins");
        self.log.wait_for(self.enough);
        self.log.say("the inspection ends");
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

/// Lets both clients call the server's `pool`, and returns how many alarms took longer than `soon`.
fn run(
    server: &RtOrb,
    orb: &Orb,
    (pool, title): (&Threadpool, &str),
    soon: Duration,
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
            let warden = warden.with_timeout(soon);
            let mut late = 0;
            for number in 1..=ALARMS {
                let heard = warden.alarm(number).is_ok();
                late += u32::from(!heard);
                let line = if heard { "is on time" } else { "is late" };
                log.say(format!("alarm {number} {line}"));
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
        eprintln!("{denial}; it runs all the same");
    }
    let (slow, urgent) = priorities()?;

    let shared = rt.threadpool("shared").without_lanes(LaneBuilder::new(slow, 1)).create()?;
    let without = run(&rt, &orb, (&shared, "one thread for all"), SOON)?;

    let lanes = rt
        .threadpool("lanes")
        .lane(LaneBuilder::new(slow, 1))
        .lane(LaneBuilder::new(urgent, 1))
        .create()?;
    let soon = match std::env::args().nth(1) {
        Some(seconds) => Duration::from_secs(seconds.parse()?),
        None => SOON,
    };
    let with = run(&rt, &orb, (&lanes, "a lane for each priority"), soon)?;

    println!("late alarms: {without} of {ALARMS} without lanes, {with} of {ALARMS} with them");
    orb.shutdown(true)?;
    Ok(())
}
