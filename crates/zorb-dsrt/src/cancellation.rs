//! The cancellation of distributable threads.

use super::node::Node;
use super::thread_id::ThreadId;
use super::visit::Entered;

/// The operation by which nodes notify each other of a cancelled thread: `in sequence<octet> id`.
pub(crate) const CANCEL: &str = "_cancel_distributable_thread";

/// Cancels a thread on `node`, and notifies the nodes that it has called from there.
pub(crate) fn cancel(node: &Node, id: &ThreadId) {
    let targets = node.cancel(id);
    let Some(orb) = node.orb() else { return };
    // These calls are not part of the distributable thread that cancels.
    let _none = Entered::new(None);
    for target in targets {
        // If this fails, the thread is cancelled when it returns.
        let _ = orb.object(target).invoke_oneway(CANCEL, |writer| writer.write_octets(id.octets()));
    }
}
