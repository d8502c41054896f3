//! Operations of values through handles of their own and other types, and initializers.

use zorb_core::{Abstract, Value};
use zorb_types::SystemExceptionKind;

use super::calls::{orb, seen_from};
use super::valuetype_calls::{Echo, Ticket, everywhere, point};
use crate::valuetypes::shapes::{
    Board, Circle, CircleFactory, Coloured, Dot, MovableServant, Named, Ring, Shape, ShapeFactory,
    ShapeOperations, Tag, movable, shape,
};

#[test]
fn received_values_have_the_operations_of_their_own_type() {
    let (server, client) = (orb(), orb());
    let local: Board = server.root_poa().activate(Echo::default()).expect("a servant");
    let board = seen_from(&client, &local);
    for orb in [&server, &client] {
        orb.register_value::<Circle>();
        orb.register_value::<Ring>();
        orb.register_value::<Dot>();
    }
    let circle = Circle::of_radius(2.0).expect("a circle");
    let measured = board.echo_measured(Some(&circle.upcast())).expect("a value").expect("one");
    assert_eq!(measured.operations().expect("operations").area(), Ok(12.0));
    let coloured = measured.operations_of::<Coloured>().expect("operations");
    assert_eq!(coloured.paint().map(|paint| paint.red), Ok(9));
    assert_eq!(
        measured.operations_of::<Named>().expect("operations").label(),
        Ok("shape round".into())
    );
    let shape = board.echo_shape(Some(&circle.upcast())).expect("a value").expect("one");
    assert_eq!(shape.operations().expect("operations").area(), Ok(12.0));
    // The program does not implement the operations of rings: they have those of circles.
    let state = (*circle.get().expect("a state")).clone();
    let ring = Value::new(Ring { base: state, hole: 1.0 });
    let shape = board.echo_shape(Some(&ring.upcast())).expect("a value").expect("one");
    assert_eq!(shape.operations().expect("operations").area(), Ok(12.0));
    let missing = ring.operations().expect_err("no RingOperations").kind;
    assert_eq!(missing, SystemExceptionKind::NoImplement);
    let dot = Value::new(Dot::default());
    let refused = dot.upcast::<Shape>().operations_of::<Coloured>().expect_err("no colour");
    assert_eq!(refused.kind, SystemExceptionKind::NoImplement);
    let gone = dot.downgrade();
    drop(dot);
    let gone = gone.upcast::<Shape>().operations().expect_err("the value is gone").kind;
    assert_eq!(gone, SystemExceptionKind::ObjectNotExist);
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

#[test]
fn abstract_interfaces_work_with_objects_and_values() {
    everywhere(|board, orb| {
        let tag: Tag = orb.root_poa().activate(Ticket).expect("a servant");
        let dot = Value::new(Dot { base: Shape { id: "dot".into(), centre: None } });
        let object = Abstract::Object(Named::from(tag));
        let value = Abstract::Value(dot.upcast());
        for (sent, label) in [(object, "ticket"), (value, "shape dot")] {
            let named = match sent {
                Abstract::Object(_) => board.echo_named(Some(&sent)).expect("a name"),
                value => Some(value),
            };
            let operations = named.expect("something").operations().expect("operations");
            assert_eq!(operations.label().as_deref(), Ok(label));
        }
        let plain = Abstract::<Named>::Value(point(1, 1).upcast());
        assert_eq!(plain.operations().expect_err("none").kind, SystemExceptionKind::NoImplement);
    });
}

#[test]
fn programs_implement_initializers_and_operations() {
    let centre = point(1, 2);
    let shape = Shape::at("a", Some(&centre)).expect("a shape");
    let state = shape.get().expect("a state");
    assert!(state.covers(Some(&point(1, 2))).expect("an answer"));
    assert!(matches!(state.covers(None), Err(shape::CoversError::Degenerate(_))));
    assert!(matches!(Shape::at("", None), Err(shape::AtError::Degenerate(_))));
    assert_eq!(shape::MAX, 7);
    let circle = Circle::unit().expect("a circle");
    let circle = circle.get().expect("a state");
    assert!(matches!(circle.move_by(1, 1), Err(movable::MoveByError::Degenerate(_))));
}
