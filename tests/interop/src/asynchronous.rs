//! A client that does not wait for its calls: their results go to reply handlers, or are taken later. It makes the
//! checks of the peers' clients under the same names.

use std::fmt::{Debug, Display};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use zorb::messaging::{ExceptionHolder, ReplyHandlerServant};
use zorb::{Error, Interface as _, Orb, Raises, SystemException, Value};

use self::idl::interop::faults::DivideError;
use self::idl::interop::{
    AmiBasicsHandler, AmiBasicsHandlerServant, AmiFaultsHandler, AmiFaultsHandlerServant,
    AmiSettingsHandler, AmiSettingsHandlerServant, Suite,
};
use crate::checks::Outcome;

/// Generated from `idl/asynchronous.idl`.
mod idl {
    include!(concat!(env!("OUT_DIR"), "/asynchronous.rs"));
}

/// How long a result may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The number of calls that are pending at the same time.
const MANY: i32 = 200;

/// Why a check fails.
type Failure = Box<dyn std::error::Error>;

type Holder<'a> = Option<&'a Value<ExceptionHolder>>;

/// A handler that tells what it gets.
struct Told(Sender<String>);

impl Told {
    fn tell(&self, parts: &[&dyn Display]) -> zorb::Result<()> {
        let words: Vec<_> = parts.iter().map(ToString::to_string).collect();
        // The checks may have ended by a failure.
        let _ = self.0.send(words.join(" "));
        Ok(())
    }

    fn tell_exception<E: Raises>(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell(&[&described(&ExceptionHolder::exception_of::<E>(holder))])
    }
}

fn described(exception: &impl Raises) -> String {
    match exception.system() {
        Some(system) => format!("{:?} {} {:?}", system.kind, system.minor.0, system.completed),
        None => exception.to_string(),
    }
}

impl ReplyHandlerServant for Told {}

impl AmiBasicsHandlerServant for Told {
    fn nothing(&self) -> zorb::Result<()> {
        self.tell(&[&"nothing"])
    }

    fn nothing_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell_exception::<SystemException>(holder)
    }

    fn mixed(&self, result: i32, b: f64, c: i16, size: i64, flip: bool) -> zorb::Result<()> {
        self.tell(&[&"mixed", &result, &b, &c, &size, &flip])
    }

    fn mixed_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell_exception::<SystemException>(holder)
    }
}

impl AmiFaultsHandlerServant for Told {
    fn divide(&self, quotient: i32, rest: i32) -> zorb::Result<()> {
        self.tell(&[&"divide", &quotient, &rest])
    }

    fn divide_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        match ExceptionHolder::exception_of(holder) {
            DivideError::Reason(reason) => self.tell(&[&"Reason", &reason.why, &reason.code]),
            other => self.tell(&[&described(&other)]),
        }
    }

    fn raise_system(&self) -> zorb::Result<()> {
        self.tell(&[&"raise_system"])
    }

    fn raise_system_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell_exception::<SystemException>(holder)
    }
}

impl AmiSettingsHandlerServant for Told {
    fn get_number(&self, number: i32) -> zorb::Result<()> {
        self.tell(&[&"number", &number])
    }

    fn get_number_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell_exception::<SystemException>(holder)
    }

    fn set_number(&self) -> zorb::Result<()> {
        self.tell(&[&"set"])
    }

    fn set_number_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.tell_exception::<SystemException>(holder)
    }
}

/// A handler that the client of a peer passes to two calls: `divide` 17 by 3, and 18 by 4.
#[derive(Debug)]
pub struct Passed {
    /// Its stringified reference.
    pub reference: String,
    told: Receiver<String>,
}

impl Passed {
    /// Serves it with `orb`, which has to be able to listen.
    ///
    /// # Errors
    /// It cannot be served.
    pub fn serve(orb: &Orb) -> Result<Self, Error> {
        let (sender, told) = channel();
        let passed =
            PassedServant { told: Told(sender), count: Mutex::new(0), counted: Condvar::new() };
        let handler: AmiFaultsHandler = orb.root_poa().activate(passed)?;
        Ok(Self { reference: handler.to_ior_string(), told })
    }

    /// Checks what it has got, when the client has ended.
    #[must_use]
    pub fn check(&self) -> Vec<Outcome> {
        let mut found: Vec<_> = self.told.try_iter().collect();
        // The calls may end in any order.
        found.sort();
        let expected = ["divide 4 2", "divide 5 2"];
        let result = same(&*found, &expected.map(str::to_owned)[..]);
        let result = result.map_err(|error| error.to_string());
        vec![Outcome { name: "handlers/passed_results".to_owned(), result }]
    }
}

/// Its client waits for both replies by the operation `raise_system`, which is no reply to a call then.
struct PassedServant {
    told: Told,
    count: Mutex<usize>,
    counted: Condvar,
}

impl PassedServant {
    fn count(&self, told: zorb::Result<()>) -> zorb::Result<()> {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.counted.notify_all();
        told
    }
}

impl ReplyHandlerServant for PassedServant {}

impl AmiFaultsHandlerServant for PassedServant {
    fn divide(&self, quotient: i32, rest: i32) -> zorb::Result<()> {
        self.count(self.told.divide(quotient, rest))
    }

    fn divide_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.told.divide_excep(holder)
    }

    fn raise_system(&self) -> zorb::Result<()> {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // The checks find out if it has got less.
        drop(self.counted.wait_timeout_while(count, LIMIT, |count| *count < 2));
        Ok(())
    }

    fn raise_system_excep(&self, holder: Holder<'_>) -> zorb::Result<()> {
        self.told.raise_system_excep(holder)
    }
}

/// The checks of a server, and what its handlers have got.
struct Run {
    suite: Suite,
    told: Receiver<String>,
    outcomes: Vec<Outcome>,
}

impl Run {
    fn check(&mut self, name: &str, check: impl FnOnce(&Self) -> Result<(), Failure>) {
        let result = check(self).map_err(|error| error.to_string());
        self.outcomes.push(Outcome { name: name.to_owned(), result });
    }

    /// Compares what a handler gets.
    fn gets(&self, expected: &str) -> Result<(), Failure> {
        same(&*self.told.recv_timeout(LIMIT)?, expected)
    }
}

fn same<T: PartialEq + Debug + ?Sized>(found: &T, expected: &T) -> Result<(), Failure> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("got {found:?}, not {expected:?}").into()),
    }
}

/// Checks the server of the test object `reference` with calls of `orb`, which has to be able to listen.
///
/// # Errors
/// What keeps the checks from being made.
pub fn check(orb: &Orb, reference: &str) -> Result<Vec<Outcome>, Error> {
    let (sender, told) = channel();
    let handler = || Told(sender.clone());
    let poa = orb.root_poa();
    let for_basics: AmiBasicsHandler = poa.activate(handler())?;
    let for_faults: AmiFaultsHandler = poa.activate(handler())?;
    let for_settings: AmiSettingsHandler = poa.activate(handler())?;
    let suite: Suite = orb.resolve(reference)?;
    let mut run = Run { suite, told, outcomes: Vec::new() };
    check_basics(&mut run, &for_basics)?;
    check_faults(&mut run, &for_faults)?;
    run.check("handlers/attributes", |run| {
        let settings = run.suite.new_settings("asynchronous")?.ok_or("no settings")?;
        settings.sendc_set_number(Some(&for_settings), 11)?;
        run.gets("set")?;
        settings.sendc_number(Some(&for_settings))?;
        run.gets("number 11")
    });
    Ok(run.outcomes)
}

fn missing() -> Error {
    Error::new(zorb::Phase::Resolve, "an object of the server is missing")
}

fn check_basics(run: &mut Run, handler: &AmiBasicsHandler) -> Result<(), Error> {
    let basics = run.suite.basic_types()?.ok_or_else(missing)?;
    run.check("handlers/nothing", |run| {
        basics.sendc_nothing(Some(handler))?;
        run.gets("nothing")
    });
    run.check("handlers/results", |run| {
        basics.sendc_mixed(Some(handler), 7, -3, "abcde", true)?;
        run.gets("mixed 42 10.5 3 5 false")
    });
    Ok(())
}

fn check_faults(run: &mut Run, handler: &AmiFaultsHandler) -> Result<(), Error> {
    let faults = run.suite.fault_tests()?.ok_or_else(missing)?;
    run.check("handlers/user_exception", |run| {
        faults.sendc_divide(Some(handler), 9, 0)?;
        run.gets("Reason division by zero 9")
    });
    run.check("handlers/system_exception", |run| {
        faults.sendc_raise_system(Some(handler), "NO_PERMISSION", 7, 1)?;
        run.gets("NoPermission 7 No")
    });
    run.check("handlers/many", |run| {
        let mut expected = Vec::new();
        for a in 0..MANY {
            faults.sendc_divide(Some(handler), a, 3)?;
            expected.push(format!("divide {} {}", a / 3, a % 3));
        }
        // They may end in any order.
        let told = (0..MANY).map(|_| run.told.recv_timeout(LIMIT));
        let mut found = told.collect::<Result<Vec<_>, _>>()?;
        found.sort();
        expected.sort();
        same(&found, &expected)
    });
    run.check("pollers/results", |_| {
        let (first, second) = (faults.send_divide(17, 5), faults.send_divide(9, 3));
        same(&second.wait()?, &(3, 0))?;
        same(&first.wait()?, &(3, 2))
    });
    run.check("pollers/user_exception", |_| match faults.send_divide(9, 0).wait() {
        Err(DivideError::Reason(reason)) => {
            same(&(&*reason.why, reason.code), &("division by zero", 9))
        }
        other => Err(format!("got {other:?}").into()),
    });
    Ok(())
}
