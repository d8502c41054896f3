//! One-way calls that wait in a queue of the ORB (`SYNC_NONE`).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::options::Options;
use zorb_base::policy::{Levels, PolicyType, TypedPolicy};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::outboxes::Outboxes;
use crate::flow::{FlowCounts, FlowEvent, FlowLimits, WhenFull};

type OnEvent = dyn Fn(&FlowEvent) + Send + Sync;

/// Has one-way calls under [`SyncScope::None`](zorb_base::policy::SyncScope::None) wait in a queue, from which a
/// thread sends them, while the caller goes on.
///
/// There is a queue for each endpoint, with a connection of its own: for each band of priorities and
/// each lane, where calls go to different ones. A call is written when it is made, with the priority
/// that its caller has then, and sent in its turn. What the queue has no room for is refused, or waited
/// for; the program is told when it fills up to its high water and empties down to its low one. Calls
/// with a reply, and one-way calls of another scope, do not wait behind those in the queue.
///
/// A call that cannot be sent any more is lost, and the program told ([`FlowEvent::Lost`]): when its
/// `RelativeRequestTimeout` or `RelativeRoundtripTimeout` has gone by, and, with all that wait behind
/// it, when the connection breaks or takes nothing for the time of the option `SendTimeout`. The next
/// call connects again, on the thread that makes it. Objects of the same ORB are called at once.
///
/// Clones are the same policy, and share its queues. They end when the last clone goes and what waits
/// has been sent, or with the ORB, which gives what waits a second to be sent.
///
/// ```
/// # mod zorb {
/// #     pub use zorb_base::policy;
/// #     pub use zorb_invocation::client::OnewayQueue;
/// #     pub use zorb_invocation::flow;
/// # }
/// use zorb::OnewayQueue;
/// use zorb::flow::FlowLimits;
/// use zorb::policy::{Policies, SyncScope};
///
/// let queue = OnewayQueue::new(FlowLimits::default().max_calls(64))
///     .on_event(|event| eprintln!("{event:?}"));
/// let unhurried = Policies::new().with(SyncScope::None).with(queue.clone());
/// # let _ = unhurried;
/// assert_eq!(queue.waiting(), (0, 0));
/// ```
#[derive(Clone, Default)]
pub struct OnewayQueue {
    limits: Option<FlowLimits>,
    when_full: WhenFull,
    on_event: Option<Arc<OnEvent>>,
    outboxes: Arc<Outboxes>,
}

impl OnewayQueue {
    /// With these limits of each queue. [`OnewayQueue::default`] has those of the options
    /// `MaxQueuedCalls` and `MaxQueuedOctets`; the properties of that name of a
    /// [`ConnectionProperties`](zorb_base::policy::ConnectionProperties) policy win over both.
    #[must_use]
    pub fn new(limits: FlowLimits) -> Self {
        Self { limits: Some(limits), ..Self::default() }
    }

    /// What happens to calls that there is no room for. Default: they are refused. The caller waits no
    /// longer than its call may take.
    #[must_use]
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// Tells `on_event` what there is to know of the queues, on the thread that calls or on that of a
    /// queue. It may make calls.
    #[must_use]
    pub fn on_event(mut self, on_event: impl Fn(&FlowEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(on_event));
        self
    }

    /// The limits of each queue; `None` for those of the options.
    #[must_use]
    pub fn limits(&self) -> Option<FlowLimits> {
        self.limits
    }

    pub(crate) fn limits_of(&self, options: &Options) -> FlowLimits {
        let (max_calls, max_octets) = (options.max_queued_calls, options.max_queued_octets);
        self.limits.unwrap_or(FlowLimits { max_calls, max_octets, ..FlowLimits::default() })
    }

    /// How many calls wait in all queues, and their octets. One that is being sent waits no more.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        self.outboxes.waiting()
    }

    /// What has become of the calls of all queues.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.outboxes.counts()
    }

    /// Waits until all that waits has been sent or is lost, no longer than `limit`; whether it is so.
    pub fn flush(&self, limit: Duration) -> bool {
        self.outboxes.flush(limit)
    }

    pub(crate) fn when_there_is_no_room(&self) -> WhenFull {
        self.when_full
    }

    pub(crate) fn outboxes(&self) -> &Outboxes {
        &self.outboxes
    }

    pub(crate) fn teller(&self) -> Option<Arc<OnEvent>> {
        self.on_event.clone()
    }
}

impl PartialEq for OnewayQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.outboxes, &other.outboxes)
    }
}

impl fmt::Debug for OnewayQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnewayQueue").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl TypedPolicy for OnewayQueue {
    const POLICY_TYPE: PolicyType = PolicyType::ONEWAY_QUEUE;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        // Without limits of its own it says none.
        let word = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let own = self.limits.map_or((0, 0), |own| (own.max_calls.max(1), own.max_octets));
        writer.write_u32(word(own.0));
        writer.write_u32(word(own.1));
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let (max_calls, max_octets) = (reader.read_u32()? as usize, reader.read_u32()? as usize);
        let limits = FlowLimits { max_calls, max_octets, ..FlowLimits::default() };
        Ok(Self { limits: (max_calls > 0).then_some(limits), ..Self::default() })
    }
}
