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

/// What formats text. Errors of the small ORB are numbers.
const FORMATS: &str = "core::fmt::";

/// The compiler that the numbers below belong to. With others the image is not checked, which is a failure if the
/// environment has `REQUIRE_TOOLS=1`.
const COMPILER: &str = "rustc 1.95.0 ";

/// Where the image may panic: how many calls there are at most in functions whose names contain this. The linker leaves out
/// what nothing calls. None of these is ever made.
const ALLOWED: [(&str, usize); 3] = [
    // What a message is appended to grows if there is no room. The writer looks for room before, but the function that
    // appends is compiled once, for all that do.
    ("alloc::vec::Vec<T,A>::reserve", 1),
    // For the port of a listener, rustix checks the length of the address that the system returns.
    ("<main>", 1),
    // rustix copies the path of a Unix-domain socket into an array, octet by octet. Its length has been checked.
    ("zorb_nano::os::linux::unix::address", 1),
];

/// Checks that the image panics nowhere else, and formats nothing.
pub(crate) fn check(image: &Path) -> Result<(), Failed> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if !output(Command::new(rustc).arg("--version"))?.starts_with(COMPILER) {
        let required = crate::are_tools_required();
        return if required { Err(format!("not {COMPILER}").into()) } else { Ok(()) };
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
    let formats = code.lines().filter(|line| line.ends_with(">:") && line.contains(FORMATS));
    others.extend(formats.map(|line| format!("code that formats text: {line}")));
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
