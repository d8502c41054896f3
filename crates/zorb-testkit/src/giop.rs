//! Properties of GIOP for fuzzing: each function decodes arbitrary octets in several ways and checks properties of
//! the results.

use zorb_cdr::{ByteOrder, CdrReader, TextCoding, Wire};
use zorb_giop::{
    AlternateIiopAddress, CancelRequest, CodeSetComponentInfo, CodeSetContext, ComponentBody,
    HEADER_SIZE, HostPort, IiopProfile, Inbound, Ior, LanePriority, Limits, LocateReplyHeader,
    LocateRequestHeader, MessageHeader, MessageKind, MessageWriter, ObjectUrl, OrbType, Policies,
    ReplyHeader, RequestHeader, RequestStart, ServiceContext, ServiceContexts, SslSecTrans,
    TaggedComponent, TaoEndpoints, fragments, iiop_object_key,
};

/// Decodes a message with its header. A decoded message survives a round trip.
pub fn message(octets: &[u8]) {
    let Ok(Some(header)) = MessageHeader::parse_prefix(octets) else {
        return;
    };
    assert_eq!(MessageHeader::parse(&header.to_octets()), Ok(header));
    match header.kind {
        MessageKind::Request => request(octets, &header),
        MessageKind::Reply => reply(octets, &header),
        MessageKind::LocateRequest => {
            if let Ok(locate) = LocateRequestHeader::read(octets, &header) {
                let _ = locate.target.object_key();
            }
        }
        MessageKind::LocateReply => {
            if let Ok((_, mut body)) = LocateReplyHeader::read(octets, &header) {
                let _ = Ior::read(&mut body);
            }
        }
        MessageKind::CancelRequest => {
            let _ = CancelRequest::read(octets, &header);
        }
        MessageKind::CloseConnection | MessageKind::MessageError | MessageKind::Fragment => {}
    }
}

fn request(octets: &[u8], header: &MessageHeader) {
    // The fast path has the same results as the slow one.
    let (mut fast, mut fast_body) = (RequestHeader::EMPTY, CdrReader::new(octets, header.order));
    let fast_read = fast.read_with(&mut fast_body, header);
    let read = RequestHeader::read(octets, header);
    assert_eq!(fast_read.is_ok(), read.is_ok());
    if let Ok((request, body)) = &read {
        assert_eq!((fast.request_id, fast.response), (request.request_id, request.response));
        assert_eq!((&fast.target, &fast.operation), (&request.target, &request.operation));
        assert_eq!(fast_body.offset(), body.offset());
    }
    let Ok((request, body)) = read else {
        return;
    };
    let _ = request.target.object_key();
    let contexts = collected(&request.service_contexts);
    let mut again = Vec::new();
    let start = RequestStart {
        request_id: request.request_id,
        response: request.response,
        target: request.target.clone(),
        operation: &request.operation,
        service_contexts: &contexts,
    };
    let writer = MessageWriter::request(&mut again, header.version, header.order, &start);
    let mut writer = writer.expect("a header that was read can be written");
    writer.body(TextCoding::default()).put(body.rest());
    writer.finish().expect("it is no larger than before");
    let rewritten = MessageHeader::parse_prefix(&again).ok().flatten().expect("a header");
    let (second, second_body) = RequestHeader::read(&again, &rewritten).expect("a request");
    assert_eq!(second.request_id, request.request_id);
    assert_eq!(second.response, request.response);
    assert_eq!(second.target, request.target);
    assert_eq!(second.operation, request.operation);
    assert_eq!(collected(&second.service_contexts), contexts);
    assert_eq!(second_body.rest(), body.rest());
}

fn reply(octets: &[u8], header: &MessageHeader) {
    let Ok((reply, mut body)) = ReplyHeader::read(octets, header) else {
        return;
    };
    assert_eq!(collected(&reply.service_contexts).len(), reply.service_contexts.len());
    let _ = Ior::read(&mut body);
}

fn collected<'a>(contexts: &ServiceContexts<'a>) -> Vec<ServiceContext<'a>> {
    let list: Vec<_> = contexts.iter().collect();
    assert_eq!(list.len(), contexts.len());
    for context in &list {
        assert!(contexts.find(context.id).is_some());
        let _ = CodeSetContext::decode(&context.data);
    }
    list
}

/// Receives a stream of octets, in pieces whose sizes depend on the first octet.
pub fn inbound(octets: &[u8]) {
    let (&seed, stream) = octets.split_first().unwrap_or((&0, &[]));
    let limits = Limits::DEFAULT
        .max_message_size(1 << 16)
        .max_fragments(64)
        .max_partial_messages(4)
        .max_partial_octets(1 << 16)
        .initial_capacity(256)
        .retained_capacity(1024);
    let mut inbound = Inbound::new(limits);
    let mut rest = stream;
    let mut state = usize::from(seed);
    let mut spare = Vec::new();
    let mut messages = 0;
    loop {
        loop {
            match inbound.poll() {
                Ok(Some(header)) => {
                    messages += 1;
                    assert!(!header.more_fragments && header.kind != MessageKind::Fragment);
                    assert_eq!(header.total_size(), inbound.current().len());
                    assert!(inbound.current().len() <= limits.max_message_size);
                    message(inbound.current());
                    if state & 1 == 0 {
                        let expected = inbound.current().to_vec();
                        let detached = inbound.take(std::mem::take(&mut spare));
                        assert_eq!(detached.message(), expected);
                        spare = detached.buffer;
                    }
                }
                Ok(None) => break,
                Err(_) => return,
            }
        }
        assert!(messages <= stream.len() / HEADER_SIZE);
        let capacity = inbound.capacity();
        let received = stream.len() - rest.len();
        assert!(capacity <= (received.max(256) * 2).max(1024), "{capacity} for {received}");
        let space = inbound.space();
        assert!(!space.is_empty());
        if rest.is_empty() {
            return;
        }
        state = state.wrapping_mul(29).wrapping_add(7) & 0xff;
        let count = (1 + state).min(rest.len()).min(space.len());
        let (now, later) = rest.split_at(count);
        space[..count].copy_from_slice(now);
        inbound.advance(count);
        rest = later;
    }
}

/// Splits a message into fragments of at most `max` octets, and joins them to the same message.
pub fn split_and_join(octets: &[u8], max: usize) {
    let Ok(Some(header)) = MessageHeader::parse_prefix(octets) else {
        return;
    };
    if header.total_size() != octets.len() || header.kind == MessageKind::Fragment {
        return;
    }
    let mut inbound = Inbound::new(Limits::default());
    let mut joined = None;
    let pieces = fragments(octets, max);
    if header.more_fragments {
        return;
    }
    for piece in pieces {
        for part in [piece.header(), piece.payload] {
            let mut part = part;
            while !part.is_empty() {
                let space = inbound.space();
                let count = space.len().min(part.len());
                space[..count].copy_from_slice(&part[..count]);
                inbound.advance(count);
                part = &part[count..];
                assert!(joined.is_none(), "a message before its last fragment");
                if inbound.poll().expect("fragments of our own").is_some() {
                    joined = Some(inbound.current().to_vec());
                }
            }
        }
    }
    let joined = joined.expect("a whole message");
    assert_eq!(joined.get(12..), octets.get(12..));
}

/// Decodes an encapsulated reference, its profiles and components.
pub fn reference(octets: &[u8]) {
    if let Ok(ior) = Ior::from_encapsulation(octets) {
        for profile in &ior.profiles {
            profile_data(&profile.data);
        }
        let text = ior.to_stringified().expect("a reference that was read can be written");
        assert_eq!(Ior::from_stringified(&text).as_ref(), Ok(&ior));
    }
    profile_data(octets);
    component_data(octets);
}

fn profile_data(data: &[u8]) {
    let Ok(profile) = IiopProfile::decode(data) else {
        return;
    };
    assert_eq!(iiop_object_key(data), Ok(profile.object_key.as_slice()));
    for component in &profile.components {
        component_data(&component.data);
    }
    let again = profile.encode(ByteOrder::Big).expect("a profile that was read can be written");
    assert_eq!(IiopProfile::decode(&again.data), Ok(profile));
}

fn component_data(data: &[u8]) {
    fn body<T: ComponentBody + PartialEq + std::fmt::Debug>(data: &[u8]) {
        let component = TaggedComponent { tag: T::TAG, data: data.to_vec() };
        if let Ok(Some(body)) = component.body::<T>() {
            let again = TaggedComponent::with_body(&body, ByteOrder::Little).expect("writable");
            assert_eq!(again.body::<T>(), Ok(Some(body)));
        }
    }
    body::<OrbType>(data);
    body::<CodeSetComponentInfo>(data);
    body::<AlternateIiopAddress>(data);
    body::<SslSecTrans>(data);
    body::<Policies>(data);
    body::<TaoEndpoints>(data);
    body::<LanePriority>(data);
    if let Ok(mut reader) = CdrReader::for_encapsulation(data) {
        let _ = ServiceContexts::read(&mut reader);
    }
}

/// Parses text as a URL. A parsed URL survives a round trip.
pub fn url(text: &str) {
    match ObjectUrl::parse(text) {
        Ok(url) => {
            let printed = url.to_string();
            assert_eq!(ObjectUrl::parse(&printed).as_ref(), Ok(&url), "{printed}");
        }
        Err(error) => assert!(error.position <= text.len(), "{error}"),
    }
    match HostPort::parse(text) {
        Ok(address) => assert_eq!(HostPort::parse(&address.to_string()), Ok(address)),
        Err(error) => assert!(error.position <= text.len(), "{error}"),
    }
}
