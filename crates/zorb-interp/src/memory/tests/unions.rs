//! Unions, and types that contain themselves.

extern crate std;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::release::{Counted, PANIC, alive};
use super::wire::wire_by_table;
use crate::{Deferred, Table, Tabled, read_value, write_value};

/// `union Tree switch (octet) { case 1: Counted leaf; case 2: case 3: string named; case 4: sequence<Tree> branches; };`
#[derive(Clone, Debug)]
enum Tree {
    Leaf(Counted),
    Named { label: u8, value: String },
    Branches(Vec<Self>),
    Unset { label: u8 },
}

impl Tree {
    fn discriminant(&self) -> u8 {
        match self {
            Self::Leaf(_) => 1,
            Self::Named { label, .. } | Self::Unset { label } => *label,
            Self::Branches(_) => 4,
        }
    }
}

fn select(label: &u8) -> usize {
    match label {
        1 => 0,
        2 | 3 => 1,
        4 => 2,
        _ => 3,
    }
}

#[derive(Clone, Debug)]
struct Node {
    own: Counted,
    tree: Tree,
    children: Vec<Self>,
}

macro_rules! by_table {
    ($name:ident, $table:expr) => {
        wire_by_table!($name, 1);

        impl Deferred for $name {
            fn table() -> &'static Table<Self> {
                static TABLE: Table<$name> = $table;
                &TABLE
            }
        }

        impl Tabled for $name {
            const TABLE: Table<Self> = Table::deferred();
        }
    };
}

by_table!(Tree, Table::<Tree>::choice());
by_table!(
    Node,
    crate::struct_table!(recursive "Node" Node { own: Counted, tree: Tree, children: Vec<Node> })
);

const _: () = {
    crate::union_choice!(Tree "Tree" true (u8) select {
        Leaf(Counted), Named { String }, Branches(Vec<Tree>)
    } empty Unset);
};

fn sample() -> Node {
    let named = Tree::Named { label: 3, value: String::from("named") };
    let leaf = |octet| Tree::Leaf(Counted::new(octet));
    let node = |tree, children| Node { own: Counted::new(7), tree, children };
    let branches = Tree::Branches(vec![leaf(8), named, Tree::Unset { label: 9 }, leaf(5)]);
    node(branches, vec![node(leaf(6), vec![]), node(Tree::Unset { label: 0 }, vec![])])
}

fn octets(order: ByteOrder) -> Vec<u8> {
    let mut octets = Vec::new();
    write_value::<Node>(&sample(), &mut CdrWriter::new(&mut octets, order)).unwrap();
    octets
}

fn read(octets: &[u8], order: ByteOrder) -> CdrResult<Node> {
    read_value::<Node>(&mut CdrReader::new(octets, order))
}

#[test]
fn are_read_as_they_were_written() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let octets = octets(order);
        let value = read(&octets, order).unwrap();
        assert_eq!(alive(), 6);
        assert_eq!(format!("{value:?}"), format!("{:?}", sample()));
        let mut again = Vec::new();
        write_value::<Node>(&value, &mut CdrWriter::new(&mut again, order)).unwrap();
        assert_eq!(again, octets);
    }
    assert_eq!(alive(), 0);
}

#[test]
fn drop_what_was_read_if_the_rest_is_missing_or_panics() {
    let octets = octets(ByteOrder::Little);
    for at in 0..octets.len() {
        assert!(read(&octets[..at], ByteOrder::Little).is_err());
        assert_eq!(alive(), 0, "cut at {at}");
        let mut octets = octets.clone();
        octets[at] = PANIC;
        let _ = catch_unwind(AssertUnwindSafe(|| read(&octets, ByteOrder::Little).is_ok()));
        assert_eq!(alive(), 0, "octet {at}");
    }
}

#[test]
fn labels_of_other_members_are_not_written() {
    for tree in [Tree::Unset { label: 4 }, Tree::Named { label: 1, value: String::new() }] {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Little);
        let error = write_value::<Tree>(&tree, &mut writer).unwrap_err();
        assert_eq!((error.kind, error.what), (CdrErrorKind::BadDiscriminator, "Tree"));
    }
}

#[test]
fn are_nested_to_a_limited_depth() {
    // Labels 4, each with one branch.
    let octets: Vec<u8> = [4, 0, 0, 0, 1, 0, 0, 0].repeat(1000);
    let mut reader = CdrReader::new(&octets, ByteOrder::Little);
    let error = read_value::<Tree>(&mut reader).unwrap_err();
    assert_eq!((error.kind, error.what), (CdrErrorKind::TooDeep, "Tree"));
    // Nodes without a member, each with one child.
    let octets: Vec<u8> = [7, 0, 0, 0, 1, 0, 0, 0].repeat(1000);
    let error = read(&octets, ByteOrder::Little).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::TooDeep);
}
