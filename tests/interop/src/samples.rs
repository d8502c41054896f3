//! The values that all peers agree on: client and server build the same ones.

mod anys;
pub mod things;

use zorb::codegen::Fixed;
use zorb::{Any, LongDouble, Typed as _};

pub use anys::{ANY_KINDS, any_of, first_of_type};

use crate::interop::data::{
    Amount, Bill, Crate, Described, Document, Exact, Expression, Finest, Measured, Mixed, Node,
    Person, Price, Property, Sign, Tree, Variant, Widest,
};
use crate::shapes::{Colour, Point};

/// Text with characters of one, two and three octets in UTF-8, and beyond Latin-1.
pub const TEXT: &str = "Zürich – 東京";

/// A person.
pub fn ada() -> Person {
    Person {
        name: "Ada".into(),
        age: 36,
        likes: Colour::Green,
        place: Point { x: 10, y: -20 },
        labels: vec!["x".into(), String::new(), "yz".into()],
    }
}

/// A struct with padding before almost each member.
pub fn mixed() -> Mixed {
    Mixed {
        a: 1,
        b: -2.5,
        c: -3,
        d: -4_000_000_000_000,
        e: true,
        f: 0.5,
        g: 'g',
        h: 4_000_000_000,
        i: 65535,
        j: 18_000_000_000_000_000_000,
    }
}

/// A tree of four nodes.
pub fn tree() -> Tree {
    let leaf = |name: &str| Tree { name: name.into(), children: vec![] };
    let right = Tree { name: "right".into(), children: vec![leaf("leaf")] };
    Tree { name: "root".into(), children: vec![leaf("left"), right] }
}

/// A struct of almost everything.
pub fn a_crate(seed: u8) -> Crate {
    let cell = |number: u8| f64::from(seed) + f64::from(number) * 0.5;
    let at = |x, y| Point { x, y };
    Crate {
        lead: seed,
        padded: mixed(),
        owner: ada(),
        cells: [[cell(0), cell(1), cell(2)], [cell(20), cell(21), cell(22)]],
        code: [['a', 'b'], ['c', 'd']],
        tags: [String::new(), "five5".into()],
        few: vec![-i16::from(seed); usize::from(seed % 4)],
        corners: [at(0, 0), at(1, -1), at(2, -2)],
        last: 255,
    }
}

/// 2 + -(3), as a tree.
pub fn expression() -> Expression {
    let minus = Expression::Operand(vec![Expression::Value(3)]);
    Expression::Terms(vec![Expression::Value(2), minus])
}

/// A text and a boolean.
pub fn document() -> Document {
    Document::Items(vec![Document::Text("text".into()), Document::Truth(true)])
}

/// A node with one child.
pub fn node() -> Node {
    let child = Node { value: -1, children: vec![], mark: 1 };
    Node { value: 5, children: vec![child], mark: 2 }
}

/// The largest number of 31 digits.
pub const WIDEST: Widest = Fixed::constant(9_999_999_999_999_999_999_999_999_999_999);

/// The largest number of 31 digits after the point.
pub const FINEST: Finest = Fixed::constant(9_999_999_999_999_999_999_999_999_999_999);

/// A price.
pub const PRICE: Price = Fixed::constant(12345);

/// A number with four digits after the point.
pub const EXACT: Exact = Fixed::constant(-1_234_567_890);

/// A struct of decimal numbers.
pub fn bill() -> Bill {
    Bill {
        lead: 1,
        single: PRICE,
        count: Fixed::constant(-7),
        parts: vec![Fixed::constant(10001), -PRICE],
        rates: [EXACT, -EXACT],
        total: WIDEST,
        last: 255,
    }
}

/// A union of a decimal number.
pub const AMOUNT: Amount = Amount::Exact(Fixed::constant(-10000));

/// A struct with a `long double`.
pub fn measured() -> Measured {
    Measured {
        lead: 1,
        value: LongDouble::from_bits(0x3fff_8000_0000_0000_0000_0000_0000_0001),
        last: 2,
    }
}

/// Wide text in a struct.
pub fn sign() -> Sign {
    Sign {
        lead: 1,
        mark: '東',
        between: 2,
        text: "東京 x".into(),
        code: ['a', 'é', 'カ'],
        rest: vec!['京', 'b'],
        last: 'z',
    }
}

/// An any in a struct.
pub fn property(number: i32) -> Property {
    Property { name: "count".into(), value: Any::new::<i32>(&number).unwrap_or_default() }
}

/// A type and a value of it.
pub fn described() -> Described {
    Described {
        lead: 1,
        kind: Tree::type_code(),
        sample: Any::new::<Tree>(&tree()).unwrap_or_default(),
        last: 2,
    }
}

/// A union of a sequence of anys.
pub fn variant() -> Variant {
    let text = Any::new::<String>("one").unwrap_or_default();
    Variant::List(vec![text, property(2).value, Any::default()])
}
