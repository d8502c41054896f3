//! A camera sends 60 frames per second to a screen in datagrams; the screen drops late frames and sends a report once
//! per second.
//!
//! ```text
//! avstream [--frames N] [--size OCTETS] [--rate FRAMES_PER_SECOND] [--lose ONE_IN] [--stall ONE_IN]
//! ```
//!
//! `--lose N` drops every Nth frame before the screen sees it, as a network would. `--stall N` makes the screen take
//! 60 ms for every Nth frame: later frames wait, and are dropped if they become too late, so that the screen
//! catches up.

mod screen;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use screen::Shown;
use zorb::{Interface, Orb};

zorb::include_idl!("avstream");

use av_stream::{Camera, CameraServant, ReceiverReport, Screen};

/// The frames to send, and the faults to simulate.
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

/// Timeout for the last report; like any datagram it may be lost.
const LAST_REPORT: Duration = Duration::from_secs(5);

/// Prints the screen's reports, and sends the number of received frames to the channel.
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
    let orb = builder.listen("av+diop://127.0.0.1:0").build()?;
    // Passes the stamps of frames to the screen.
    orb.add_server_request_interceptor("AV", zorb_av::interceptor);
    Ok(orb)
}

/// Sends the frames at their due times.
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
    let (camera_orb, screen_orb) = (orb()?, orb()?);
    let (sender, reports) = channel();
    let camera: Camera = camera_orb.root_poa().activate(Reports(sender))?;
    let camera: Camera = screen_orb.resolve(&camera.as_object().to_ior_string())?;
    let shown = Arc::new(Shown::new(camera, plan));
    let screen: Screen = screen_orb.root_poa().activate_shared(&shown)?;
    let screen: Screen = camera_orb.resolve(&screen.as_object().to_ior_string())?;
    println!("{} frames of {} octets, {} in a second", plan.frames, plan.size, plan.rate);
    film(&screen, plan)?;
    // Frames in flight still arrive, or are lost.
    std::thread::sleep(Duration::from_millis(200));
    let outcome = shown.finish();
    while reports.recv_timeout(LAST_REPORT).is_ok_and(|received| received != outcome.received) {}
    println!("{} shown, {} octets", outcome.shown, outcome.octets);
    println!("99 % of the intervals between frames deviated by at most {} us", outcome.off);
    camera_orb.shutdown(true)?;
    screen_orb.shutdown(true)
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
