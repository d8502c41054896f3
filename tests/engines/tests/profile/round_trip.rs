//! A program counts its calls, and the IDL compiler reads what it has written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zorb_core::{Interface, Orb, Result};
use zorb_engines_tests::{compiled, interpretive};
use zorb_idl_rust::{Marshal, Options, Usage};
use zorb_tcp::IiopProtocol;
use zorb_usage::{SetUsageOptions, UsageOptions};

use super::calls::{orb, seen_from};
use crate::bank::bank::{Account, Closed, Currency, Fee, Money, account};

/// The IDL of the servants.
const IDL: &str = include_str!("../../../../crates/zorb-idl-rust/tests/fixtures/bank.idl");

/// A servant with the code of one engine.
macro_rules! servant {
    ($Teller:ident: $($engine:ident)::+) => {
        struct $Teller;

        impl $($engine)::+::AccountServant for $Teller {
            fn owner(&self) -> Result<String> {
                Ok("Ada".into())
            }

            fn withdraw(
                &self,
                amount: &$($engine)::+::Money,
            ) -> Result<
                ($($engine)::+::Money, $($engine)::+::Statement),
                $($engine)::+::account::WithdrawError,
            > {
                match amount.cents {
                    0 => Err($($engine)::+::Closed.into()),
                    _ => Ok((*amount, vec![*amount; 3])),
                }
            }

            fn audit(&self, terms: &$($engine)::+::Fee) -> Result<$($engine)::+::Fee> {
                Ok(terms.clone())
            }

            fn touch(&self, _: &str) {}
        }
    };
}

servant!(Compiled: compiled::bank::bank);
servant!(Interpretive: interpretive::bank::bank);

/// The same results from any skeleton.
fn call(account: &Account) {
    let amount = Money { cents: 7, unit: Currency::Usd };
    assert_eq!(account.withdraw(&amount), Ok((amount, vec![amount; 3])));
    assert_eq!(account.withdraw(&Money::default()), Err(account::WithdrawError::Closed(Closed)));
    assert_eq!(account.audit(&Fee::FlatCents(5)), Ok(Fee::FlatCents(5)));
    assert_eq!(account.owner().as_deref(), Ok("Ada"));
}

#[test]
fn stubs_by_profile_call_skeletons_of_both_engines() {
    let (server, client) = (orb(), orb());
    let poa = server.root_poa();
    let local: compiled::bank::bank::Account = poa.activate(Compiled).expect("a servant");
    call(&Account::from_object(seen_from(&client, &local).into()));
    let local: interpretive::bank::bank::Account = poa.activate(Interpretive).expect("a servant");
    call(&Account::from_object(seen_from(&client, &local).into()));
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}

/// The path of a file that does not exist.
fn path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("usage-{name}"));
    // A former run may have left it.
    let _ = std::fs::remove_file(&path);
    path
}

fn counting(path: &Path) -> Orb {
    let builder = Orb::builder().without_environment().declare(UsageOptions::default());
    let builder = builder.protocol(Arc::new(IiopProtocol::new())).listen("iiop://127.0.0.1:0");
    let path = path.to_str().expect("a path in UTF-8");
    let orb = builder.usage_file(path).build().expect("an ORB");
    zorb_usage::attach(&orb);
    orb
}

fn usage(path: &Path) -> Usage {
    Usage::parse(&std::fs::read(path).expect("a file")).expect("a usage file")
}

/// How often an operation was counted.
fn count(usage: &Usage, interface: Option<&str>, name: &str) -> u64 {
    let mut found = usage.operations();
    let used = found.find(|used| used.interface == interface && used.name == name);
    used.map_or(0, |used| used.count)
}

const ACCOUNT: Option<&str> = Some("IDL:example.org/Bank/Account:1.0");

#[test]
fn the_operations_that_a_program_uses_most_are_compiled() {
    let paths = ["server", "client"].map(path);
    let [server, client] = paths.each_ref().map(|path| counting(path));
    let local: compiled::bank::bank::Account =
        server.root_poa().activate(Compiled).expect("a servant");
    let remote = Account::from_object(seen_from(&client, &local).into());
    let amount = Money { cents: 7, unit: Currency::Usd };
    for round in 0..3_200 {
        assert_eq!(remote.withdraw(&amount), Ok((amount, vec![amount; 3])));
        if round % 200 == 0 {
            assert_eq!(remote.audit(&Fee::FlatCents(5)), Ok(Fee::FlatCents(5)));
        }
    }
    assert!(!paths[0].exists() && !paths[1].exists(), "at the end only");
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");

    let mut options = Options::new().marshal(Marshal::Profile);
    for path in &paths {
        let usage = usage(path);
        // 200, give or take some standard deviations of 14.
        let counted = count(&usage, ACCOUNT, "withdraw");
        assert!((80..400).contains(&counted), "{usage:?}");
        options = options.usage(&usage);
    }
    let files = zorb_idl::MemoryLoader::new().with("bank.idl", IDL.to_owned());
    let compilation = zorb_idl::compile_with(&zorb_idl::Options::new(), &files, &["bank.idl"]);
    let code = zorb_idl_rust::generate(&compilation, &options).text;
    for part in [
        "invoke!(self, withdraw,",
        "invoke!(interpretive self, audit,",
        "skeleton!(interpretive Account,",
        "structure!(Money,",
        "enumeration!(Currency,",
        "union!(interpretive Fee,",
    ] {
        assert!(code.contains(part), "{part} in {code}");
    }
}

#[test]
fn collocated_calls_are_counted_on_both_sides() {
    let path = path("collocated");
    let orb = counting(&path);
    let local: compiled::bank::bank::Account =
        orb.root_poa().activate(Compiled).expect("a servant");
    for _ in 0..1_600 {
        assert_eq!(local.owner().as_deref(), Ok("Ada"));
    }
    orb.shutdown(true).expect("the ORB ends");
    let usage = usage(&path);
    assert!((80..400).contains(&count(&usage, ACCOUNT, "_get_owner")), "{usage:?}");
}

#[test]
fn without_the_option_nothing_is_written() {
    let orb = counting(Path::new(""));
    let local: compiled::bank::bank::Account =
        orb.root_poa().activate(Compiled).expect("a servant");
    assert_eq!(local.owner().as_deref(), Ok("Ada"));
    assert_eq!(orb.options().get::<UsageOptions>(), Some(&UsageOptions::default()));
    orb.shutdown(true).expect("the ORB ends");
}
