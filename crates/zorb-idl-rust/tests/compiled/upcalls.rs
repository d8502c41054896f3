//! Servants that get their upcall as an argument: remote calls, and collocated ones with every strategy.

use std::sync::{Arc, Mutex};

use zorb_core::poa::{AnyServant, PoaPolicies, Upcall};
use zorb_core::{CollocationStrategy, Interface, Result};

use super::calls::{orb, seen_from};
use crate::upcalls::bank::table::DepositError;
use crate::upcalls::bank::{Partly, PartlyServant, Table, TableServant};

/// Serves all accounts of a table, and records what it is told.
#[derive(Default)]
struct Accounts {
    seen: Mutex<Vec<String>>,
}

impl Accounts {
    fn see(&self, upcall: &Upcall<'_>) {
        let poa = upcall.poa().expect("it is there");
        let here: Table = upcall.reference().expect("a reference");
        assert_eq!(poa.id_of(&here).as_ref(), Ok(upcall.object_id()));
        let line = format!("{} {}/{}", upcall.operation(), poa.path(), upcall.object_id());
        let caller = upcall.caller().map_or("here", |caller| {
            assert!(!caller.address().is_empty());
            "remote"
        });
        self.seen.lock().expect("it is free").push(format!("{line} {caller}"));
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().expect("it is free"))
    }
}

impl TableServant for Accounts {
    fn balance(&self, upcall: &Upcall<'_>) -> Result<i64> {
        self.see(upcall);
        Ok(upcall.object_id().to_string().parse().unwrap_or(-1))
    }

    fn owner(&self, upcall: &Upcall<'_>) -> Result<String> {
        self.see(upcall);
        Ok(upcall.object_id().to_string())
    }

    fn set_owner(&self, upcall: &Upcall<'_>, _: &str) -> Result<()> {
        self.see(upcall);
        Ok(())
    }

    fn deposit(&self, of: &Upcall<'_>, amount: i64, upcall: &str) -> Result<i64, DepositError> {
        self.see(of);
        assert_eq!(upcall, "text");
        Ok(amount)
    }

    fn note(&self, upcall: &Upcall<'_>, _: &str) {
        self.see(upcall);
    }

    fn withdraw_from(&self, upcall: &Upcall<'_>, other: Option<&Table>, _: i64) -> Result<i64> {
        self.see(upcall);
        let balance = other.expect("another").balance()?;
        // The nested upcall does not change this one.
        self.see(upcall);
        Ok(balance)
    }

    fn audit(&self) -> Result<()> {
        Ok(())
    }
}

impl PartlyServant for Accounts {
    fn plain(&self) -> Result<()> {
        Ok(())
    }

    fn whose(&self, upcall: &Upcall<'_>) -> Result<String> {
        self.see(upcall);
        Ok(upcall.object_id().to_string())
    }
}

#[test]
fn servants_know_their_object_operation_and_client() {
    let (server, client) = (orb(), orb());
    let policies = PoaPolicies::new().user_ids().multiple_ids().default_servant();
    let poa = server.root_poa().create("accounts", policies).expect("an adapter");
    let accounts = Arc::new(Accounts::default());
    poa.set_servant(AnyServant::of::<Partly, _>(Arc::clone(&accounts))).expect("by default");
    let by_default: Partly = poa.create_reference_with_id("11").expect("a reference");
    let active: Partly = poa.activate_shared_with_id("12", &accounts).expect("active");
    let local =
        |strategy| [by_default.with_collocation(strategy), active.with_collocation(strategy)];
    let remote = [seen_from(&client, &by_default), seen_from(&client, &active)];
    let views = [
        (remote, "remote"),
        (local(CollocationStrategy::Marshalled), "here"),
        (local(CollocationStrategy::ThruPoa), "here"),
        (local(CollocationStrategy::Direct), "here"),
    ];
    for (partly, from) in views {
        for (one, id) in partly.iter().zip(["11", "12"]) {
            let table = Table::from(one.clone());
            // The second time a reference is bound.
            for _ in 0..2 {
                let number = id.parse().expect("a number");
                assert_eq!(one.balance(), Ok(number));
                assert_eq!(table.owner().as_deref(), Ok(id));
                assert_eq!(one.set_owner("me"), Ok(()));
                assert_eq!(one.deposit(5, "text"), Ok(5));
                assert_eq!(one.whose().as_deref(), Ok(id));
                assert_eq!((one.plain(), one.audit()), (Ok(()), Ok(())));
                let operations = ["_get_balance", "_get_owner", "_set_owner", "deposit", "whose"];
                let expected = operations.map(|name| format!("{name} accounts/{id} {from}"));
                assert_eq!(accounts.taken(), expected);
            }
            assert_eq!(one.withdraw_from(Some(&Table::from(active.clone())), 3), Ok(12));
            let taken = accounts.taken();
            assert_eq!(taken[0], format!("withdraw_from accounts/{id} {from}"));
            assert_eq!(taken[1], "_get_balance accounts/12 here");
            assert_eq!(taken[2], taken[0]);
            assert_eq!(one.note("text"), Ok(()));
            // A later request over the same connection may overtake a one-way request.
            while accounts.seen.lock().expect("it is free").is_empty() {
                std::thread::yield_now();
            }
            assert_eq!(accounts.taken(), [format!("note accounts/{id} {from}")]);
        }
    }
    assert_eq!(poa.active_objects(), 1);
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}
