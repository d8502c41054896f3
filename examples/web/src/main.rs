//! A web server in front of a CORBA object, both on tokio: the handlers of axum await pending calls, and the servant
//! awaits a database. It ends with its input.
#![allow(clippy::print_stdout, reason = "a program's output")]

mod pages;
mod shelves;

use std::error::Error;
use std::io;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;
use zorb::Orb;
use zorb::poa::AsyncServant;

use shelves::Shelves;
use shop::Stock;

zorb::include_idl!("shop");

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(run());
    // After an error, threads may still wait for the ORB or for input.
    runtime.shutdown_background();
    ended
}

async fn run() -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let tokio = Handle::current();
    let shelves = Arc::new(Shelves::new()?);
    let servant = AsyncServant::shared(Arc::clone(&shelves), move |task| drop(tokio.spawn(task)));
    let stock: Stock = orb.root_poa().activate(servant)?;
    let running = orb.clone();
    // It blocks until the ORB has been shut down.
    let served = spawn_blocking(move || running.run());

    // Usually in another process.
    let client = Orb::new()?;
    let stock: Stock = client.resolve(&stock.as_ref().to_ior_string())?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, pages::of(stock)).with_graceful_shutdown(end_of_input()).await?;

    // Clients that have stopped waiting do not end the calls of the servant.
    shelves.close();
    spawn_blocking(move || orb.shutdown(true)).await??;
    served.await??;
    Ok(())
}

async fn end_of_input() {
    let read = || io::copy(&mut io::stdin(), &mut io::sink());
    // Also if it cannot be read.
    let _ = spawn_blocking(read).await;
}
