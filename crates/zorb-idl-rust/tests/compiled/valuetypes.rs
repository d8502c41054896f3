//! Valuetypes, value boxes and abstract interfaces in calls between two ORBs and within one.

use std::sync::Mutex;

use zorb_core::codegen::{Any, CdrReader, CdrResult, CdrWriter};
use zorb_core::{Abstract, CollocationStrategy, CustomMarshal, Interface, Orb, Value, ValueBase};

use zorb_types::SystemExceptionKind;

use super::calls::{orb, seen_from};
use crate::valuetypes::shapes::{
    Board, BoardServant, Choice, Circle, CircleFactory, CircleOperations, Colour,
    ColouredOperations, Degenerate, Dot, Limits, Lost, Measured, MeasuredOperations,
    MovableServant, Named, NamedServant, Node, Nothing, Numbers, Pair, Pairs, Palette, Plain,
    Point, Ring, Secret, Shape, ShapeFactory, ShapeOperations, Tag, TagServant, Text, Tree, board,
    limits, movable, shape,
};

impl NamedServant for Shape {
    fn label(&self) -> zorb::Result<String> {
        Ok(format!("shape {}", self.id))
    }
}

impl MeasuredOperations for Shape {
    fn area(&self) -> zorb::Result<f64> {
        Ok(0.0)
    }
}

impl ShapeOperations for Shape {
    fn covers(&self, p: Option<&Value<Point>>) -> zorb::Result<bool, shape::CoversError> {
        let point = p.and_then(Value::get).ok_or(Degenerate { why: "no point".into() })?;
        let centre = self.centre.as_ref().and_then(Value::get);
        Ok(centre.is_some_and(|centre| *centre == *point))
    }
}

impl ShapeFactory for Shape {
    fn at(id: &str, centre: Option<&Value<Point>>) -> zorb::Result<Value<Self>, shape::AtError> {
        if id.is_empty() {
            return Err(Degenerate { why: "no id".into() }.into());
        }
        Ok(Value::new(Self { id: id.into(), centre: centre.cloned() }))
    }
}

impl NamedServant for Circle {
    fn label(&self) -> zorb::Result<String> {
        self.base.label()
    }
}

impl MeasuredOperations for Circle {
    fn area(&self) -> zorb::Result<f64> {
        Ok(self.radius * self.radius * 3.0)
    }
}

impl ShapeOperations for Circle {
    fn covers(&self, p: Option<&Value<Point>>) -> zorb::Result<bool, shape::CoversError> {
        self.base.covers(p)
    }
}

impl ColouredOperations for Circle {
    fn paint(&self) -> zorb::Result<Colour> {
        Ok(self.filling)
    }
}

impl MovableServant for Circle {
    fn move_by(&self, _: i32, _: i32) -> zorb::Result<(), movable::MoveByError> {
        Err(Degenerate { why: "it stays".into() }.into())
    }
}

impl CircleOperations for Circle {}

impl CircleFactory for Circle {
    fn unit() -> zorb::Result<Value<Self>> {
        Self::of_radius(1.0)
    }

    fn of_radius(radius: f64) -> zorb::Result<Value<Self>> {
        let base = Shape { id: "round".into(), centre: None };
        Ok(Value::new(Self { base, radius, filling: Colour { red: 9, green: 8, blue: 7 } }))
    }
}

impl CustomMarshal for Secret {
    fn marshal(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_octets(&self.data.iter().map(|octet| octet ^ self.key).collect::<Vec<_>>())?;
        writer.write_u8(self.key);
        // The reader may skip this.
        writer.write_f64(0.5);
        Ok(())
    }

    fn unmarshal(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let mut data = reader.read_octets()?.to_vec();
        let key = reader.read_u8()?;
        data.iter_mut().for_each(|octet| *octet ^= key);
        Ok(Self { key, data })
    }
}

/// A servant that returns its arguments.
#[derive(Debug, Default)]
pub(super) struct Echo {
    root: Mutex<Option<Value<Node>>>,
}

impl BoardServant for Echo {
    fn root(&self) -> zorb::Result<Option<Value<Node>>> {
        Ok(self.root.lock().expect("a lock").clone())
    }

    fn set_root(&self, value: Option<&Value<Node>>) -> zorb::Result<()> {
        *self.root.lock().expect("a lock") = value.cloned();
        Ok(())
    }

    fn echo_points(
        &self,
        a: Option<&Value<Point>>,
        b: Option<&Value<Point>>,
    ) -> zorb::Result<(Option<Value<Point>>, Option<Value<Point>>, Option<Value<Point>>)> {
        Ok((b.cloned(), a.cloned(), b.cloned()))
    }

    fn echo_nodes(
        &self,
        a: Option<&Value<Node>>,
        b: Option<&Value<Node>>,
    ) -> zorb::Result<Option<Value<Node>>, board::EchoNodesError> {
        match (a, b) {
            (Some(a), Some(b)) if a == b => Ok(Some(a.clone())),
            (Some(a), None) => Err(Lost { last: Some(a.clone()), cause: Some(a.upcast()) }.into()),
            _ => Ok(None),
        }
    }

    fn echo_shape(&self, s: Option<&Value<Shape>>) -> zorb::Result<Option<Value<Shape>>> {
        Ok(s.cloned())
    }

    fn echo_measured(&self, m: Option<&Value<Measured>>) -> zorb::Result<Option<Value<Measured>>> {
        Ok(m.cloned())
    }

    fn echo_secret(&self, s: Option<&Value<Secret>>) -> zorb::Result<Option<Value<Secret>>> {
        Ok(s.cloned())
    }

    fn echo_tree(&self, t: Option<&Value<Tree>>) -> zorb::Result<Option<Value<Tree>>> {
        Ok(t.cloned())
    }

    fn echo_text(
        &self,
        t: Option<&Value<Text>>,
        n: Option<&Value<Numbers>>,
    ) -> zorb::Result<Option<Value<Text>>> {
        let count = n.and_then(Value::get).map_or(0, |numbers| numbers.0.len());
        Ok(t.and_then(Value::get).map(|text| Value::new(Text(format!("{}{count}", text.0)))))
    }

    fn echo_pairs(&self, p: &[Pair]) -> zorb::Result<Pairs> {
        Ok(p.to_vec())
    }

    fn echo_choice(&self, c: &Choice) -> zorb::Result<Choice> {
        Ok(c.clone())
    }

    fn echo_named(&self, n: Option<&Abstract<Named>>) -> zorb::Result<Option<Abstract<Named>>> {
        Ok(n.cloned())
    }

    fn whatever(&self, v: Option<&Value<ValueBase>>) -> zorb::Result<Option<Value<ValueBase>>> {
        Ok(v.cloned())
    }

    fn wrapped(&self, a: &Any) -> zorb::Result<Any> {
        Ok(a.clone())
    }

    fn notify(&self, p: Option<&Value<Point>>) {
        let value = p.and_then(Value::get).map_or(0, |point| point.x);
        *self.root.lock().expect("a lock") = Some(Value::new(Node { value, ..Node::default() }));
    }
}

#[derive(Debug)]
pub(super) struct Ticket;

impl NamedServant for Ticket {
    fn label(&self) -> zorb::Result<String> {
        Ok("ticket".into())
    }
}

impl TagServant for Ticket {
    fn text(&self) -> zorb::Result<String> {
        Ok("text".into())
    }

    fn set_text(&self, _: &str) -> zorb::Result<()> {
        Ok(())
    }
}

/// Makes calls on a board of another ORB, and on boards of the same ORB with every collocation
/// strategy.
pub(super) fn everywhere(calls: impl Fn(&Board, &Orb)) {
    let (server, client) = (orb(), orb());
    let board = || -> Board { server.root_poa().activate(Echo::default()).expect("a servant") };
    calls(&seen_from(&client, &board()), &client);
    for strategy in
        [CollocationStrategy::Marshalled, CollocationStrategy::ThruPoa, CollocationStrategy::Direct]
    {
        calls(&board().with_collocation(strategy), &server);
    }
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

pub(super) fn point(x: i32, y: i32) -> Value<Point> {
    Value::new(Point { x, y })
}

#[test]
fn values_are_passed_null_unshared_and_shared() {
    everywhere(|board, _| {
        assert_eq!(board.echo_points(None, None), Ok((None, None, None)));
        let (a, b) = (point(1, 2), point(3, 4));
        let (result, b_after, c) = board.echo_points(Some(&a), Some(&b)).expect("points");
        let (result, b_after) = (result.expect("b"), b_after.expect("a"));
        assert_eq!(*result.get().expect("a state"), Point { x: 3, y: 4 });
        assert_eq!(*b_after.get().expect("a state"), Point { x: 1, y: 2 });
        assert_eq!(Some(&result), c.as_ref(), "a shared value stays shared");
        assert_ne!(result, b, "the result is a copy");
        assert_ne!(result, b_after);
        let (same, also, _) = board.echo_points(Some(&a), Some(&a)).expect("points");
        assert_eq!(same, also);
    });
}

#[test]
fn cycles_arrive_as_cycles() {
    everywhere(|board, _| {
        let ring = Value::new_cyclic(|ring| Node {
            value: 1,
            next: Some(Value::new(Node { value: 2, next: Some(ring.clone()), other: None })),
            other: Some(ring.clone()),
        });
        let back = board.echo_nodes(Some(&ring), Some(&ring)).expect("a ring").expect("a node");
        let first = back.get().expect("a state");
        let second = first.next.as_ref().and_then(Value::get).expect("a second");
        assert_eq!((first.value, second.value), (1, 2));
        assert_eq!(first.other.as_ref(), Some(&back));
        assert_eq!(second.next.as_ref(), Some(&back));
        assert_ne!(back, ring);
    });
}

#[test]
fn attributes_and_exceptions_carry_values() {
    everywhere(|board, _| {
        let node = Value::new(Node { value: 5, ..Node::default() });
        board.set_root(Some(&node)).expect("it is set");
        let root = board.root().expect("a root").expect("a node");
        assert_eq!(root.get().map(|root| root.value), Some(5));
        assert_ne!(root, node, "the servant's is its own");
        match board.echo_nodes(Some(&node), None) {
            Err(board::EchoNodesError::Lost(Lost { last: Some(last), cause: Some(cause) })) => {
                assert_eq!(last.get().map(|last| last.value), Some(5));
                assert_eq!(cause.downcast::<Node>(), Some(last));
            }
            other => panic!("{other:?}"),
        }
        board.set_root(None).expect("it is set");
        assert_eq!(board.root(), Ok(None));
        board.notify(Some(&point(8, 0))).expect("it is sent");
    });
}

#[test]
fn derived_values_are_truncated_where_they_are_not_registered() {
    let (server, client) = (orb(), orb());
    let local: Board = server.root_poa().activate(Echo::default()).expect("a servant");
    let board = seen_from(&client, &local);
    let circle = Circle::of_radius(2.0).expect("a circle");
    let ring = Value::new(Ring {
        base: Circle { radius: 3.0, ..(*circle.get().expect("a state")).clone() },
        hole: 1.0,
    });
    let sent = ring.upcast::<Shape>();
    let cut = board.echo_shape(Some(&sent)).expect("a shape").expect("one");
    assert_eq!(cut.repository_id(), Some("IDL:Shapes/Shape:1.0"));
    assert_eq!(cut.get().map(|shape| shape.id.clone()).as_deref(), Some("round"));
    // A value that is not truncatable is rejected by the server, which does not know the type.
    let dot = Value::new(Dot::default());
    let refused = board.echo_shape(Some(&dot.upcast())).expect_err("an unknown type");
    assert_eq!(refused.kind, SystemExceptionKind::Marshal);
    for orb in [&server, &client] {
        orb.register_value::<Circle>();
    }
    let circle = board.echo_shape(Some(&sent)).expect("a shape").expect("one");
    let circle = circle.downcast::<Circle>().expect("a circle");
    assert_eq!(circle.get().map(|circle| circle.radius), Some(3.0));
    assert_eq!(circle.downcast::<Ring>(), None);
    for orb in [&server, &client] {
        orb.register_value::<Ring>();
        orb.register_value::<Dot>();
    }
    let whole = board.echo_measured(Some(&ring.upcast())).expect("a shape").expect("one");
    let whole = whole.downcast::<Ring>().expect("a ring");
    let state = whole.get().expect("a state");
    assert_eq!((state.hole, state.base.area()), (1.0, Ok(27.0)));
    let dot = board.echo_shape(Some(&dot.upcast())).expect("a dot").expect("one");
    assert!(dot.downcast::<Dot>().is_some());
    assert!(server.unregister_value::<Dot>() && !server.unregister_value::<Dot>());
    assert!(board.echo_shape(Some(&dot)).is_err());
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

#[test]
fn custom_values_marshal_themselves() {
    everywhere(|board, _| {
        let secret = Secret { key: 0x55, data: vec![1, 2, 3] };
        let sent = Value::new(secret.clone());
        let got = board.echo_secret(Some(&sent)).expect("a secret").expect("one");
        assert_eq!(*got.get().expect("a state"), secret);
    });
}

#[test]
fn boxes_trees_sequences_and_unions_hold_values() {
    everywhere(|board, _| {
        let (text, numbers) = (Value::new(Text("ωx".into())), Value::new(Numbers(vec![0.5; 4])));
        let got = board.echo_text(Some(&text), Some(&numbers)).expect("a text").expect("one");
        assert_eq!(got.get().map(|text| text.0.clone()).as_deref(), Some("ωx4"));
        assert_eq!(board.echo_text(None, None), Ok(None));
        assert!(board.echo_text(None, Some(&Value::new(Numbers(vec![0.5; 5])))).is_err());

        let palette = Value::new(Palette(vec![Colour { red: 1, green: 2, blue: 3 }]));
        let leaf = Value::new(Tree { colours: Some(palette.clone()), ..Tree::default() });
        let tree = Value::new(Tree {
            name: "root".into(),
            branches: vec![Some(leaf.clone()), None, Some(leaf)],
            note: Any::new::<Value<Point>>(&Some(point(6, 7))).expect("an any"),
            colours: Some(palette),
        });
        let got = board.echo_tree(Some(&tree)).expect("a tree").expect("one");
        let state = got.get().expect("a state");
        assert_eq!(state.branches.len(), 3);
        assert_eq!(state.branches[0], state.branches[2]);
        let leaf = state.branches[0].as_ref().and_then(Value::get).expect("a leaf");
        assert!(leaf.colours.is_some() && leaf.colours == state.colours);
        let noted = state.note.get::<Value<Point>>().flatten().expect("a point");
        assert_eq!(noted.get().map(|point| (point.x, point.y)), Some((6, 7)));

        let node = Value::new(Node::default());
        let pair = Pair { one: Some(node.clone()), two: Some(node), label: None };
        let pairs = board.echo_pairs(&[pair.clone(), pair]).expect("pairs");
        assert!(pairs[0].one.is_some() && pairs[0].one == pairs[1].two);

        for choice in [Choice::At(Some(point(1, 1))), Choice::Words(None)] {
            let got = board.echo_choice(&choice).expect("a choice");
            match (got, choice) {
                (Choice::At(Some(got)), Choice::At(Some(sent))) => {
                    assert_eq!(*got.get().expect("a state"), *sent.get().expect("a state"));
                }
                (got, choice) => assert_eq!(got, choice),
            }
        }
    });
}

#[test]
fn abstract_interfaces_are_objects_or_values() {
    everywhere(|board, orb| {
        orb.register_value::<Circle>();
        let tag: Tag = orb.root_poa().activate(Ticket).expect("a servant");
        let named = Abstract::Object(Named::from(tag));
        match board.echo_named(Some(&named)).expect("a name") {
            Some(Abstract::Object(object)) => assert_eq!(object.label().as_deref(), Ok("ticket")),
            other => panic!("{other:?}"),
        }
        assert_eq!(board.echo_named(None), Ok(None));
        // A value of a type that does not support the interface.
        let wrong = Abstract::Value(point(1, 1).upcast());
        assert!(board.echo_named(Some(&wrong)).is_err());
    });
}

#[test]
fn values_of_any_type_and_abstract_values() {
    let (server, client) = (orb(), orb());
    let local: Board = server.root_poa().activate(Echo::default()).expect("a servant");
    let board = seen_from(&client, &local);
    for orb in [&server, &client] {
        orb.register_value::<Circle>();
        orb.register_value::<Nothing>();
        orb.register_value::<Limits>();
    }
    let circle = Circle::unit().expect("a circle");
    let value = Abstract::<Named>::Value(circle.upcast());
    let got = board.echo_named(Some(&value)).expect("a value").expect("one");
    let got = got.value::<Circle>().expect("a circle");
    assert_eq!(got.get().expect("a state").label().as_deref(), Ok("shape round"));
    assert_eq!(got.get().expect("a state").paint().map(|paint| paint.red), Ok(9));

    let nothing = Value::new(Nothing);
    let got = board.whatever(Some(&nothing.upcast())).expect("a value").expect("one");
    assert!(got.downcast::<Nothing>().is_some() && got.downcast::<Plain>().is_none());
    let range = limits::Range { low: -1, high: 9 };
    let limits = Value::new(Limits(range));
    let got = board.whatever(Some(&limits.upcast())).expect("a value").expect("one");
    let got = got.downcast::<Limits>().expect("a box");
    assert_eq!(got.get().map(|limits| limits.0), Some(range));
    // No factory for points is registered here.
    assert!(board.whatever(Some(&point(1, 1).upcast())).is_err());
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

#[test]
fn values_in_anys_keep_their_type() {
    everywhere(|board, _| {
        let sent = Any::new::<Value<Point>>(&Some(point(4, 5))).expect("an any");
        let got = board.wrapped(&sent).expect("an any");
        assert_eq!(got, sent);
        assert_eq!(got.type_code().to_string(), "valuetype Point { long x; long y; }");
        let value = got.get::<Value<Point>>().flatten().expect("a point");
        assert_eq!(*value.get().expect("a state"), Point { x: 4, y: 5 });
        assert_eq!(got.get::<Value<Text>>(), None);
        let null = Any::new::<Value<Text>>(&None).expect("an any");
        assert_eq!(board.wrapped(&null).expect("an any").get::<Value<Text>>(), Some(None));
    });
}

#[test]
fn anys_truncate_values_without_an_orb_and_keep_them_whole_with_one() {
    let orb = orb();
    orb.register_value::<Circle>();
    orb.register_value::<Dot>();
    let circle = Circle::of_radius(2.0).expect("a circle").upcast::<Shape>();
    let any = Any::new::<Value<Shape>>(&Some(circle)).expect("an any");
    let cut = any.get::<Value<Shape>>().flatten().expect("a shape");
    assert_eq!(cut.repository_id(), Some("IDL:Shapes/Shape:1.0"));
    let whole = orb.extract::<Value<Shape>>(&any).flatten().expect("a shape");
    assert!(whole.downcast::<Circle>().is_some());
    // A value that is not truncatable cannot be decoded without its type.
    let any = Any::new::<Value<Shape>>(&Some(Value::new(Dot::default()).upcast())).expect("an any");
    assert_eq!(any.get::<Value<Shape>>(), None);
    let whole = orb.extract::<Value<Shape>>(&any).flatten().expect("a shape");
    assert!(whole.downcast::<Dot>().is_some());
    orb.shutdown(true).expect("it ends");
}
