//! A sensor in a static image: the server of `sensor.idl`, and a client that reads one.
//!
//! The image takes its orders from its input, as it has no `std` to look at arguments with:
//!
//! ```text
//! serve 127.0.0.1:0                              says its address, and serves until it is killed
//! read corbaloc:iiop:1.2@127.0.0.1:PORT/sensor   calibrates, reads channel 3 and says what came back
//! ```
#![no_std]
#![no_main]
#![deny(unsafe_code)]

mod console;
mod memory;
mod sensor;

use core::panic::PanicInfo;

use rustix::process::{Signal, getpid, kill_process};
use zorb_nano::{Client, Limits, Linux, Reference, Server, SystemException};

use console::{Line, say, say_number};
use idl::{ReadError, Sensor, SensorSkeleton};
use memory::Memory;
use sensor::Thermometer;

/// Generated from `sensor.idl`.
mod idl {
    include!(concat!(env!("OUT_DIR"), "/sensor.rs"));

    pub(crate) use sensor::{NoChannel, ReadError};
}

#[global_allocator]
static MEMORY: Memory<{ 128 * 1024 }> = Memory::new();

const LIMITS: Limits = Limits::DEFAULT.max_message_size(1024).max_connections(4);

/// The entry, which the C library's start-up code calls.
#[expect(unsafe_code, reason = "no other item of the image has this name")]
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let Some(line) = Line::read() else { return 2 };
    let done = match line.words() {
        ("serve", address) => serve(address),
        ("read", url) => read(url),
        _ => return 2,
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            say_number("exception ", i64::from(error.kind as u8));
            say_number("minor ", i64::from(error.minor.0));
            1
        }
    }
}

fn serve(address: &str) -> Result<(), SystemException> {
    let Ok(address) = address.parse() else { return Ok(say("no address\n")) };
    // To put it into a box would be an allocation that panics without memory.
    let mut sensor = SensorSkeleton(Thermometer::new());
    let mut server = Server::new(Linux::new(6), address, LIMITS)?;
    server.register_borrowed(b"sensor", &mut sensor)?;
    say_number("port ", i64::from(server.address().port()));
    #[cfg(feature = "key-index")]
    for octet in server.indexed_reference(b"sensor")?.key() {
        say_number("key ", i64::from(*octet));
    }
    while server.perform_work(None).is_ok() {}
    Ok(())
}

fn read(url: &str) -> Result<(), SystemException> {
    let mut client = Client::new(Linux::new(4), LIMITS);
    let sensor = Sensor(Reference::parse(url)?);
    sensor.calibrate(&mut client, 1000)?;
    for channel in [3, 99] {
        match sensor.read(&mut client, channel) {
            Ok(value) => say_number("value ", i64::from(value)),
            Err(ReadError::NoChannel(error)) => say_number("channels ", i64::from(error.channels)),
            Err(ReadError::System(error)) => return Err(error),
        }
    }
    Ok(())
}

#[panic_handler]
fn stop(_: &PanicInfo<'_>) -> ! {
    say("panic\n");
    let _ = kill_process(getpid(), Signal::ABORT);
    loop {
        core::hint::spin_loop();
    }
}
