//! Seeds of the target `views`: values in both byte orders, whole and with a tail.

use zorb_cdr::{ByteOrder, CdrWriter, Octets, Wire};
use zorb_fuzz_smoke::view_idl::fuzz_views::{Kind, Leaf, Plain, Tree};

use super::seed;

pub(crate) fn write() {
    let tree = tree();
    write_type::<Tree>(0, "tree", &tree);
    write_type::<Vec<Tree>>(1, "trees", &[tree.clone(), Tree::default(), tree.clone()]);
    write_type::<Vec<Leaf>>(2, "leaves", &tree.leaves);
    write_type::<Vec<Plain>>(3, "fixed", &tree.many);
    write_type::<Vec<String>>(4, "strings", &tree.words);
    write_type::<Vec<Vec<Octets>>>(
        5,
        "octets",
        &[vec![vec![1, 2, 3], vec![]], vec![], vec![vec![4]]],
    );
    write_type::<Vec<Vec<Plain>>>(6, "rows", &[tree.many.clone(), vec![]]);
    write_type::<Vec<Leaf>>(7, "bounded", &tree.leaves);
}

/// Writes a value in both byte orders; the offset is 4 in one of them.
fn write_type<W: Wire>(number: u8, name: &str, value: &W::View) {
    for (order, choice, split) in [(ByteOrder::Big, 0, 0), (ByteOrder::Little, 4 << 2 | 1, 8)] {
        let mut octets = vec![0; usize::from(choice >> 2)];
        W::write(value, &mut CdrWriter::resume(&mut octets, order)).expect("a value");
        octets.drain(..usize::from(choice >> 2));
        let octets = [&[number << 5 | choice, split], &octets[..]].concat();
        seed("views", &format!("{name}-{order:?}").to_lowercase(), octets);
    }
}

fn tree() -> Tree {
    let leaf = |name: &str| Leaf { name: name.to_owned(), o: 7 };
    let fixed = |d| Plain { o: 1, d, c: 'x', b: true, k: Kind::B, s: [1, -2, 3] };
    Tree {
        o: 1,
        one: fixed(0.5),
        text: "a text".to_owned(),
        octets: vec![1, 2, 3],
        many: vec![fixed(1.5), fixed(-2.5)],
        number: -3,
        leaves: vec![leaf(""), leaf("a"), leaf("abcde")],
        rows: vec![vec![1, 2], vec![], vec![3]],
        words: vec!["one".to_owned(), "two".to_owned()],
        numbers: vec![0.25, 4.0],
        end: leaf("end"),
        last: true,
    }
}
