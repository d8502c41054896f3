//! The object of the server target, and what its client and that of the client target call.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use zorb::{Any, ObjectRef, Result, Typed};

use crate::echo_idl::fuzz;

/// Returns its arguments.
#[derive(Debug, Default)]
pub struct Servant {
    level: AtomicI32,
    /// Upcalls so far.
    pub upcalls: AtomicU64,
}

impl Servant {
    fn back<T: Clone>(&self, value: &T) -> T {
        self.upcalls.fetch_add(1, Ordering::Relaxed);
        value.clone()
    }
}

impl fuzz::EchoServant for Servant {
    fn level(&self) -> Result<i32> {
        Ok(self.back(&self.level.load(Ordering::Relaxed)))
    }

    fn set_level(&self, value: i32) -> Result<()> {
        self.level.store(self.back(&value), Ordering::Relaxed);
        Ok(())
    }

    fn note(&self, _: &str) {
        self.back(&());
    }

    // The probe of the server target; not counted as a call of the input's.
    fn add(&self, a: i32, b: i32) -> Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn back_scalars(
        &self,
        a: &fuzz::Scalars,
        b: fuzz::Colour,
    ) -> Result<(fuzz::Scalars, fuzz::Colour, fuzz::Matrix)> {
        Ok((self.back(a), b, [[a.l, i32::from(a.s), 3], [4, 5, 6]]))
    }

    fn back_choice(&self, a: &fuzz::Choice, _: &fuzz::Wide) -> Result<fuzz::Choice> {
        Ok(self.back(a))
    }

    fn back_node(&self, a: &fuzz::Node) -> Result<fuzz::Node, fuzz::echo::BackNodeError> {
        match &*a.name {
            "refused" => {
                Err(fuzz::Refused { why: self.back(&a.name), paint: fuzz::Colour::Blue }.into())
            }
            "empty" => Err(fuzz::Empty.into()),
            _ => Ok(self.back(a)),
        }
    }

    fn back_text(&self, a: &str, b: &str) -> Result<String> {
        Ok(self.back(&a.to_owned()) + b)
    }

    fn back_wide(&self, a: &str, b: char) -> Result<String> {
        let mut wide = self.back(&a.to_owned());
        wide.push(b);
        Ok(wide)
    }

    fn back_octets(&self, a: &[u8]) -> Result<Vec<u8>> {
        Ok(self.back(&a.to_owned()))
    }

    fn back_strings(&self, a: &[String], _: &[i16], _: &fuzz::Matrix) -> Result<Vec<String>> {
        Ok(self.back(&a.to_owned()))
    }

    fn back_anything(&self, a: &Any, _: &[Any]) -> Result<Any> {
        Ok(self.back(a))
    }

    fn back_object(&self, a: Option<&ObjectRef>) -> Result<Option<ObjectRef>> {
        Ok(self.back(&a.cloned()))
    }

    fn back_echo(&self, a: Option<&fuzz::Echo>) -> Result<Option<fuzz::Echo>> {
        Ok(self.back(&a.cloned()))
    }
}

/// The number of different calls.
pub const CALLS: u8 = 15;

/// A tree with every kind of node.
fn tree(name: &str) -> fuzz::Node {
    let leaf = |which| fuzz::Node { name: "leaf".to_owned(), which, kids: Vec::new() };
    let scalars = fuzz::Scalars { o: 1, s: -2, l: 3, c: 'x', d: 0.5, ..fuzz::Scalars::default() };
    fuzz::Node {
        name: name.to_owned(),
        which: fuzz::Choice::Text("root".to_owned()),
        kids: vec![
            leaf(fuzz::Choice::Numbers(scalars)),
            leaf(fuzz::Choice::Unset { label: fuzz::Colour::Blue }),
        ],
    }
}

fn any<T: Typed>(value: &T::View) -> Any {
    Any::new::<T>(value).expect("a value with an encoding")
}

/// Makes the call of this number and returns its outcome as text.
pub fn call(echo: &fuzz::Echo, number: u8) -> String {
    use std::fmt::Debug;
    fn show(outcome: impl Debug) -> String {
        format!("{outcome:?}")
    }
    let node = tree("root");
    match number % CALLS {
        0 => show(echo.level()),
        1 => show(echo.set_level(7)),
        2 => show(echo.note("a note")),
        3 => show(echo.back_scalars(&fuzz::Scalars::default(), fuzz::Colour::Green)),
        4 => show(echo.back_choice(
            &fuzz::Choice::Text("chosen".to_owned()),
            &fuzz::Wide::W { label: 2, value: "weit \u{20ac}".to_owned() },
        )),
        5 => show(echo.back_node(&node)),
        6 => show(echo.back_node(&tree("refused"))),
        7 => show(echo.back_text("t\u{e4}xt", "short")),
        8 => show(echo.back_wide("wide \u{20ac}", '\u{e9}')),
        9 => show(echo.back_octets(b"0123456789")),
        10 => show(echo.back_strings(
            &["one".to_owned(), String::new(), "three".to_owned()],
            &[1, 2, 3],
            &[[1, 2, 3], [4, 5, 6]],
        )),
        11 => show(echo.back_anything(&any::<i32>(&7), &[any::<String>("in an any")])),
        12 => show(echo.back_object(Some(&ObjectRef::from(echo.clone())))),
        13 => show(echo.back_echo(Some(echo))),
        _ => show(ObjectRef::from(echo.clone()).is_a("IDL:of.nobody/It:1.0")),
    }
}
