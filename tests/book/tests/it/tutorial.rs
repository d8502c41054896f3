//! The tutorial's server and client in one process.

use crate::support::naming::Names;
use zorb::{Interface, Orb};
use zorb_book_tests::tutorial::server::{announce, open_branch};
use zorb_book_tests::tutorial::{Account, Branch, Currency, Money, account, branch, client};
use zorb_naming::cos_naming::NamingContext;

fn orb() -> Orb {
    orb_at("iiop://127.0.0.1:0")
}

fn orb_at(endpoint: &str) -> Orb {
    Orb::builder().without_environment().listen(endpoint).build().unwrap()
}

fn address(orb: &Orb) -> String {
    orb.endpoints()[0].trim_start_matches("iiop://").to_owned()
}

#[test]
fn the_client_prints_what_the_book_shows() {
    let server = orb();
    open_branch(&server, &[("0001", "Ada", Currency::Eur)]).unwrap();
    let customer = orb();
    let url = format!("corbaloc::{}/branch", address(&server));
    let branch: Branch = customer.resolve(&url).unwrap();
    let mut output = client::visit(&customer, &branch).unwrap();
    // One-way calls of different upcalls may overtake each other.
    output[2..4].sort();
    let page = include_str!("../../../../docs/src/tutorial.md");
    assert!(page.contains(&output.join("\n")), "{output:#?}");
    customer.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn exceptions_and_attributes_arrive() {
    let server = orb();
    open_branch(&server, &[("0001", "Ada", Currency::Eur)]).unwrap();
    let customer = orb();
    let url = format!("corbaloc::{}/branch", address(&server));
    let branch: Branch = customer.resolve(&url).unwrap();
    let account = branch.find("0001").unwrap().unwrap();
    assert_eq!(account.owner().unwrap(), "Ada");
    assert_eq!(account.balance().unwrap(), Money { cents: 0, unit: Currency::Eur });
    let dollars = Money { cents: 1, unit: Currency::Usd };
    assert!(matches!(
        account.deposit(&dollars),
        Err(account::DepositError::WrongCurrency(wrong)) if wrong.expected == Currency::Eur
    ));
    assert!(matches!(
        branch.find("9999"),
        Err(branch::FindError::NoSuchAccount(none)) if none.number == "9999"
    ));
    let error = account.watch(None).unwrap_err();
    assert_eq!(error.kind, zorb::SystemExceptionKind::BadParam);
    customer.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn a_saved_reference_is_valid_after_a_restart() {
    // Its own address, so that no other test takes the port before the restart.
    let server = orb_at("iiop://127.0.0.2:0");
    let endpoint = server.endpoints().remove(0);
    let branch = open_branch(&server, &[("0001", "Ada", Currency::Eur)]).unwrap();
    let saved = client::save(&branch.find("0001").unwrap().unwrap());
    server.shutdown(true).unwrap();

    let again = orb_at(&endpoint);
    open_branch(&again, &[("0001", "Ada", Currency::Eur)]).unwrap();
    let customer = orb();
    let account: Account = customer.resolve(&saved).unwrap();
    assert_eq!(account.number().unwrap(), "0001");
    customer.shutdown(true).unwrap();
    again.shutdown(true).unwrap();
}

#[test]
fn the_branch_is_found_by_name() {
    let names = orb();
    let context: NamingContext = names.root_poa().activate(Names::default()).unwrap();
    names.publish("NameService", &context).unwrap();
    let service = format!("corbaloc::{}/NameService", address(&names));

    let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    let server = server.init_ref("NameService", &service).build().unwrap();
    let branch = open_branch(&server, &[("0001", "Ada", Currency::Eur)]).unwrap();
    announce(&server, &branch).unwrap();

    let customer = orb();
    let url = format!("corbaname::{}#Branch.bank", address(&names));
    let found: Branch = customer.resolve(&url).unwrap();
    assert_eq!(found.as_object(), branch.as_object());
    assert!(found.find("0001").unwrap().is_some());
    for orb in [customer, server, names] {
        orb.shutdown(true).unwrap();
    }
}
