//! `zorb bridge`: forwards calls from one protocol to another.

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

/// Forward calls between protocols: TCP, Unix-domain sockets, shared memory and TLS, with GIOP and
/// GIOPlite
///
/// The bridge listens at the given endpoints and forwards calls to one object. It prints the object
/// reference for clients: that of the object, with the endpoints of the bridge. Requests and
/// replies are forwarded octet for octet; only their headers are decoded. Serves until Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb bridge --listen uiop:///run/greeter --to greeter.ior
  zorb bridge --listen iiop://:2809 --to \"$(cat greeter.ior)\" --ior bridged.ior
  zorb bridge --listen ssliop://:2810 --to corbaloc::localhost:2809/greeter \\
      -ORBSsliopCertificate bridge.pem -ORBSsliopKey bridge.key -ORBSsliopRoots clients.pem")]
pub(crate) struct BridgeArgs {
    /// Endpoint to listen at, as `SCHEME://ADDRESS`; repeatable
    #[arg(long, value_name = "URL", required = true)]
    listen: Vec<String>,
    /// Target object: object reference, file that contains one, or `-` for standard input
    #[arg(long, value_name = "REFERENCE")]
    to: String,
    /// Access to all objects of the target's server, by their object keys
    #[arg(long)]
    all_objects: bool,
    /// File to write the object reference to
    #[arg(long, value_name = "FILE", visible_alias = "ior-file")]
    ior: Option<PathBuf>,
    /// JSON output: one object at the start, one with statistics at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BridgeArgs, arguments: &[String]) -> Outcome {
    let text = ior::load(&args.to)?;
    let interrupt = Interrupt::watch()?;
    let orb = crate::orb::builder().arguments(&mut arguments.to_vec()).build()?;
    let object =
        orb.string_to_object(&text)?.ok_or_else(|| Failure::new("the target reference is nil"))?;
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
        screen::print_stderr(&format!("listening at {}", endpoints.join(", ")));
        screen::print_stderr(&format!("also known as {}", bridge.corbaloc()));
    }

    while interrupt.wait(Duration::from_secs(3600)).is_none() {}
    bridge.close();
    let statistics = bridge.statistics();
    orb.shutdown(true)?;
    if args.json {
        screen::print_json(&as_json(&statistics))?;
    } else {
        screen::print_stderr(&summary(&statistics));
    }
    Ok(OK)
}

/// Locates the object and determines its type, as far as its server answers.
fn find(object: &ObjectRef) -> Ior {
    if let Err(exception) = object.locate() {
        screen::print_stderr(&format!(
            "warning: the target does not respond yet: {}",
            zorb::Error::from(exception)
        ));
        return object.ior().clone();
    }
    let mut ior = object.forwarded_ior().unwrap_or_else(|| object.ior().clone());
    if ior.type_id.is_empty() {
        // Older ORBs do not support `_repository_id`; the reference then has no type.
        ior.type_id = object.repository_id().unwrap_or_default();
    }
    ior
}

fn settings(orb: &zorb::Orb, args: &BridgeArgs) -> Settings {
    let options = orb.options();
    // A client of the bridge needs two descriptors.
    let max_connections = match options.max_connections {
        0 => options.connection_limit().div_ceil(2),
        count => count,
    };
    Settings {
        all_objects: args.all_objects,
        connect_timeout: options.connect_timeout,
        send_timeout: options.send_timeout,
        idle_timeout: options.idle_timeout,
        message_timeout: options.message_timeout,
        first_message_timeout: options.first_message_timeout,
        max_connections,
        max_connections_per_peer: options.max_connections_per_peer,
        max_threads: options.max_threads,
        max_message_size: options.max_message_size,
        max_buffered_octets: options.max_buffered_octets,
        max_buffered_octets_per_peer: options.max_buffered_octets_per_peer,
        publish_rules: options.publish_rules.clone(),
        stream: options.stream.clone(),
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
