//! The Zorb client: named checks of a server of `idl/interop.idl`.
//!
//! The peers' clients make the same checks under the same names.

mod anys;
mod basics;
mod dynamic;
mod lists;
mod load;
mod names;
mod numbers;
mod protocol;
mod records;
mod refs;
mod state;
mod types;
mod unions;
mod values;
mod valuetypes;

use std::fmt::Debug;

use zorb::{Error, Orb, Phase, Raises, SystemException, SystemExceptionKind};

use crate::interop::Suite;

/// The outcome of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The check: "group/name".
    pub name: String,
    /// Why it failed, if it did.
    pub result: Result<(), String>,
}

/// A run of the checks against one server.
struct Run<'a> {
    orb: &'a Orb,
    suite: &'a Suite,
    /// The minor GIOP version of the server's references.
    minor: u8,
    /// Whether the server's references name code sets: without any, text is Latin-1.
    code_sets: bool,
    outcomes: Vec<Outcome>,
}

/// Makes every check of the server behind `suite`, whose references are of GIOP 1.`minor`.
/// `orb` has to be able to listen: some checks have the server call back.
pub fn run(orb: &Orb, suite: &Suite, minor: u8) -> Vec<Outcome> {
    run_groups(orb, suite, minor, |_| true)
}

/// Makes the checks of one group.
pub fn run_group(orb: &Orb, suite: &Suite, minor: u8, group: &str) -> Vec<Outcome> {
    run_groups(orb, suite, minor, |name| name == group)
}

fn run_groups(orb: &Orb, suite: &Suite, minor: u8, selects: impl Fn(&str) -> bool) -> Vec<Outcome> {
    let code_sets = protocol::has_code_sets(suite);
    let mut run = Run { orb, suite, minor, code_sets, outcomes: Vec::new() };
    let groups: &[(&str, Group)] = &[
        ("protocol", protocol::check),
        ("basics", basics::check),
        ("texts", basics::check_texts),
        ("wides", basics::check_wides),
        ("records", records::check),
        ("arrays", records::check_arrays),
        ("lists", lists::check),
        ("unions", unions::check),
        ("recursion", unions::check_recursion),
        ("names", names::check),
        ("faults", state::check_faults),
        ("attributes", state::check_attributes),
        ("events", state::check_events),
        ("refs", refs::check),
        ("callbacks", refs::check_callbacks),
        ("anys", anys::check),
        ("decimals", numbers::check),
        ("long_doubles", numbers::check_long_doubles),
        ("types", types::check),
        ("wide_types", types::check_wides),
        ("contexts", types::check_contexts),
        ("dynamic", dynamic::check),
        ("values", values::check),
        ("valuetypes", valuetypes::check),
        ("value_anys", valuetypes::check_anys),
        ("load", load::check),
    ];
    for (group, check) in groups.iter().filter(|(group, _)| selects(group)) {
        if let Err(error) = check(&mut run) {
            run.report(&format!("{group}/set_up"), Err(error));
        }
    }
    run.outcomes
}

/// How the body of a check ends.
type Checked = Result<(), Error>;
/// Makes the checks of a group; an error is what keeps them from being made.
type Group = fn(&mut Run<'_>) -> Checked;

impl Run<'_> {
    fn report(&mut self, name: &str, result: Checked) {
        let result = result.map_err(|error| error.to_string());
        self.outcomes.push(Outcome { name: name.into(), result });
    }

    fn check(&mut self, name: &str, body: impl FnOnce() -> Checked) {
        let result = body();
        self.report(name, result);
    }

    /// Calls `echo` with every value as a and its successor as b.
    fn echo<T, E>(
        &mut self,
        name: &str,
        values: &[T],
        echo: impl Fn(&T, &T) -> Result<(T, T, T), E>,
    ) where
        T: PartialEq + Debug,
        E: Raises,
    {
        self.check(name, || {
            let successors = values.iter().cycle().skip(1);
            for (a, b) in values.iter().zip(successors) {
                let (result, b_after, c) = echo(a, b)?;
                same("the result", &result, a)?;
                same("the inout parameter", &b_after, a)?;
                same("the out parameter", &c, b)?;
            }
            Ok(())
        });
    }

    /// Checks that this call is refused, by this ORB or the server, as one of `kinds`.
    fn refused<T: Debug, E: Raises>(
        &mut self,
        name: &str,
        kinds: &[SystemExceptionKind],
        call: impl FnOnce() -> Result<T, E>,
    ) {
        self.check(name, || match call() {
            Ok(value) => fail(format!("not refused, but {}", excerpt(&value))),
            Err(error) => match error.system() {
                Some(exception) if kinds.contains(&exception.kind) => Ok(()),
                _ => Err(error.into()),
            },
        });
    }
}

/// A check's own complaint.
fn fail<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(Phase::Application, what))
}

/// Fails the check with `what` unless `holds`.
fn require(holds: bool, what: &str) -> Checked {
    if holds { Ok(()) } else { fail(what) }
}

/// Fails the check unless `found` is `expected`.
fn same<T: PartialEq + Debug + ?Sized>(what: &str, found: &T, expected: &T) -> Checked {
    if found == expected {
        return Ok(());
    }
    fail(format!("{what} is {}, not {}", excerpt(found), excerpt(expected)))
}

/// A value for a message: of a large one the beginning.
fn excerpt(value: &(impl Debug + ?Sized)) -> String {
    const SHOWN: usize = 200;
    let text = format!("{value:?}");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A reference that must not be nil.
fn present<T>(reference: Option<T>) -> Result<T, Error> {
    reference.map_or_else(|| fail("the reference is nil"), Ok)
}

/// Fails the check unless the call is refused with a system exception of this kind.
fn raised<T: Debug>(
    result: Result<T, SystemException>,
    kind: SystemExceptionKind,
) -> Result<SystemException, Error> {
    match result {
        Err(exception) if exception.kind == kind => Ok(exception),
        Err(exception) => Err(exception.into()),
        Ok(value) => fail(format!("nothing was raised, but {}", excerpt(&value))),
    }
}
