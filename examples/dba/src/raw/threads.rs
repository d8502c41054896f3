//! A thread for each connection, which waits in its read: the sends of all take turns.

use std::io::Read as _;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use dba_algorithm::{Driver, NodeId, Outcome};
use zorb_os::clock::{MonotonicTime, ticks};

use super::{Connection, RawLinks, wait_for};
use crate::Failure;
use crate::frame::{Frame, SIZE, decode};

/// What a thread reads from.
struct Line {
    peer: NodeId,
    stream: TcpStream,
    /// The beginning of a frame.
    octets: [u8; SIZE],
    len: usize,
}

impl Line {
    fn of(connection: &Connection) -> Result<Option<Self>, Failure> {
        let Some(peer) = connection.peer else { return Ok(None) };
        let stream = connection.stream.try_clone()?;
        let (octets, len) = (connection.octets, connection.len);
        Ok(Some(Self { peer, stream, octets, len }))
    }
}

/// A node that several threads pass messages on to.
struct Running<'d> {
    driver: &'d mut Driver<RawLinks>,
    /// Tells the main thread how it has ended, once.
    end: Option<Sender<Result<Outcome, Failure>>>,
}

impl Running<'_> {
    fn note(&mut self, step: Result<Option<Outcome>, Failure>) {
        if let Some(ended) = step.transpose()
            && let Some(end) = self.end.take()
        {
            // Without the main thread there is no process.
            let _ = end.send(ended);
        }
    }
}

/// Reads messages until the connection ends.
fn read(line: &Line, running: &Mutex<Running<'_>>) {
    let (mut octets, mut begun) = (line.octets, line.len);
    loop {
        let rest = octets.get_mut(begun..).unwrap_or_default();
        let received = (&line.stream).read_exact(rest);
        // The thread may have to wait for others.
        let arrival = ticks();
        begun = 0;
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.end.is_none() && received.is_err() {
            return;
        }
        let step = match (received, decode(&octets)) {
            (Err(_), _) => Err(format!("node {} has closed its connection", line.peer).into()),
            (_, Some(Frame::Message(message))) if running.end.is_some() => {
                running.driver.segments_mut().end_wait_at(arrival);
                running.driver.deliver(line.peer, &message)
            }
            (_, Some(Frame::Message(_))) => Ok(None),
            _ => Err(format!("node {} sent what is no message", line.peer).into()),
        };
        let is_over = step.is_err();
        running.note(step);
        if is_over {
            return;
        }
    }
}

/// Runs a node whose neighbors are all connected until it ends.
pub(super) fn run(
    driver: &mut Driver<RawLinks>,
    start: &Receiver<()>,
    end: MonotonicTime,
) -> Result<Outcome, Failure> {
    let connections = driver.links_mut().connections.iter().flatten();
    let lines = connections.filter_map(|connection| Line::of(connection).transpose());
    let lines: Vec<Line> = lines.collect::<Result<_, _>>()?;
    let (told, ended) = channel();
    let running = Mutex::new(Running { driver, end: Some(told) });
    std::thread::scope(|scope| {
        let run = || {
            for line in &lines {
                let thread = Builder::new().name("connection".to_owned());
                thread.spawn_scoped(scope, || read(line, &running))?;
            }
            wait_for(start, end)?;
            let mut first = running.lock().unwrap_or_else(PoisonError::into_inner);
            let started = first.driver.start();
            first.note(started);
            drop(first);
            ended
                .recv_timeout(end.time_left())
                .map_err(|_| Failure::from("the time limit is over"))?
        };
        let outcome = run();
        // Neighbors may still send.
        running.lock().unwrap_or_else(PoisonError::into_inner).end = None;
        lines.iter().for_each(|line| drop(line.stream.shutdown(Shutdown::Read)));
        outcome
    })
}
