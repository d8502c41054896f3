//! The bank's client.

use std::sync::mpsc::{Sender, channel};

use zorb::{Interface, Orb};

use super::{Account, Booking, Branch, Currency, Money, Watcher, WatcherServant, account};

/// Receives notifications and passes them to the program.
#[derive(Debug)]
struct MyWatcher {
    received: Sender<Booking>,
}

impl WatcherServant for MyWatcher {
    fn booked(&self, _number: &str, what: &Booking) {
        // The program may have dropped the receiver.
        let _ = self.received.send(what.clone());
    }
}

/// Opens an account, watches it, and tries to overdraw it.
pub fn visit(orb: &Orb, branch: &Branch) -> Result<Vec<String>, zorb::Error> {
    let mut output = Vec::new();
    let Some(account) = branch.open("Grace", Currency::Eur)? else {
        return Err(zorb::Error::new(zorb::Phase::Application, "the bank gave no account"));
    };
    output.push(format!("account {} of {}", account.number()?, account.owner()?));

    let (sender, bookings) = channel();
    let watcher: Watcher = orb.root_poa().activate(MyWatcher { received: sender })?;
    account.watch(Some(&watcher))?;

    account.deposit(&Money { cents: 10_000, unit: Currency::Eur })?;
    let (balance, latest) = account.withdraw(&Money { cents: 2_500, unit: Currency::Eur })?;
    output.push(format!("{} cents left after {} bookings", balance.cents, latest.len()));
    for booking in bookings.iter().take(2) {
        output.push(format!("notified of a {} of {}", booking.text, booking.amount.cents));
    }

    match account.withdraw(&Money { cents: 9_000, unit: Currency::Eur }) {
        Ok(_) => output.push("the withdrawal succeeded".to_owned()),
        Err(account::WithdrawError::InsufficientFunds(funds)) => {
            output.push(format!("{} cents are missing", funds.missing.cents));
        }
        Err(other) => return Err(other.into()),
    }
    account.set_owner("Grace H.")?;
    Ok(output)
}

/// The reference to an account as text, to be saved in a file.
pub fn save(account: &Account) -> String {
    account.to_ior_string()
}

/// The client's `main`.
pub fn main() -> Result<(), zorb::Error> {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    let orb = Orb::builder().arguments(&mut arguments).build()?;
    let branch: Branch = orb.resolve("corbaloc::127.0.0.1:2811/branch")?;
    for line in visit(&orb, &branch)? {
        println!("{line}");
    }
    orb.shutdown(true)
}
