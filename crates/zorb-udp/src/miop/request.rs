//! Requests whose target is a group, and the same requests for one object.
//!
//! An ORB names the target of a request by an object key. A group has none: in the message that goes to
//! it the target is the group's profile. So the way out puts the profile where the key was, which is the
//! profile's octets, and the way in puts the key of a member where the profile was.

use zorb_cdr::TextCoding;
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, ProfileTag, RequestHeader,
    RequestStart, ResponseFlags, TargetAddress, UipmcProfile,
};

use super::group::GroupName;

/// The whole one-way request in GIOP 1.2 that `message` is; `None` for anything else.
fn read(message: &[u8]) -> Option<(MessageHeader, RequestHeader<'_>, &[u8])> {
    let header = MessageHeader::parse_prefix(message).ok()??;
    let is_request = header.kind == MessageKind::Request
        && header.version == GiopVersion::V1_2
        && !header.more_fragments
        && header.total_size() == message.len();
    if !is_request {
        return None;
    }
    let (request, body) = RequestHeader::read(message, &header).ok()?;
    let nobody_waits = request.response == ResponseFlags::NoResponse;
    nobody_waits.then(|| (header, request, body.rest()))
}

/// Puts the request in `message`, with another target, into `into`; its arguments are not looked at.
fn write(message: &[u8], target: TargetAddress<'_>, into: &mut Vec<u8>) -> Option<()> {
    let (header, request, body) = read(message)?;
    let contexts: Vec<_> = request.service_contexts.iter().collect();
    let start = RequestStart {
        request_id: request.request_id,
        response: request.response,
        target,
        operation: &request.operation,
        service_contexts: &contexts,
    };
    into.clear();
    let mut again = MessageWriter::request(into, header.version, header.order, &start).ok()?;
    // The arguments begin at a multiple of 8 before and after.
    again.body(TextCoding::default()).put(body);
    again.finish().ok()
}

/// The request as it goes to the group whose profile its object key is.
pub(crate) fn for_group(message: &[u8], into: &mut Vec<u8>) -> Option<()> {
    let (_, request, _) = read(message)?;
    let TargetAddress::Key(data) = request.target else { return None };
    write(message, TargetAddress::Profile { tag: ProfileTag::UIPMC, data }, into)
}

/// The request as it comes to one member of its group.
pub(crate) fn for_member(message: &[u8], object_key: &[u8], into: &mut Vec<u8>) -> Option<()> {
    write(message, TargetAddress::Key(object_key), into)
}

/// The group that the request in `message` is for.
pub(crate) fn group_of(message: &[u8]) -> Option<GroupName> {
    let (_, request, _) = read(message)?;
    let TargetAddress::Profile { tag: ProfileTag::UIPMC, data } = request.target else {
        return None;
    };
    let group = UipmcProfile::decode(data).and_then(|profile| profile.group()).ok()?;
    Some(GroupName::from(group))
}
