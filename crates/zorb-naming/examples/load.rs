//! Measures naming services.
//!
//! ```text
//! load calls URL CLIENTS SECONDS     calls per second of any naming service: resolve, list, bind
//! load serve [DIR MODE]              serves names, in memory or in a store, at a port that it prints
//! load memory COUNT                  memory for each binding, and the time of resolve, with COUNT bindings
//! load restart DIR COUNT             the time of a start with COUNT stored bindings
//! ```
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use zorb::{Interface as _, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::{Batch, FileStore, FileStoreOptions, Store};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["calls", url, clients, seconds] => calls(url, clients.parse()?, seconds.parse()?),
        ["serve"] => serve(None),
        ["serve", folder, mode] => serve(Some((folder, mode))),
        ["memory", count] => memory(count.parse()?),
        ["restart", folder, count] => restart(folder, count.parse()?),
        _ => Err("see the comment at the start of the program".into()),
    }
}

fn component(id: String) -> NameComponent {
    NameComponent { id, kind: "object".to_owned() }
}

/// The kind of reference that servers bind: a type id, an address, a key of 28 octets, code sets.
fn object(orb: &Orb, of: &NamingContext) -> Outcome<ObjectRef> {
    let mut ior = of.as_object().ior().clone();
    ior.type_id = "IDL:acme.example/Plant/Pump:1.0".to_owned();
    Ok(orb.object(ior))
}

fn calls(url: &str, clients: usize, seconds: u64) -> Outcome<()> {
    let orb = Orb::builder().without_environment().build()?;
    let root: NamingContext = orb.resolve(url)?;
    let base = [component(format!("load{}", std::process::id()))];
    let context = root.bind_new_context(&base)?.ok_or("nil")?;
    let object = object(&orb, &context)?;
    for number in 0..100 {
        context.bind(&[component(number.to_string())], Some(&object))?;
    }
    let next = AtomicU64::new(0);
    let many = context.bind_new_context(&[component("many".to_owned())])?.ok_or("nil")?;
    let run = |operation: &str| -> u64 {
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut count = 0;
        let name = [component("50".to_owned())];
        while Instant::now() < end {
            let is_done = match operation {
                "resolve" => context.resolve(&name).is_ok(),
                "list" => context.list(200).is_ok(),
                _ => {
                    let id = next.fetch_add(1, Ordering::Relaxed).to_string();
                    many.bind(&[component(id)], Some(&object)).is_ok()
                }
            };
            count += u64::from(is_done);
        }
        count
    };
    for operation in ["resolve", "list", "bind"] {
        let all: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..clients).map(|_| scope.spawn(|| run(operation))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
        });
        println!("{operation:8} {clients:3} clients {:9} calls/s", all / seconds);
    }
    orb.shutdown(true)?;
    Ok(())
}

fn serve(stored: Option<(&str, &str)>) -> Outcome<()> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let naming = NamingOptions::default();
    let names = match stored {
        Some((folder, mode)) => {
            let options = FileStoreOptions::new().durability(mode.parse()?);
            let store = FileStore::open(folder, &options)?;
            NamingService::serve_stored(&orb, &naming, Arc::new(store))?
        }
        None => NamingService::serve(&orb, &naming)?,
    };
    names.publish(&orb)?;
    println!("corbaloc:{}/NameService", orb.endpoints().join(",").replace("iiop://", ":"));
    orb.run_until_signal()?;
    Ok(())
}

/// The octets of this process in memory.
fn resident() -> Outcome<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = pages.split(' ').nth(1).ok_or("no resident pages")?.parse()?;
    Ok(pages * 4096)
}

/// The median time of resolving names.
fn median(context: &NamingContext, count: u64) -> Outcome<Duration> {
    let mut times = Vec::new();
    for number in 0..20_000u64 {
        let name = [component((number.wrapping_mul(7_919) % count).to_string())];
        let start = Instant::now();
        context.resolve(&name)?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

fn memory(count: u64) -> Outcome<()> {
    let server = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let names = NamingService::serve(&server, &NamingOptions::default())?;
    let local: NamingContext = names.publish(&server)?.into();
    server.serve()?;
    let client = Orb::builder().without_environment().build()?;
    let remote: NamingContext = client.resolve(&local.to_ior_string())?;
    let object = object(&server, &local)?;
    for number in 0..10 {
        local.bind(&[component(number.to_string())], Some(&object))?;
    }
    let few = median(&remote, 10)?;
    let before = resident()?;
    let mut named = 0;
    for number in 10..count {
        let name = [component(number.to_string())];
        named += name[0].id.len() + name[0].kind.len();
        local.bind(&name, Some(&object))?;
    }
    let grown = (resident()? - before) as f64 - named as f64;
    println!(
        "reference  {} octets",
        object.ior().profiles.iter().map(|it| it.data.len()).sum::<usize>()
    );
    println!(
        "memory     {:.1} octets for each binding beside its name",
        grown / (count - 10) as f64
    );
    println!("resolve    {few:?} with 10 bindings, {:?} with {count}", median(&remote, count)?);
    client.shutdown(true)?;
    server.shutdown(true)?;
    Ok(())
}

fn restart(folder: &str, count: u64) -> Outcome<()> {
    let options = FileStoreOptions::new();
    let reference = {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
        let store: Arc<dyn Store> = Arc::new(FileStore::open(folder, &options)?);
        let names =
            NamingService::serve_stored(&orb, &NamingOptions::default(), Arc::clone(&store))?;
        let root: NamingContext = names.root()?.into();
        root.bind(&[component("first".to_owned())], Some(&object(&orb, &root)?))?;
        let mut value = Vec::new();
        store.scan("naming.bindings", &mut |_, row| {
            value = row.to_vec();
            std::ops::ControlFlow::Break(())
        })?;
        for block in 0..count.div_ceil(10_000) {
            let mut batch = Batch::new();
            for number in block * 10_000..((block + 1) * 10_000).min(count) {
                let key = [&[0; 8], number.to_string().as_bytes(), b"\0object"].concat();
                batch.push("naming.bindings".into(), key, Some(value.clone()));
            }
            store.commit(batch)?;
        }
        orb.shutdown(true)?;
        value
    };
    let before = resident()?;
    let start = Instant::now();
    let store = Arc::new(FileStore::open(folder, &options)?);
    let opened = start.elapsed();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let names = NamingService::serve_stored(&orb, &NamingOptions::default(), store)?;
    println!("start      {:?}, of which opening the store {opened:?}", start.elapsed());
    println!("bindings   {}, each with {} octets", names.statistics().bindings, reference.len());
    println!("memory     {:.1} octets for each", (resident()? - before) as f64 / count as f64);
    orb.shutdown(true)?;
    Ok(())
}
