//! The measured program: a server, its client, or both in one ORB.
//!
//! Each operation is called `warm-up` times, then as often as requested between two phase marks. The marks are made in
//! both processes: in the client before and after its calls, in the server by the servant. Nothing is printed otherwise
//! but the server's reference.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the reference is for whoever started the server")]

use std::process::ExitCode;

use rustix::process::Pid;
use zorb::poa::PoaPolicies;
use zorb::{Interface as _, Orb, OrbBuilder};
use zorb_costs::operation::{Arguments, Operation, SEND_BUFFER, WARM_UP};
use zorb_costs::{Counted, Servant, mark_phase, short_uiop};

const USAGE: &str = "\
usage: zorb-costs-subject server URL
       zorb-costs-subject client REFERENCE CALLS [OPERATION]...
       zorb-costs-subject local STRATEGY CALLS [OPERATION]...
       zorb-costs-subject adapters [COUNT]...

The server ends with its input. An operation `empty` makes no calls. The options BusyWait and
CopyThreshold are what the environment's COSTS_BUSY_WAIT and COSTS_COPY_THRESHOLD say. A client stops the
process COSTS_SERVER while it sends calls without waiting.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["server", url] => serve(url),
        ["client", reference, calls, ref operations @ ..] => client(reference, calls, operations),
        ["local", strategy, calls, ref operations @ ..] => local(strategy, calls, operations),
        ["adapters", ref counts @ ..] => adapters(counts),
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

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn serve(url: &str) -> Outcome {
    // Under a tool that slows the program down, normal calls would look slow.
    let builder = builder().option("StallTakeover", "3600000");
    let orb = builder.listen(url).build()?;
    let counted: Counted = orb.root_poa().activate(Servant)?;
    println!("{}\n{}", counted.as_object().to_ior_string(), std::process::id());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    orb.shutdown(true)?;
    Ok(())
}

fn builder() -> OrbBuilder {
    const OPTIONS: [(&str, &str); 2] =
        [("COSTS_BUSY_WAIT", "BusyWait"), ("COSTS_COPY_THRESHOLD", "CopyThreshold")];
    let builder = Orb::builder().without_environment().protocol(short_uiop());
    OPTIONS.into_iter().fold(builder, |builder, (variable, option)| match std::env::var(variable) {
        Ok(value) => builder.option(option, &value),
        Err(_) => builder,
    })
}

fn client(reference: &str, calls: &str, operations: &[&str]) -> Outcome {
    let server = match std::env::var("COSTS_SERVER") {
        Ok(number) => Pid::from_raw(number.parse()?),
        Err(_) => None,
    };
    let builder = builder();
    let builder =
        if server.is_some() { builder.option("SendBuffer", SEND_BUFFER) } else { builder };
    let orb = builder.build()?;
    let counted: Counted = orb.resolve(reference)?;
    let arguments = Arguments::with_server(server);
    let there = |name: &str| {
        counted.mark(name)?;
        mark_phase(name);
        Ok(())
    };
    measure(&counted, &arguments, calls, operations, &there)?;
    orb.shutdown(true)?;
    Ok(())
}

/// Collocated calls.
fn local(strategy: &str, calls: &str, operations: &[&str]) -> Outcome {
    let builder = Orb::builder().without_environment();
    let orb = builder.option("CollocationStrategy", strategy).build()?;
    let counted: Counted = orb.root_poa().activate(Servant)?;
    let here = |name: &str| {
        mark_phase(name);
        Ok(())
    };
    measure(&counted, &Arguments::default(), calls, operations, &here)?;
    orb.shutdown(true)?;
    Ok(())
}

/// Creates this many adapters below the root, finds each and destroys each, for each of the counts.
fn adapters(counts: &[&str]) -> Outcome {
    let orb = Orb::builder().without_environment().build()?;
    let root = orb.root_poa();
    for count in counts {
        mark_phase(&format!("begin {count}"));
        let names: Vec<String> =
            (0..count.parse()?).map(|number: u32| number.to_string()).collect();
        for name in &names {
            root.create(name, PoaPolicies::new().persistent())?;
        }
        for name in &names {
            root.find(name)?.destroy();
        }
        mark_phase(&format!("end {count}"));
    }
    orb.shutdown(true)?;
    Ok(())
}

fn measure(
    counted: &Counted,
    arguments: &Arguments,
    calls: &str,
    operations: &[&str],
    mark: &dyn Fn(&str) -> zorb::Result<()>,
) -> Outcome {
    let calls: u32 = calls.parse()?;
    for &name in operations {
        let operation = match Operation::named(name) {
            None if name != "empty" => return Err(format!("no operation {name}").into()),
            operation => operation,
        };
        let repeat = |times: u32| {
            (0..times).try_for_each(|_| {
                operation.map_or(Ok(()), |operation| arguments.call(operation, counted))
            })
        };
        repeat(WARM_UP)?;
        arguments.finish()?;
        mark(&format!("begin {name}"))?;
        repeat(calls)?;
        arguments.finish()?;
        mark(&format!("end {name}"))?;
    }
    Ok(())
}
