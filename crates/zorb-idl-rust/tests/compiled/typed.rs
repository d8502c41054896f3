//! Generated types as values: TypeCodes and anys.

use zorb_core::codegen::{Any, Bounded, Ref, TypeCode, Typed};
use zorb_types::TcKind;

use crate::any::{Anys, Tagged};
use crate::bank::bank::{Fee, InsufficientFunds, Money, Savings};
use crate::types::types::{AliasAlias, Collections, MatricesAlias, NamesAlias, Node, Texts};
use crate::unions::{Big, Covered, Expression, Figure, Letter};

#[test]
fn type_codes_match_the_idl() {
    for (type_code, idl) in [
        (Money::type_code(), "struct Money { long long cents; Currency unit; }"),
        (InsufficientFunds::type_code(), "exception InsufficientFunds { Money missing; }"),
        (Node::type_code(), "struct Node { string label; sequence<Node> children; }"),
        (Ref::<Savings>::type_code(), "interface Savings"),
        (
            Fee::type_code(),
            "union Fee switch (Currency) { case EUR: long flat_cents; default: double rate; }",
        ),
        (
            Letter::type_code(),
            "union Letter switch (char) { case 'a': octet first; case '\\'': boolean quote; \
             default: wstring other; }",
        ),
        (
            Expression::type_code(),
            "union Expression switch (octet) { case 0: double constant; \
             case 1: sequence<Expression> sum; }",
        ),
    ] {
        assert_eq!(type_code.to_string(), idl);
    }
}

#[test]
fn unions_have_a_case_for_each_label() {
    assert_eq!(
        (Figure::type_code().member_count(), Figure::type_code().default_index()),
        (4, Ok(Some(3)))
    );
    assert_eq!(Figure::type_code().member_label(2), Ok(2));
    assert_eq!(
        (Big::type_code().member_label(0), Big::type_code().default_index()),
        (Ok(-1), Ok(Some(2)))
    );
    assert_eq!(Covered::type_code().default_index(), Ok(None));
}

#[test]
fn values_convert_to_anys_and_back() {
    let fee = Any::new::<Fee>(&Fee::FlatCents(3)).expect("an any");
    assert_eq!(fee.get::<Fee>(), Some(Fee::FlatCents(3)));
    assert_eq!(fee.get::<Money>(), None);
    let tagged = Tagged { name: "n".into(), value: fee };
    let outer = Any::new::<Tagged>(&tagged).expect("an any");
    assert_eq!(outer.get::<Tagged>(), Some(tagged));
    let many: Anys = vec![outer, Any::default()];
    let all = Any::new::<Vec<Any>>(&many).expect("an any");
    assert_eq!(all.get::<Vec<Any>>(), Some(many));
}

#[test]
fn typedefs_keep_their_names() {
    let texts = Texts::type_code();
    let name = texts.member_type(4).expect("a member");
    assert_eq!((name.kind(), name.name()), (TcKind::Alias, "ShortName"));
    assert_eq!(name.id(), "IDL:Types/ShortName:1.0");
    assert_eq!(
        name.content_type().map(|original| original.to_string()).as_deref(),
        Ok("string<8>")
    );
    // A typedef of another one, and typedefs inside arrays and sequences.
    let alias = AliasAlias::type_code();
    let original = alias.content_type().expect("a typedef");
    assert_eq!(
        (alias.name(), original.name(), alias.resolved_kind()),
        ("Alias", "Id", TcKind::Long)
    );
    let collections = Collections::type_code();
    let ids = collections.member_type(10).and_then(|array| array.content_type());
    assert_eq!(ids.as_ref(), Ok(&alias));
    let matrices = MatricesAlias::type_code().content_type().and_then(|all| all.content_type());
    assert_eq!(matrices.map(|matrix| matrix.name().to_owned()).as_deref(), Ok("Matrix"));

    // They matter for equality of types, but not of values.
    let names = vec!["a".to_owned(), "b".to_owned()];
    let any = Any::new::<NamesAlias>(&names).expect("an any");
    assert_eq!(any.type_code().name(), "Names");
    assert_eq!(any.get::<NamesAlias>(), Some(names.clone()));
    assert_eq!(any.get::<Bounded<Vec<Bounded<String, 8>>, 4>>(), Some(names));
    assert_eq!(any.get::<Vec<String>>(), None);
    let plain = TypeCode::array(&i32::type_code(), 40).expect("an array");
    let named = collections.member_type(10).expect("a member");
    assert!(named.equivalent(&plain) && named != plain);
}
