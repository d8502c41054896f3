//! Collocated calls that the main thread executes, because the object's adapter has the main-thread model.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::upcall_thread::CollocatedUpcall;
use zorb_giop::{Form, GiopVersion, MessageHeader};
use zorb_os::lock::{Condition, Lock};
use zorb_poa::{
    Access, Answer, Arrival, HoldQueue, Holdable, MessageLayout, NotAdmitted, ReplyTo, ResumePass,
    ServerCall, answer_absent, discarded, dispatch, find_target,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::in_memory::{LOCAL_TEXT, NotSent};
use crate::client::core::ClientCore;

/// The answer to a call, and the message of its reply.
type Answered = Result<(Answer, Vec<u8>), SystemException>;

/// Hands the request in `message` to the main thread, and waits for the reply. The deadline limits the wait until the
/// upcall begins.
///
/// # Errors
/// `TRANSIENT` if too many requests are held, or the option `MaxHeldTime` has elapsed; `TIMEOUT` after the deadline.
pub(super) fn hand_over(
    core: &Arc<ClientCore>,
    queue: &HoldQueue,
    message: &[u8],
    header: &MessageHeader,
    deadline: Option<Instant>,
) -> Answered {
    let since = Instant::now();
    // Those that nobody awaits any more.
    queue.discard_expired(since);
    let progress = Arc::new(Progress::default());
    let call = HandedOver {
        core: Arc::clone(core),
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
    message: Vec<u8>,
    header: MessageHeader,
    progress: Arc<Progress>,
}

impl HandedOver {
    /// Makes the upcall, if the request is admitted; otherwise holds it again.
    fn ask(self: Box<Self>, pass: ResumePass) {
        let mut buffer = Vec::new();
        let reply = ReplyTo { buffer: &mut buffer, copy_threshold: usize::MAX, source: &NotSent };
        let form = Form::Giop(GiopVersion::HIGHEST);
        let mut call = ServerCall::new(&self.message, self.header.order, form, reply);
        // Its caller has read it before.
        if call.read_header(&self.header).is_err() {
            return self.progress.end(Err(discarded()));
        }
        call.set_text(LOCAL_TEXT);
        let by = Access { arrival: Arrival::Resumed(&pass), pool: None };
        let adapters = self.core.adapters();
        let found = match find_target(adapters, None, call.request(), by) {
            Ok(found) => Ok(found),
            Err(NotAdmitted::Held(queue)) => {
                let progress = Arc::clone(&self.progress);
                let since = pass.since();
                if let Err((_, exception)) = queue.hold(self, Arrival::Resumed(&pass), since) {
                    progress.end(Err(exception));
                }
                return;
            }
            Err(absent) => Err(absent),
        };
        drop(pass);
        if !self.progress.begin() {
            return;
        }
        let _upcall = CollocatedUpcall::begin(&self.core);
        call.set_context(&self.core);
        let answer =
            match found.or_else(|absent| match answer_absent(adapters, absent, &mut call) {
                Ok(answer) => Err(answer),
                Err(found) => Ok(found),
            }) {
                Ok(found) => dispatch(adapters, &mut call, &found, &MessageLayout::default()),
                Err(answer) => answer,
            };
        self.progress.end(Ok((answer, buffer)));
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
