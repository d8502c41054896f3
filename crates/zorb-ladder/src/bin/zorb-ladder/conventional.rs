//! A peer of `zorb bench conventional` that spends its time as conventional ORBs did, which D. C. Schmidt, A. Gokhale,
//! T. Harrison and G. Parulkar measured for *A High-Performance End System Architecture for Real-Time CORBA* (1997).
//!
//! It has the sources of overhead that they list:
//!
//! - **Conversions and copies.** The engine is `interp0`: types are interpreted, each element by calls through pointers. The
//!   encoded argument is copied to the message, a received message to the request, and a decoded result to the caller.
//! - **Demultiplexing in layers.** The server compares the object key with one object after the other, and the name of the
//!   operation with one operation after the other.
//! - **Buffering.** Every request and reply allocates its buffers. Messages are written and read in pieces of 8 KiB, and the
//!   header is read for itself.
//! - **Threads.** The thread that reads from a connection gives each message to another thread, through a queue with a lock.

mod client;
mod message;
mod server;
mod values;

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use socket2::SockRef;
use zorb_bench::Result;
use zorb_bench::peer::UNSUPPORTED;

/// The options of `bench/peers/PROTOCOL.md`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The transport; only iiop is supported
    #[arg(long, default_value = "iiop")]
    transport: String,
    /// The path of the server's socket, which TCP does not need
    #[arg(long)]
    path: Option<PathBuf>,
    /// The processor to run on
    #[arg(long)]
    cpu: Option<usize>,
    /// The least number of connections
    #[arg(long, default_value_t = 128)]
    connections: usize,
    /// The size of socket buffers in octets
    #[arg(long)]
    socket_queue: Option<usize>,
}

impl Options {
    /// Prepares the process; `false` if it does not support the options.
    fn begin(&self) -> Result<bool> {
        if let Some(cpu) = self.cpu {
            zorb_bench::processor::pin(cpu)?;
        }
        Ok(self.transport == "iiop")
    }

    fn tune(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let socket = SockRef::from(stream);
        if let Some(octets) = self.socket_queue {
            socket.set_send_buffer_size(octets)?;
            socket.set_recv_buffer_size(octets)?;
        }
        Ok(())
    }
}

#[derive(Args, Debug)]
pub(crate) struct ServerArguments {
    #[command(flatten)]
    options: Options,
}

#[derive(Args, Debug)]
pub(crate) struct ClientArguments {
    /// The address that the server printed
    address: String,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn serve(arguments: &ServerArguments) -> Result<ExitCode> {
    match arguments.options.begin()? {
        true => server::serve(&arguments.options).map(|()| ExitCode::SUCCESS),
        false => Ok(ExitCode::from(UNSUPPORTED)),
    }
}

pub(crate) fn call(arguments: ClientArguments) -> Result<ExitCode> {
    match arguments.options.begin()? {
        true => client::answer(arguments).map(ExitCode::from),
        false => Ok(ExitCode::from(UNSUPPORTED)),
    }
}
