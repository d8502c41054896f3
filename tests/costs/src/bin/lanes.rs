//! The program that measures the costs of real-time settings: a server whose adapter is served by a lane, or one that
//! only has a real-time side, and its client.
//!
//! Marks are as in `zorb-costs-subject`. Apart from the empty phase there is one operation: a call without arguments
//! and no result.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the reference is the output of the program")]

use std::process::ExitCode;

use zorb::poa::PoaPolicies;
use zorb::{Interface as _, Orb};
use zorb_costs::operation::{Arguments, Operation, WARM_UP};
use zorb_costs::{Counted, Servant, mark_phase};
use zorb_rt::{LaneBuilder, Priority, RtOrb, Strategy};

const USAGE: &str = "\
usage: zorb-costs-lanes server KIND URL
       zorb-costs-lanes client KIND REFERENCE CALLS [OPERATION]...

KIND: plain, attached (a real-time side that nothing uses), leader-followers, half-sync,
thread-per-connection or single-thread (a lane of one thread). The server ends with its input.";

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["server", kind, url] => serve(kind, url),
        ["client", kind, reference, calls, ref operations @ ..] => {
            client(kind, reference, calls, operations)
        }
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(kind: &str, url: &str) -> Outcome {
    // Under a tool that slows the program down, normal calls would look slow.
    let builder = Orb::builder().without_environment().option("StallTakeover", "3600000");
    let orb = builder.listen(url).build()?;
    let rt = attach(kind, &orb)?;
    let strategy = match kind {
        "leader-followers" => Some(Strategy::LeaderFollowers),
        "half-sync" => Some(Strategy::HalfSync),
        "single-thread" => Some(Strategy::SingleThread),
        "thread-per-connection" => Some(Strategy::ThreadPerConnection),
        _ => None,
    };
    let poa = match (&rt, strategy) {
        (Some(rt), Some(strategy)) => {
            let pool = rt.threadpool("lane").lane(LaneBuilder::new(Priority::MIN, 1));
            let pool = pool.strategy(strategy).create()?;
            let model = rt.client_propagated(Priority::MIN);
            let policies = PoaPolicies::new().with(model).with(pool.policy());
            orb.root_poa().create("lane", policies)?
        }
        _ => orb.root_poa(),
    };
    let counted: Counted = poa.activate(Servant)?;
    println!("{}", counted.as_object().to_ior_string());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    orb.shutdown(true)?;
    Ok(())
}

fn attach(kind: &str, orb: &Orb) -> Result<Option<RtOrb>, zorb::Error> {
    Ok(if kind == "plain" { None } else { Some(RtOrb::builder().attach(orb)?) })
}

fn client(kind: &str, reference: &str, calls: &str, operations: &[&str]) -> Outcome {
    let orb = Orb::builder().without_environment().build()?;
    let _rt = attach(kind, &orb)?;
    let counted: Counted = orb.resolve(reference)?;
    let calls: u32 = calls.parse()?;
    let arguments = Arguments::default();
    let mark = |name: &str| {
        counted.mark(name)?;
        mark_phase(name);
        Ok::<(), zorb::SystemException>(())
    };
    for &name in operations {
        let operation = Operation::named(name);
        let repeat = |times: u32| {
            (0..times).try_for_each(|_| {
                operation.map_or(Ok(()), |operation| arguments.call(operation, &counted))
            })
        };
        repeat(WARM_UP)?;
        mark(&format!("begin {name}"))?;
        repeat(calls)?;
        mark(&format!("end {name}"))?;
    }
    orb.shutdown(true)?;
    Ok(())
}
