//! Creating a connection that a client has opened.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize};
use std::sync::{Arc, OnceLock};

use zorb_base::connections::SlotKey;
use zorb_base::counters::{CallLock, Count};
use zorb_giop::{Inbound, Limits, ServerReceiver, ServerRequests};
use zorb_os::lock::Condition;
use zorb_os::slot::Slot;
use zorb_transport::{Protocol, Stream, ip_address};

use super::{ServerConnection, ServingLane, share};
use crate::awaited::AwaitedRequests;
use crate::context::ServerContext;
use crate::events::Events;
use crate::input::Input;
use crate::lane::core::LaneCore;
use crate::output::state::Output;
use crate::own_threads::before_upcall::BeforeUpcall;
use crate::own_threads::state::OwnThreads;

/// The parameters of a connection.
pub(crate) struct NewConnection<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) lane: &'a Arc<LaneCore>,
    pub(crate) serving_lane: Arc<dyn ServingLane>,
    /// Where it is in the lane's table.
    pub(crate) slot: SlotKey,
}

impl ServerConnection {
    pub(crate) fn new(core: &Arc<ServerContext>, new: NewConnection<'_>) -> Arc<Self> {
        let NewConnection { protocol, stream, lane, serving_lane, slot } = new;
        let options = core.options();
        // It fails only if the peer has gone, which the first read detects.
        let _ = stream.set_send_timeout(Some(options.send_timeout));
        let _ = stream.set_recv_timeout(options.idle_timeout);
        #[cfg(feature = "buffers")]
        let gather_threshold = stream.gather_threshold().unwrap_or(usize::MAX);
        let has_peer = protocol.carries_replies();
        let budget = share(core.peer_shares(), &*stream, has_peer);
        let connection = Arc::new(Self {
            budget,
            has_peer,
            ip_address: ip_address(&*stream),
            stream,
            core: Arc::clone(core),
            lane: Arc::clone(lane),
            serving_lane,
            slot,
            profile: protocol.profile_tag(),
            messaging: protocol.messaging(),
            connected: protocol.carries_replies(),
            wait: options.wait_policy().busy_wait(),
            #[cfg(feature = "buffers")]
            gather_threshold,
            input: Slot::empty(),
            sending: CallLock::new(Count::ServerLocks, Output::default()),
            output_sent: Condition::new(),
            output_waits: AtomicBool::new(false),
            requests: ServerRequests::new(),
            progress: Arc::default(),
            has_own_threads: AtomicBool::new(false),
            own_threads: OwnThreads::default(),
            resumed: OnceLock::new(),
            awaited: AwaitedRequests::default(),
            events: Events::default(),
            set_up_by: AtomicUsize::new(0),
            before_upcall: BeforeUpcall::default(),
            buffer_strategy: AtomicU8::new(0),
        });
        drop(connection.input.put(connection.new_input()));
        connection.set_up_as_accepted();
        connection
    }

    /// The input of a new connection.
    fn new_input(&self) -> Box<Input> {
        let max_message_size = self.core.options().max_message_size;
        let limits =
            Limits::DEFAULT.max_message_size(max_message_size).max_partial_octets(max_message_size);
        let receiver = match self.connected {
            true => ServerReceiver::new(self.messaging),
            false => ServerReceiver::connectionless(self.messaging),
        };
        let budget = Arc::clone(&self.budget);
        Input::new(
            Inbound::new(limits).with_messaging(self.messaging).with_budget(budget),
            receiver,
        )
    }
}
