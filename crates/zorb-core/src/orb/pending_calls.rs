//! Being told of many pending calls.

use super::handle::Orb;
use zorb_invocation::flow::{FlowEvent, FlowLimits};

impl Orb {
    /// Calls `on_event` when a call of this ORB is sent while its pending calls have reached the high watermark of `limits`
    /// ([`FlowEvent::High`]), and when one ends after which there are as few as its low watermark ([`FlowEvent::Low`]): a
    /// program that sends more than its servers answer can wait for that, instead of having its calls refused. `None` means
    /// the options `MaxPendingOctets`, and `MaxPendingCalls` or, if it is less, `MaxPendingCallsPerConnection`, which are
    /// limits of the process and of a connection. Arguments count while their calls may have to be sent again.
    ///
    /// High is reported on the calling thread, before the call is sent, Low on a thread for that. Events are reported one
    /// after another; one that is overtaken by its opposite is left out. The function may make calls. A panic is logged.
    /// There is one function for the life of the ORB, which counts the calls after it: `false` if it has another one already.
    #[must_use]
    pub fn on_pending_calls(
        &self,
        limits: Option<FlowLimits>,
        on_event: impl Fn(&FlowEvent) + Send + Sync + 'static,
    ) -> bool {
        self.inner.client.watch_pending(limits, on_event)
    }
}
