//! The application of `examples/nano` on the full ORB: `cargo xtask footprint --nano` compares their sizes.
//!
//! ```text
//! zorb-sensor serve 127.0.0.1:0                              says its port, and serves until it is killed
//! zorb-sensor read corbaloc:iiop:1.2@127.0.0.1:PORT/sensor   calibrates, reads channel 3 and prints the results
//! ```
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::sync::atomic::{AtomicI32, Ordering};

use idl::sensor::{NoChannel, ReadError};
use idl::{Sensor, SensorServant};
use zorb::Orb;

/// Generated from `sensor.idl`.
mod idl {
    zorb::include_idl!("sensor");
}

/// A sensor with eight channels.
struct Thermometer {
    values: [i32; 8],
    offset: AtomicI32,
}

impl SensorServant for Thermometer {
    fn read(&self, channel: i32) -> Result<i32, ReadError> {
        let value = usize::try_from(channel).ok().and_then(|channel| self.values.get(channel));
        match value {
            Some(value) => Ok(value.wrapping_add(self.offset.load(Ordering::Relaxed))),
            None => Err(NoChannel { channels: self.values.len() as i32 }.into()),
        }
    }

    fn calibrate(&self, offset: i32) {
        self.offset.store(offset, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", address] => serve(address)?,
        ["read", url] => read(url)?,
        _ => return Err("serve ADDRESS or read URL".into()),
    }
    Ok(())
}

fn serve(address: &str) -> Result<(), zorb::Error> {
    let orb = Orb::builder().listen(format!("iiop://{address}")).build()?;
    let values = [10, 11, 12, 13, 14, 15, 16, 17];
    let sensor: Sensor =
        orb.root_poa().activate(Thermometer { values, offset: AtomicI32::new(0) })?;
    orb.publish("sensor", &sensor)?;
    orb.serve()?;
    let endpoints = orb.endpoints();
    let port = endpoints.first().and_then(|endpoint| endpoint.rsplit(':').next());
    println!("port {}", port.unwrap_or_default());
    orb.run_until_signal()
}

fn read(url: &str) -> Result<(), zorb::Error> {
    let orb = Orb::new()?;
    let sensor: Sensor = orb.resolve(url)?;
    sensor.calibrate(1000)?;
    for channel in [3, 99] {
        match sensor.read(channel) {
            Ok(value) => println!("value {value}"),
            Err(ReadError::NoChannel(error)) => println!("channels {}", error.channels),
            Err(ReadError::System(error)) => return Err(error.into()),
        }
    }
    Ok(())
}
