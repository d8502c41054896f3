//! The thread that forwards the requests of a client.

use std::net::Shutdown;
use std::sync::Arc;

use zorb_giop::ProtocolErrorKind;

use crate::conversion::{ConvertedRequests, Converter};
use crate::link::Link;
use crate::relay::{Ending, Relay};
use crate::requests::Requests;

/// The body of the thread that forwards requests.
pub(crate) fn run(link: &Arc<Link>) {
    if let Err(error) = link.client.establish() {
        if let Some(unlogged) = link.context.rejections.admit() {
            tracing::warn!(peer = link.client.peer(), %error, unlogged, "connection rejected");
        }
        return link.close();
    }
    let settings = &link.context.settings;
    if let Err(error) = link.client.set_send_timeout(Some(settings.send_timeout)) {
        tracing::debug!(peer = link.client.peer(), %error, "connection lost");
        return link.close();
    }
    let (wait, limit) = (settings.wait, settings.idle_timeout);
    let size = settings.max_message_size;
    let requests = Requests::new(link);
    let ending = if link.converts() {
        let mut requests = ConvertedRequests::new(requests);
        Converter::new(&*link.client, link.framing, size, wait, limit)
            .with_budget(&link.budget)
            .run(&mut requests)
    } else {
        let mut requests = requests;
        Relay::new(&*link.client, link.framing, size, wait, limit)
            .with_budget(&link.budget)
            .run(&mut requests)
    };
    end_of_requests(link, &ending);
    link.close();
}

fn end_of_requests(link: &Link, ending: &Ending) {
    tracing::debug!(peer = link.client.peer(), %ending, "the client's connection has ended");
    match ending {
        Ending::End if link.is_evicted() && !link.has_pending_replies() => {
            link.send_close_connection();
        }
        Ending::End | Ending::Last => {
            if let Some(target) = link.target.get() {
                // The server reads all requests before the end of the stream.
                let _ = target.shutdown(Shutdown::Write);
                link.wait_for_replies();
            }
        }
        // A final message of the server may still be on its way to the client.
        Ending::SendFailed(_) => link.wait_for_replies(),
        Ending::Broken(error) if matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)) => {
            if let Some(unlogged) = link.context.rejections.admit() {
                tracing::warn!(peer = link.client.peer(), %error, unlogged, "connection closed");
            }
            // It would say that no request without a reply has been processed.
            if !link.has_pending_replies() {
                link.send_close_connection();
            }
        }
        Ending::Broken(error) => link.send_message_error(&*link.client, link.framing, error),
        Ending::Idle => link.send_close_connection(),
        Ending::Lost(_) => {}
    }
}
