//! The core of a GIOP server on a machine without an operating system, with one operation,
//! `any echo(in any value)`.
//!
//! The panic handler makes `std` a compile error wherever in the dependencies it comes from, also when
//! the target has one: `std` defines the same lang item.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::panic::PanicInfo;

use zorb_cdr::{TextCoding, Wire};
use zorb_giop::{MessageHeader, MessageWriter, ReplyStatus, RequestHeader};
use zorb_interp as _;
use zorb_nano as _;
use zorb_types::Any;

/// Decodes a Request, and encodes the Reply into `reply`.
///
/// # Errors
/// When `request` is not one whole Request with an `any` as its argument.
pub fn answer(request: &[u8], reply: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    let header = MessageHeader::parse_prefix(request)?.ok_or("shorter than a GIOP header")?;
    let (request, mut arguments) = RequestHeader::read(request, &header)?;
    let value = Any::read(&mut arguments)?;
    let (id, status) = (request.request_id, ReplyStatus::NoException);
    let mut message = MessageWriter::reply(reply, header.version, header.order, id, status, &[])?;
    Any::write(&value, &mut message.body(TextCoding::default()))?;
    Ok(message.finish()?)
}

#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
