//! Checks of unions and recursive types.

use super::records::at;
use super::{Checked, Run, present, same};
use crate::interop::data::{
    ByBoolean, ByChar, ByColour, ByKind, ByLong, ByLongLong, ByShort, ByULong, ByULongLong,
    ByUShort, Choices, Document, Expression, Maybe, Nested, Node, Tree, by_kind::Kind,
};
use crate::samples;
use crate::shapes::Colour;

fn choices() -> Choices {
    Choices {
        first: ByChar::Text { label: 'c', value: "first".into() },
        second: Maybe::Unset { label: false },
        rest: vec![ByLong::Number { label: 0, value: 3 }, ByLong::Text("rest".into())],
    }
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    check_integers(run)?;
    let unions = &present(run.suite.union_types()?)?;
    let of_char = [
        ByChar::Number(1),
        ByChar::Text { label: 'b', value: "b".into() },
        ByChar::Text { label: 'c', value: "c".into() },
        ByChar::Spot(at(3, 4)),
    ];
    run.echo("unions/char", &of_char, |a, b| unions.echo_by_char(a, b));
    let of_char = [ByChar::Small { label: '?', value: 9 }];
    run.echo("unions/char_default", &of_char, |a, b| unions.echo_by_char(a, b));
    let of_boolean = [ByBoolean::Text("true".into()), ByBoolean::Real(-1.5)];
    run.echo("unions/boolean", &of_boolean, |a, b| unions.echo_by_boolean(a, b));
    let maybe = [Maybe::Value(3), Maybe::Unset { label: false }];
    run.echo("unions/implicit_default", &maybe, |a, b| unions.echo_maybe(a, b));
    let of_colour = [
        ByColour::Number(1),
        ByColour::Text { label: Colour::Green, value: "g".into() },
        ByColour::Text { label: Colour::Blue, value: "b".into() },
    ];
    run.echo("unions/enum", &of_colour, |a, b| unions.echo_by_colour(a, b));
    let of_kind = [
        ByKind::Value(4),
        ByKind::Spelling("four".into()),
        ByKind::Items { label: Kind::List, value: [1, 2, 3, 4] },
        ByKind::Items { label: Kind::Other, value: [5, 6, 7, 8] },
    ];
    run.echo("unions/inline_enum", &of_kind, |a, b| unions.echo_by_kind(a, b));
    run.echo("unions/in_struct", &[choices()], |a, b| unions.echo_choices(a, b));
    let nested = [Nested::Inner(ByBoolean::Text("deep".into())), Nested::Several(choices())];
    run.echo("unions/nested", &nested, |a, b| unions.echo_nested(a, b));
    let nested = [Nested::List { label: -9, value: choices().rest }];
    run.echo("unions/nested_default", &nested, |a, b| unions.echo_nested(a, b));
    Ok(())
}

fn check_integers(run: &mut Run<'_>) -> Checked {
    let unions = &present(run.suite.union_types()?)?;
    let of_long = [
        ByLong::Text("minus one".into()),
        ByLong::Number { label: 0, value: 5 },
        ByLong::Number { label: 1, value: 6 },
        ByLong::Number { label: 2, value: 7 },
    ];
    run.echo("unions/long", &of_long, |a, b| unions.echo_by_long(a, b));
    let of_long =
        [ByLong::Real { label: i32::MIN, value: 0.5 }, ByLong::Real { label: 3, value: 1.0 }];
    run.echo("unions/long_default", &of_long, |a, b| unions.echo_by_long(a, b));
    let of_ulong = [ByULong::Small(255), ByULong::Text("two billion".into())];
    run.echo("unions/ulong", &of_ulong, |a, b| unions.echo_by_ulong(a, b));
    let of_ulong = [ByULong::Unset { label: u32::MAX }];
    run.echo("unions/ulong_no_member", &of_ulong, |a, b| unions.echo_by_ulong(a, b));
    let of_short = [ByShort::Spot(at(1, 2)), ByShort::Numbers(vec![1, 2])];
    run.echo("unions/short", &of_short, |a, b| unions.echo_by_short(a, b));
    let of_short = [ByShort::Yes { label: 77, value: true }];
    run.echo("unions/short_default", &of_short, |a, b| unions.echo_by_short(a, b));
    let of_ushort = [
        ByUShort::Letter('l'),
        ByUShort::Tint(Colour::Blue),
        ByUShort::Text { label: 7, value: "seven".into() },
        ByUShort::Text { label: 9, value: "nine".into() },
    ];
    run.echo("unions/ushort", &of_ushort, |a, b| unions.echo_by_ushort(a, b));
    let of_ushort = [ByUShort::Unset { label: 65535 }];
    run.echo("unions/ushort_no_member", &of_ushort, |a, b| unions.echo_by_ushort(a, b));
    let of_longlong = [ByLongLong::Real(2.5), ByLongLong::Text("minus".into())];
    run.echo("unions/longlong", &of_longlong, |a, b| unions.echo_by_longlong(a, b));
    let of_longlong = [ByLongLong::Small { label: -5_000_000_000, value: -5 }];
    run.echo("unions/longlong_default", &of_longlong, |a, b| unions.echo_by_longlong(a, b));
    let of_ulonglong = [ByULongLong::Number(-1), ByULongLong::Text("large".into())];
    run.echo("unions/ulonglong", &of_ulonglong, |a, b| unions.echo_by_ulonglong(a, b));
    let of_ulonglong = [ByULongLong::Unset { label: 18_000_000_000_000_000_000 }];
    run.echo("unions/ulonglong_no_member", &of_ulonglong, |a, b| unions.echo_by_ulonglong(a, b));
    Ok(())
}

pub(super) fn check_recursion(run: &mut Run<'_>) -> Checked {
    let recursion = &present(run.suite.recursive_types()?)?;
    let leaf = Tree { name: "leaf".into(), children: vec![] };
    run.echo("recursion/struct", &[samples::tree(), leaf], |a, b| recursion.echo_tree(a, b));
    let end = Node { value: 0, children: vec![], mark: 1 };
    let chain = (1..=40).fold(end, |inner, depth: u8| Node {
        value: depth.into(),
        children: vec![inner],
        mark: depth,
    });
    run.echo("recursion/forward_struct", &[chain], |a, b| recursion.echo_node(a, b));
    // -(2 + 3) + 40
    let two = Expression::Value(2);
    let sum = Expression::Terms(vec![two.clone(), Expression::Value(3)]);
    let minus = Expression::Operand(vec![sum]);
    let all = Expression::Terms(vec![minus.clone(), Expression::Value(40)]);
    run.echo("recursion/union", &[all.clone(), two, minus], |a, b| recursion.echo_expression(a, b));
    run.check("recursion/evaluate", || same("the value", &recursion.evaluate(&all)?, &35));
    let text = Document::Text("text".into());
    let inner = Document::Items(vec![text.clone(), Document::Truth(true)]);
    let items = Document::Items(vec![text.clone(), Document::Truth(true), inner]);
    run.echo("recursion/forward_union", &[items, text], |a, b| recursion.echo_document(a, b));
    Ok(())
}
