//! One of a connection's own threads with a simulated clock.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_base::options::{Options, Origin};
use zorb_giop::MessageBudget;
use zorb_transport::Stream;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

use super::slow::large_locate_request;
use crate::ServerCore;
use crate::connection::{NewConnection, ServerConnection};
use crate::pool::default_lane;
use crate::scratch::Scratch;

/// A step of a client's script.
#[derive(Debug)]
enum Step {
    Sends(Vec<u8>),
    /// Sends nothing while the thread waits.
    Waits,
}

/// A scripted client, and a log of what the thread does.
#[derive(Debug)]
struct Client {
    steps: Mutex<VecDeque<Step>>,
    budget: Arc<MessageBudget>,
    log: Mutex<Vec<String>>,
}

impl Client {
    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

impl Stream for Client {
    fn recv(&self, space: &mut [u8]) -> io::Result<usize> {
        let mut steps = self.steps.lock().unwrap();
        match steps.front_mut() {
            None => Ok(0),
            Some(Step::Sends(octets)) => {
                let count = space.len().min(octets.len());
                space[..count].copy_from_slice(&octets[..count]);
                octets.drain(..count);
                if octets.is_empty() {
                    steps.pop_front();
                }
                Ok(count)
            }
            Some(Step::Waits) => {
                steps.pop_front();
                let has_large = self.budget.used() > 0;
                self.note(format!("waits {}", if has_large { "with large buffers" } else { "" }));
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn set_recv_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.note(format!("limit {}", limit.unwrap_or_default().as_secs()));
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "peer"
    }

    fn local(&self) -> &'static str {
        "local"
    }
}

/// The log of a connection's thread for a script.
fn log(steps: impl IntoIterator<Item = Step>) -> Vec<String> {
    let mut options = Options::default();
    for (name, value) in [("MaxBufferedOctets", "20000000"), ("IdleTimeout", "300000")] {
        options.set(name, value, Origin::Program).unwrap();
    }
    let core = ServerCore::for_tests(options);
    let budget = Arc::clone(core.message_budget());
    let steps = Mutex::new(steps.into_iter().collect());
    let client = Arc::new(Client { steps, budget, log: Mutex::default() });
    let lane = default_lane(&core.context).unwrap();
    let stream: Arc<dyn Stream> = Arc::<Client>::clone(&client);
    let connection = ServerConnection::new(
        &core.context,
        NewConnection {
            protocol: &InprocProtocol::new(InprocTransport::new()),
            stream,
            lane: &lane.core,
            serving_lane: lane.clone(),
            slot: 0,
            accepted: 1,
        },
    );
    connection.takes_own_threads();
    let input = connection.input.take().unwrap();
    assert!(connection.receive_requests(input, &mut Scratch::default()).is_none());
    client.log.lock().unwrap().clone()
}

#[test]
fn a_thread_frees_large_buffers_before_it_waits_for_long() {
    let large = || Step::Sends(large_locate_request(500_000));
    let small = || Step::Sends(large_locate_request(100));
    let usual = ["limit 300", "waits "].map(str::to_owned);
    assert_eq!(log([small(), small(), Step::Waits]), usual);
    // The limit changes when buffers become large, and when they have not been used for a second.
    let log = log([large(), large(), small(), Step::Waits, small(), Step::Waits]);
    let freed = ["limit 300", "limit 1", "waits with large buffers", "limit 300", "waits "];
    assert_eq!(log, freed);
}

#[test]
fn a_part_of_a_large_message_keeps_its_buffer() {
    let mut part = large_locate_request(500_000);
    let rest = part.split_off(300_000);
    let waits = [Step::Waits, Step::Waits];
    let [one, other] = waits;
    // The second wait has the usual length; after it the connection is idle.
    let ended = log([Step::Sends(part.clone()), one, other]);
    let expected = ["limit 300", "limit 1", "waits with large buffers", "limit 300"];
    assert_eq!(ended[..4], expected);
    assert_eq!(ended[4..], ["waits with large buffers"]);
    // The rest arrives after the first wait.
    let whole = log([Step::Sends(part), Step::Waits, Step::Sends(rest), Step::Waits, Step::Waits]);
    assert_eq!(whole[..4], expected);
    let freed = ["limit 1", "waits with large buffers", "limit 300", "waits "];
    assert_eq!(whole[4..], freed);
}
