//! Where the image can panic: the calls in its code.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

/// What functions are called to panic: parts of their names.
const PANICS: [&str; 10] = [
    "core::panicking::",
    "slice_index_fail",
    "len_mismatch_fail",
    "unwrap_failed",
    "expect_failed",
    "assert_failed",
    "capacity_overflow",
    "handle_error",
    "rust_begin_unwind",
    "alloc_error",
];

/// The compiler that the numbers below belong to. With others the image is not checked.
const COMPILER: &str = "rustc 1.95.0 ";

/// Where the image may panic: how many calls there are at most in functions whose names contain this. The linker leaves out
/// what nothing calls. Tests and fuzzing reach none of these.
const ALLOWED: [(&str, usize); 16] = [
    // Memory, while URLs are parsed and at start: the ORB reserves that of its buffers before, by functions that return
    // errors.
    ("::grow_one", 6),
    ("::do_reserve_and_handle", 1),
    ("::with_capacity_in", 2),
    ("Bump<T>::try_alloc", 2),
    // The program's own servant; the length of an address that the system returns, in rustix.
    ("<main>", 2),
    // Of rustix: a descriptor is not -1, and the name of a Unix-domain socket fits into an array of its size.
    ("::as_fd", 1),
    ("zorb_nano::os::linux::unix::address", 1),
    // The standard library's own indexes, in searches of text and in addresses, and its copies and times.
    ("core::net::parser::Parser", 3),
    ("core::str::pattern::CharSearcher", 1),
    ("core::slice::copy_from_slice_impl", 1),
    ("core::time::Duration>::new", 1),
    // The same in the state of a reader of values, which the ORB does not use: sizes of collections and counters.
    ("UniqueArcUninit", 1),
    ("BTreeMap", 1),
    ("Rc<T,A>::drop_slow", 1),
    ("Arc<T,A>::make_mut", 1),
    ("get_or_insert_default", 1),
];

/// Checks that the image panics nowhere else.
pub(crate) fn check(image: &Path) -> Result<(), Failed> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if !output(Command::new(rustc).arg("--version"))?.starts_with(COMPILER) {
        return Ok(());
    }
    let mut code = Command::new("objdump");
    code.args(["--disassemble", "--demangle", "--no-show-raw-insn"]).arg(image);
    let code = output(&mut code)?;
    let found = panicking(&code);
    if found.is_empty() {
        return Err("no function panics: the names of those that do have changed".into());
    }
    let mut left = ALLOWED;
    let mut others = Vec::new();
    for (function, calls) in found {
        let name = format!("<{function}>");
        match left.iter_mut().find(|(allowed, _)| name.contains(allowed)) {
            Some((_, count)) if *count >= calls => *count -= calls,
            _ => others.push(format!("{calls} more calls that panic in {function}")),
        }
    }
    if others.is_empty() { Ok(()) } else { Err(others.join("\n").into()) }
}

/// How often each function calls one that panics, in the output of `objdump`.
fn panicking(code: &str) -> BTreeMap<&str, usize> {
    let (mut function, mut found) = ("", BTreeMap::new());
    for line in code.lines() {
        let begin = line.strip_suffix(">:").and_then(|line| line.split_once(" <"));
        if let Some((_, name)) = begin {
            function = name;
        }
        let Some((_, target)) = line.split_once(" <").filter(|_| begin.is_none()) else { continue };
        if panics(target) && !panics(function) {
            *found.entry(function).or_default() += 1;
        }
    }
    found
}

fn panics(function: &str) -> bool {
    PANICS.iter().any(|part| function.contains(part))
}

/// What a program prints.
pub(crate) fn output(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into())
}
