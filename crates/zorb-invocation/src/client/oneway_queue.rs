//! One-way calls that wait in a queue of the ORB (`SYNC_NONE`).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::options::Options;
use zorb_base::policy::{Levels, PolicyType, TypedPolicy};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::outboxes::Outboxes;
use crate::flow::{BufferingConstraint, FlowCounts, FlowEvent, FlowLimits, WhenFull};

type OnEvent = dyn Fn(&FlowEvent) + Send + Sync;

/// Queues one-way calls under [`SyncScope::None`](zorb_base::policy::SyncScope::None). A thread sends them, and
/// the caller does not wait.
///
/// There is a queue, with its own connection, for each endpoint, priority band and lane. A call is written when
/// it is made, with the priority of its caller, and sent in order. If the queue is full, the call is refused or
/// waits for room. The queue reports when it fills to its high watermark and empties to its low one. Calls with
/// a reply, and one-way calls of another scope, do not wait for those in the queue.
///
/// A call is lost, and reported as [`FlowEvent::Lost`], if it cannot be sent before its
/// `RelativeRequestTimeout` or `RelativeRoundtripTimeout`. If the connection breaks, or accepts nothing for the
/// time of the option `SendTimeout`, all calls in the queue are lost. The next call connects again, on the calling
/// thread. Objects of the same ORB are called directly.
///
/// Clones are the same policy and share its queues. A queue ends after the last clone is dropped and its calls
/// are sent, or with the ORB, which leaves it one second to send them.
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
/// let queued = Policies::new().with(SyncScope::None).with(queue.clone());
/// # let _ = queued;
/// assert_eq!(queue.waiting(), (0, 0));
/// ```
#[derive(Clone, Default)]
pub struct OnewayQueue {
    limits: Option<FlowLimits>,
    buffering: Option<BufferingConstraint>,
    when_full: WhenFull,
    on_event: Option<Arc<OnEvent>>,
    outboxes: Arc<Outboxes>,
}

impl OnewayQueue {
    /// With these limits of each queue. [`OnewayQueue::default`] has those of the options
    /// `MaxQueuedCalls` and `MaxQueuedOctets`; the properties of that name of a
    /// [`ConnectionProperties`](zorb_base::policy::ConnectionProperties) policy override both.
    #[must_use]
    pub fn new(limits: FlowLimits) -> Self {
        Self { limits: Some(limits), ..Self::default() }
    }

    /// Holds calls back until the constraint is met, and sends them together, with fewer system calls and packets. Other
    /// calls over other connections may overtake them. [`flush`](Self::flush) sends them at once. A call with a time
    /// limit is held back for at most half of its time. Default: each call is sent as soon as possible.
    #[must_use]
    pub fn buffering(mut self, constraint: BufferingConstraint) -> Self {
        self.buffering = Some(constraint);
        self
    }

    /// What happens to calls when the queue is full. Default: they are refused. The caller waits no longer than
    /// the time limit of its call.
    #[must_use]
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// Calls `on_event` for each event of the queues, on the calling thread or on that of a queue. It may make
    /// calls. A panic is logged.
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

    /// The number of calls in all queues, and their octets, without those that are being sent.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        self.outboxes.waiting()
    }

    /// The numbers of calls that all queues have sent, lost and refused.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.outboxes.counts()
    }

    /// Sends the calls that are held back, and waits until all are sent or lost, up to `limit`; `false` if some are not.
    /// All queues begin to send at once, even if `limit` is zero.
    pub fn flush(&self, limit: Duration) -> bool {
        self.outboxes.flush(limit)
    }

    pub(crate) fn constraint(&self) -> Option<BufferingConstraint> {
        self.buffering
    }

    pub(crate) fn behavior_when_full(&self) -> WhenFull {
        self.when_full
    }

    pub(crate) fn outboxes(&self) -> &Outboxes {
        &self.outboxes
    }

    pub(crate) fn event_handler(&self) -> Option<Arc<OnEvent>> {
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
        // Zero for no limits.
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
