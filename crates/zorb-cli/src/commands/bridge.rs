//! `zorb bridge`: passes calls on from one protocol to another.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use zorb::ObjectRef;
use zorb::giop::Ior;
use zorb_bridge::{Bridge, Settings, Statistics};

use crate::commands::ior;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen::{self, counted};

/// Pass calls on from one protocol to another, as they are: between TCP, Unix-domain sockets, shared
/// memory and TLS, GIOP and GIOPlite
///
/// It listens where it is told to and leads to one object. The reference for clients is printed: the
/// object's, with the addresses of the bridge. Requests and replies go over octet for octet; nothing
/// in them is decoded but their headers. It serves until Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb bridge --listen uiop:///run/greeter --to greeter.ior
  zorb bridge --listen iiop://:2809 --to \"$(cat greeter.ior)\" --ior bridged.ior
  zorb bridge --listen ssliop://:2810 --to corbaloc::localhost:2809/greeter \\
      -ORBSsliopCertificate bridge.pem -ORBSsliopKey bridge.key -ORBSsliopRoots clients.pem")]
pub(crate) struct BridgeArgs {
    /// Where to listen, as `SCHEME://ADDRESS`; may be given several times
    #[arg(long, value_name = "URL", required = true)]
    listen: Vec<String>,
    /// The object to lead to: a reference, a file that holds it, or `-` for standard input
    #[arg(long, value_name = "REFERENCE")]
    to: String,
    /// Let clients reach all objects of the target's server, by their object keys
    #[arg(long)]
    all_objects: bool,
    /// Write the reference to this file as well
    #[arg(long, value_name = "FILE", visible_alias = "ior-file")]
    ior: Option<PathBuf>,
    /// Print a JSON object at the beginning, and one with statistics at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BridgeArgs, arguments: &[String]) -> Outcome {
    let text = ior::load(&args.to)?;
    let interrupt = Interrupt::watch()?;
    let orb = zorb::Orb::builder().arguments(arguments.iter().cloned()).build()?;
    let object = orb
        .string_to_object(&text)?
        .ok_or_else(|| Failure::new("the reference is nil: there is no object to lead to"))?;
    let target = find(&object.with_timeout(orb.options().connect_timeout));

    let bridge = Bridge::open(orb.protocols(), &target, &args.listen, settings(&orb, args))?;
    let reference = bridge.reference()?.to_stringified();
    let reference = reference.map_err(|error| Failure::new(error.to_string()))?;
    if let Some(file) = &args.ior {
        screen::write(file, &reference)?;
    }
    let endpoints: Vec<_> = bridge.endpoints().iter().map(ToString::to_string).collect();
    if args.json {
        screen::print_json(&json!({
            "reference": reference,
            "corbaloc": bridge.corbaloc(),
            "endpoints": endpoints,
            "type_id": target.type_id,
        }))?;
    } else {
        screen::print(&format!("{reference}\n"))?;
        screen::tell(&format!("listening at {}", endpoints.join(", ")));
        screen::tell(&format!("also known as {}", bridge.corbaloc()));
    }

    while interrupt.wait(Duration::from_secs(3600)).is_none() {}
    bridge.close();
    let statistics = bridge.statistics();
    orb.shutdown(true)?;
    if args.json {
        screen::print_json(&as_json(&statistics))?;
    } else {
        screen::tell(&summary(&statistics));
    }
    Ok(OK)
}

/// Where the object really is, and its type, as far as its server can be asked by now.
fn find(object: &ObjectRef) -> Ior {
    if let Err(exception) = object.locate() {
        screen::tell(&format!(
            "warning: the target does not answer yet: {}",
            zorb::Error::from(exception)
        ));
        return object.ior().clone();
    }
    let mut ior = object.forwarded_ior().unwrap_or_else(|| object.ior().clone());
    if ior.type_id.is_empty() {
        // Old ORBs cannot say; the reference then has no type.
        ior.type_id = object.repository_id().unwrap_or_default();
    }
    ior
}

fn settings(orb: &zorb::Orb, args: &BridgeArgs) -> Settings {
    let options = orb.options();
    Settings {
        all_objects: args.all_objects,
        connect_timeout: options.connect_timeout,
        send_timeout: options.send_timeout,
        idle_timeout: options.idle_timeout,
        max_connections: options.max_connections,
        max_message_size: options.max_message_size,
        stream: options.stream_options(),
        wait: options.wait_policy(),
    }
}

fn as_json(statistics: &Statistics) -> serde_json::Value {
    json!({
        "connections": statistics.connections,
        "requests": statistics.requests,
        "awaited": statistics.awaited,
        "replies": statistics.replies,
        "refused": statistics.refused,
        "request_octets": statistics.request_octets,
        "reply_octets": statistics.reply_octets,
    })
}

fn summary(statistics: &Statistics) -> String {
    let Statistics { connections, requests, replies, refused, .. } = *statistics;
    let count = |number, noun| counted(usize::try_from(number).unwrap_or(usize::MAX), noun);
    format!(
        "{}: {}, {} refused, {replies} answered",
        count(connections, "connection"),
        count(requests, "request"),
        refused
    )
}
