//! What connections need of their lane.

use std::io;
use std::sync::Arc;

use zorb_base::connections::{Newcomer, SlotKey};
use zorb_giop::{MessageHeader, ProtocolError};

use super::Lane;
use super::eviction::close_one_of_process;
use crate::connection::{ConnectionRequests, ReleasedRequest, ServerConnection, ServingLane};
use crate::input::Input;
use crate::scratch::Scratch;

impl ServingLane for Lane {
    fn forget(&self, connection: &ServerConnection, slot: SlotKey) {
        if let (Some(fd), Some(reactor)) = (connection.readiness(), &self.reactor) {
            reactor.remove(fd);
        }
        let mut ended = self.ended.lock();
        ended.messages += connection.progress.all_messages();
        ended.upcalls = ended.upcalls.wrapping_add(connection.upcalls_ended().into());
        let is_last = self.connections.release(slot);
        drop(ended);
        self.released(is_last);
    }

    fn make_room_after(&self, connection: &ServerConnection) {
        let newcomer = Newcomer::From(connection.ip_address());
        close_one_of_process(newcomer, &|other| !std::ptr::eq(other, connection));
    }

    fn watch_output(
        &self,
        connection: &ServerConnection,
        slot: SlotKey,
        wanted: bool,
    ) -> io::Result<()> {
        match (connection.readiness(), &self.reactor) {
            (Some(fd), Some(reactor)) => reactor.watch_writable(fd, slot, wanted),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn queue_buffered(&self, connection: &Arc<ServerConnection>) {
        if let Some(reactor) = &self.reactor {
            reactor.queue_buffered(connection);
        }
    }

    fn enqueue(
        &self,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError> {
        self.strategy.enqueue(self, connection, input, header, scratch)
    }

    fn resume(self: Arc<Self>, request: ReleasedRequest) {
        self.strategy.resume(&self, request);
    }

    fn resume_next(self: Arc<Self>, requests: Arc<ConnectionRequests>) {
        self.strategy.resume_next(&self, requests);
    }
}
