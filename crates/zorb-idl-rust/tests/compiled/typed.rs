//! Generated types as values: TypeCodes and anys.

use zorb_core::codegen::{Any, Ref, Typed};

use crate::any::{Anys, Tagged};
use crate::bank::bank::{Fee, InsufficientFunds, Money, Savings};
use crate::types::types::Node;
use crate::unions::{Big, Covered, Expression, Figure, Letter};

#[test]
fn type_codes_say_what_the_idl_says() {
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
fn values_go_into_anys_and_out() {
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
