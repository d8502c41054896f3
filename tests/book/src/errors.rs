//! Errors, and what to do about them.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use zorb::{CompletionStatus, Interface, MinorCode, SystemException, SystemExceptionKind};

use crate::quickstart::clock::{Teller, teller};
use crate::tutorial::{Account, Money, NoSuchAccount, account, branch};

/// Chooses a reaction to a failed call.
pub fn decide(teller: &Teller) -> String {
    use teller::SecondsSinceMidnightError as Failed;
    match teller.seconds_since_midnight("UTC") {
        Ok(seconds) => format!("{seconds} s"),
        Err(Failed::UnknownZone(unknown)) => format!("no zone {}", unknown.zone),
        Err(Failed::System(exception)) => match (exception.kind, exception.completed) {
            (SystemExceptionKind::ObjectNotExist, _) => "the object no longer exists".to_owned(),
            (_, CompletionStatus::No) => "the operation did not run: retry".to_owned(),
            (_, _) => "the operation may have run: check before you retry".to_owned(),
        },
    }
}

/// A call with its own deadline.
pub fn in_a_hurry(teller: &Teller) -> Result<u32, zorb::Error> {
    let teller = teller.with_timeout(Duration::from_secs(2));
    Ok(teller.seconds_since_midnight("UTC")?)
}

/// The phase that failed, and the exception.
pub fn explain(error: &zorb::Error) -> String {
    let (phase, hint) = (error.phase(), error.hint().unwrap_or("none"));
    let server = error.context().filter(|context| context.is_remote());
    let server = server.and_then(|context| context.target()).unwrap_or("this side");
    format!("{}; {phase:?}, raised by {server}, hint: {hint}", zorb::Report(error))
}

/// A step of a servant that implements an operation with `raises (InsufficientFunds, WrongCurrency)`.
pub fn transfer(
    from: &Account,
    to: &Account,
    amount: &Money,
) -> zorb::Result<(), account::WithdrawError> {
    from.withdraw(amount)?;
    // It fails with another type, `account::DepositError`.
    to.deposit(amount)?;
    Ok(())
}

/// Code 1 of the vendor 0x45580: the file of a statement cannot be read.
const UNREADABLE: MinorCode = MinorCode(0x4558_0001);

/// Reads a statement for an operation with `raises (NoSuchAccount)`.
pub fn read_statement(number: &str, path: &Path) -> zorb::Result<String, branch::FindError> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => NoSuchAccount { number: number.to_owned() }.into(),
        _ => {
            tracing::error!(%error, path = %path.display(), "cannot read the statement");
            SystemException::persist_store(UNREADABLE, CompletionStatus::No).into()
        }
    })
}

/// Shows the ORB's log.
pub fn show_log() {
    tracing_subscriber::fmt().init();
}

/// Shows the ORB's log with its details.
pub fn show_detailed_log() {
    tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).init();
}

#[cfg(test)]
mod tests {
    use zorb::Orb;

    use super::*;
    use crate::quickstart::MyTeller;
    use crate::tutorial::server::MyAccount;
    use crate::tutorial::{Currency, WrongCurrency};

    #[test]
    fn failures_are_reported() {
        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let there: Teller = client.resolve(&teller.as_object().to_ior_string()).unwrap();
        assert!(decide(&there).ends_with(" s"));
        assert!(in_a_hurry(&there).unwrap() < 86_400);

        server.root_poa().deactivate(&server.root_poa().id_of(&teller).unwrap()).unwrap();
        assert_eq!(decide(&there), "the object no longer exists");

        server.shutdown(true).unwrap();
        assert_eq!(decide(&there), "the operation did not run: retry");
        let error = in_a_hurry(&there).unwrap_err();
        assert!(explain(&error).contains("; Connect, raised by this side"), "{error}");
        client.shutdown(true).unwrap();
    }

    #[test]
    fn a_servant_passes_on_what_other_operations_raise() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let [euros, dollars] = [Currency::Eur, Currency::Usd].map(|unit| -> Account {
            orb.root_poa().activate(MyAccount::new("0001", "Ada", unit)).unwrap()
        });
        let amount = Money { cents: 100, unit: Currency::Eur };
        euros.deposit(&amount).unwrap();
        let raised = transfer(&euros, &dollars, &amount).unwrap_err();
        let expected = WrongCurrency { expected: Currency::Usd };
        assert_eq!(raised, account::WithdrawError::WrongCurrency(expected));
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn other_failures_become_exceptions() {
        let missing = read_statement("0007", Path::new("/no/such/statement")).unwrap_err();
        let expected = NoSuchAccount { number: "0007".to_owned() };
        assert_eq!(missing, branch::FindError::NoSuchAccount(expected));
        let folder = read_statement("0007", Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_err();
        let expected = SystemException::persist_store(UNREADABLE, CompletionStatus::No);
        assert_eq!(folder, branch::FindError::System(expected));
    }
}
