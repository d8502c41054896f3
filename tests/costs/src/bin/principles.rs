//! Measures the patterns of `docs/src/performance.md`, before and after, and writes its tables.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "what is measured is printed")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use zorb_costs::callgrind::Profile;
use zorb_costs::mark_phase;
use zorb_costs::principles::{ALL, Also, Pair, Principle, Work, Wrong};

const USAGE: &str = "\
usage: zorb-costs-principles [--write PAGE]

Measures each pattern in the plain way and in Zorb's: instructions, allocations and cache misses with
callgrind, time in this process (medians of blocks in turns, quartiles beside them). --write puts the
tables into their places in the chapter.";

/// Warm-up runs, and counted runs.
const WARM_UP: u32 = 50;
const COUNTED: u32 = 200;
/// The number of blocks per implementation, and the duration of a block in nanoseconds.
const BLOCKS: usize = 60;
const BLOCK: u128 = 1_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => report(None),
        ["--write", page] => report(Some(Path::new(page))),
        // Executed under callgrind.
        ["count", name, way] => count(name, way),
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

/// Makes the counted runs between two marks.
fn count(name: &str, way: &str) -> Result<(), Wrong> {
    let principle = Principle::named(name).ok_or("no such pattern")?;
    let Pair { before, after } = (principle.make)()?;
    let mut work = if way == "before" { before } else { after };
    (0..WARM_UP).for_each(|_| work());
    mark_phase("begin");
    (0..COUNTED).for_each(|_| work());
    mark_phase("end");
    // Exits without waiting for the threads of the ORB.
    std::process::exit(0)
}

/// The costs of one implementation.
struct Cost {
    instructions: u64,
    /// Quartiles, in nanoseconds.
    nanos: [f64; 3],
    also: Option<f64>,
}

fn report(page: Option<&Path>) -> Result<(), Wrong> {
    let mut text = page.map(std::fs::read_to_string).transpose()?;
    for principle in &ALL {
        let [before, after] = measure(principle)?;
        let table = table(principle, &before, &after);
        println!("{}\n\n{table}", principle.name);
        text = text.map(|text| with_table(&text, principle.name, &table)).transpose()?;
    }
    if let (Some(page), Some(text)) = (page, text) {
        std::fs::write(page, text)?;
    }
    Ok(())
}

fn measure(principle: &Principle) -> Result<[Cost; 2], Wrong> {
    let counted = [counted(principle, "before")?, counted(principle, "after")?];
    let nanos = timed((principle.make)()?);
    let mut costs = counted.into_iter().zip(nanos).map(|((instructions, also), nanos)| Cost {
        instructions,
        nanos,
        also,
    });
    costs.next().zip(costs.next()).map(|(before, after)| [before, after]).ok_or("no costs".into())
}

/// Instructions of one run, and what else is counted, from a run of this program under callgrind.
fn counted(principle: &Principle, way: &str) -> Result<(u64, Option<f64>), Wrong> {
    let folder = tempfile::tempdir()?;
    let program = std::env::current_exe()?;
    let mut output = std::ffi::OsString::from("--callgrind-out-file=");
    output.push(folder.path().join("counts"));
    // A cache of the usual size, the same wherever this runs.
    let caches = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];
    let run = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--dump-before=*mark_phase*"])
        .args(["--compress-strings=no", "--compress-pos=no"])
        .args(caches)
        .arg(output)
        .arg(&program)
        .args(["count", principle.name, way])
        .stdout(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    if !run.status.success() {
        return Err(format!("valgrind: {}", String::from_utf8_lossy(&run.stderr)).into());
    }
    // The first part is what came before the first mark.
    let text = std::fs::read_to_string(folder.path().join("counts.2"))?;
    let profile = Profile::new(&text);
    let each = |sum: u64| sum as f64 / f64::from(COUNTED);
    let also = match principle.also {
        Also::Nothing => None,
        Also::Allocations => Some(each(profile.calls(&["malloc", "calloc", "realloc"]))),
        Also::CacheMisses => Some(each(profile.sum("D1mr", "")? + profile.sum("D1mw", "")?)),
        Also::Code { before, after } => {
            Some(code_size(&program, if way == "before" { before } else { after })? as f64)
        }
    };
    Ok((profile.sum("Ir", "")? / u64::from(COUNTED), also))
}

/// The octets of machine code of the function whose name has this part.
fn code_size(program: &Path, name: &str) -> Result<u64, Wrong> {
    let output = Command::new("nm").args(["--print-size", "--demangle"]).arg(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains(name));
    let size = line.and_then(|line| line.split(' ').nth(1)).ok_or_else(|| format!("no {name}"))?;
    Ok(u64::from_str_radix(size, 16)?)
}

/// Quartiles of the time of one run, either way, in blocks that alternate.
fn timed(Pair { mut before, mut after }: Pair) -> [[f64; 3]; 2] {
    let sizes = [block_size(&mut before), block_size(&mut after)];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..BLOCKS {
        // A B B A, so that a drift of the processor's clock affects both equally.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for way in order {
            let work = if way == 0 { &mut before } else { &mut after };
            times[way].push(block(work, sizes[way]));
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        let quartile = |number: usize| times.get(times.len() * number / 4).copied();
        [1, 2, 3].map(|number| quartile(number).unwrap_or_default())
    })
}

/// The number of runs in a block.
fn block_size(work: &mut Work) -> u32 {
    let mut runs = 1;
    loop {
        let begun = Instant::now();
        (0..runs).for_each(|_| work());
        if begun.elapsed().as_nanos() >= BLOCK || runs >= 1 << 20 {
            return runs;
        }
        runs *= 2;
    }
}

/// Nanoseconds of one run.
fn block(work: &mut Work, runs: u32) -> f64 {
    let begun = Instant::now();
    (0..runs).for_each(|_| work());
    begun.elapsed().as_nanos() as f64 / f64::from(runs)
}

fn table(principle: &Principle, before: &Cost, after: &Cost) -> String {
    let also = match principle.also {
        Also::Nothing => None,
        Also::Allocations => Some("Allocations"),
        Also::CacheMisses => Some("Cache misses"),
        Also::Code { .. } => Some("Octets of code"),
    };
    let mut text = String::from("| | Instructions | ns (quartiles) |");
    let mut rule = String::from("\n|---|---|---|");
    if let Some(also) = also {
        let _ = write!(text, " {also} |");
        rule.push_str("---|");
    }
    text.push_str(&rule);
    for (name, way, cost) in
        [("Before", principle.before, before), ("After", principle.after, after)]
    {
        let [low, median, high] = cost.nanos.map(|nanos| format!("{nanos:.0}"));
        let instructions = cost.instructions;
        let _ = write!(text, "\n| {name}: {way} | {instructions} | {median} ({low} to {high}) |");
        if let Some(also) = cost.also {
            let _ = write!(text, " {also:.0} |");
        }
    }
    let share = |after: f64, before: f64| after / before * 100.0;
    let instructions = share(after.instructions as f64, before.instructions as f64);
    let nanos = share(after.nanos[1], before.nanos[1]);
    let _ = write!(text, "\n| After in % of before | {instructions:.0} | {nanos:.0} |");
    if let Some((after, before)) = after.also.zip(before.also) {
        let _ = write!(text, " {:.0} |", share(after, before));
    }
    text.push('\n');
    text
}

/// The chapter with a table in its place.
fn with_table(page: &str, name: &str, table: &str) -> Result<String, Wrong> {
    let begin = format!("<!-- principle: {name} -->\n");
    let (before, rest) = page.split_once(&begin).ok_or_else(|| format!("no {begin}"))?;
    let (_, after) = rest.split_once("<!-- end -->").ok_or("a table without an end")?;
    Ok(format!("{before}{begin}\n{table}\n<!-- end -->{after}"))
}
