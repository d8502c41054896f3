//! Implied IDL: what the standard's chapter on messaging adds to interfaces for asynchronous calls.
//!
//! An interface `I` implies a reply handler, `AMI_IHandler`, which receives the results of calls, a poller,
//! `AMI_IPoller`, which returns them on demand, and in `I` itself the operations `sendc_OP` and `sendp_OP`, which send
//! calls without waiting. An interface cannot be reopened, so the text has these as comments.

mod names;
mod operations;
mod writer;

pub use writer::Contents;

use crate::compile::Compilation;
use crate::model::{DefId, Model};

/// The implied IDL of the interfaces of a compilation without errors: of those in the files that the caller named, and
/// their bases. It includes `files`, which have to define them, and `Messaging.idl`, which omniidl calls
/// `messaging.idl`.
///
/// Local interfaces, and those of instances of template modules, have none.
#[must_use]
pub fn text(compilation: &Compilation, files: &[&str], contents: Contents) -> String {
    writer::write(compilation, files, contents)
}

/// The operations of a reply handler for an operation of an interface, `[results, exceptions]`, by its name on the wire,
/// `_get_NAME` and `_set_NAME` for attributes; `None` for one-way operations, and those that it does not declare itself.
#[must_use]
pub fn handler_operations(model: &Model, interface: DefId, operation: &str) -> Option<[String; 2]> {
    let callables = operations::callables(model, interface);
    let callable = callables.into_iter().find(|it| it.wire == operation)?;
    let raised = callable.raised(&operations::taken(model, interface));
    Some([callable.name, raised])
}

/// The reply handler of an interface, if the compilation has its implied IDL.
#[must_use]
pub fn handler(model: &Model, interface: DefId) -> Option<DefId> {
    let item = &model[interface];
    let siblings = item.parent.map_or_else(|| model.roots().to_vec(), |id| model.children(id));
    siblings.into_iter().find(|id| {
        let start =
            model[*id].name.strip_suffix("Handler").and_then(|it| it.strip_suffix(&item.name));
        start.is_some_and(|start| !start.is_empty() && start.replace("AMI_", "").is_empty())
            && model.ancestors(*id).iter().any(|base| model[*base].repository_id == ROOT_ID)
    })
}

/// The repository id of the base of all reply handlers.
const ROOT_ID: &str = "IDL:omg.org/Messaging/ReplyHandler:1.0";
