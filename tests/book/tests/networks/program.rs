//! The server and the client of the recipes.

use std::io::Write as _;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use zorb::{Interface, Orb, ServedBy};
use zorb_book_tests::networks::{accept, offer};

zorb::include_idl!("bank");
use bank::account::{DepositError, WithdrawError};
use bank::{Account, AccountServant, Booking, Currency, Money, Statement, Watcher, WatcherServant};

zorb::include_idl!("clock");
use clock::{Teller, TellerServant, teller::SecondsSinceMidnightError};

struct Midnight;

impl TellerServant for Midnight {
    fn seconds_since_midnight(&self, _: &str) -> Result<u32, SecondsSinceMidnightError> {
        Ok(0)
    }
}

/// Says what it hears.
struct Saying;

impl WatcherServant for Saying {
    fn booked(&self, number: &str, _: &Booking) {
        say(number);
    }
}

/// Passes on what it hears.
struct Hearing(Sender<String>);

impl WatcherServant for Hearing {
    fn booked(&self, number: &str, _: &Booking) {
        self.0.send(number.to_owned()).unwrap();
    }
}

/// Calls whoever watches it.
struct Watched;

const NOTHING: Money = Money { cents: 0, unit: Currency::Eur };

impl AccountServant for Watched {
    fn number(&self) -> zorb::Result<String> {
        Ok(String::new())
    }

    fn owner(&self) -> zorb::Result<String> {
        Ok(String::new())
    }

    fn set_owner(&self, _: &str) -> zorb::Result<()> {
        Ok(())
    }

    fn balance(&self) -> zorb::Result<Money> {
        Ok(NOTHING)
    }

    fn deposit(&self, _: &Money) -> Result<(), DepositError> {
        Ok(())
    }

    fn withdraw(&self, _: &Money) -> Result<(Money, Statement), WithdrawError> {
        Ok((NOTHING, Statement::new()))
    }

    fn watch(&self, who: Option<&Watcher>) -> zorb::Result<()> {
        let booking = Booking { text: String::new(), amount: NOTHING };
        who.map_or(Ok(()), |who| who.booked("heard", &booking))
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Runs as a server or a client if the environment tells this process to be one.
pub(crate) fn run_as_told() -> bool {
    match std::env::var("ROLE").as_deref() {
        Ok("server") => serve::<_, Teller>(Midnight),
        Ok("client") => call(),
        Ok("one-way server") => serve::<_, Watcher>(Saying),
        Ok("one-way client") => send(),
        Ok("watched server") => serve_watched(),
        Ok("watcher") => watch(true),
        Ok("one-direction watcher") => watch(false),
        _ => return false,
    }
    true
}

/// Says its endpoints and a reference, each in a line.
fn serve<S: Send + Sync + 'static, R: ServedBy<S>>(servant: S) {
    let orb = Orb::new().unwrap();
    let object: R = orb.root_poa().activate(servant).unwrap();
    say(&orb.endpoints().join(" "));
    say(&object.to_ior_string());
    orb.run().unwrap();
}

/// Says the same of a server that calls its clients.
fn serve_watched() {
    let orb = Orb::builder().connect_timeout(Duration::from_secs(5)).build().unwrap();
    let adapter = accept(&orb).unwrap();
    let object: Account = adapter.activate(Watched).unwrap();
    adapter.manager().activate().unwrap();
    say(&orb.endpoints().join(" "));
    say(&object.to_ior_string());
    orb.run().unwrap();
}

/// Says what it hears from the server, or why the server cannot call. `offers` is whether the server may call over the
/// client's connection.
fn watch(offers: bool) {
    let (orb, account) = client::<Account>();
    if offers {
        offer(&orb).unwrap();
    }
    let (sender, hears) = channel();
    let watcher: Watcher = orb.root_poa().activate(Hearing(sender)).unwrap();
    match account.watch(Some(&watcher)) {
        Ok(()) => say(&hears.recv().unwrap()),
        Err(error) => say(&zorb::Report(&error).to_string()),
    }
    orb.shutdown(true).unwrap();
}

fn client<R: Interface>() -> (Orb, R) {
    let orb = Orb::builder().connect_timeout(Duration::from_secs(5)).build().unwrap();
    let object = orb.resolve(&std::env::var("REFERENCE").unwrap()).unwrap();
    (orb, object)
}

/// Says what becomes of a call.
fn call() {
    let (_orb, teller) = client::<Teller>();
    match teller.seconds_since_midnight("UTC") {
        Ok(_) => say("called"),
        Err(error) => say(&zorb::Report(&error).to_string()),
    }
}

/// Says what becomes of one-way calls: several, because any datagram may be lost.
fn send() {
    let (orb, watcher) = client::<Watcher>();
    let amount = Money { cents: 1, unit: Currency::Eur };
    let booking = Booking { text: String::new(), amount };
    match (0..10).try_for_each(|_| watcher.booked("heard", &booking)) {
        Ok(()) => say("called"),
        Err(error) => say(&zorb::Report(&error).to_string()),
    }
    orb.shutdown(true).unwrap();
}
