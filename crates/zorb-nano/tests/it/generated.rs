//! Generated code: stubs that call servants over a network that splits what is sent.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{
    ArrayVec, BoundedText, Client, CompletionStatus, Limits, MinorCode, Reference, Result,
    Sequence, Server, SystemException, SystemExceptionKind, Text, TypedReference as _, minor,
};

use crate::simulated::{Network, Simulated};

/// The golden file of the IDL compiler.
#[allow(missing_docs, clippy::pedantic, reason = "generated")]
pub(crate) mod idl {
    include!("../../../zorb-idl-rust/tests/golden/nano.rs");
}

use idl::plant::{
    ClockServant, DeviceServant, Few, Neighbor, Node, NodeServant, NodeSkeleton, Offline, Peer,
    Reading, Unit, Window, node,
};

/// What the servant has been told.
pub(crate) type Log = Rc<RefCell<Vec<String>>>;

pub(crate) struct Plant {
    log: Log,
    /// Whether the clock has been set.
    pub(crate) is_set: Rc<Cell<bool>>,
    now: u64,
    /// Owned by the servant, as results are borrowed.
    values: ArrayVec<i32, 64>,
    octets: ArrayVec<u8, 64>,
    neighbors: ArrayVec<Neighbor, 4>,
}

impl Plant {
    pub(crate) fn new(log: Log) -> Self {
        let (values, octets) = (ArrayVec::new(), ArrayVec::new());
        Self { log, is_set: Rc::default(), now: 5, values, octets, neighbors: ArrayVec::new() }
    }
}

impl DeviceServant for Plant {
    fn label(&mut self) -> Result<Text<'_>> {
        Ok("größe".into())
    }

    fn ping(&mut self, number: u8) -> Result<bool> {
        match number {
            0 => Err(SystemException::new(
                SystemExceptionKind::NoResources,
                MinorCode(7),
                CompletionStatus::Yes,
            )),
            number => Ok(number > 1),
        }
    }
}

impl ClockServant for Plant {
    fn now(&mut self) -> Result<u64> {
        Ok(self.now)
    }

    fn set_now(&mut self, value: u64) -> Result<()> {
        self.now = value;
        self.is_set.set(true);
        Ok(())
    }
}

impl NodeServant for Plant {
    fn read(&mut self, channel: i32) -> Result<Reading, node::ReadError> {
        match channel {
            0..8 => Ok(Reading { channel, value: 1.5, in_unit: Unit::Kelvin, grade: 'é' }),
            8 => Err(Offline.into()),
            _ => {
                let hint = BoundedText::new("0 to 7")?;
                Err(node::NoChannel { channels: 8, hint }.into())
            }
        }
    }

    fn store(&mut self, value: &Reading, note: Text<'_>) {
        self.log.borrow_mut().push(format!("{} {note:?}", value.channel));
    }

    fn echo<'a>(&'a mut self, text: Text<'a>) -> Result<Text<'a>> {
        Ok(text)
    }

    fn reverse<'a>(&'a mut self, octets: &'a [u8], more: &'a [u8]) -> Result<&'a [u8]> {
        self.octets = octets.iter().chain(more).rev().copied().collect();
        Ok(&self.octets)
    }

    fn sorted<'a>(
        &'a mut self,
        all: Sequence<'a, i32>,
        some: Sequence<'a, i32>,
    ) -> Result<(&'a [i32], i32)> {
        self.values = all.iter().chain(&some).collect();
        self.values.sort_unstable();
        Ok((&self.values, i32::try_from(all.len() + some.len()).unwrap_or_default()))
    }

    fn neighbors<'a>(
        &'a mut self,
        known: Sequence<'a, Neighbor>,
        self_: Option<&Peer>,
        last: &Window,
    ) -> Result<(&'a [Neighbor], Window)> {
        self.neighbors = known.into_iter().collect();
        self.neighbors.push(neighbor(-1, self_.cloned()));
        Ok((&self.neighbors, last.map(|value| value + 1)))
    }

    fn pass(
        &mut self,
        one: Option<&Node>,
        any_one: Option<&Reference>,
    ) -> Result<(Option<Node>, Option<Reference>)> {
        Ok((any_one.cloned().map(Node), one.map(|one| one.0.clone())))
    }

    fn next(
        &mut self,
        from: Unit,
        client: f32,
        flag: bool,
        s: i16,
        ul: u32,
    ) -> Result<(Unit, i16, u32)> {
        let to = if from == Unit::Celsius { Unit::Kelvin } else { Unit::Celsius };
        Ok((to, if flag { s } else { -s }, ul + client as u32))
    }
}

fn neighbor(id: i32, at: Option<Node>) -> Neighbor {
    let called = BoundedText::new("n").unwrap();
    Neighbor { id, at, called, history: Few::from_iter([id, 2]), last: [1, 2, 3] }
}

struct Setup {
    client: Client<Simulated>,
    node: Node,
    log: Log,
}

fn setup(piece: usize) -> Setup {
    let network = Network::default();
    let address = "192.0.2.1:0".parse().unwrap();
    let machine = network.machine(piece, 10);
    let mut server = Server::new(machine, address, Limits::DEFAULT).unwrap();
    let log = Log::default();
    let plant = Plant::new(Rc::clone(&log));
    server.register(b"node", Box::new(NodeSkeleton(plant))).unwrap();
    let node = Node(server.reference(b"node").unwrap());
    let machine = network
        .machine(piece, 8)
        .with_others(move || server.perform_work(Some(Duration::ZERO)).map(|_| ()).unwrap());
    Setup { client: Client::new(machine, Limits::DEFAULT), node, log }
}

/// Whole messages, and single octets.
const PIECES: [usize; 2] = [usize::MAX, 1];

#[test]
fn numbers_structs_and_enums_go_both_ways() {
    for piece in PIECES {
        let Setup { mut client, node, .. } = setup(piece);
        let read = node.read(&mut client, 3);
        let expected = Reading { channel: 3, value: 1.5, in_unit: Unit::Kelvin, grade: 'é' };
        assert_eq!(read, Ok(expected));
        let next = |flag, client: &mut _| node.next(client, Unit::Kelvin, 2.0, flag, 3, 5);
        assert_eq!(next(true, &mut client), Ok((Unit::Celsius, 3, 7)));
        assert_eq!(next(false, &mut client), Ok((Unit::Celsius, -3, 7)));
    }
}

#[test]
fn attributes_and_inherited_operations_are_called_too() {
    let Setup { mut client, node, .. } = setup(5);
    assert_eq!(node.now(&mut client), Ok(5));
    assert_eq!(node.set_now(&mut client, 1 << 40), Ok(()));
    let clock = idl::plant::Clock::from(node.clone());
    assert_eq!(clock.now(&mut client), Ok(1 << 40));
    assert_eq!(node.ping(&mut client, 2), Ok(true));
    assert_eq!(idl::plant::Device::from(node.clone()).ping(&mut client, 1), Ok(false));
    let is_a = |id, client: &mut Client<Simulated>| {
        let mut reply = client.call(&node.0, "_is_a", &mut |it| it.write_str(id))?;
        reply.results()?.read::<bool>()
    };
    for (id, expected) in [(Node::ID, true), ("IDL:Plant/Device:1.0", true), ("IDL:X:1.0", false)] {
        assert_eq!(is_a(id, &mut client), Ok(expected), "{id}");
    }
}

#[test]
fn exceptions_are_variants_of_the_operations_error() {
    for piece in PIECES {
        let Setup { mut client, node, .. } = setup(piece);
        let hint = BoundedText::new("0 to 7").unwrap();
        let expected = node::NoChannel { channels: 8, hint };
        assert_eq!(node.read(&mut client, 9), Err(node::ReadError::NoChannel(expected)));
        assert_eq!(node.read(&mut client, 8), Err(node::ReadError::Offline(Offline)));
        let gone = Node(Reference::new(node.0.address(), b"gone").unwrap());
        let Err(node::ReadError::System(error)) = gone.read(&mut client, 1) else {
            panic!("no such object")
        };
        assert_eq!(error.kind, SystemExceptionKind::ObjectNotExist);
        let error = node.ping(&mut client, 0).unwrap_err();
        assert_eq!((error.kind, error.minor.0), (SystemExceptionKind::NoResources, 7));
    }
}

#[test]
fn text_octets_and_sequences_are_borrowed() {
    for piece in PIECES {
        let Setup { mut client, node, .. } = setup(piece);
        assert_eq!(node.label(&mut client).unwrap(), "größe");
        let echoed = node.echo(&mut client, "größe").unwrap();
        assert_eq!((echoed == "größe", echoed.as_str()), (true, None));
        assert_eq!(node.reverse(&mut client, &[1, 2, 3], &[4]), Ok(&[4, 3, 2, 1][..]));
        let (sorted, count) = node.sorted(&mut client, &[5, -1], &[3]).unwrap();
        assert_eq!((sorted.iter().collect::<Vec<_>>(), count), (vec![-1, 3, 5], 3));
    }
}

#[test]
fn references_are_typed_and_may_be_nil() {
    let Setup { mut client, node, .. } = setup(13);
    let other = Reference::new(node.0.address(), b"other").unwrap();
    let passed = node.pass(&mut client, Some(&node), Some(&other)).unwrap();
    assert_eq!(passed, (Some(Node(other)), Some(node.0.clone())));
    assert_eq!(node.pass(&mut client, None, None), Ok((None, None)));
    let known = [neighbor(1, Some(node.clone())), neighbor(2, None)];
    let (all, last) = node.neighbors(&mut client, &known, Some(&node), &[1, 2, 3]).unwrap();
    assert_eq!((all.len(), last), (3, [2, 3, 4]));
    let all: Vec<Neighbor> = all.into_iter().collect();
    assert_eq!(all[..2], known);
    assert_eq!(all[2], neighbor(-1, Some(node)));
}

#[test]
fn one_way_calls_arrive_in_order() {
    let Setup { mut client, node, log } = setup(1);
    for channel in 0..3 {
        let value = Reading { channel, value: 0.0, in_unit: Unit::Celsius, grade: 'a' };
        node.store(&mut client, &value, "größe").unwrap();
    }
    assert_eq!(node.now(&mut client), Ok(5));
    assert_eq!(*log.borrow(), ["0 \"größe\"", "1 \"größe\"", "2 \"größe\""]);
}

#[test]
fn a_one_way_call_goes_to_many_objects() {
    let Setup { mut client, node, log } = setup(1);
    let value = Reading { channel: 4, value: 0.0, in_unit: Unit::Celsius, grade: 'a' };
    // Those that share a connection need an encoding each.
    let sent = Node::send_store_to_all(&mut client, [&node, &node], &value, "größe");
    assert_eq!((sent, node.now(&mut client)), (Ok(2), Ok(5)));
    assert_eq!(*log.borrow(), ["4 \"größe\"", "4 \"größe\""]);
    let error = Node::send_store_to_all(&mut client, [&node], &value, "thirteen char").unwrap_err();
    assert_eq!(error.minor, minor::bad_param::BOUND_EXCEEDED);
    assert_eq!(Node::send_store_to_all(&mut client, &[], &value, ""), Ok(0));
}

#[test]
fn bounds_are_checked_on_both_sides() {
    let Setup { mut client, node, log } = setup(usize::MAX);
    let value = Reading { channel: 0, value: 0.0, in_unit: Unit::Celsius, grade: 'a' };
    let error = node.store(&mut client, &value, "thirteen char").unwrap_err();
    assert_eq!(error.minor, minor::bad_param::BOUND_EXCEEDED);
    let error = node.reverse(&mut client, &[], &[0; 5]).unwrap_err();
    assert_eq!(error.minor, minor::bad_param::BOUND_EXCEEDED);
    // A client that does not check.
    let mut reverse = |count| {
        let reply = client.call(&node.0, "reverse", &mut |it| {
            it.write_octets(&[])?;
            it.write_octets(&[0; 5][..count])
        });
        reply.map(|_| ()).map_err(|error| error.minor)
    };
    assert_eq!(reverse(4), Ok(()));
    assert_eq!(reverse(5), Err(minor::marshal::BOUND_EXCEEDED));
    let mut next = |unit: u32| {
        let reply = client.call(&node.0, "next", &mut |it| {
            it.write::<u32>(&unit)?;
            it.write::<f32>(&0.0)?;
            it.write::<bool>(&true)?;
            it.write::<i16>(&0)?;
            it.write::<u32>(&0)
        });
        reply.map(|_| ()).map_err(|error| error.kind)
    };
    assert_eq!((next(1), next(2)), (Ok(()), Err(SystemExceptionKind::BadParam)));
    assert!(log.borrow().is_empty());
}
