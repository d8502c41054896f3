//! Seeds of the target `dynamic`: encapsulations of anys.

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, TextCoding, WideSet, Wire};
use zorb_dynamic::{Codec, DynAny};
use zorb_types::{Any, TcKind, TypeCode, UnionCase, ValueMember, ValueModifier, Visibility};

use crate::seed;

/// GIOP 1.2, as the target's first octet says it.
const CHOICE: u8 = 2 << 3;

/// What another ORB sent, if it is an any.
pub(crate) fn received(name: &str, little: bool, body: &[u8]) {
    let order = ByteOrder::from_flag(u8::from(little));
    let text = TextCoding { wide_set: Some(WideSet::Utf16), ..TextCoding::default() };
    let mut reader = CdrReader::new(body, order).with_text(text);
    if let Ok(any) = Any::read(&mut reader)
        && reader.remaining() == 0
    {
        write(name, order, &any);
    }
}

/// Types that the recorded messages have no anys of.
pub(crate) fn made() {
    let long = TypeCode::plain(TcKind::Long);
    let member = |name, type_code| ValueMember { name, type_code, visibility: Visibility::Public };
    let next = TypeCode::recursive("IDL:L:1.0").expect("an id");
    let modifier = ValueModifier::None;
    let list = TypeCode::value(
        "IDL:L:1.0",
        "L",
        modifier,
        None,
        &[member("v", &long), member("next", &next)],
    );
    let list = list.expect("a valuetype");
    let text = TypeCode::value_box("IDL:T:1.0", "T", &TypeCode::string(0)).expect("a box");
    let derived =
        TypeCode::value("IDL:D:1.0", "D", modifier, Some(&list), &[member("text", &text)]);
    let derived = derived.expect("a valuetype");
    let mut value = DynAny::new(&derived).expect("null");
    write("made-value-null", ByteOrder::Big, &value.to_any().expect("null"));
    value.as_value().and_then(|mut value| value.set_to_value()).expect("a value");
    let next = value.as_value().and_then(|value| value.member("next")).expect("a member");
    next.as_value().and_then(|mut next| next.set_to_value()).expect("a value");
    let boxed = value.as_value().and_then(|value| value.member("text")).expect("a member");
    boxed.as_value_box().and_then(|mut boxed| boxed.set_to_value()).expect("a box");
    let any = value.to_any().expect("a value");
    for order in [ByteOrder::Big, ByteOrder::Little] {
        write(&format!("made-value-{}", order.flag()), order, &any);
    }
    let fixed = TypeCode::fixed(31, 4).expect("a fixed");
    let cases = [
        UnionCase { label: Some(-1), name: "a", type_code: &fixed },
        UnionCase { label: None, name: "b", type_code: &derived },
    ];
    let union = TypeCode::union("IDL:U:1.0", "U", &TypeCode::plain(TcKind::LongLong), &cases);
    let abstract_interface = TypeCode::named(TcKind::AbstractInterface, "IDL:A:1.0", "A");
    let all = TypeCode::structure(
        "IDL:S:1.0",
        "S",
        &[
            ("u", union.expect("a union")),
            ("l", TypeCode::plain(TcKind::LongDouble)),
            ("a", abstract_interface.expect("an interface")),
            ("w", TypeCode::wstring(5)),
            ("m", TypeCode::array(&TypeCode::array(&long, 2).expect("a row"), 3).expect("rows")),
            ("any", TypeCode::plain(TcKind::Any)),
            ("t", TypeCode::plain(TcKind::TypeCode)),
        ],
    );
    let all = DynAny::new(&all.expect("a struct")).and_then(|all| all.to_any());
    write("made-all", ByteOrder::Little, &all.expect("a value"));
}

/// Values that are shared, in cycles, in chunks, cut down, or not known at all.
pub(crate) fn values() {
    let long = TypeCode::plain(TcKind::Long);
    let any_type = TypeCode::plain(TcKind::Any);
    let member = |name, type_code| ValueMember { name, type_code, visibility: Visibility::Public };
    let next = TypeCode::recursive("IDL:N:1.0").expect("an id");
    let node = TypeCode::value(
        "IDL:N:1.0",
        "N",
        ValueModifier::None,
        None,
        &[member("v", &long), member("next", &next), member("any", &any_type)],
    );
    let node = node.expect("a valuetype");
    let custom = TypeCode::value("IDL:C:1.0", "C", ValueModifier::Custom, None, &[]);
    let custom = custom.expect("a valuetype");
    for order in [ByteOrder::Big, ByteOrder::Little] {
        // The state of a node that leads to the value of an address, and once more from an any.
        let state = |writer: &mut CdrWriter<'_>, address: usize| {
            writer.write_i32(5);
            let no_ids: [&str; 0] = [];
            writer.write_value(address, (), &no_ids, false, |writer| {
                writer.write_i32(6);
                writer.write_u32(0);
                writer.write_u32(0);
                Ok(())
            })?;
            TypeCode::write(&node, writer)?;
            writer.write_value(address, (), &no_ids, false, |_| Ok(()))
        };
        for (name, address, ids, is_chunked) in [
            ("ring", 1, &["IDL:N:1.0"][..], false),
            ("shared", 2, &["IDL:N:1.0"][..], false),
            ("chunked", 2, &["IDL:N:1.0"][..], true),
            ("truncated", 1, &["IDL:Unknown:1.0", "IDL:N:1.0"][..], true),
        ] {
            let any = Any::build(node.clone(), |writer| {
                writer.write_value(1, (), ids, is_chunked, |writer| state(writer, address))
            });
            let name = format!("made-value-{name}-{}", order.flag());
            write(&name, order, &any.expect("a value"));
        }
        // Only what is in one order and place already goes on as it is.
        if order == ByteOrder::NATIVE {
            let any = Any::build(custom.clone(), |writer| {
                writer.write_value(1, (), &["IDL:C:1.0"], true, |writer| {
                    writer.write_octets(&[1, 2, 3])
                })
            });
            let any = any.expect("a value");
            let mut octets = vec![order.flag(), 0, 0, 0];
            let mut writer = CdrWriter::resume(&mut octets, order);
            TypeCode::write(&custom, &mut writer).expect("a type");
            writer.align(4);
            if Any::write_value(&any, &mut writer).is_ok() {
                seed("dynamic", "made-value-custom", [&[CHOICE][..], &octets].concat());
            }
        }
    }
}

fn write(name: &str, order: ByteOrder, any: &Any) {
    let octets = Codec::new().with_order(order).encode(any).expect("an encoding");
    seed("dynamic", name, [&[CHOICE][..], &octets].concat());
    // No text begins so.
    seed("json", &format!("any-{name}"), [&[0xff][..], &octets].concat());
}
