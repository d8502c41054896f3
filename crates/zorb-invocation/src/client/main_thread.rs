//! Collocated calls that the main thread executes, because the object's adapter has the main-thread model.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::upcall_thread::CollocatedUpcall;
use zorb_giop::MessageHeader;
use zorb_os::lock::{Condition, Lock};
use zorb_poa::{
    Access, Answer, Arrival, HoldQueue, Holdable, IncomingRequest, MessageLayout, NotServed,
    ReplyTo, RequestOrigin, ResumePass, ServerCall, discarded, serve,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::in_memory::{LOCAL_FORM, LOCAL_TEXT};
use super::late_reply::{LateReply, LocalSource};
use crate::client::core::ClientCore;

/// The answer to a call.
pub(super) struct LocalAnswer {
    pub(super) answer: Answer,
    /// Whether it is that of an upcall: otherwise the adapter has refused the request after all.
    pub(super) is_of_upcall: bool,
    /// The message of its reply.
    pub(super) message: Vec<u8>,
    /// Where the reply will be, if the servant answers later.
    pub(super) late: Option<Arc<LateReply>>,
}

type Answered = Result<LocalAnswer, SystemException>;

/// Hands the request for `operation` in `message` to the main thread, and waits for the reply. The deadline limits the wait until the
/// upcall begins.
///
/// # Errors
/// `TRANSIENT` if too many requests are held, or the option `MaxHeldTime` has elapsed; `TIMEOUT` after the deadline.
pub(super) fn hand_over(
    core: &Arc<ClientCore>,
    queue: &HoldQueue,
    (operation, message): (&str, &[u8]),
    header: &MessageHeader,
    deadline: Option<Instant>,
) -> Answered {
    let since = Instant::now();
    // Those that nobody awaits any more.
    queue.discard_expired(since);
    let progress = Arc::new(Progress::default());
    let call = HandedOver {
        core: Arc::clone(core),
        operation: operation.to_owned(),
        message: message.to_vec(),
        header: *header,
        progress: Arc::clone(&progress),
    };
    if let Err((_, exception)) = queue.hold(Box::new(call), Arrival::New, since) {
        return Err(exception);
    }
    let expiry = queue.expiry(since);
    let until = [expiry, deadline].into_iter().flatten().min();
    progress.wait(until).unwrap_or_else(|| match until == expiry {
        true => Err(discarded()),
        false => {
            Err(SystemException::timeout(minor::timeout::REQUEST_EXPIRED, CompletionStatus::No))
        }
    })
}

/// A request of a thread that waits for its reply.
struct HandedOver {
    core: Arc<ClientCore>,
    operation: String,
    message: Vec<u8>,
    header: MessageHeader,
    progress: Arc<Progress>,
}

impl HandedOver {
    /// Makes the upcall, if the request is admitted; otherwise holds it again.
    fn ask(self: Box<Self>, pass: ResumePass) {
        // A shutdown waits for it as for the ORB's own threads.
        let _running = self.core.threads().enter_upcall(self.operation.as_bytes());
        let mut buffer = Vec::new();
        let core = Arc::clone(&self.core);
        let source = LocalSource::new(&core);
        let reply = ReplyTo { buffer: &mut buffer, copy_threshold: usize::MAX, source: &source };
        let request = IncomingRequest {
            message: &self.message,
            header: &self.header,
            form: LOCAL_FORM,
            layout: MessageLayout::default(),
            reply,
            context: &self.core,
        };
        let progress = Arc::clone(&self.progress);
        let mut resumed = ResumedCall {
            core: &core,
            progress: &progress,
            pass: Some(pass),
            upcall: None,
            has_begun: false,
        };
        match serve(core.adapters(), None, request, &mut resumed) {
            Ok(answer) => {
                let (is_of_upcall, late) = (resumed.has_begun, source.late());
                progress.end(Ok(LocalAnswer { answer, is_of_upcall, message: buffer, late }));
            }
            Err(NotServed::Held(queue)) => {
                let Some(pass) = &resumed.pass else { return };
                let held = queue.hold(self, Arrival::Resumed(pass), pass.since());
                if let Err((_, exception)) = held {
                    progress.end(Err(exception));
                }
            }
            // Its caller has read it before.
            Err(NotServed::Broken(_)) => progress.end(Err(discarded())),
        }
    }
}

/// A call that the main thread has taken from a queue.
struct ResumedCall<'a> {
    core: &'a Arc<ClientCore>,
    progress: &'a Progress,
    /// Dropped when it is admitted.
    pass: Option<ResumePass>,
    upcall: Option<CollocatedUpcall>,
    /// Whether the upcall has begun.
    has_begun: bool,
}

impl RequestOrigin for ResumedCall<'_> {
    fn begin(&mut self, call: &mut ServerCall<'_>) -> Result<(), SystemException> {
        call.set_text(LOCAL_TEXT);
        Ok(())
    }

    fn access(&self) -> Access<'_> {
        let arrival = self.pass.as_ref().map_or(Arrival::New, Arrival::Resumed);
        Access { arrival, pool: None }
    }

    fn admitted(&mut self) -> bool {
        self.pass = None;
        self.progress.begin()
    }

    fn begin_upcall(&mut self, _: bool) {
        self.upcall = Some(CollocatedUpcall::begin(self.core));
        self.has_begun = true;
    }

    fn end_upcall(&mut self) {
        self.upcall = None;
    }
}

impl Holdable for HandedOver {
    fn size(&self) -> usize {
        self.message.len()
    }

    /// All callers in the process are one peer.
    fn peer(&self) -> usize {
        0
    }

    /// Asks on the calling thread, where no upcall can be made: the request waits for the main thread again, or is
    /// refused.
    fn resume(self: Box<Self>, pass: ResumePass) {
        self.ask(pass);
    }

    fn serve(self: Box<Self>, pass: ResumePass) {
        self.ask(pass);
    }

    fn discard(self: Box<Self>) {
        self.progress.end(Err(discarded()));
    }
}

/// How far a call has come.
#[derive(Default)]
struct Progress {
    stage: Lock<Stage>,
    changed: Condition,
}

#[derive(Default)]
enum Stage {
    #[default]
    Waiting,
    /// Its caller no longer waits.
    Abandoned,
    Running,
    Ended(Answered),
}

impl Progress {
    /// Begins the upcall, unless the caller no longer waits.
    fn begin(&self) -> bool {
        let mut stage = self.stage.lock();
        if let Stage::Abandoned = *stage {
            return false;
        }
        *stage = Stage::Running;
        true
    }

    fn end(&self, answered: Answered) {
        *self.stage.lock() = Stage::Ended(answered);
        self.changed.notify_all();
    }

    /// Waits for the end of the call; `None` if its upcall has not begun `until` then.
    fn wait(&self, until: Option<Instant>) -> Option<Answered> {
        let mut stage = self.stage.lock();
        loop {
            match std::mem::take(&mut *stage) {
                Stage::Ended(answered) => return Some(answered),
                Stage::Running => {
                    *stage = Stage::Running;
                    stage = self.changed.wait(stage);
                }
                Stage::Waiting | Stage::Abandoned => {
                    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                    if left.is_some_and(|left| left.is_zero()) {
                        *stage = Stage::Abandoned;
                        return None;
                    }
                    stage = match left {
                        Some(left) => self.changed.wait_for(stage, left),
                        None => self.changed.wait(stage),
                    };
                }
            }
        }
    }
}
