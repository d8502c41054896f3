//! ZIOP: compression of GIOP messages (CORBA 3.3 part 2, clause 12).
//!
//! A message is compressed if client and server permit it by the policy [`CompressionEnabling`] and have a compressor in
//! common, if its body is large enough ([`CompressionLowValue`]), and if it becomes small enough
//! ([`CompressionMinRatio`]). Clients learn a server's policies from its references, and servers those of a client from
//! the service context `INVOCATION_POLICIES` of each request. The compressors are zlib and, with the feature `zstd`,
//! Zstandard.
//!
//! ```text
//!  0   4 5 6     7    8        12         14  16              20          24
//! +----+---+-----+----+--------+----------+---+---------------+-----------+------+
//! |ZIOP|1 2|flags|type|  size  |compressor|   |original length|data length| data |
//! +----+---+-----+----+--------+----------+---+---------------+-----------+------+
//! ```
//!
//! The data is the body of the GIOP message, compressed: what follows its header of twelve octets. The header is that of
//! GIOP 1.2 but for its first four octets. Fragments are compressed one by one.
//!
//! Compression is a [stream](zorb_transport::Stream) between a connection and its transport, which knows messages and
//! nothing of calls. The stream that receives gives the connection the header of the original message first, whose size
//! the connection checks and charges like that of any message, and then decompresses as much at a time as the
//! connection has room for: no more than 16 KiB are in memory here, beside the state of the compressor. Data that
//! becomes longer or shorter than the message says ends the connection, and so does a ratio above the option `ZiopMaxRatio`.
//! Compressors that this side has not announced are unknown to it.
//!
//! [`attach`] adds it to an ORB; the facade does so with its feature `ziop`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod accepted;
mod attach;
mod choice;
mod context;
mod deflate;
mod incoming;
mod inflate;
mod inflated;
mod memory;
mod message;
mod options;
mod outgoing;
mod policy;
mod requests;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(feature = "zstd")]
mod zstd;

pub use attach::attach;
#[doc(hidden)]
pub use incoming::{Incoming, Step};
pub use options::{SetZiopOptions, ZiopOptions};
pub use policy::{
    CompressionEnabling, CompressionLowValue, CompressionMinRatio, CompressorId, CompressorIdLevel,
    CompressorIdLevelList, enabled,
};
