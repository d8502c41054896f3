//! A camera sends frames to a screen, 60 in a second, in datagrams; the screen drops what comes late
//! and reports once a second what it got.
//!
//! ```text
//! avstream [--frames N] [--size OCTETS] [--rate FRAMES_PER_SECOND] [--lose ONE_IN] [--stall ONE_IN]
//! ```
//!
//! `--lose` throws away one frame in so many before the screen sees it, as a network does. `--stall` has
//! the screen take 60 ms for one frame in so many: those behind it wait, and are dropped when they are
//! late, so that the screen catches up.

mod screen;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use screen::Shown;
use zorb::{Interface, Orb};

zorb::include_idl!("avstream");

use av_stream::{Camera, CameraServant, ReceiverReport, Screen};

/// What is sent, and what goes wrong on the way.
#[derive(Clone, Copy, Debug)]
struct Plan {
    frames: u32,
    size: usize,
    rate: u32,
    lose: Option<u32>,
    stall: Option<u32>,
}

impl Plan {
    fn from_arguments(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut plan = Self { frames: 300, size: 60_000, rate: 60, lose: None, stall: None };
        while let Some(word) = words.next() {
            let number: u32 = words.next()?.parse().ok()?;
            match word.as_str() {
                "--frames" => plan.frames = number,
                "--size" => plan.size = number.try_into().ok()?,
                "--rate" => plan.rate = number.max(1),
                "--lose" => plan.lose = Some(number.max(1)),
                "--stall" => plan.stall = Some(number.max(1)),
                _ => return None,
            }
        }
        Some(plan)
    }
}

/// How long the last report may take; like any datagram it may be lost.
const LAST_REPORT: Duration = Duration::from_secs(5);

/// Says what the screen reports, as it comes, and passes on how many frames were received.
struct Reports(Sender<u64>);

impl CameraServant for Reports {
    fn report(&self, how: &ReceiverReport) {
        let percent = f64::from(how.fraction_lost) / 2.56;
        println!(
            "frame {}: {} received, {} lost ({percent:.0} % since the last report), {} late, \
             jitter {} us",
            how.highest, how.received, how.lost, how.late, how.jitter
        );
        let _ = self.0.send(how.received);
    }
}

fn orb() -> Result<Orb, zorb::Error> {
    let builder = Orb::builder().without_environment().protocol(Arc::new(zorb_av::av_diop()));
    builder.listen("av+diop://127.0.0.1:0").build()
}

/// Sends the frames at their times.
fn film(screen: &Screen, plan: Plan) -> Result<(), zorb::Error> {
    let picture = vec![0x5a; plan.size];
    let period = Duration::from_secs(1) / plan.rate;
    let begin = Instant::now();
    for number in 0..plan.frames {
        let due = begin + period * number;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        screen.show(&picture)?;
    }
    Ok(())
}

fn run(plan: Plan) -> Result<(), zorb::Error> {
    let (studio, room) = (orb()?, orb()?);
    let (sender, reports) = channel();
    let camera: Camera = studio.root_poa().activate(Reports(sender))?;
    let camera: Camera = room.resolve(&camera.as_object().to_ior_string())?;
    let shown = Arc::new(Shown::new(camera, plan));
    let screen: Screen = room.root_poa().activate_shared(&shown)?;
    let screen: Screen = studio.resolve(&screen.as_object().to_ior_string())?;
    println!("{} frames of {} octets, {} in a second", plan.frames, plan.size, plan.rate);
    film(&screen, plan)?;
    // What is on its way still arrives, or is lost.
    std::thread::sleep(Duration::from_millis(200));
    let outcome = shown.tell();
    while reports.recv_timeout(LAST_REPORT).is_ok_and(|received| received != outcome.received) {}
    println!("{} shown, {} octets", outcome.shown, outcome.octets);
    println!("99 of 100 times between frames were off by at most {} us", outcome.off);
    studio.shutdown(true)?;
    room.shutdown(true)
}

fn main() -> ExitCode {
    let Some(plan) = Plan::from_arguments(std::env::args().skip(1)) else {
        eprintln!(
            "usage: avstream [--frames N] [--size OCTETS] [--rate N] [--lose ONE_IN] [--stall ONE_IN]"
        );
        return ExitCode::from(2);
    };
    match run(plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
