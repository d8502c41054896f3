//! Tests that need a process of their own.

use std::fs::File;
use std::process::{Command, Output};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The variable that contains the name of the test in such a process.
const OWN_PROCESS: &str = "TEST_OWN_PROCESS";

/// Runs a test in a process of its own: it may change what belongs to the process, and count what the process does.
///
/// `name` is the test's name as Cargo's test harness shows it. Call this first in the test, from a function with
/// `#[test]`; it runs the test program again, for this test alone, and `body` there.
///
/// ```no_run
/// // In the module `limits` of a test program:
/// # #[expect(clippy::test_attr_in_doctest, reason = "it is about tests")]
/// #[test]
/// fn a_process_may_lower_its_limits() {
///     zorb_testkit::in_own_process("limits::a_process_may_lower_its_limits", || { /* … */ });
/// }
/// ```
///
/// # Panics
/// If `body` panics, or there is no test of that name.
#[expect(clippy::print_stdout, reason = "the test harness shows what the test has printed")]
pub fn in_own_process(name: &str, body: impl FnOnce()) {
    let Some(output) = end_of_own_process(name, body) else { return };
    let shown = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} in its own process:\n{shown}{errors}");
    assert!(shown.contains("1 passed"), "no test is named {name}:\n{shown}{errors}");
    print!("{shown}");
}

/// Runs a test in a process of its own as [`in_own_process`] does, and returns how that ended, which may be with a
/// failure. `None` in that process.
///
/// # Panics
/// If `body` panics, or the process cannot be started.
pub fn end_of_own_process(name: &str, body: impl FnOnce()) -> Option<Output> {
    if std::env::var(OWN_PROCESS).is_ok_and(|wanted| wanted == name) {
        body();
        return None;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--include-ignored", "--nocapture"]).env(OWN_PROCESS, name);
    Some(command.output().unwrap())
}

/// Takes all descriptors that are left to the process, whose limit it lowers; they are free again when the files are
/// dropped. For a process of the test's [own](in_own_process).
///
/// # Panics
/// If the limit cannot be lowered.
#[must_use]
pub fn exhaust_descriptors() -> Vec<File> {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let limit = Rlimit { current: Some(open as u64 + 64), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).unwrap();
    std::iter::from_fn(|| File::open("/dev/null").ok()).collect()
}

/// Sets the limit of the process's descriptors, which its system permits. For a process of the test's
/// [own](in_own_process).
///
/// # Panics
/// If the limit cannot be set.
pub fn limit_descriptors(count: u64) {
    let limit = Rlimit { current: Some(count), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// Lowers the limit of the address space so that `octets` are left to the process. For a process of the test's
/// [own](in_own_process).
///
/// # Panics
/// If the limit cannot be lowered.
pub fn limit_address_space(octets: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let used: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    let current = Some(used * 1024 + octets);
    setrlimit(Resource::As, Rlimit { current, ..getrlimit(Resource::As) }).unwrap();
}

/// Sets the limit of the size of files that the process writes, in octets; `None` for the most that is permitted. Exceeding it
/// raises SIGXFSZ, which must be ignored. For a process of the test's own.
///
/// # Panics
/// If the limit cannot be set.
pub fn limit_file_size(octets: Option<u64>) {
    let limits = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: octets.or(limits.maximum), ..limits }).unwrap();
}

/// The number of open sockets of this process.
#[must_use]
pub fn open_sockets() -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let targets = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}
