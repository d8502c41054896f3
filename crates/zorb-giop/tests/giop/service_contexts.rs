//! The borrowed list of service contexts.

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};
use zorb_giop::{ServiceContext, ServiceContexts, ServiceId};

/// A list at an odd offset.
fn list(contexts: &[(u32, &[u8])], order: ByteOrder) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, order);
    writer.write_u8(0);
    writer.write_count(contexts.len(), "list").expect("small");
    for (id, data) in contexts {
        writer.write_u32(*id);
        writer.write_octets(data).expect("small");
    }
    writer.write_u8(0xee);
    octets
}

#[test]
fn contexts_are_borrowed_in_order() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let octets = list(&[(1, b"abc"), (0xdead, b""), (1, b"second"), (10, b"12345678")], order);
        let mut reader = CdrReader::new(&octets, order);
        reader.read_u8().expect("an octet");
        let contexts = ServiceContexts::read(&mut reader).expect("a list");
        assert_eq!(reader.read_u8(), Ok(0xee), "the reader is behind the list");
        assert_eq!((contexts.len(), contexts.is_empty()), (4, false));
        assert_eq!(contexts.find(ServiceId::CODE_SETS), Some(&b"abc"[..]), "the first counts");
        assert_eq!(contexts.find(ServiceId(0xdead)), Some(&b""[..]));
        assert_eq!(contexts.find(ServiceId::RT_CORBA_PRIORITY), Some(&b"12345678"[..]));
        assert_eq!(contexts.find(ServiceId::BI_DIR_IIOP), None);
        let ids: Vec<u32> = contexts.iter().map(|context| context.id.0).collect();
        assert_eq!(ids, [1, 0xdead, 1, 10]);
        let owned = contexts.iter().next().expect("one").into_owned();
        drop(octets);
        assert_eq!(owned, ServiceContext::new(ServiceId::CODE_SETS, &b"abc"[..]));
    }
}

#[test]
fn ids_print_their_names() {
    assert_eq!(format!("{:?}", ServiceId::CODE_SETS), "ServiceId(CodeSets)");
    assert_eq!(format!("{:?}", ServiceId(0x5441_0005)), "ServiceId(0x54410005)");
}
