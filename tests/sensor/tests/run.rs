//! The program does what the image of `examples/nano` does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use zorb_os::process::bind_to_this_process;

#[test]
fn one_program_reads_the_sensor_of_another() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zorb-sensor"));
    command.args(["serve", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut server = bind_to_this_process(&mut command).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let port = said.trim().strip_prefix("port ").unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/sensor");
    let client = Command::new(env!("CARGO_BIN_EXE_zorb-sensor")).args(["read", &url]).output();
    server.kill().unwrap();
    server.wait().unwrap();
    let client = client.unwrap();
    assert_eq!(String::from_utf8_lossy(&client.stdout), "value 1013\nchannels 8\n", "{client:?}");
    assert!(client.status.success());
}
