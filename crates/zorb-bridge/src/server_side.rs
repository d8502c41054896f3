//! The connection to the server, and the thread that forwards its replies.

use std::sync::Arc;

use zorb_giop::ProtocolErrorKind;
use zorb_transport::{Stream, log_limited};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::conversion::{ConvertedReplies, Converter};
use crate::link::Link;
use crate::relay::{Ending, Relay};
use crate::replies::Replies;

/// Connects to the target and starts forwarding its replies.
pub(crate) fn connect(link: &Arc<Link>) -> Result<Arc<dyn Stream>, SystemException> {
    let settings = &link.context.settings;
    let transient = |minor| SystemException::transient(minor, CompletionStatus::No);
    let target = link.context.target.connect(settings).map_err(|error| {
        let timed_out = error.as_ref().is_none_or(|error| error.is_timed_out());
        if let Some(error) = error
            && let Some(unlogged) = link.context.connect_failures.admit()
        {
            tracing::warn!(%error, unlogged, "cannot connect to the target");
        }
        transient(match timed_out {
            true => minor::transient::CONNECT_TIMED_OUT,
            false => minor::transient::CONNECT_FAILED,
        })
    })?;
    let failed = |_| transient(minor::transient::CONNECT_FAILED);
    target.set_send_timeout(Some(settings.send_timeout)).map_err(failed)?;
    // From now on, closing the link also closes this stream.
    let _ = link.target.set(Arc::clone(&target));
    *link.replies_running() = true;
    let (served, stream) = (Arc::clone(link), Arc::clone(&target));
    let started = link.context.threads.spawn("zorb-bridge-out", move || {
        // Also when the thread panics.
        let _done = RepliesGuard(&served);
        run_replies(&served, &*stream);
    });
    started.map_err(|error| {
        if let Some(unlogged) = link.context.rejections.admit() {
            tracing::error!(%error, unlogged, "cannot start a thread for a connection");
        }
        *link.replies_running() = false;
        let minor = minor::no_resources::THREADS;
        SystemException::no_resources(minor, CompletionStatus::No)
    })?;
    if link.context.is_closed() {
        link.close();
    }
    Ok(target)
}

/// The body of the thread that forwards replies.
fn run_replies(link: &Link, target: &dyn Stream) {
    let settings = &link.context.settings;
    let (wait, size) = (settings.wait, settings.max_message_size);
    let framing = link.context.target.framing;
    // The client decides how long octets stay here: until it reads them.
    let budget = &link.budget;
    let ending = if link.converts() {
        Converter::new(target, framing, size, wait, None)
            .with_budget(budget)
            .run(&mut ConvertedReplies::new(link))
    } else {
        Relay::new(target, framing, size, wait, None)
            .with_budget(budget)
            .run(&mut Replies::new(link))
    };
    tracing::debug!(peer = target.peer(), %ending, "the server's connection has ended");
    match &ending {
        Ending::Broken(error) if matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)) => {
            if let Some(unlogged) = link.context.rejections.admit() {
                tracing::warn!(peer = link.client.peer(), %error, unlogged, "connection closed");
            }
        }
        Ending::Broken(error) => {
            log_limited!(warn, peer = target.peer(), %error, "the target violated the protocol");
            link.send_message_error(target, link.context.target.framing, error);
        }
        _ => {}
    }
    link.close();
}

/// Signals the end of the replies' thread when dropped.
struct RepliesGuard<'l>(&'l Link);

impl Drop for RepliesGuard<'_> {
    fn drop(&mut self) {
        *self.0.replies_running() = false;
        self.0.replied.notify_all();
    }
}
