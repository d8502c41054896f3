//! A small ORB for machines with little memory: no `std`, no thread of its own, no allocation after start.
//!
//! A [`Client`] makes calls, and a [`Server`] serves objects, over what an operating system offers behind the trait
//! [`Os`]: [`Linux`] is one, and a program for another system implements its nine functions. Both speak GIOP 1.0 to
//! 1.2 with any ORB, by the same code for messages and their encoding as the full ORB: `zorb-cdr`, `zorb-giop` and
//! `zorb-types`. Features of the crate add [Unix-domain sockets and UDP](Address), GIOPlite, and
//! [lanes](Endpoint::priority).
//!
//! ```no_run
//! # #[cfg(feature = "linux")] mod example {
//! use zorb_nano::{Answer, Client, Interface, Limits, Linear, Linux, Reader, Reference, Servant};
//! use zorb_nano::{Server, SystemException, Writer};
//!
//! /// interface Adder { long add(in long a, in long b); };
//! static ADDER: Interface = Interface { ids: &["IDL:Adder:1.0"], operations: &Linear(&["add"]) };
//!
//! struct Adder;
//!
//! impl Servant for Adder {
//!     fn interface(&self) -> &'static Interface {
//!         &ADDER
//!     }
//!
//!     fn invoke(
//!         &mut self,
//!         _operation: usize, // 0, the only one
//!         arguments: &mut Reader<'_>,
//!         results: &mut Writer<'_>,
//!     ) -> Result<Answer, SystemException> {
//!         let (a, b) = (arguments.read::<i32>()?, arguments.read::<i32>()?);
//!         arguments.end()?;
//!         results.write::<i32>(&a.wrapping_add(b))?;
//!         Ok(Answer::Results)
//!     }
//! }
//!
//! fn serve() -> Result<(), SystemException> {
//!     let endpoint = "192.0.2.7:2809".parse()?;
//!     let mut server = Server::new(Linux::new(10), endpoint, Limits::DEFAULT)?;
//!     server.register(b"adder", Box::new(Adder))?;
//!     while server.perform_work(None).is_ok() {}
//!     Ok(())
//! }
//!
//! fn call() -> Result<(), SystemException> {
//!     let adder = Reference::parse("corbaloc:iiop:1.2@192.0.2.7:2809/adder")?;
//!     let mut client = Client::new(Linux::new(8), Limits::DEFAULT);
//!     let mut reply = client.call(&adder, "add", &mut |arguments| {
//!         arguments.write::<i32>(&2)?;
//!         arguments.write::<i32>(&3)
//!     })?;
//!     assert_eq!(reply.results()?.read::<i32>()?, 5);
//!     Ok(())
//! }
//! # }
//! ```
//!
//! **Memory.** [`Client::new`] and [`Server::new`] allocate all buffers, sized by [`Limits`]; registration and the parsing
//! of an `IOR:` allocate too. Without memory these fail with `NO_MEMORY`, and so do the calls of a client without
//! buffers. After that neither allocates, whatever the peer sends.
//!
//! **Left out**, and what happens instead: fragments, and messages above the limit (the connection is closed); host names
//! that are no addresses (`INV_OBJREF`); targets that are whole references (the client is asked for the object key);
//! `_interface` and `_component` (`NO_IMPLEMENT`); wide text, `any`, values, interceptors, DII and DSI have no API.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod address;
mod client;
#[doc(hidden)]
pub mod codegen;
mod endpoint;
mod exception;
mod head;
mod host;
mod inbound;
mod interface;
mod limits;
mod link;
mod os;
mod plain;
mod profile;
mod reader;
mod reference;
mod request;
mod room;
mod sequence;
mod server;
mod text;
mod time;
mod url;
mod writer;

pub use address::Address;
#[cfg(feature = "unix")]
pub use address::SocketName;
pub use arrayvec::ArrayVec;
pub use client::{Arguments, Client, Reply};
pub use endpoint::Endpoint;
pub use exception::SystemException;
pub use interface::{Answer, Interface, Linear, Lookup, Servant};
pub use limits::Limits;
#[cfg(feature = "linux")]
pub use os::Linux;
pub use os::{Interest, MAX_POLLED, Os, OsError, Socket};
pub use plain::{Plain, TypedReference};
pub use profile::MAX_ENDPOINTS;
pub use reader::Reader;
pub use reference::{MAX_KEY, Reference};
pub use sequence::{Elements, Sequence};
pub use server::Server;
pub use text::{BoundedText, Text};
pub use writer::Writer;
pub use zorb_cdr::{Octets, Wire};
pub use zorb_types::{CompletionStatus, MinorCode, Operations, SystemExceptionKind, minor};

/// The result of a call: generated stubs and servants return it.
pub type Result<T, E = SystemException> = core::result::Result<T, E>;

/// The bound of a `string` or `sequence` without one.
pub const UNBOUNDED: u32 = u32::MAX;
