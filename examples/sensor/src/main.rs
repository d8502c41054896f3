//! A sensor that serves its values, in a static image without `std`.
#![no_std]
#![no_main]
#![deny(unsafe_code)]

extern crate alloc;

use alloc::boxed::Box;
use core::panic::PanicInfo;

use static_alloc::Bump;
use zorb_nano::{Limits, Linux, Result, Server};

include!(concat!(env!("OUT_DIR"), "/sensor.rs"));

/// All the memory there is. The ORB allocates at start, and nothing is freed.
#[global_allocator]
static MEMORY: Bump<[u8; 64 * 1024]> = Bump::uninit();

/// The servant: a sensor with eight channels.
struct Thermometer {
    offset: i32,
}

impl SensorServant for Thermometer {
    fn read(&mut self, channel: i32) -> Result<i32, sensor::ReadError> {
        match channel {
            0..8 => Ok(channel.wrapping_add(self.offset)),
            _ => Err(sensor::NoChannel { channels: 8 }.into()),
        }
    }

    fn calibrate(&mut self, offset: i32) {
        self.offset = offset;
    }
}

fn serve() -> Result<()> {
    let limits = Limits::DEFAULT.max_message_size(1024).max_connections(4);
    // A socket for each connection, and two more.
    let mut server = Server::new(Linux::new(6), "0.0.0.0:2809".parse()?, limits)?;
    server.register(b"sensor", Box::new(SensorSkeleton(Thermometer { offset: 0 })))?;
    while server.perform_work(None).is_ok() {}
    Ok(())
}

#[expect(unsafe_code, reason = "no other item of the image has this name")]
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    i32::from(serve().is_err())
}

#[panic_handler]
fn stop(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
