//! Tests of lookups.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Operations;

static NONE: Operations<0> = Operations::new(&[]);
static ONE: Operations<1> = Operations::new(&["only"]);
static ACCOUNT: Operations<3> = Operations::new(&["_get_owner", "withdraw", "touch"]);

#[test]
fn every_name_is_found_at_its_position() {
    assert_eq!(ONE.find(b"only"), Some(0));
    for (index, name) in [&b"_get_owner"[..], b"withdraw", b"touch"].into_iter().enumerate() {
        assert_eq!(ACCOUNT.find(name), Some(index));
    }
}

#[test]
fn other_names_are_not_found() {
    assert_eq!(NONE.find(b""), None);
    assert_eq!(NONE.find(b"x"), None);
    for name in [&b""[..], b"onl", b"only ", b"withdraW", b"\0\xff", &[b'x'; 10_000]] {
        assert_eq!(ONE.find(name), None);
        assert_eq!(ACCOUNT.find(name), None);
    }
}

#[test]
fn a_name_is_at_its_position_alone() {
    assert!(ACCOUNT.is_at(1, b"withdraw"));
    for (position, name) in [(0, &b"withdraw"[..]), (1, b"withdraW"), (1, b""), (3, b"withdraw")] {
        assert!(!ACCOUNT.is_at(position, name));
    }
}

#[test]
fn a_large_interface_has_a_table_too() {
    let texts: Vec<String> = (0..300).map(|number| format!("operation_{number}")).collect();
    let names: [&'static str; 300] = core::array::from_fn(|index| &*texts[index].clone().leak());
    let table = Operations::new(&names);
    for (index, name) in names.iter().enumerate() {
        assert_eq!(table.find(name.as_bytes()), Some(index), "{name}");
    }
    assert_eq!(table.find(b"operation_300"), None);
}

#[test]
#[should_panic(expected = "occurs twice")]
fn a_name_twice_is_refused() {
    let _ = Operations::new(&["same", "other", "same"]);
}
