//! The allocations of values whose types are known at run time.

use std::borrow::Cow;

use zorb::dynamic::{DynAny, DynAnyError, Dynamic, DynamicServant, Request, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{Any, ObjectRef, Orb, OrbBuilder, SystemException, TcKind, TypeCode};
use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};
use zorb_costs::BinStruct;
use zorb_os::alloc::AllocationCount;

/// A sequence of [`BinStruct`], whose type is made at run time.
fn made() -> TypeCode {
    let members = [
        ("s", TypeCode::plain(TcKind::Short)),
        ("c", TypeCode::plain(TcKind::Char)),
        ("l", TypeCode::plain(TcKind::Long)),
        ("o", TypeCode::plain(TcKind::Octet)),
        ("d", TypeCode::plain(TcKind::Double)),
    ];
    let id = Any::new::<BinStruct>(&sample()).unwrap().type_code().id().to_owned();
    TypeCode::sequence(&TypeCode::structure(&id, "BinStruct", &members).unwrap(), 0).unwrap()
}

fn sample() -> BinStruct {
    BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 }
}

/// Allocations of `work`, and their octets, after it was done once.
fn count<T>(mut work: impl FnMut() -> T) -> (u64, u64) {
    drop(work());
    let before = AllocationCount::this_thread();
    drop(work());
    let during = AllocationCount::this_thread().since(before);
    (during.allocations, during.bytes)
}

#[test]
fn a_type_that_was_not_received_is_compiled_once() {
    let _alone = crate::alone();
    let made = made();
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
    Any::new::<Vec<BinStruct>>(&[sample()]).unwrap().write_value(&mut writer).unwrap();
    let read = |type_code: &TypeCode| {
        let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
        Any::read_value(type_code.clone(), &mut reader).unwrap()
    };
    // Its octets.
    assert_eq!(count(|| read(&made)).0, 1);
    let any = read(&made);
    // The sequence: the types are compared without memory.
    assert_eq!(count(|| any.get::<Vec<BinStruct>>().unwrap()).0, 1);

    // A received type keeps nothing, so that its octets limit its memory.
    let mut octets = Vec::new();
    <Any as zorb_cdr::Wire>::write(&any, &mut CdrWriter::new(&mut octets, ByteOrder::NATIVE))
        .unwrap();
    let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
    let received: Any = <Any as zorb_cdr::Wire>::read(&mut reader).unwrap();
    assert_eq!(received, any);
    let received = received.type_code().clone();
    assert!(count(|| read(&received)).0 > 10);
}

#[test]
fn the_octets_of_a_large_value_are_allocated_once() {
    let _alone = crate::alone();
    let values = vec![7; 16 << 10];
    let (_, octets) = count(|| Any::new::<Vec<i32>>(&values).unwrap());
    assert!((64 << 10..65 << 10).contains(&octets), "{octets}");
}

/// A struct that is composed member by member, and decomposed.
fn leaves(made: &TypeCode) -> Result<f64, DynAnyError> {
    let mut composed = DynAny::new(made)?;
    composed.as_sequence()?.set_length(1)?;
    let part = composed.current_component()?.ok_or(DynAnyError::InvalidValue)?;
    part.seek(4)?;
    part.insert::<f64>(&4.5)?;
    let mut taken = DynAny::of(composed.to_any()?)?;
    let part = taken.current_component()?.ok_or(DynAnyError::InvalidValue)?;
    part.seek(4)?;
    part.get::<f64>()
}

#[test]
fn a_dynamic_any_of_numbers_allocates_its_octets_and_the_parts_that_are_used() {
    let _alone = crate::alone();
    let made = made();
    assert_eq!(leaves(&made), Ok(4.5));
    assert_eq!(count(|| leaves(&made)).0, 12);
}

/// Answers every request with the same large value.
struct Giving(Any);

impl DynamicServant for Giving {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Giving:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments(Vec::new())?;
        request.set_result(self.0.clone())
    }
}

fn builder() -> OrbBuilder {
    // On a busy machine the watchdog would take a call for a slow one and start a thread.
    Orb::builder().without_environment().option("StallTakeover", "3600000")
}

#[test]
fn octets_of_large_dynamic_values_are_sent_from_where_they_are() {
    // Not a little more than a power of two, up to which the client's receive buffer doubles.
    const LARGE: u64 = 3 << 20;
    let _alone = crate::alone();
    let value = Any::new::<Vec<i32>>(&vec![7; LARGE as usize / 4]).unwrap();
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let giving: ObjectRef = server.root_poa().activate(Dynamic(Giving(value.clone()))).unwrap();
    let client = builder().build().unwrap();
    let there = client.string_to_object(&giving.to_ior_string()).unwrap().unwrap();
    let count = |request: &Request| {
        request.invoke().unwrap();
        let before = AllocationCount::total();
        request.invoke().unwrap();
        AllocationCount::total().since(before).bytes / LARGE
    };
    let type_code = value.type_code().clone();
    // The servant's copy, the client's value, and its receive buffer, which doubles up to 2 MiB and then has the size of
    // the message: 4.3 times the octets in all. Any further copy makes it 5.3.
    assert_eq!(count(&Request::new(&there, "give").returns(type_code)), 4);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
