//! Calls through generated stubs and skeletons, between two ORBs.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use zorb_core::codegen::SystemException;
use zorb_core::{CharCodeSet, Interface, ObjectRef, Orb};
use zorb_tcp::IiopProtocol;

use crate::bank::bank::{
    Account, AccountServant, Closed, Currency, Fee, InsufficientFunds, Money, Savings,
    SavingsServant, Statement, account, savings,
};
use crate::interfaces::graph::{
    Broken, Counter, CounterServant, Everything, EverythingServant, Named, NamedServant, Node,
    NodeServant, Nodes, NotFound, Observer, ObserverServant, counter, node,
};
use crate::types::types;

pub(crate) fn orb() -> Orb {
    orb_with(CharCodeSet::Utf8)
}

fn orb_with(native: CharCodeSet) -> Orb {
    let builder = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let builder = builder.listen("iiop://127.0.0.1:0").native_char_code_set(native);
    builder.build().expect("an ORB")
}

/// The same object as a reference of another ORB.
pub(crate) fn seen_from<T: Interface>(orb: &Orb, reference: &T) -> T {
    orb.resolve(&reference.as_object().to_ior_string()).expect("a reference")
}

/// A servant of accounts, and the receiver of its `touch` calls.
pub(crate) fn savings_servant() -> (impl SavingsServant, Receiver<String>) {
    let (sender, touched) = channel();
    (MyAccount { touched: Mutex::new(sender), rate: Mutex::new(0.5) }, touched)
}

#[derive(Debug)]
struct MyAccount {
    touched: Mutex<Sender<String>>,
    rate: Mutex<f64>,
}

impl AccountServant for MyAccount {
    fn owner(&self) -> zorb::Result<String> {
        Ok("Ada".into())
    }

    fn withdraw(&self, amount: &Money) -> zorb::Result<(Money, Statement), account::WithdrawError> {
        match amount.cents {
            0 => Err(Closed.into()),
            cents if cents > 100 => {
                Err(InsufficientFunds { missing: Money { cents: cents - 100, ..*amount } }.into())
            }
            cents => Ok((Money { cents: 100 - cents, ..*amount }, vec![*amount; 2])),
        }
    }

    fn audit(&self, terms: &Fee) -> zorb::Result<Fee> {
        Ok(match terms {
            Fee::FlatCents(cents) => Fee::Rate { label: Currency::Usd, value: f64::from(*cents) },
            Fee::Rate { .. } => Fee::FlatCents(1),
        })
    }

    fn touch(&self, reason: &str) {
        let _ = self.touched.lock().expect("a lock").send(reason.to_owned());
    }
}

impl SavingsServant for MyAccount {
    fn rate(&self) -> zorb::Result<f64> {
        Ok(*self.rate.lock().expect("a lock"))
    }

    fn set_rate(&self, value: f64) -> zorb::Result<()> {
        *self.rate.lock().expect("a lock") = value;
        Ok(())
    }

    fn transfer(
        &self,
        target: Option<&Account>,
        amount: &Money,
    ) -> zorb::Result<Option<Account>, savings::TransferError> {
        match target {
            // A callback, and `?` on its system exceptions.
            Some(target) if target.owner()? == "Ada" => Ok(None),
            other if amount.cents == 0 => Ok(other.cloned()),
            _ => Err(InsufficientFunds { missing: *amount }.into()),
        }
    }
}

#[test]
fn a_derived_interface_also_serves_its_base() {
    let (server, client) = (orb(), orb());
    let (servant, touched) = savings_servant();
    let local: Savings = server.root_poa().activate(servant).expect("a servant");
    let remote = seen_from(&client, &local);

    let amount = Money { cents: 40, unit: Currency::Usd };
    assert_eq!(remote.owner().as_deref(), Ok("Ada"));
    assert_eq!(remote.withdraw(&amount), Ok((Money { cents: 60, ..amount }, vec![amount; 2])));
    let missing = Money { cents: 11, ..amount };
    assert_eq!(
        remote.withdraw(&Money { cents: 111, ..amount }),
        Err(account::WithdrawError::InsufficientFunds(InsufficientFunds { missing }))
    );
    assert_eq!(remote.withdraw(&Money::default()), Err(account::WithdrawError::Closed(Closed)));
    assert_eq!(
        remote.audit(&Fee::FlatCents(2)),
        Ok(Fee::Rate { label: Currency::Usd, value: 2.0 })
    );
    remote.touch("hello").expect("a oneway call");
    assert_eq!(touched.recv().as_deref(), Ok("hello"));
    assert_eq!(remote.set_rate(0.25), Ok(()));
    assert_eq!(remote.rate(), Ok(0.25));

    // As its base, by conversion and by narrowing.
    let base = Account::from(remote.clone());
    assert_eq!(base.owner().as_deref(), Ok("Ada"));
    let object = ObjectRef::from(base);
    assert_eq!(object.is_a(Account::REPOSITORY_ID), Ok(true));
    assert_eq!(object.is_a(Node::REPOSITORY_ID), Ok(false));
    assert_eq!(object.narrow::<Savings>().map(|it| it.is_some()), Ok(true));

    // References as arguments and results.
    let own = seen_from(&server, &remote);
    assert_eq!(remote.transfer(Some(&own.into()), &amount), Ok(None));
    assert_eq!(remote.transfer(None, &Money::default()), Ok(None));
    let error = remote.transfer(None, &amount).expect_err("it is rejected");
    assert_eq!(
        zorb::Error::from(error).to_string(),
        "InsufficientFunds (missing Money { cents: 40, unit: Usd })"
    );

    // An operation that the servant does not have.
    let wrong: Node = remote.as_object().unchecked_narrow();
    let error: SystemException = wrong.current().expect_err("there is none");
    assert_eq!(error.kind.name(), "BAD_OPERATION");
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

/// Serves five interfaces.
#[derive(Debug, Default)]
pub(crate) struct MyNode {
    name: Mutex<String>,
    count: Mutex<i64>,
    parent: Mutex<Option<Node>>,
}

impl NamedServant for MyNode {
    fn name(&self) -> zorb::Result<String> {
        Ok(self.name.lock().expect("a lock").clone())
    }
    fn set_name(&self, value: &str) -> zorb::Result<()> {
        value.clone_into(&mut self.name.lock().expect("a lock"));
        Ok(())
    }
}

impl ObserverServant for MyNode {
    fn changed(&self, _source: Option<&Node>) {}
}

impl NodeServant for MyNode {
    fn current(&self) -> zorb::Result<node::State> {
        Ok(node::State::Busy)
    }
    fn neighbours(&self) -> zorb::Result<Nodes> {
        Ok(vec![None, self.parent()?, None])
    }
    fn parent(&self) -> zorb::Result<Option<Node>> {
        Ok(self.parent.lock().expect("a lock").clone())
    }
    fn set_parent(&self, value: Option<&Node>) -> zorb::Result<()> {
        *self.parent.lock().expect("a lock") = value.cloned();
        Ok(())
    }
    fn find(&self, name: &str) -> zorb::Result<(Option<Node>, Option<Node>), node::FindError> {
        if name == self.name()? {
            return Ok((self.parent()?, None));
        }
        Err(NotFound { name: name.into() }.into())
    }
    fn swap(
        &self,
        other: Option<&Node>,
        opaque: Option<&ObjectRef>,
    ) -> zorb::Result<(Option<Node>, Option<ObjectRef>)> {
        Ok((opaque.map(ObjectRef::unchecked_narrow), other.cloned().map(ObjectRef::from)))
    }
    fn link(&self, others: &[Option<Node>], watcher: Option<&Observer>) -> zorb::Result<()> {
        *self.count.lock().expect("a lock") =
            i64::try_from(others.len()).unwrap_or(0) * if watcher.is_some() { 1 } else { -1 };
        Ok(())
    }
}

impl CounterServant for MyNode {
    fn count(&self) -> zorb::Result<i64, counter::CountError> {
        match *self.count.lock().expect("a lock") {
            0 => Err(Broken.into()),
            count => Ok(count),
        }
    }
    fn set_count(&self, value: i64) -> zorb::Result<(), counter::SetCountError> {
        *self.count.lock().expect("a lock") = value;
        Ok(())
    }
    fn reset(&self) -> zorb::Result<()> {
        *self.count.lock().expect("a lock") = 0;
        Ok(())
    }
}

impl EverythingServant for MyNode {
    fn as_named(&self) -> zorb::Result<Option<Named>> {
        Ok(self.parent()?.map(Named::from))
    }
}

#[test]
fn several_bases_are_served_by_one_servant() {
    let (server, client) = (orb(), orb());
    let local: Everything = server.root_poa().activate(MyNode::default()).expect("a servant");
    let remote = seen_from(&client, &local);
    let node = Node::from(remote.clone());
    let observer = Observer::from(remote.clone());

    remote.set_name("root").expect("from the first base's base");
    assert_eq!(remote.name().as_deref(), Ok("root"));
    assert_eq!(remote.current(), Ok(node::State::Busy));
    assert_eq!(remote.parent(), Ok(None));
    remote.set_parent(Some(&node)).expect("from the first base");
    assert_eq!(
        remote.find("root").map(|(found, nearest)| (found.is_some(), nearest)),
        Ok((true, None))
    );
    assert_eq!(remote.find("leaf"), Err(NotFound { name: "leaf".into() }.into()));
    let shape: Vec<bool> =
        remote.neighbours().expect("a sequence").iter().map(Option::is_some).collect();
    assert_eq!(shape, [false, true, false]);
    let (other, opaque) = remote.swap(Some(&node), None).expect("two references");
    assert!(
        other.is_none() && opaque.is_some_and(|it| it.is_a(Everything::REPOSITORY_ID) == Ok(true))
    );
    assert_eq!(
        remote.as_named().expect("a reference").expect("not nil").name().as_deref(),
        Ok("root")
    );

    assert_eq!(remote.count(), Err(Broken.into()));
    remote.link(&[None, Some(node)], Some(&observer)).expect("a sequence of references");
    assert_eq!(Counter::from(remote.clone()).count(), Ok(2));
    remote.set_count(5).expect("from the second base");
    assert_eq!(remote.count(), Ok(5));
    remote.reset().expect("from the second base");
    assert_eq!(remote.count(), Err(Broken.into()));
    let ids = [
        Everything::REPOSITORY_ID,
        Observer::REPOSITORY_ID,
        Counter::REPOSITORY_ID,
        Node::REPOSITORY_ID,
        Named::REPOSITORY_ID,
        zorb_core::OBJECT_ID,
    ];
    assert_eq!(Everything::TYPE_IDS, ids);
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

#[derive(Debug)]
pub(crate) struct Echo;

impl types::AllServant for Echo {
    fn nothing(&self) -> zorb::Result<()> {
        Ok(())
    }
    fn flags(&self, a: bool, b: u8) -> zorb::Result<(bool, u8, char)> {
        Ok((!a, b + 1, if b == 7 { 'ü' } else { 'e' }))
    }
    fn wides(&self, a: char, b: char) -> zorb::Result<(char, char)> {
        Ok((b, a))
    }
    fn numbers(&self, a: i16, b: u32, c: i64, d: f32, e: f64) -> zorb::Result<u64> {
        Ok((f64::from(a) + f64::from(b) + c as f64 + f64::from(d) + e) as u64)
    }
    fn colours(
        &self,
        a: types::Colour,
        b: types::Colour,
    ) -> zorb::Result<(types::Colour, types::Colour, types::Colour)> {
        Ok((b, a, types::Colour::DarkBlue))
    }
    fn texts(&self, a: &str, b: &str, d: &str) -> zorb::Result<(String, types::ShortName, String)> {
        Ok((format!("{a}{b}{d}"), b.to_uppercase(), format!("{d}ω")))
    }
    fn blobs(&self, a: &[u8], b: &[u8]) -> zorb::Result<(types::Blob, types::Key, types::Blob)> {
        Ok((b.to_vec(), a.to_vec(), vec![]))
    }
    fn sequences(
        &self,
        a: &[i32],
        b: &[types::ShortName],
    ) -> zorb::Result<(Vec<i32>, types::Names, types::Matrices), types::all::SequencesError> {
        match a {
            [] => Err(types::Failed { reason: "empty".into(), ..types::Failed::default() }.into()),
            [1] => Err(types::all::Refused { why: types::all::Near { x: 1 } }.into()),
            _ => Ok((a.iter().rev().copied().collect(), b.to_vec(), vec![[[a[0]; 3]; 2]])),
        }
    }
    fn arrays(
        &self,
        a: &types::Matrix,
        b: &types::Matrix,
    ) -> zorb::Result<(types::Matrix, types::Matrix, types::Matrix)> {
        Ok((*b, *a, [[0; 3]; 2]))
    }
    fn trees(
        &self,
        a: &types::Node,
        b: &types::Basics,
    ) -> zorb::Result<(types::Node, types::Basics, types::Collections)> {
        let tree = types::Node { label: "up".into(), children: vec![a.clone()] };
        let collections =
            types::Collections { numbers: vec![b.l], ids: [b.l; 40], ..collections() };
        Ok((tree, *b, collections))
    }
    fn nested(
        &self,
        a: &types::all::Near,
        b: &[types::all::Near],
    ) -> zorb::Result<types::all::Nearby, types::all::NestedError> {
        Ok([b, &[*a]].concat())
    }
}

fn collections() -> types::Collections {
    types::Collections {
        numbers: vec![],
        words: vec![],
        wide_words: vec![],
        nested: vec![],
        octets: vec![],
        short_octets: vec![],
        table: [[0; 3]; 2],
        tables: vec![],
        titles: vec![],
        wholes: Default::default(),
        ids: [0; 40],
    }
}

#[test]
fn every_type_is_a_parameter_and_a_result() {
    let (server, client) = (orb(), orb());
    let local: types::All = server.root_poa().activate(Echo).expect("a servant");
    let all = seen_from(&client, &local);
    assert_eq!(all.nothing(), Ok(()));
    assert_eq!(all.flags(true, 254), Ok((false, 255, 'e')));
    assert_eq!(all.wides('ω', 'x'), Ok(('x', 'ω')));
    assert_eq!(all.numbers(1, 2, 3, 4.0, 5.5), Ok(15));
    let colour = types::Colour::Green;
    assert_eq!(
        all.colours(types::Colour::Red, colour),
        Ok((colour, types::Colour::Red, types::Colour::DarkBlue))
    );
    assert_eq!(all.texts("a", "bé", "Ω"), Ok(("abéΩ".into(), "BÉ".into(), "Ωω".into())));
    assert_eq!(all.blobs(&[1], &[2, 3]), Ok((vec![2, 3], vec![1], vec![])));
    let names = ["n".to_owned()];
    assert_eq!(all.sequences(&[3, 4], &names), Ok((vec![4, 3], names.to_vec(), vec![[[3; 3]; 2]])));
    let failed = types::Failed { reason: "empty".into(), ..types::Failed::default() };
    assert_eq!(all.sequences(&[], &names), Err(failed.into()));
    assert_eq!(
        all.sequences(&[1], &names),
        Err(types::all::Refused { why: types::all::Near { x: 1 } }.into())
    );
    let long = vec!["x".to_owned(); 5];
    let error = all.sequences(&[3], &long).expect_err("four at most");
    assert!(
        matches!(&error, types::all::SequencesError::System(error) if error.kind.name() == "MARSHAL" || error.kind.name() == "BAD_PARAM"),
        "{error}"
    );
    assert_eq!(all.arrays(&[[1; 3]; 2], &[[2; 3]; 2]), Ok(([[2; 3]; 2], [[1; 3]; 2], [[0; 3]; 2])));
    let basics = types::Basics { l: 9, ..types::Basics::default() };
    let (tree, same, many) = all.trees(&types::Node::default(), &basics).expect("a tree");
    assert_eq!((tree.children.len(), same, many.ids), (1, basics, [9; 40]));
    let near = types::all::Near { x: 2 };
    assert_eq!(all.nested(&near, &[near]), Ok(vec![near; 2]));
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

#[test]
fn a_char_may_be_latin_1_if_that_is_native() {
    for (native, kind) in
        [(CharCodeSet::Latin1, None), (CharCodeSet::Utf8, Some("DATA_CONVERSION"))]
    {
        let (server, client) = (orb_with(native), orb_with(native));
        let local: types::All = server.root_poa().activate(Echo).expect("a servant");
        let flags = seen_from(&client, &local).flags(true, 7);
        assert_eq!(flags.as_ref().err().map(|error| error.kind.name()), kind);
        assert_eq!(flags.ok().map(|(.., char)| char), kind.is_none().then_some('ü'));
        client.shutdown(true).expect("the client ends");
        server.shutdown(true).expect("the server ends");
    }
}
