//! The bank's client.

use std::sync::mpsc::{Sender, channel};

use zorb::{Interface, Orb};

use super::{Account, Booking, Branch, Currency, Money, Watcher, WatcherServant, account};

/// Hears of bookings, and passes them to the program.
#[derive(Debug)]
struct MyWatcher {
    heard: Sender<Booking>,
}

impl WatcherServant for MyWatcher {
    fn booked(&self, _number: &str, what: &Booking) {
        // The program may have stopped listening.
        let _ = self.heard.send(what.clone());
    }
}

/// Opens an account, watches it, and takes out more than it holds.
pub fn visit(orb: &Orb, branch: &Branch) -> Result<Vec<String>, zorb::Error> {
    let mut story = Vec::new();
    let Some(account) = branch.open("Grace", Currency::Eur)? else {
        return Err(zorb::Error::new(zorb::Phase::Application, "the bank gave no account"));
    };
    story.push(format!("account {} of {}", account.number()?, account.owner()?));

    let (sender, bookings) = channel();
    let watcher: Watcher = orb.root_poa().activate(MyWatcher { heard: sender })?;
    account.watch(Some(&watcher))?;

    account.deposit(&Money { cents: 10_000, unit: Currency::Eur })?;
    let (balance, latest) = account.withdraw(&Money { cents: 2_500, unit: Currency::Eur })?;
    story.push(format!("{} cents left after {} bookings", balance.cents, latest.len()));
    for booking in bookings.iter().take(2) {
        story.push(format!("heard of a {} of {}", booking.text, booking.amount.cents));
    }

    match account.withdraw(&Money { cents: 9_000, unit: Currency::Eur }) {
        Ok(_) => story.push("the bank is generous".to_owned()),
        Err(account::WithdrawError::InsufficientFunds(funds)) => {
            story.push(format!("{} cents are missing", funds.missing.cents));
        }
        Err(other) => return Err(other.into()),
    }
    account.set_owner("Grace H.")?;
    Ok(story)
}

/// The reference to an account, as text that can be kept in a file.
pub fn keep(account: &Account) -> String {
    account.as_object().to_ior_string()
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
