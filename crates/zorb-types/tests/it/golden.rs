//! Anys and TypeCodes as omniORB and JacORB sent them: decoded, compared, encoded again.

#![allow(clippy::expect_used, clippy::panic)]

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, TextCoding, WideForm, WideSet, Wire};
use zorb_types::{Any, TcKind, TypeCode, TypeDesc, Typed};

const REPLIES: &str = include_str!("../golden/replies.txt");
/// The offset of the body in these replies.
const BODY: usize = 24;

struct Vector {
    name: &'static str,
    order: ByteOrder,
    text: TextCoding,
    body: Vec<u8>,
}

fn vectors() -> impl Iterator<Item = Vector> {
    REPLIES.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [name, order, version, hex] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let order = if order == "le" { ByteOrder::Little } else { ByteOrder::Big };
        let wide_form = if version == "1.1" { WideForm::Units } else { WideForm::Octets };
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        Vector {
            name,
            order,
            text: TextCoding { wide_set: Some(WideSet::Utf16), wide_form, ..TextCoding::default() },
            body: (0..hex.len()).step_by(2).map(digits).collect(),
        }
    })
}

fn vector(name: &str) -> Vector {
    vectors().find(|vector| vector.name == name).expect(name)
}

impl Vector {
    fn decode<T: Wire>(&self) -> CdrResult<T::Value> {
        let mut reader =
            CdrReader::new(&self.body, self.order).with_origin(BODY).with_text(self.text);
        let value = T::read(&mut reader)?;
        assert_eq!(reader.remaining(), 0, "{}", self.name);
        Ok(value)
    }

    fn encode<T: Wire>(&self, value: &T::View) -> Vec<u8> {
        let mut message = vec![0; BODY];
        let mut writer = CdrWriter::resume(&mut message, self.order).with_text(self.text);
        T::write(value, &mut writer).expect(self.name);
        message.split_off(BODY)
    }

    fn any(&self) -> Any {
        self.decode::<Any>().expect(self.name)
    }

    fn type_code(&self) -> TypeCode {
        self.decode::<TypeCode>().expect(self.name)
    }
}

#[test]
fn every_vector_is_encoded_as_it_was_received() {
    // Zorb differs on purpose: it writes the id before an exception.
    const OTHERWISE: [&str; 1] = ["giop12_any_exception"];
    let mut checked = 0;
    for vector in vectors() {
        let again = if vector.name.contains("_tc_") {
            vector.encode::<TypeCode>(&vector.type_code())
        } else {
            vector.encode::<Any>(&vector.any())
        };
        if OTHERWISE.contains(&vector.name) {
            assert_ne!(again, vector.body, "{}", vector.name);
        } else {
            assert_eq!(again, vector.body, "{}", vector.name);
        }
        checked += 1;
    }
    assert_eq!(checked, 50);
}

#[test]
fn every_prefix_of_a_vector_is_refused() {
    for mut vector in vectors() {
        let whole = core::mem::take(&mut vector.body);
        for length in 0..whole.len() {
            vector.body = whole[..length].to_vec();
            let refused = if vector.name.contains("_tc_") {
                vector.decode::<TypeCode>().is_err()
            } else {
                vector.decode::<Any>().is_err()
            };
            assert!(refused, "{} {length}", vector.name);
        }
    }
}

#[test]
fn type_codes_read_as_idl() {
    for (name, idl) in [
        ("giop12_tc_void", "void"),
        ("giop12_tc_Bad", "exception Bad { string why; long code; }"),
        ("giop12_tc_Base", "valuetype Base { long a; }"),
        ("giop12_tc_Derived2", "valuetype Derived2 { Base inner; }"),
        ("giop12_tc_Describable", "abstract interface Describable"),
        ("giop12_tc_ListNode", "valuetype ListNode { long v; ListNode next; }"),
        ("giop12_tc_Matrix", "typedef long Matrix[2][3]"),
        ("giop12_tc_Money", "typedef fixed<5, 2> Money"),
        ("giop12_tc_Node", "struct Node { long v; NodeSeq kids; }"),
        ("giop12_be_tc_Node", "struct Node { long v; NodeSeq kids; }"),
        ("giop12_tc_ShortWString", "typedef wstring<8> ShortWString"),
        ("giop12_tc_StrBox", "valuetype StrBox string"),
        (
            "giop12_tc_U",
            "union U switch (long) { case 1: long l; case 2: string s; case 3: double d; \
             case 4: double d; default: boolean b; }",
        ),
    ] {
        assert_eq!(vector(name).type_code().to_string(), idl, "{name}");
    }
    for (name, idl) in [
        (
            "giop12_any_union_bool",
            "union UB switch (boolean) { case TRUE: long long ll; case FALSE: short sh; }",
        ),
        (
            "giop12_any_union_enum",
            "union UE switch (Color) { case red: octet o; case green: string s; }",
        ),
        ("giop12_any_enum", "enum Color { red, green, blue }"),
        ("giop12_any_seqstruct", "typedef sequence<Person> PersonSeq"),
        ("giop12_any_bstring", "string<8>"),
        ("giop12_any_objref", "interface Test"),
    ] {
        assert_eq!(vector(name).any().type_code().to_string(), idl, "{name}");
    }
}

#[test]
fn a_recursive_member_has_the_same_type() {
    for name in ["giop12_tc_Node", "giop12_be_tc_Node"] {
        let node = vector(name).type_code();
        let mut inner = node.clone();
        for _ in 0..300 {
            let kids = inner.member_type(1).expect("kids").resolved();
            assert_eq!(kids.kind(), TcKind::Sequence);
            inner = kids.content_type().expect("element");
        }
        assert_eq!(inner, node);
        assert_eq!(inner.member_name(0), Ok("v"));
    }
    let derived = vector("giop12_tc_Derived2").type_code();
    let base = derived
        .concrete_base_type()
        .and_then(|derived| derived.concrete_base_type())
        .expect("base of the base");
    assert_eq!(derived.member_type(0), Ok(base));
}

#[test]
fn the_two_orbs_describe_the_same_types() {
    for (left, right) in
        [("giop12_tc_Node", "giop12_be_tc_Node"), ("giop12_tc_ListNode", "giop12_be_tc_ListNode")]
    {
        let (left, right) = (vector(left).type_code(), vector(right).type_code());
        assert!(left.equivalent(&right));
    }
    for name in ["any_struct", "any_recursive", "any_any", "any_exception", "any_wstring"] {
        let omniorb = vector(&format!("giop12_{name}")).any();
        let jacorb = vector(&format!("giop12_be_{name}")).any();
        assert_eq!(omniorb, jacorb, "{name}");
    }
    assert_eq!(vector("giop12_be_any_struct").any(), vector("giop11_be_any_struct").any());
    assert_eq!(vector("giop12_be_any_wstring").any(), vector("giop11_be_any_wstring").any());
}

#[test]
fn values_are_decoded_by_type() {
    use zorb_cdr::{Bounded, WChar, WString};
    let any = |name: &str| vector(name).any();
    assert_eq!(any("giop12_any_bool").get::<bool>(), Some(true));
    assert_eq!(any("giop12_any_char").get::<char>(), Some('x'));
    assert_eq!(any("giop12_any_wchar").get::<WChar>(), Some('é'));
    assert_eq!(any("giop12_any_wstring").get::<WString>().as_deref(), Some("ws"));
    assert_eq!(any("giop11_be_any_wstring").get::<WString>().as_deref(), Some("ws"));
    assert_eq!(any("giop12_any_longlong").get::<i64>(), Some(5));
    assert_eq!(any("giop12_any_bstring").get::<Bounded<String, 8>>().as_deref(), Some("bs"));
    assert_eq!(any("giop12_any_bstring").get::<String>(), None);
    assert_eq!(any("giop12_any_bseq").get::<Bounded<Vec<i16>, 4>>(), Some(vec![1]));
    assert_eq!(any("giop12_any_array").get::<[[i32; 3]; 2]>(), Some([[1, 2, 3], [4, 5, 6]]));
    assert_eq!(any("giop12_be_any_seq").get::<Vec<i32>>(), Some(vec![1, 2]));
    assert_eq!(any("giop12_be_any_string").get::<String>().as_deref(), Some("str"));
    assert_eq!(any("giop12_be_any_null"), Any::default());
    let inner = any("giop12_any_any").get::<Any>().expect("an any");
    assert_eq!(inner.get::<i16>(), Some(3));
    let type_code = any("giop12_any_typecode").get::<TypeCode>().expect("a TypeCode");
    assert_eq!(type_code, i32::type_code());
    assert_eq!(any("giop12_any_fixed").reader().rest(), [0x12, 0x34, 0x5c]);
}

/// `struct Node { long v; sequence<Node> kids; }` as in generated code.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    v: i32,
    kids: Vec<Self>,
}

impl Wire for Node {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 8;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        i32::write(&value.v, writer)?;
        <Vec<Self>>::write(&value.kids, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.descend("Node")?;
        let node = Self { v: i32::read(reader)?, kids: <Vec<Self>>::read(reader)? };
        reader.ascend();
        Ok(node)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Typed for Node {
    fn type_desc() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::structure(
            "IDL:vec.test/Vec/Node:1.0",
            "Node",
            &[("v", i32::type_desc), ("kids", <Vec<Node>>::type_desc)],
        );
        &DESC
    }
}

#[test]
fn a_recursive_type_of_this_program_equals_the_received_one() {
    for name in ["giop12_any_recursive", "giop12_be_any_recursive"] {
        let vector = vector(name);
        let received = vector.any();
        assert!(received.type_code().equivalent(&Node::type_code()));
        let node = received.get::<Node>().expect("a node");
        let sent = Any::new::<Node>(&node).expect("an any");
        assert_eq!(sent, received);
        assert_ne!(sent.type_code(), received.type_code(), "the received one has a typedef");
        let octets = vector.encode::<Any>(&sent);
        let again = CdrReader::new(&octets, vector.order).with_origin(BODY);
        assert_eq!(Any::read(&mut again.clone()), Ok(sent));
        // Type ids, names and one indirection: recursion ends the description.
        assert!(octets.len() < vector.body.len(), "{name}");
    }
}
