//! CDR encoding and decoding of generated types.

use std::error::Error;
use std::fmt::Debug;

use zorb_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, Wire,
};
use zorb_core::{Raises, UserException};

use crate::bank::bank::{self, Closed, Currency, Fee, InsufficientFunds, Money, account};
use crate::names;
use crate::types::types;
use crate::unions::{
    Big, Covered, Expression, Figure, Holder, Letter, Partial, Shape, Small, Spot, WideLetter,
};

fn encode<T: Wire>(value: &T::View, order: ByteOrder) -> CdrResult<Vec<u8>> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, order).with_text(TextCoding::ENCAPSULATION);
    T::write(value, &mut writer)?;
    Ok(octets)
}

fn decode<T: Wire>(octets: &[u8], order: ByteOrder) -> CdrResult<T::Value> {
    T::read(&mut CdrReader::new(octets, order).with_text(TextCoding::ENCAPSULATION))
}

fn round_trips<T: Wire<Value = T, View = T> + PartialEq + Debug>(value: &T) {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let octets = encode::<T>(value, order).expect("it has an encoding");
        assert!(octets.len() >= T::MIN_SIZE, "{value:?}");
        assert_eq!(decode::<T>(&octets, order).as_ref(), Ok(value));
        // A truncated encoding is an error, and never a panic.
        for length in 0..octets.len() {
            assert!(decode::<T>(&octets[..length], order).is_err(), "{value:?} cut at {length}");
        }
    }
}

fn kind<T>(result: Result<T, CdrError>) -> Option<CdrErrorKind> {
    result.err().map(|error| error.kind)
}

#[test]
fn structs_are_their_members_in_order() {
    let money = Money { cents: -2, unit: Currency::Usd };
    let octets = encode::<Money>(&money, ByteOrder::Big).expect("it has an encoding");
    assert_eq!(octets, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1]);
    round_trips(&money);
    round_trips(&types::Basics {
        wide: '\u{3c9}',
        ll: i64::MIN,
        d: 0.5,
        ..types::Basics::default()
    });
    round_trips(&types::Whole { id: 7, hue: types::Colour::DarkBlue, cells: [1, 2, 3] });
    round_trips(&types::Outer {
        within: types::outer::Inner { x: 1 },
        sort: types::outer::Kind::Hard,
    });
}

#[test]
fn texts_and_collections_round_trip() {
    let text = |text: &str| text.to_owned();
    round_trips(&types::Texts {
        free: text("free"),
        bounded: text("12345678"),
        wide: text("grüß"),
        wide_bounded: text("ωωωωω"),
        name: text("n"),
        wide_name: text("w"),
    });
    round_trips(&types::Collections {
        numbers: vec![1, -1],
        words: vec![text("a"), text(""), text("c")],
        wide_words: vec![text("ω")],
        nested: vec![vec![true], vec![], vec![false, true]],
        octets: vec![1, 2, 3],
        short_octets: vec![9; 16],
        table: [[1, 2, 3], [4, 5, 6]],
        tables: vec![[[7; 3]; 2]],
        titles: vec![text("t")],
        wholes: [types::Whole::default(); 2],
        ids: [5; 40],
    });
}

#[test]
fn bounds_are_checked_in_both_directions() {
    let mut texts = types::Texts { bounded: "123456789".into(), ..types::Texts::default() };
    assert_eq!(
        kind(encode::<types::Texts>(&texts, ByteOrder::Big)),
        Some(CdrErrorKind::BoundExceeded)
    );
    texts.bounded.clear();
    texts.wide_bounded = "123456".into();
    assert_eq!(
        kind(encode::<types::Texts>(&texts, ByteOrder::Big)),
        Some(CdrErrorKind::BoundExceeded)
    );
    let long = encode::<String>("123456789", ByteOrder::Big).expect("it has an encoding");
    let free = encode::<String>("", ByteOrder::Big).expect("it has an encoding");
    let octets = [&free[..], &[0; 3], &long].concat();
    assert_eq!(
        kind(decode::<types::Texts>(&octets, ByteOrder::Big)),
        Some(CdrErrorKind::BoundExceeded)
    );
}

#[test]
fn enumerations_know_their_values() {
    assert_eq!(Currency::try_from(1), Ok(Currency::Usd));
    assert_eq!(u32::from(Currency::Usd), 1);
    assert_eq!(Currency::default(), Currency::Eur);
    let error = Currency::try_from(2).expect_err("there are two");
    assert_eq!(error.to_string(), "the enumeration Currency has no value 2");
    round_trips(&Currency::Usd);
    let octets = [0, 0, 0, 2];
    assert_eq!(kind(decode::<Currency>(&octets, ByteOrder::Big)), Some(CdrErrorKind::BadEnum));
}

#[test]
fn constants_have_their_values() {
    assert_eq!(types::LEAST_LONG_LONG, i64::MIN);
    assert_eq!(types::MOST, u64::MAX);
    assert_eq!(types::TENTH, 0.1_f32);
    assert_eq!(types::AVOGADRO, 6.022e23);
    assert_eq!(types::LETTER, '\n');
    assert_eq!(types::WIDE_LETTER, 'ω');
    assert_eq!(types::GREETING, "say \"hi\"\n");
    assert_eq!(types::WIDE_GREETING, "grüß");
    assert_eq!(types::SIZE, 8);
    assert_eq!(types::FAVOURITE, types::Colour::DarkBlue);
    assert_eq!((bank::MAX_OVERDRAFT, types::all::LIMIT), (50_000, 10));
}

#[test]
fn unions_of_every_kind_round_trip() {
    let spot = Spot { x: 1, y: -1 };
    round_trips(&Fee::FlatCents(3));
    round_trips(&Fee::Rate { label: Currency::Usd, value: 0.5 });
    round_trips(&Figure::At(spot));
    round_trips(&Figure::Spots { label: Shape::Circle, value: vec![spot; 2] });
    round_trips(&Figure::Description { label: Shape::Polygon, value: "p".into() });
    round_trips(&Partial::Negative(-1));
    round_trips(&Partial::Small { label: 2, value: 1.5 });
    round_trips(&Partial::Unset { label: 7 });
    round_trips(&Covered::Yes("y".into()));
    round_trips(&Covered::No(0));
    round_trips(&Letter::Quote(true));
    round_trips(&Letter::Other { label: 'z', value: "ω".into() });
    round_trips(&WideLetter::Unset { label: 'ω' });
    round_trips(&Big::Most(1));
    round_trips(&Big::Rest { label: 0, value: 2 });
    round_trips(&Small::Form(Shape::Line));
    round_trips(&Expression::Sum(vec![Expression::Constant(1.0), Expression::Unset { label: 9 }]));
    round_trips(&Holder::Unset(4));
    round_trips(&Holder::Unset_ { label: 5 });
    round_trips(&names::r#match::Result::Bad("w".into()));
}

#[test]
fn unions_know_their_discriminator() {
    assert_eq!(Fee::FlatCents(3).discriminant(), Currency::Eur);
    assert_eq!(Figure::Spots { label: Shape::Line, value: vec![] }.discriminant(), Shape::Line);
    assert_eq!(Partial::Negative(0).discriminant(), -1);
    assert!(Covered::Yes(String::new()).discriminant());
    assert_eq!(Letter::Quote(true).discriminant(), '\'');
    assert_eq!(Big::Most(0).discriminant(), u64::MAX);
}

#[test]
fn a_discriminator_must_select_its_member() {
    fn rejected<T: Wire<Value = T, View = T>>(value: &T) {
        let result = encode::<T>(value, ByteOrder::Big);
        assert_eq!(kind(result), Some(CdrErrorKind::BadDiscriminator));
    }
    rejected(&Fee::Rate { label: Currency::Eur, value: 0.5 });
    rejected(&Figure::Spots { label: Shape::Point, value: vec![] });
    rejected(&Figure::Description { label: Shape::Line, value: String::new() });
    rejected(&Partial::Small { label: 3, value: 1.5 });
    rejected(&Partial::Unset { label: -1 });
    rejected(&Big::Rest { label: u64::MAX, value: 2 });
}

#[test]
fn nesting_of_received_values_is_limited() {
    let nest = |depth| {
        (0..depth).fold(types::Node::default(), |inner, _| types::Node {
            label: String::new(),
            children: vec![inner],
        })
    };
    round_trips(&nest(5));
    let octets = encode::<types::Node>(&nest(300), ByteOrder::Big).expect("it has an encoding");
    assert_eq!(kind(decode::<types::Node>(&octets, ByteOrder::Big)), Some(CdrErrorKind::TooDeep));
    let sum = (0..300).fold(Expression::Constant(0.0), |inner, _| Expression::Sum(vec![inner]));
    let octets = encode::<Expression>(&sum, ByteOrder::Big).expect("it has an encoding");
    assert_eq!(kind(decode::<Expression>(&octets, ByteOrder::Big)), Some(CdrErrorKind::TooDeep));
}

#[test]
fn exceptions_are_marshalled_with_their_ids() {
    let raised = account::WithdrawError::from(InsufficientFunds { missing: Money::default() });
    let id = "IDL:example.org/Bank/InsufficientFunds:1.0";
    assert_eq!((InsufficientFunds::REPOSITORY_ID, raised.repository_id()), (id, id));
    let mut octets = Vec::new();
    let exception = raised.user().expect("it is a user exception");
    exception.write(&mut CdrWriter::new(&mut octets, ByteOrder::Big)).expect("it has an encoding");
    let mut reader = CdrReader::new(&octets, ByteOrder::Big);
    assert_eq!(reader.read_latin1("id").as_deref(), Ok(id));
    assert_eq!(account::WithdrawError::read(id, &mut reader), Ok(Some(raised.clone())));
    assert_eq!(account::WithdrawError::read("IDL:Other:1.0", &mut reader), Ok(None));
    assert_eq!(raised.system(), None);
    assert_eq!(raised.to_string(), "InsufficientFunds (missing Money { cents: 0, unit: Eur })");
    assert_eq!(account::WithdrawError::from(Closed).to_string(), "Closed");
    assert!(raised.source().is_none());
    round_trips(&types::Failed { reason: "r".into(), ..types::Failed::default() });
}

#[test]
fn edge_cases_of_other_compilers_are_correct() {
    use crate::edges::edge;

    assert_eq!((edge::WIDTH, edge::BACK, edge::WIDE), (12, "ends in \\", "\u{e9}a"));
    assert_eq!(edge::TINY, 1e-300);
    round_trips(&edge::Big::A(1));
    round_trips(&edge::Big::B(-1));
    let octets = encode::<edge::Big>(&edge::Big::B(1), ByteOrder::Big).expect("it has an encoding");
    assert_eq!(octets, [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    let octets = encode::<edge::Ulongs>(&edge::Ulongs::A(2), ByteOrder::Big);
    assert_eq!(octets, Ok(vec![0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2]));
    round_trips(&edge::Ulongs::B("forty thousand".to_owned()));
    let octets = encode::<edge::Shorts>(&edge::Shorts::A(3), ByteOrder::Big);
    assert_eq!(octets, Ok(vec![0x9c, 0x40, 0, 0, 0, 0, 0, 3]));
    round_trips(&edge::Chars::A(4));
    round_trips(&edge::Chars::B(5));
    let octets = encode::<edge::Expr>(&edge::Expr::A(6), ByteOrder::Big);
    assert_eq!(octets, Ok(vec![0, 0, 0, 9, 0, 0, 0, 6]));
    round_trips(&edge::Expr::B(7));
}

#[test]
fn structs_without_members_have_no_octets() {
    use crate::edges::{AroundNothing, Nothing};
    let value = AroundNothing { none: Nothing, number: 7, both: [Nothing; 2] };
    let mut octets = Vec::new();
    AroundNothing::write(&value, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).expect("sent");
    assert_eq!(octets, [0, 0, 0, 7]);
    let read = AroundNothing::read(&mut CdrReader::new(&octets, ByteOrder::Big));
    assert_eq!(read.expect("received"), value);
}
