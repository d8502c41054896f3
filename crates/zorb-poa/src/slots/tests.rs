use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::sync::Weak;

use zorb_base::object_id::ObjectId;

use super::*;
use crate::active_object::DirectCalls;
use crate::{ServantObject, Served, ServerCall, Skeleton};

struct Nothing;

impl Skeleton for Nothing {
    fn servant_object(&self, _: TypeId) -> Option<ServantObject> {
        None
    }

    fn type_id(&self, _: &ObjectId) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn is_a(&self, _: &ObjectId, _: &str) -> bool {
        false
    }

    fn dispatch(&self, _: &mut ServerCall<'_>) -> Served {
        Ok(())
    }

    fn servant(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::new(())
    }

    fn without_policies(&self) -> Box<dyn Skeleton> {
        Box::new(Self)
    }

    fn identity(&self) -> usize {
        0
    }
}

fn object() -> Arc<ActiveObject> {
    Arc::new(ActiveObject::new(
        ObjectId::from("x"),
        Weak::<()>::new(),
        Arc::new(Nothing),
        DirectCalls::Always,
    ))
}

#[test]
fn indexes_fill_segments_without_gaps() {
    let mut expected = (0, 0);
    for index in 0..10_000 {
        assert_eq!(locate(index), expected);
        expected.1 += 1;
        if expected.1 == FIRST_SEGMENT << expected.0 {
            expected = (expected.0 + 1, 0);
        }
    }
    assert!(locate(u32::MAX).0 <= SEGMENTS);
}

#[test]
fn finding_an_object_writes_nothing_that_is_shared() {
    let table = SlotTable::new();
    let known = object();
    let (index, generation) = table.insert(|_, _| Arc::clone(&known)).unwrap();
    let found: Vec<Found> = (0..3).filter_map(|_| table.find(index, generation)).collect();
    assert!(found.iter().all(|found| found.object().is_some()));
    // The table's one and the test's: those who have found it are not counted.
    assert_eq!(Arc::strong_count(&known), 2);
    let slot = table.slot(index).unwrap().load();
    assert_eq!(slot.as_ref().map(Arc::strong_count), Some(1));
}

#[test]
fn a_found_object_survives_its_deactivation() {
    let table = SlotTable::new();
    let (index, generation) = table.insert(|_, _| object()).unwrap();
    let found = table.find(index, generation).unwrap();
    assert!(table.remove(index, generation).is_some());
    assert!(table.find(index, generation).is_none());
    assert_eq!(found.object().unwrap().id, ObjectId::from("x"));
    let again = table.insert(|_, _| object()).unwrap();
    assert_eq!(again, (index, generation + 1), "the slot, but another object");
    assert!(table.find(index, generation).is_none());
}

#[test]
fn a_slot_is_retired_after_its_last_generation() {
    let table = SlotTable::new();
    let (first, generation) = table.insert(|_, _| object()).unwrap();
    table.remove(first, generation).unwrap();
    table.free.lock().released = vec![(first, u32::MAX - 1)];
    assert_eq!(table.insert(|_, _| object()), Some((first, u32::MAX)));
    table.remove(first, u32::MAX).unwrap();
    assert_eq!(table.insert(|_, _| object()), Some((first + 1, 0)));
    assert!(table.find(first, 0).is_none());
}
