//! fixed, long double, TypeCode and the IDL 4 types: encoded, and in calls.

use std::collections::BTreeMap;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_core::codegen::{Bounded, LongDouble, TypeCode, Typed};

use crate::calls::{orb, seen_from};
use crate::extended::extended::{
    ALL, Access, Ages, Base, Choice, Derived, GREETING, HALF, Header, LIMIT, LongHeader, Numbers,
    Price, Room, Shop, ShopServant, UMLAUT, VAT, Wide,
};

fn encode<T: Wire>(value: &T::View) -> CdrResult<Vec<u8>> {
    let mut octets = Vec::new();
    let writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    T::write(value, &mut writer.with_text(TextCoding::ENCAPSULATION))?;
    Ok(octets)
}

fn decode<T: Wire>(octets: &[u8]) -> CdrResult<T::Value> {
    T::read(&mut CdrReader::new(octets, ByteOrder::Big).with_text(TextCoding::ENCAPSULATION))
}

fn derived() -> Derived {
    Derived {
        name: "n".into(),
        years: [("Ada".to_owned(), 36), ("Bob".to_owned(), 7)].into(),
        names: [(Room::Hall, vec!["Flur".to_owned()])].into(),
        kind: Price::type_code(),
        head: Header { kind: 5, urgent: true, delta: -16 },
        allowed: Access::WRITE | Access::ADMIN,
    }
}

#[test]
fn constants_are_exact() {
    assert_eq!((VAT.to_string(), LIMIT.to_string()), ("0.19".into(), "1000.00".into()));
    assert_eq!((HALF.to_f64(), GREETING, UMLAUT), (0.5, "grüß", 'ü'));
    assert_eq!(ALL, Access::READ | Access::WRITE);
}

#[test]
fn numbers_have_the_standard_encoding() {
    let numbers = Numbers {
        cost: Price::constant(-12345),
        ratio: "0.5".parse().expect("a fixed"),
        precise: LongDouble::from_f64(1.0),
        small: -2,
        raw: 254,
        large: 7,
        smalls: vec![-1, 1],
    };
    let octets = encode::<Numbers>(&numbers).expect("an encoding");
    let expected = [
        &[0x00, 0x12, 0x34, 0x5d, 0x05, 0x00, 0x0c, 0][..],
        &[0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0xfe, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7],
        &[0, 0, 0, 2, 0xff, 1],
    ];
    assert_eq!(octets, expected.concat());
    assert_eq!(decode::<Numbers>(&octets), Ok(numbers));
    assert_eq!(
        Numbers::type_code().member_type(0).map(|it| it.resolved().to_string()),
        Ok("fixed<7, 2>".into())
    );
}

#[test]
fn bits_are_at_their_positions() {
    assert_eq!(encode::<Access>(&(Access::READ | Access::ADMIN)), Ok(vec![0x02, 0x01]));
    assert_eq!(decode::<Access>(&[0, 3]), Ok(ALL));
    assert!(ALL.contains(Access::READ) && (ALL - Access::READ) == Access::WRITE);
    assert_eq!(Wide::LAST.bits(), 1 << 63);
    let header = Header { kind: 5, urgent: true, delta: -16 };
    assert_eq!(encode::<Header>(&header), Ok(vec![0b1_0000_u8, 0b0000_1101]));
    assert_eq!(decode::<Header>(&[0b1_0000, 0b1111_1101]), Ok(header));
    let wide = Header { delta: 16, ..header };
    assert_eq!(
        encode::<Header>(&wide).map_err(|error| error.kind),
        Err(CdrErrorKind::BoundExceeded)
    );
    let long = LongHeader { kind: 1, length: 0x7_ffff, ..LongHeader::default() };
    // The kind, a gap, then nineteen bits from the thirteenth on.
    assert_eq!(encode::<LongHeader>(&long), Ok(vec![0xff, 0xff, 0xe0, 0x01]));
    assert_eq!(decode::<LongHeader>(&encode::<LongHeader>(&long).expect("octets")), Ok(long));
}

#[test]
fn maps_are_sequences_of_pairs() {
    let ages: Ages = [("b".to_owned(), 2), ("a".to_owned(), 1)].into();
    let octets = encode::<Ages>(&ages).expect("an encoding");
    assert_eq!(
        octets,
        [0, 0, 0, 2, 0, 0, 0, 2, b'a', 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, b'b', 0, 0, 0, 0, 0, 0, 2]
    );
    assert_eq!(decode::<Ages>(&octets), Ok(ages));
    // More pairs announced than present; more pairs than the bound.
    let kind = |octets: &[u8]| decode::<Ages>(octets).map_err(|error| error.kind);
    assert_eq!(kind(&[0xff, 0xff, 0xff, 0xff, 0, 0]), Err(CdrErrorKind::LengthBeyondEnd));
    type Two = Bounded<BTreeMap<i16, i16>, 1>;
    let two: BTreeMap<i16, i16> = [(1, 2), (3, 4)].into();
    let octets = encode::<BTreeMap<i16, i16>>(&two).expect("an encoding");
    let bound = Some(CdrErrorKind::BoundExceeded);
    assert_eq!(encode::<Two>(&two).err().map(|error| error.kind), bound);
    assert_eq!(decode::<Two>(&octets).err().map(|error| error.kind), bound);
}

#[test]
fn derived_structs_start_with_the_members_of_their_bases() {
    assert!(
        encode::<Derived>(&derived())
            .expect("octets")
            .starts_with(&encode::<Base>(&Base { name: "n".into() }).expect("octets"))
    );
    assert_eq!(Derived::type_code().member_name(0), Ok("name"));
    assert_eq!(Derived::type_code().member_count(), 6);
}

struct MyShop;

impl ShopServant for MyShop {
    fn total(&self, a: Price, b: Price, c: LongDouble) -> zorb::Result<(Price, LongDouble)> {
        let total = a.value().checked_add(b.value()).and_then(Price::try_from)?;
        Ok((total, LongDouble::from_f64(c.to_f64() * 2.0)))
    }

    fn swap(&self, d: &Derived) -> zorb::Result<(Derived, TypeCode)> {
        Ok((Derived { kind: Base::type_code(), ..d.clone() }, d.kind.clone()))
    }

    fn permit(&self, a: Access, h: &Header, s: i8) -> zorb::Result<(Access, i8)> {
        Ok((if h.urgent { a | Access::ADMIN } else { a }, -s))
    }

    fn older(&self, a: &Ages) -> zorb::Result<Ages> {
        Ok(a.iter().map(|(name, age)| (name.clone(), age + 1)).collect())
    }

    fn pick(&self, c: &Choice) -> zorb::Result<Choice> {
        Ok(match c {
            Choice::Cost(cost) => Choice::Other {
                label: 9,
                value: cost.to_string().parse::<f64>().map(LongDouble::from).unwrap_or_default(),
            },
            Choice::Whole(whole) => Choice::Whole(whole.clone()),
            Choice::Other { .. } => Choice::Cost(LIMIT),
        })
    }
}

#[test]
fn extended_types_are_arguments_and_results() {
    let (server, client) = (orb(), orb());
    let local: Shop = server.root_poa().activate(MyShop).expect("a servant");
    let shop = seen_from(&client, &local);
    let (a, b) = (Price::constant(150), Price::constant(275));
    assert_eq!(
        shop.total(a, b, LongDouble::from_f64(4.0)),
        Ok((Price::constant(425), LongDouble::from_f64(8.0)))
    );
    assert!(shop.total(Price::MAX, a, LongDouble::ZERO).is_err());
    let (swapped, kind) = shop.swap(&derived()).expect("a reply");
    assert_eq!((swapped.kind, kind), (Base::type_code(), Price::type_code()));
    assert_eq!((swapped.years, swapped.names), (derived().years, derived().names));
    let urgent = Header { urgent: true, ..Header::default() };
    assert_eq!(
        shop.permit(Access::READ, &urgent, -128 + 1),
        Ok((Access::READ | Access::ADMIN, 127))
    );
    let older = shop.older(&derived().years).expect("a reply");
    assert_eq!(older.get("Ada"), Some(&37));
    let other = Choice::Other { label: 9, value: LongDouble::from_f64(1.5) };
    assert_eq!(shop.pick(&Choice::Cost(a)), Ok(other));
    let whole = Choice::Whole(derived());
    assert_eq!(shop.pick(&whole), Ok(whole));
}
