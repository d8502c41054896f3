//! The size of the server of `examples/hello` on disk and in memory.

#[path = "../../../../examples/hello/tests/programs/relocated.rs"]
mod relocated;

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use crate::program::path;
use crate::tool;
use relocated::Relocated;

/// Octets of the program without symbols. It was 1,500,000 before exceptions carried their context and
/// options were typed sets with their help, their origins and what they override; and 1,650,000 before
/// thread pools and the policies about connections were called directly; and 1,800,000 before the ORB
/// was several crates, of which thin link-time optimization removes less; and 1,900,000 before replies that
/// wait for their clients, limits of messages in time and memory, and clients that wait in order; and 2,000,000
/// before connections closed when servers hang up, one budget for messages, and permitted local sockets; and
/// 2,100,000 before limits for all lanes of a process, thread models, default servants, replies with service contexts,
/// and the end on signals; and 2,300,000 before servant activators, failover with back-off, and ids of ORBs;
/// and 2,400,000 before POA managers that wait, rules for published addresses, the order of held requests, limits for
/// all clients of a process, and memory that is charged for what messages are decoded to; and 2,600,000 before metrics,
/// limits of decoded values and deferred replies for each address and of all connections together; and 2,650,000 before
/// end times of calls; and 2,675,000 before requests are forwarded, and calls are sent to many; and 2,725,000 before
/// connections in both directions (50,000), shares of threads for each address, and held requests that are withdrawn; and
/// 2,900,000 before memory that may be missing for names and keys, and connections that make room by shares of addresses;
/// and 2,960,000 before profiles that adapters encode once (15,000), and connections that wait without threads;
/// and 3,000,000 before pending calls over open connections had a path of their own, and local sockets refused descriptors.
const SIZE: u64 = 3_020_000;
/// Octets of memory that are resident in a server that has not been called; 3, 3.25, 3.5 and 3.75 MiB before, as above.
const AT_REST: u64 = 16 << 18;
/// The same after the first call, which has touched more of the program and of the C library.
const SERVED: u64 = 17 << 18;
/// Timeout for steps that normally take a moment.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        crate::trial("footprint/size".into(), tool::strip(), size),
        crate::trial("footprint/resident".into(), Ok(()), resident),
    ]
}

fn size() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let stripped = folder.path().join("hello-server");
    let mut command = Command::new("strip");
    let status = command.arg("-o").arg(&stripped).arg(path("hello-server")?).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("strip failed".to_owned());
    }
    let size = stripped.metadata().map_err(|error| error.to_string())?.len();
    if size <= SIZE { Ok(()) } else { Err(format!("{size} octets, more than {SIZE}")) }
}

/// A process that is killed at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How often the server is started. How much of it and of the C library is resident depends on where the loader puts
/// them, by up to 300 KiB; so the least counts, which a few starts may miss.
const STARTS: usize = 15;

/// The port that the example names.
const NAMED: u16 = 2809;

fn resident() -> Result<(), String> {
    let (server, client) = (path("hello-server")?, path("hello-client")?);
    let copies =
        Relocated::copies(&[&server, &client], NAMED).map_err(|error| error.to_string())?;
    let (server, client) = (copies.of(&server), copies.of(&client));
    leave_page_cache(&server).map_err(|error| format!("{}: {error}", server.display()))?;
    let once = |_| resident_once(&server, &client, copies.port);
    let measured: Result<Vec<_>, String> = (0..STARTS).map(once).collect();
    let (at_rest, served): (Vec<_>, Vec<_>) = measured?.into_iter().unzip();
    least_within("at rest", &at_rest, AT_REST)?;
    least_within("after a call", &served, SERVED)
}

fn least_within(when: &str, measured: &[u64], limit: u64) -> Result<(), String> {
    match measured.iter().min() {
        Some(least) if *least <= limit => Ok(()),
        _ => Err(format!("{when} the least of {measured:?} octets is more than {limit}")),
    }
}

/// Removes a program that was just written from the page cache, where it lies in larger pieces than one that was read. The
/// system maps such pieces whole: up to 300 KiB more are resident that nobody asked for.
fn leave_page_cache(program: &Path) -> std::io::Result<()> {
    let file = File::open(program)?;
    file.sync_all()?;
    Ok(rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?)
}

/// The resident memory when the server is ready, and after the first call.
fn resident_once(server: &Path, client: &Path, port: u16) -> Result<(u64, u64), String> {
    let mut command = Command::new(server);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let server = zorb_os::process::bind_to_this_process(&mut command).spawn();
    let mut server = Running(server.map_err(|error| error.to_string())?);
    let program = server.0.id().to_string();
    until(&mut server, || is_at_rest(&program, port))?;
    let at_rest = resident_now(&server)?;
    let greets = || Command::new(client).output().is_ok_and(|output| output.status.success());
    until(&mut server, greets)?;
    Ok((at_rest, resident_now(&server)?))
}

/// Whether the program listens, and its main thread is idle. It does not connect: a served connection would
/// have a thread.
fn is_at_rest(program: &str, port: u16) -> bool {
    let listens = format!("0100007F:{port:04X} 00000000:0000 0A");
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let status = std::fs::read_to_string(format!("/proc/{program}/stat")).unwrap_or_default();
    sockets.contains(&listens) && status.contains(") S ")
}

fn until(server: &mut Running, mut done: impl FnMut() -> bool) -> Result<(), String> {
    let begun = Instant::now();
    while !done() {
        if let Some(status) = server.0.try_wait().map_err(|error| error.to_string())? {
            return Err(format!("hello-server ended with {status}"));
        }
        if begun.elapsed() > LIMIT {
            return Err("hello-server does not reply".to_owned());
        }
    }
    Ok(())
}

fn resident_now(server: &Running) -> Result<u64, String> {
    // Counted by page: the value in `status` deviates by some pages per processor.
    let sums = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", server.0.id()));
    let sums = sums.map_err(|error| error.to_string())?;
    let line = sums.lines().find_map(|line| line.strip_prefix("Rss:"));
    let kib =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|kib| kib.parse().ok());
    kib.map(|kib: u64| kib << 10).ok_or_else(|| "no Rss in /proc".to_owned())
}
