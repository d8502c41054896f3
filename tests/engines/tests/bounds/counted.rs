//! What compiled code does, counted by callgrind in a process of its own.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, TextCoding};

use crate::bodies::{Body, compiled_bodies};
use crate::values::{Pick, Values};

/// Set in the process that is counted.
const COUNTED: &str = "BOUNDS_COUNTED";
/// The longest values with each case of unions.
pub(crate) const CASES: usize = 3;

/// Calls of what reads or writes a value, or several at once. Builds of tests are not optimized: each is a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
}

/// Where callgrind writes its counts: it knows this name.
#[inline(never)]
fn mark_bounds(of: usize) {
    black_box(of);
}

/// Whether this is the process that is counted.
pub(crate) fn is_counted() -> bool {
    std::env::var_os(COUNTED).is_some()
}

/// The work that is counted: values of each body are read and written between two marks.
pub(crate) fn work() {
    let text = TextCoding::UNICODE;
    for body in compiled_bodies() {
        for case in 0..CASES {
            let (mut octets, mut again) = (Vec::new(), Vec::new());
            let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(text);
            let mut values = Values::new(Pick::Most(case));
            for part in &body.parts {
                values.write(&(part.type_code)(), &mut writer).expect("a value");
            }
            let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE).with_text(text);
            let mut writer = CdrWriter::new(&mut again, ByteOrder::NATIVE).with_text(text);
            mark_bounds(case);
            for part in &body.parts {
                (part.marshal)(&mut reader, &mut writer).expect("a value");
            }
            mark_bounds(case);
        }
    }
}

/// Runs the test `name` in a process that is counted. Returns what each body took at most; nothing without valgrind, unless
/// it is required.
pub(crate) fn count(name: &str) -> Option<Vec<(Body, Calls)>> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("counts");
    let mut command = Command::new("valgrind");
    command
        .args(["-q", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg("--dump-before=*mark_bounds*")
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().expect("a path"))
        .args([name, "--exact", "--nocapture"])
        .env(COUNTED, "1")
        .stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            let required = std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0");
            assert!(!required, "valgrind: {error}");
            eprintln!("not counted: valgrind: {error}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bodies = compiled_bodies();
    let mut numbers = (1..).step_by(2);
    let counted = bodies.into_iter().map(|body| {
        let mut most = Calls::default();
        for number in numbers.by_ref().take(CASES) {
            // Counts are written at every mark: those of a body at its second one.
            let path = format!("{}.{}", file.display(), number + 1);
            let calls = calls(Path::new(&path));
            most.reads = most.reads.max(calls.reads);
            most.writes = most.writes.max(calls.writes);
        }
        // The exception's id is read and written by stubs and skeletons.
        let id = u64::from(body.id.is_some());
        (body, Calls { reads: most.reads + id, writes: most.writes + id })
    });
    Some(counted.collect())
}

/// What reads or writes a value, or several at once.
const PRIMITIVES: [&str; 4] = ["CdrReader", "CdrWriter", "FixedReader", "FixedWriter"];
/// What makes room for several numbers, which are then read or written one by one.
const BLOCKS: [&str; 3] = ["wire::read_one", "wire::read_run", "wire::write_blocks"];

/// The calls of primitives in a profile, without those that primitives make.
fn calls(path: &Path) -> Calls {
    let text = std::fs::read_to_string(path).expect("a profile");
    let mut found = Calls::default();
    let (mut is_inside, mut called) = (false, "");
    for line in text.lines() {
        let contains = |names: &[&str]| names.iter().any(|name| line.contains(name));
        if line.starts_with("fn=") {
            is_inside = contains(&PRIMITIVES) || contains(&BLOCKS);
        } else if line.starts_with("cfn=") {
            let is_primitive = contains(&PRIMITIVES) && !line.contains("{{closure}}");
            called = if is_primitive { line.rsplit("::").next().unwrap_or_default() } else { "" };
        } else if let Some(counts) = line.strip_prefix("calls=").filter(|_| !is_inside) {
            let count = counts.split(' ').next().and_then(|count| count.parse::<u64>().ok());
            let count = count.expect("a count");
            if called.starts_with("read_") || called.starts_with("take") {
                found.reads += count;
            } else if called.starts_with("write_")
                || called.starts_with("put")
                || called == "reserve"
            {
                found.writes += count;
            }
        }
    }
    found
}
