//! Asking a server where an object is, without calling it.

use std::time::Instant;

use zorb_cdr::{ByteOrder, CdrError, Wire};
use zorb_giop::{
    GiopVersion, Ior, LocateReplyHeader, LocateStatus, MessageKind, MessageWriter, TargetAddress,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::connection::NoReply;
use super::invoke::{no_reply, story};
use super::reach::reach;
use super::reply::decoding;
use crate::error::{Error, Phase};
use crate::object::{Binding, ObjectRef};
use crate::server::about_to_block;

enum Whereabouts {
    Here,
    Unknown,
    Forward(Ior),
}

/// Sends a LocateRequest, following forwards; whether the object was found.
pub(crate) fn locate(object: &ObjectRef) -> Result<bool, SystemException> {
    let core = object.core();
    core.check_running()?;
    let mut next;
    let mut target = object.binding();
    for _ in 0..=core.options().max_forwards {
        match ask(object, target)? {
            Whereabouts::Here => return Ok(true),
            Whereabouts::Unknown => return Ok(false),
            Whereabouts::Forward(ior) => {
                next = object.forward_to(ior);
                target = &next;
            }
        }
    }
    let exception =
        SystemException::imp_limit(minor::imp_limit::TOO_MANY_FORWARDS, CompletionStatus::No);
    Err(Error::new(Phase::Resolve, "locating the object").remember(exception))
}

fn ask(object: &ObjectRef, target: &Binding) -> Result<Whereabouts, SystemException> {
    let core = object.core();
    if let Some(key) = &target.routes(core).local {
        return Ok(match core.locate(key) {
            crate::orb::Located::Here(_) => Whereabouts::Here,
            crate::orb::Located::Elsewhere(ior) => Whereabouts::Forward(ior),
            crate::orb::Located::Nowhere(_) => Whereabouts::Unknown,
        });
    }
    let timeout = object.timeout().or(core.options().round_trip_timeout);
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let (route, mut lease) = reach(object, target, deadline)?;
    let Some(connection) = lease.connection() else { return Err(core.shut_down()) };
    let version = route.version.min(GiopVersion::HIGHEST);
    let id = connection.state.ids().allocate();
    let address = TargetAddress::Key(&route.key);
    let order = ByteOrder::NATIVE;
    MessageWriter::locate_request(&mut connection.outgoing, version, order, id, &address)
        .and_then(MessageWriter::finish)
        .map_err(decoding)?;
    let sent = connection
        .stream
        .set_recv_timeout(timeout)
        .and_then(|()| connection.stream.set_send_timeout(timeout))
        .and_then(|()| connection.send(version));
    if let Err(error) = sent {
        lease.discard();
        let exception =
            SystemException::comm_failure(minor::comm_failure::SEND_FAILED, CompletionStatus::No);
        return Err(story(Phase::Send, route, Some(error)).remember(exception));
    }
    about_to_block();
    let answer = loop {
        match connection.next_message() {
            Ok(header) if header.kind == MessageKind::LocateReply => {
                let read = LocateReplyHeader::read(connection.inbound.current(), &header);
                match read {
                    Ok((reply, _)) if reply.request_id != id => {}
                    Ok((reply, mut body)) => break judge(reply.status, &mut body),
                    Err(error) => return Err(broken(route, &mut lease, NoReply::Broken(error))),
                }
            }
            Ok(_) => {}
            Err(reason) => return Err(broken(route, &mut lease, reason)),
        }
    };
    answer?.map_err(decoding)
}

type Judged = Result<Result<Whereabouts, CdrError>, SystemException>;

fn judge(status: LocateStatus, body: &mut zorb_cdr::CdrReader<'_>) -> Judged {
    Ok(Ok(match status {
        LocateStatus::UnknownObject => Whereabouts::Unknown,
        LocateStatus::ObjectHere => Whereabouts::Here,
        LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => match Ior::read(body) {
            Ok(ior) => Whereabouts::Forward(ior),
            Err(error) => return Ok(Err(error)),
        },
        LocateStatus::LocSystemException => {
            return Err(SystemException::read(body).unwrap_or_else(decoding));
        }
        LocateStatus::LocNeedsAddressingMode => {
            return Err(SystemException::no_implement(
                minor::no_implement::UNSUPPORTED_OPERATION,
                CompletionStatus::No,
            ));
        }
    }))
}

fn broken(
    route: &super::route::Route,
    lease: &mut super::pool::Lease,
    reason: NoReply,
) -> SystemException {
    lease.discard();
    no_reply(route, "locate", None, reason).1
}
