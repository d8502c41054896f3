//! The bank's server.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::{CompletionStatus, Interface, Orb, SystemException, minor};
use zorb_naming::cos_naming::NamingContext;
use zorb_naming::name;

use super::{
    Account, AccountServant, Booking, Branch, BranchServant, Currency, InsufficientFunds, Money,
    NoSuchAccount, Statement, Watcher, WrongCurrency, account, branch,
};

/// One account.
#[derive(Debug)]
pub struct MyAccount {
    number: String,
    owner: Mutex<String>,
    book: Mutex<Book>,
    watchers: Mutex<Vec<Watcher>>,
}

#[derive(Debug)]
struct Book {
    balance: Money,
    bookings: Statement,
}

impl MyAccount {
    /// An empty account.
    pub fn new(number: &str, owner: &str, unit: Currency) -> Self {
        Self {
            number: number.to_owned(),
            owner: Mutex::new(owner.to_owned()),
            book: Mutex::new(Book { balance: Money { cents: 0, unit }, bookings: Vec::new() }),
            watchers: Mutex::default(),
        }
    }

    /// Notifies all watchers.
    fn announce(&self, booking: &Booking) {
        let watchers = self.watchers.lock().unwrap().clone();
        for watcher in &watchers {
            // A watcher that no longer exists must not fail the booking.
            let _ = watcher.booked(&self.number, booking);
        }
    }
}

impl AccountServant for MyAccount {
    fn number(&self) -> zorb::Result<String> {
        Ok(self.number.clone())
    }

    fn owner(&self) -> zorb::Result<String> {
        Ok(self.owner.lock().unwrap().clone())
    }

    fn set_owner(&self, value: &str) -> zorb::Result<()> {
        *self.owner.lock().unwrap() = value.to_owned();
        Ok(())
    }

    fn balance(&self) -> zorb::Result<Money> {
        Ok(self.book.lock().unwrap().balance)
    }

    fn deposit(&self, amount: &Money) -> zorb::Result<(), account::DepositError> {
        let booking = Booking { text: "deposit".to_owned(), amount: *amount };
        {
            let mut book = self.book.lock().unwrap();
            if amount.unit != book.balance.unit {
                return Err(WrongCurrency { expected: book.balance.unit }.into());
            }
            book.balance.cents += amount.cents;
            book.bookings.push(booking.clone());
        }
        self.announce(&booking);
        Ok(())
    }

    fn withdraw(&self, amount: &Money) -> zorb::Result<(Money, Statement), account::WithdrawError> {
        let booking = Booking {
            text: "withdrawal".to_owned(),
            amount: Money { cents: -amount.cents, ..*amount },
        };
        let (balance, latest) = {
            let mut book = self.book.lock().unwrap();
            if amount.unit != book.balance.unit {
                return Err(WrongCurrency { expected: book.balance.unit }.into());
            }
            let missing = amount.cents - book.balance.cents;
            if missing > 0 {
                return Err(
                    InsufficientFunds { missing: Money { cents: missing, ..*amount } }.into()
                );
            }
            book.balance.cents -= amount.cents;
            book.bookings.push(booking.clone());
            let latest = book.bookings.iter().rev().take(3).cloned().collect();
            (book.balance, latest)
        };
        self.announce(&booking);
        Ok((balance, latest))
    }

    fn watch(&self, who: Option<&Watcher>) -> zorb::Result<()> {
        let Some(watcher) = who else {
            let reason = minor::bad_param::NIL_NOT_ALLOWED;
            return Err(SystemException::bad_param(reason, CompletionStatus::No));
        };
        self.watchers.lock().unwrap().push(watcher.clone());
        Ok(())
    }
}

/// Opens accounts and finds them again.
#[derive(Debug)]
pub struct MyBranch {
    accounts: Poa,
    last_number: AtomicU32,
}

impl BranchServant for MyBranch {
    fn open(&self, owner: &str, unit: Currency) -> zorb::Result<Option<Account>> {
        let number = format!("{:04}", self.last_number.fetch_add(1, Ordering::Relaxed) + 1);
        let account = MyAccount::new(&number, owner, unit);
        let account = self.accounts.activate_with_id(number.as_str(), account)?;
        Ok(Some(account))
    }

    fn find(&self, number: &str) -> zorb::Result<Option<Account>, branch::FindError> {
        match self.accounts.reference(&number.into()) {
            Ok(account) => Ok(Some(account)),
            Err(PoaError::ObjectNotActive) => {
                Err(NoSuchAccount { number: number.to_owned() }.into())
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// Opens the branch, with the accounts of earlier days as number, owner and currency.
pub fn open_branch(orb: &Orb, earlier: &[(&str, &str, Currency)]) -> Result<Branch, zorb::Error> {
    let root = orb.root_poa();
    let accounts = root.create("accounts", PoaPolicies::new().persistent().user_ids())?;
    for &(number, owner, unit) in earlier {
        let _: Account = accounts.activate_with_id(number, MyAccount::new(number, owner, unit))?;
    }
    let last_number = AtomicU32::new(earlier.len() as u32);
    let branch: Branch = root.activate(MyBranch { accounts, last_number })?;
    orb.publish("branch", &branch)?;
    Ok(branch)
}

/// Binds the branch in the naming service, if the program was started with one.
pub fn announce(orb: &Orb, branch: &Branch) -> Result<(), zorb::Error> {
    let names: NamingContext = orb.initial_reference("NameService")?;
    names.rebind(&name("Branch.bank")?, Some(branch.as_object()))?;
    Ok(())
}

/// The server's `main`.
pub fn main() -> Result<(), zorb::Error> {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    let orb = Orb::builder().listen("iiop://127.0.0.1:2811").arguments(&mut arguments).build()?;
    let branch = open_branch(&orb, &[("0001", "Ada", Currency::Eur)])?;
    if orb.options().init_ref.iter().any(|(name, _)| name == "NameService") {
        announce(&orb, &branch)?;
    }
    println!("{}", branch.to_ior_string());
    orb.run_until_signal()
}
