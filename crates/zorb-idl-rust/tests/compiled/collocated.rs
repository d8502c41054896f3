//! The same calls to an object of another ORB and, with every collocation strategy, to one of the
//! same ORB: all kinds of parameters, valid and invalid values, results and exceptions.

use std::fmt::Debug;

use zorb_core::codegen::{Any, SystemException};
use zorb_core::{CollocationStrategy, Interface, ObjectRef, Raises};

use super::calls::{Echo, MyNode, orb, savings_servant, seen_from};
use crate::any::{Bag, BagServant, Tagged};
use crate::bank::bank::{Account, Currency, Fee, Money, Savings};
use crate::interfaces::graph::{Everything, Node, Observer};
use crate::types::types;
use crate::unions::{Drawing, DrawingServant, Expression, Figure, Partial, Shape, Spot};

/// The results of calls as text: values, references and failures.
type Outcomes = Vec<String>;

/// Makes `calls` on an object of another ORB, then on the same object with every collocation
/// strategy, and compares the results. Object arguments are references of the caller's own ORB.
fn same_results<R: Interface>(
    activate: impl Fn(&zorb_core::poa::Poa) -> R,
    calls: impl Fn(&R, &mut Outcomes),
) {
    let (server, client) = (orb(), orb());
    let made_by = |reference: &R| {
        let mut outcomes = Vec::new();
        // Twice: the first call of a reference binds it.
        calls(reference, &mut outcomes);
        calls(reference, &mut outcomes);
        outcomes
    };
    let expected = made_by(&seen_from(&client, &activate(&server.root_poa())));
    assert!(!expected.is_empty());
    for strategy in
        [CollocationStrategy::Marshalled, CollocationStrategy::ThruPoa, CollocationStrategy::Direct]
    {
        // With a new servant: some calls affect later ones.
        let local = activate(&server.root_poa()).with_collocation(strategy);
        assert_eq!(made_by(&local), expected, "{strategy}");
    }
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

/// The outcome of a call, without the context of system exceptions, which depends on where they are raised.
fn shown<T: Debug, E: Raises>(outcome: Result<T, E>) -> String {
    let Err(raised) = outcome else { return format!("{outcome:?}") };
    match raised.into_system() {
        Ok(SystemException { kind, minor, completed, .. }) => {
            format!("{:?}", SystemException::new(kind, minor, completed))
        }
        Err(raised) => format!("{raised:?}"),
    }
}

/// Records the result of a call.
macro_rules! note {
    ($outcomes:ident: $($call:expr),* $(,)?) => {
        $($outcomes.push(format!("{}: {}", stringify!($call), shown($call)));)*
    };
}

#[test]
fn plain_values_texts_sequences_arrays_and_structs() {
    same_results(
        |poa| poa.activate::<_, types::All>(Echo).expect("a servant"),
        |all, outcomes| {
            let names = |count| vec!["n".to_owned(); count];
            let (red, green) = (types::Colour::Red, types::Colour::Green);
            let basics = types::Basics { l: 9, letter: 'x', ..types::Basics::default() };
            let beyond = types::Basics { letter: 'Ω', ..basics };
            let near = types::all::Near { x: 2 };
            let deep = types::Node { label: "a".into(), children: vec![types::Node::default()] };
            let bad = types::Node { label: "a\0".into(), children: vec![] };
            note!(outcomes:
                all.nothing(), all.flags(true, 254), all.wides('ω', '😀'),
                all.numbers(-1, 2, 3, 4.0, 5.5), all.colours(red, green),
                all.texts("a", "bé", "Ω"), all.texts("", "", ""),
                // Too long, too long in the result, and with a NUL.
                all.texts("a", "123456789", ""), all.texts("a", "ßßßß", ""), all.texts("a", "ŉŉŉŉ", ""),
                all.texts("a\0", "b", ""), all.texts("a", "b", "\0"),
                all.blobs(&[1; 16], &[2, 3]), all.blobs(&[1; 17], &[2, 3]), all.blobs(&[], &[2; 17]),
                all.sequences(&[3, 4], &names(1)), all.sequences(&[], &names(1)), all.sequences(&[1], &names(1)),
                all.sequences(&[3], &names(4)), all.sequences(&[3], &names(5)),
                all.sequences(&[3], &["\0".to_owned()]),
                all.arrays(&[[1; 3]; 2], &[[2; 3]; 2]),
                all.trees(&deep, &basics), all.trees(&bad, &basics), all.trees(&deep, &beyond),
                all.nested(&near, &[near]), all.nested(&near, &[]),
            );
        },
    );
}

#[test]
fn references_attributes_bases_and_exceptions() {
    same_results(
        |poa| poa.activate::<_, Everything>(MyNode::default()).expect("a servant"),
        |it, outcomes| {
            let node = Node::from(it.clone());
            let object = ObjectRef::from(it.clone());
            let observer = Observer::from(it.clone());
            note!(outcomes:
                it.set_name("root"), it.name(), it.set_name("\0"), it.name(), it.current(),
                it.set_parent(Some(&node)), it.parent(), node.parent(), it.neighbours(),
                it.find("root"), it.find("leaf"), it.find("no\0"),
                it.swap(Some(&node), Some(&object)), it.swap(None, None),
                it.as_named().map(|named| named.map(|named| named.name())),
                it.set_parent(None), it.parent(), it.as_named(),
                it.reset(), it.count(), it.link(&[None, Some(node.clone())], Some(&observer)),
                it.count(), it.set_count(-5), it.count(), it.changed(None), it.changed(Some(&node)),
                observer.changed(Some(&node)),
                // An operation that the servant does not have.
                object.unchecked_narrow::<Account>().owner(),
                object.unchecked_narrow::<Account>().touch("nobody"),
            );
        },
    );
}

#[test]
fn several_results_user_exceptions_and_oneways() {
    same_results(
        |poa| {
            let (servant, touched) = savings_servant();
            // The result of a oneway call is not read.
            std::mem::forget(touched);
            poa.activate::<_, Savings>(servant).expect("a servant")
        },
        |it, outcomes| {
            let amount = Money { cents: 40, unit: Currency::Usd };
            let much = Money { cents: 400, ..amount };
            let account = Account::from(it.clone());
            note!(outcomes:
                it.owner(), account.owner(), it.withdraw(&amount), it.withdraw(&much),
                it.withdraw(&Money::default()), account.withdraw(&much),
                it.audit(&Fee::FlatCents(2)),
                it.audit(&Fee::Rate { label: Currency::Usd, value: 2.5 }),
                it.touch("me"), it.touch("\0"), it.set_rate(0.25), it.rate(),
                it.transfer(Some(&account), &amount), it.transfer(None, &amount),
                it.transfer(None, &Money::default()),
            );
        },
    );
}

/// Returns its arguments, or values that cannot be marshalled.
struct FigureServant;

impl DrawingServant for FigureServant {
    fn draw(&self, model: &Figure, part: &Partial) -> zorb::Result<(Figure, Partial, Expression)> {
        let drawn = match model {
            Figure::At(spot) => Expression::Constant(spot.x.into()),
            Figure::Description { value, .. } if value == "lie" => {
                let wrong = Figure::Spots { label: Shape::Polygon, value: vec![] };
                return Ok((wrong, *part, Expression::Constant(0.0)));
            }
            _ => Expression::Sum(vec![Expression::Constant(1.0), Expression::Sum(vec![])]),
        };
        Ok((model.clone(), *part, drawn))
    }
}

#[test]
fn unions() {
    same_results(
        |poa| poa.activate::<_, Drawing>(FigureServant).expect("a servant"),
        |it, outcomes| {
            let spots = |label| Figure::Spots { label, value: vec![Spot::default(); 2] };
            let text = |label, text: &str| Figure::Description { label, value: text.into() };
            let part = Partial::Small { label: 2, value: 0.5 };
            note!(outcomes:
                it.draw(&Figure::At(Spot { x: 1, y: 2 }), &part),
                it.draw(&spots(Shape::Line), &Partial::Negative(-1)),
                it.draw(&spots(Shape::Circle), &part), it.draw(&text(Shape::Polygon, "é"), &part),
                // Labels that select another member, and a NUL.
                it.draw(&spots(Shape::Point), &part), it.draw(&text(Shape::Line, "x"), &part),
                it.draw(&text(Shape::Polygon, "lie"), &part), it.draw(&text(Shape::Polygon, "\0"), &part),
                it.draw(&spots(Shape::Line), &Partial::Small { label: -1, value: 0.0 }),
            );
        },
    );
}

/// Returns its arguments.
struct AnyServant;

impl BagServant for AnyServant {
    fn take(&self, one: &Any, many: &[Any]) -> zorb::Result<(Any, Vec<Any>, Tagged)> {
        let last = many.last().cloned().unwrap_or_default();
        let many = many.iter().chain([one]).cloned().collect();
        Ok((one.clone(), many, Tagged { name: "last".into(), value: last }))
    }
}

#[test]
fn anys() {
    same_results(
        |poa| poa.activate::<_, Bag>(AnyServant).expect("a servant"),
        |it, outcomes| {
            let long = Any::new::<i32>(&7).expect("a value");
            let text = Any::new::<String>("é").expect("a value");
            let own = Any::new::<zorb_core::Ref<Bag>>(&Some(it.clone())).expect("a value");
            let figure = Any::new::<Figure>(&Figure::At(Spot::default())).expect("a value");
            note!(outcomes:
                it.take(&long, &[]), it.take(&Any::default(), &[long.clone(), text]),
                it.take(&own, std::slice::from_ref(&figure)).map(drop),
            );
        },
    );
}
