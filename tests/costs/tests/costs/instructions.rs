//! The number of the program's instructions per call and side, compared with the record.
//!
//! Callgrind counts them one by one, so they are the same in every run. The C library's are excluded: it chooses
//! its routines by the processor, and its work for the ORB (copies, memory) is counted by other trials. What the
//! compiler makes of the source differs between its versions, so the record is of one.

mod record;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use libtest_mimic::Trial;
use zorb_costs::callgrind::Profile;
use zorb_costs::operation::{Operation, TARGETS};

use crate::lanes;
use crate::program::{
    EMPTY, SMALL, SMALL_CALLS, SUBJECT, Side, run_local, run_pair, run_pending, run_small,
};
use crate::tool::{self, Absent};
use record::Record;

const CALLS: u64 = 500;
/// The maximum growth in percent.
const TOLERANCE: f64 = 3.0;
/// Growth by so few instructions never fails: what the compiler inlines varies as much.
const FEW: u64 = 10;
/// Maximum additional instructions of a server for GIOPlite compared with GIOP, in percent: GIOP's headers are read and
/// written inline, and not through a trait object.
const LITE_SERVER: f64 = 8.0;

/// The maximum instructions of a pending void call, in those of one that waits.
const PENDING: f64 = 1.5;

/// The maximum instructions for the arguments of a call of another object, in those of the first one.
const OTHER: f64 = 0.25;

/// The maximum instructions for a struct of which one member of 16 has changed, in those of marshalling it.
const CHANGED: f64 = 0.5;
/// The same where half of them or all have.
const ALL_CHANGED: f64 = 1.05;

/// The maximum instructions of a void call of the small ORB, client and server together, in those of the full one.
const SMALL_OF_FULL: f64 = 1.0;

/// Instructions of one call.
type Counts = BTreeMap<(Side, &'static str), u64>;

pub(crate) fn trials() -> Vec<Trial> {
    let update = std::env::var_os("UPDATE_COSTS").is_some_and(|value| value != "0");
    if update {
        return vec![crate::trial("instructions/update".into(), tool::valgrind(), write)];
    }
    let needs = tool::valgrind().and_then(|()| same_compiler());
    let one = |side: Side, operation: Operation| {
        let name = format!("instructions/{}/{}", side.name(), operation.name());
        crate::trial(name, needs.clone(), move || compare(side, operation.name()))
    };
    let lite = crate::trial("instructions/lite".into(), tool::valgrind(), lite_takes_no_more);
    let in_lane = |kind: &'static str| {
        let name = format!("instructions/lane/{kind}");
        crate::trial(name, needs.clone(), move || compare_lane(kind))
    };
    let lanes = lanes::KINDS.map(in_lane);
    let pending =
        crate::trial("instructions/pending".into(), tool::valgrind(), pending_costs_little_more);
    let to_all =
        crate::trial("instructions/pending/to-all".into(), tool::valgrind(), others_cost_a_quarter);
    let small = crate::trial("instructions/small".into(), tool::valgrind(), small_orb_takes_fewer);
    let index =
        crate::trial("instructions/small/index".into(), tool::valgrind(), index_is_constant);
    let kept = kept().map(|(side, operation)| one(side, operation));
    let premarshalled =
        crate::trial("instructions/premarshalled".into(), tool::valgrind(), changes_cost_half);
    kept.chain([lite, pending, to_all, premarshalled, small, index]).chain(lanes).collect()
}

/// The recorded calls over GIOPlite and short messages.
const OVER_OTHERS: [Operation; 3] = [Operation::Void, Operation::Long, Operation::String];

/// What is on record. Not how a server takes one-way calls: how many it finds in what it receives
/// at once depends on who is faster. Of work with types known at run time, the client's.
fn kept() -> impl Iterator<Item = (Side, Operation)> {
    let all =
        Side::ALL.into_iter().flat_map(|side| Operation::ALL.map(|operation| (side, operation)));
    let calls = all.filter(|(side, operation)| match side {
        Side::LiteClient | Side::LiteServer | Side::ShortClient | Side::ShortServer => {
            OVER_OTHERS.contains(operation)
        }
        _ => (*side, *operation) != (Side::Server, Operation::OneWay),
    });
    let others = Operation::DYNAMIC.into_iter().chain([Operation::Pending]);
    let others = others.chain(Operation::MARSHALLED);
    calls.chain(others.map(|operation| (Side::Client, operation)))
}

/// The compiler's version and host.
fn compiler() -> Result<(String, String), String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
    };
    line("release:").zip(line("host:")).ok_or_else(|| "rustc -vV: no version".to_owned())
}

pub(crate) fn same_compiler() -> Result<(), Absent> {
    let record = Record::read().map_err(Absent)?;
    let (rustc, host) = compiler().map_err(Absent)?;
    if (&record.rustc, &record.host) == (&rustc, &host) {
        return Ok(());
    }
    let Record { rustc: then, host: there, .. } = record;
    Err(Absent(format!("the record is of rustc {then} for {there}, this is {rustc} for {host}")))
}

fn write() -> Result<(), String> {
    let (rustc, host) = compiler()?;
    let kept: Vec<_> = kept().map(|(side, operation)| (side, operation.name())).collect();
    let mut counts = counted()?.clone();
    counts.retain(|one, _| kept.contains(one));
    Record { rustc, host, counts, lanes: lanes::counted()? }.write()
}

fn compare(side: Side, operation: &'static str) -> Result<(), String> {
    let counts = counted()?;
    let now = counts.get(&(side, operation)).ok_or("nothing was counted")?;
    let record = Record::read()?;
    let then = record.counts.get(&(side, operation)).ok_or("there is no record")?;
    within(*now, *then, TOLERANCE)
}

/// A call whose caller does not wait, with all that the reader does for it, costs little more than one that waits.
fn pending_costs_little_more() -> Result<(), String> {
    let counts = counted()?;
    let count = |operation: Operation| counts.get(&(Side::Client, operation.name())).copied();
    let (pending, void) =
        count(Operation::Pending).zip(count(Operation::Void)).ok_or("nothing was counted")?;
    if pending as f64 <= void as f64 * PENDING {
        return Ok(());
    }
    Err(format!("a pending call takes {pending} instructions, one that waits {void}"))
}

/// The same of a void request at the server, by how it is served.
fn compare_lane(kind: &'static str) -> Result<(), String> {
    let now = lanes::counted()?.get(kind).copied().ok_or("nothing was counted")?;
    let then = Record::read()?.lanes.get(kind).copied().ok_or("there is no record")?;
    within(now, then, lanes::TOLERANCE)
}

fn within(now: u64, then: u64, tolerance: f64) -> Result<(), String> {
    let growth = (now as f64 / then as f64 - 1.0) * 100.0;
    if growth <= tolerance || now <= then + FEW {
        return Ok(());
    }
    let path = record::PATH;
    Err(format!(
        "{now} instructions, {growth:.1} % more than the {then} of {path}. If that is worth it, say \
         why in the commit and run UPDATE_COSTS=1 cargo test -p zorb-costs --test costs"
    ))
}

/// A client of a protocol with shorter headers executes no more instructions. Not if arguments then need
/// alignment, as a long does.
fn lite_takes_no_more() -> Result<(), String> {
    let counts = counted()?;
    let count = |side: Side, operation: Operation| counts.get(&(side, operation.name())).copied();
    for side in [Side::Client, Side::Server] {
        let tolerance = if side == Side::Server { LITE_SERVER } else { TOLERANCE };
        for operation in [Operation::Void, Operation::String] {
            let (giop, lite) = (count(side, operation), count(side.of_lite(), operation));
            let (giop, lite) = giop.zip(lite).ok_or("nothing was counted")?;
            within(lite, giop, tolerance).map_err(|_| {
                let (side, name) = (side.name(), operation.name());
                format!("{side}, {name}: GIOPlite takes {lite}, GIOP {giop}")
            })?;
        }
    }
    Ok(())
}

/// Sending the same arguments to another object as well costs little more than sending none.
fn others_cost_a_quarter() -> Result<(), String> {
    let counts = counted()?;
    let count = |operation: Operation| {
        let count = counts.get(&(Side::Client, operation.name())).copied();
        count.map(|count| count as f64).ok_or_else(|| "nothing was counted".to_owned())
    };
    let first = count(Operation::PendingParts)? - count(Operation::Pending)?;
    let mean = count(Operation::PartsToAll)? - count(Operation::ToAll)?;
    let targets = TARGETS as f64;
    let other = (mean * targets - first) / (targets - 1.0);
    if other <= first * OTHER {
        return Ok(());
    }
    Err(format!("arguments take {first:.0} instructions for the first, {other:.0} for others"))
}

/// A struct that is marshalled where it changed takes at most half of the instructions if one member did, and hardly
/// more if half of them or all did, whether the program says so one by one or for all at once. It is compared with
/// marshalling after the same changes.
fn changes_cost_half() -> Result<(), String> {
    let counts = counted()?;
    let count = |operation: Operation| {
        let count = counts.get(&(Side::Client, operation.name())).copied();
        count.map(|count| count as f64).ok_or_else(|| "nothing was counted".to_owned())
    };
    let limits = [
        (Operation::TrackOne, Operation::Track, CHANGED),
        (Operation::TrackHalf, Operation::TrackHalfWhole, ALL_CHANGED),
        (Operation::TrackEach, Operation::TrackEachWhole, ALL_CHANGED),
        (Operation::TrackAll, Operation::Track, ALL_CHANGED),
    ];
    for (operation, whole, limit) in limits {
        let (name, changed, whole) = (operation.name(), count(operation)?, count(whole)?);
        if changed > whole * limit {
            return Err(format!("{name} takes {changed} instructions, marshalling all {whole}"));
        }
    }
    Ok(())
}

/// A void call of the small ORB takes fewer instructions than one of the full ORB.
fn small_orb_takes_fewer() -> Result<(), String> {
    let [small, ..] = *small_counts()?;
    let counts = counted()?;
    let full = [Side::Client, Side::Server].map(|side| counts.get(&(side, Operation::Void.name())));
    let full: u64 = full.into_iter().flatten().sum();
    match small <= (full as f64 * SMALL_OF_FULL) as u64 {
        true => Ok(()),
        false => Err(format!("a void call takes {small} instructions, of the full ORB {full}")),
    }
}

/// The small ORB's server finds an object by its index as fast as any other, and faster than the last one by its key.
fn index_is_constant() -> Result<(), String> {
    let counts @ [_, last, first_indexed, last_indexed] = *small_counts()?;
    match first_indexed.abs_diff(last_indexed) <= FEW && last_indexed + FEW < last {
        true => Ok(()),
        false => Err(format!("instructions of {SMALL_CALLS:?}: {counts:?}")),
    }
}

/// The instructions of a call in each of the ways of [`SMALL_CALLS`], client and server together, counted once.
fn small_counts() -> Result<&'static [u64; SMALL_CALLS.len()], String> {
    static COUNTED: OnceLock<Result<[u64; SMALL_CALLS.len()], String>> = OnceLock::new();
    let count = || {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        run_small(callgrind(folder.path(), Side::Client), CALLS)?;
        let of_phase = |phase| instructions(SMALL, folder.path(), Side::Client, phase);
        let empty = of_phase(0).unwrap_or_default();
        let mut counts = [0; SMALL_CALLS.len()];
        for (phase, count) in (1..).zip(&mut counts) {
            *count = of_phase(phase)?.saturating_sub(empty) / CALLS;
        }
        Ok(counts)
    };
    COUNTED.get_or_init(count).as_ref().map_err(Clone::clone)
}

/// Counts once for all trials.
fn counted() -> Result<&'static Counts, String> {
    static COUNTED: OnceLock<Result<Counts, String>> = OnceLock::new();
    COUNTED.get_or_init(count).as_ref().map_err(Clone::clone)
}

/// Counts in two threads, as client and server take turns.
fn count() -> Result<Counts, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let pending = tempfile::tempdir().map_err(|error| error.to_string())?;
    let tool = |side: Side| callgrind(folder.path(), side);
    let waiting: Vec<Operation> = Operation::waiting().collect();
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            run_pair("lite+uiop://", &|side| tool(side.of_lite()), CALLS, &waiting)?;
            run_pair("short+uiop://", &|side| tool(side.of_short()), CALLS, &waiting)
        });
        run_pair("uiop://", &tool, CALLS, &waiting)?;
        run_pending(callgrind(pending.path(), Side::Client), CALLS, &Operation::PENDING)?;
        for side in Side::LOCAL {
            run_local(side, &tool, CALLS, &Operation::ALL)?;
        }
        others.join().map_err(|_| "counting panicked".to_owned())?
    })?;
    let client = |operation| (Side::Client, operation);
    let is_pending = |operation: &Operation| Operation::PENDING.contains(operation);
    let changed = Operation::CHANGED.map(client);
    let kept = kept().filter(|(_, operation)| !is_pending(operation));
    let mut counts = counts_of(folder.path(), &waiting, kept.chain(changed))?;
    let sent = Operation::PENDING.map(client).into_iter();
    counts.extend(counts_of(pending.path(), &Operation::PENDING, sent)?);
    Ok(counts)
}

/// The instructions of each of the `wanted` in runs of the operations `every`, in this order.
fn counts_of(
    folder: &Path,
    every: &[Operation],
    wanted: impl Iterator<Item = (Side, Operation)>,
) -> Result<Counts, String> {
    let mut counts = Counts::new();
    for (side, operation) in wanted {
        let none = instructions(SUBJECT, folder, side, 0)?;
        let place = every.iter().position(|other| *other == operation).unwrap_or_default();
        let all = instructions(SUBJECT, folder, side, place + 1)?;
        counts.insert((side, operation.name()), all.saturating_sub(none) / CALLS);
    }
    Ok(counts)
}

pub(crate) fn callgrind(folder: &Path, side: Side) -> Vec<String> {
    let output = format!("--callgrind-out-file={}", folder.join(side.name()).display());
    let mark = "--dump-before=*mark_phase*";
    let plain = ["--compress-strings=no", "--compress-pos=no"];
    ["valgrind", "-q", "--tool=callgrind", mark, plain[0], plain[1], &output]
        .map(str::to_owned)
        .into()
}

/// A program's own instructions in the phase of that number: 0 is [`EMPTY`].
pub(crate) fn instructions(
    program: &str,
    folder: &Path,
    side: Side,
    phase: usize,
) -> Result<u64, String> {
    // Counts are written at every mark, and phases have two.
    let path = folder.join(format!("{}.{}", side.name(), 2 * phase + 2));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("the counts of phase {phase} (0 is {EMPTY}): {error}"))?;
    match Profile::new(&text).sum("Ir", program)? {
        0 => Err("callgrind saw nothing of the program".to_owned()),
        count => Ok(count),
    }
}
