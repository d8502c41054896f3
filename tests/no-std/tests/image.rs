//! The static image of `examples/nano`: its size, where it can panic, and a call from one to another.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use libtest_mimic::Failed;

use crate::panics::{self, output};
use crate::{cargo, target_folder};

/// Linux with a C library that is small and static.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-musl";

/// Octets of the file, without symbols.
const MAX_SIZE: u64 = 128 * 1024;

/// Octets of the ORB's code, with the program's: the linker merges what is called once into `main`.
const MAX_CODE: u64 = 64 * 1024;

/// KiB of stack that a server or a client has touched after calls, with the arguments; and of all its memory.
const MAX_STACK: u64 = 24;
const MAX_RESIDENT: u64 = 1536;

/// Checks the memory that a process has touched.
fn check_memory(process: u32) -> Result<(), Failed> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/smaps"))?;
    let resident = |lines: &str, name: &str| {
        let line = lines.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
    };
    // The line with the name of a mapping precedes those with its sizes.
    let (_, stack) = maps.split_once("[stack]").ok_or("no stack in smaps")?;
    let stack = resident(stack, "Rss:").ok_or("no size of the stack")?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let all = resident(&status, "VmRSS:").ok_or("no VmRSS")?;
    if stack > MAX_STACK || all > MAX_RESIDENT {
        return Err(format!("{stack} KiB of stack and {all} KiB in all are resident").into());
    }
    Ok(())
}

/// Checks the size of the functions of the ORB.
fn check_code(image: &Path) -> Result<(), Failed> {
    let symbols = output(Command::new("nm").args(["--print-size", "--demangle"]).arg(image))?;
    let code = symbols.lines().filter_map(|line| {
        let mut words = line.splitn(4, ' ').skip(1);
        let size = u64::from_str_radix(words.next()?, 16).ok()?;
        let is_code = words.next()?.eq_ignore_ascii_case("t");
        let name = words.next()?;
        (is_code && (name == "main" || name.contains("zorb_"))).then_some(size)
    });
    let code: u64 = code.sum();
    let is_right = (32 * 1024..=MAX_CODE).contains(&code);
    if is_right {
        Ok(())
    } else {
        Err(format!("{code} octets of code; the limit is {MAX_CODE}").into())
    }
}

/// Builds the image, and has one serve another.
pub(crate) fn test() -> Result<(), Failed> {
    // Symbols say which function can panic.
    let symbols = ["--config", "profile.release.strip=\"none\""];
    let build = [&["build", "--release", "--target", TARGET][..], &symbols].concat();
    cargo("../../examples/nano", &build)?;
    let built = target_folder().join(TARGET).join("release/nano");
    panics::check(&built)?;
    check_code(&built)?;
    let image = built.with_extension("stripped");
    output(Command::new("strip").arg("-o").arg(&image).arg(&built))?;
    let size = image.metadata()?.len();
    if size > MAX_SIZE {
        return Err(format!("the image has {size} octets; the limit is {MAX_SIZE}").into());
    }
    let mut server = start(&image, "serve 127.0.0.1:0")?;
    let said = lines(&mut server, 1);
    let id = server.id();
    let read = said.and_then(|said| {
        let port = said.first().and_then(|line| line.strip_prefix("port "));
        let port = port.ok_or_else(|| format!("the server says {said:?}"))?;
        let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/sensor");
        let mut client = start(&image, &format!("read {url}"))?;
        let said = lines(&mut client, 2)?;
        let status = client.wait()?;
        let is_right = said == ["value 1013", "channels 8"] && status.success();
        if !is_right {
            return Err(format!("the client says {said:?}, {status}").into());
        }
        check_memory(id)?;
        check_client(&image, &url)
    });
    server.kill()?;
    server.wait()?;
    read
}

/// The number of octets that a pipe takes, and those of the first line that the client says.
const PIPE: usize = 64 * 1024;
const FIRST_LINE: usize = "value 1013\n".len();

/// Checks the memory of a client after its last call: its output takes the first line and no octet of the second, so that
/// the client waits with what the call has returned.
fn check_client(image: &Path, url: &str) -> Result<(), Failed> {
    let (mut output, mut input) = std::io::pipe()?;
    input.write_all(&vec![b'.'; PIPE - FIRST_LINE])?;
    let mut client = start_to(image, &format!("read {url}"), Stdio::from(input))?;
    let id = client.id();
    let checked = wait_for_write(&mut client).and_then(|()| check_memory(id));
    let mut said = String::new();
    output.read_to_string(&mut said)?;
    let status = client.wait()?;
    checked?;
    let is_right = said.ends_with(".value 1013\nchannels 8\n") && status.success();
    if is_right { Ok(()) } else { Err(format!("the client says {said:?}, {status}").into()) }
}

/// Waits until a process waits in a system call that writes: only a full pipe makes it.
fn wait_for_write(process: &mut Child) -> Result<(), Failed> {
    let path = format!("/proc/{}/syscall", process.id());
    // The number of `write`, then its arguments.
    while !std::fs::read_to_string(&path)?.starts_with("1 ") {
        if let Some(status) = process.try_wait()? {
            return Err(format!("the client ends: {status}").into());
        }
        std::thread::yield_now();
    }
    Ok(())
}

/// Starts the image with an order.
fn start(image: &Path, order: &str) -> Result<Child, Failed> {
    start_to(image, order, Stdio::piped())
}

/// The same with this output.
fn start_to(image: &Path, order: &str, output: Stdio) -> Result<Child, Failed> {
    // The environment would be on the stack.
    let mut child = Command::new(image).env_clear().stdin(Stdio::piped()).stdout(output).spawn()?;
    // The end of the input ends the order, too.
    let mut input = child.stdin.take().ok_or("no input")?;
    writeln!(input, "{order}")?;
    Ok(child)
}

/// Its next lines of output, or those before its end.
fn lines(child: &mut Child, count: usize) -> Result<Vec<String>, Failed> {
    let output = child.stdout.take().ok_or("no output")?;
    Ok(BufReader::new(output).lines().take(count).collect::<Result<_, _>>()?)
}
