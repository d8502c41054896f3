//! Object adapters.

use std::collections::HashMap;
use std::sync::Arc;

use zorb::poa::{
    AnyServant, ManagerState, ObjectId, Poa, PoaError, PoaPolicies, ServantActivator,
    ServantLocator, ServantManagerError,
};
use zorb::policy::Policies;
use zorb::{CompletionStatus, Orb, SystemException, minor};

use crate::tutorial::server::MyAccount;
use crate::tutorial::{Account, Currency};

/// A POA with persistent references and user ids.
pub fn persistent(orb: &Orb) -> Result<(Poa, Account), PoaError> {
    let accounts = orb.root_poa().create("accounts", PoaPolicies::new().persistent().user_ids())?;
    let ada = MyAccount::new("0001", "Ada", Currency::Eur);
    let account: Account = accounts.activate_with_id("0001", ada)?;
    Ok((accounts, account))
}

/// A servant that the program shares with the POA.
pub fn shared(poa: &Poa) -> Result<(), PoaError> {
    let servant = Arc::new(MyAccount::new("0002", "Grace", Currency::Usd));
    let account: Account = poa.activate_shared(&servant)?;
    let id = poa.id_of(&account)?;
    let same: Account = poa.reference_of(&servant)?;
    assert_eq!(same, account);
    poa.deactivate(&id)
}

fn no_such_account() -> SystemException {
    let code = minor::object_not_exist::NO_MATCH;
    SystemException::object_not_exist(code, CompletionStatus::No)
}

/// The owners of accounts, which become active on demand.
struct FromTable(HashMap<ObjectId, String>);

impl ServantActivator for FromTable {
    fn incarnate(&self, _: &Poa, id: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        let owner = self.0.get(id).ok_or_else(no_such_account)?;
        let account = MyAccount::new(&id.to_string(), owner, Currency::Eur);
        Ok(AnyServant::of::<Account, _>(Arc::new(account)))
    }
}

/// A POA that activates the objects of a table on demand.
pub fn accounts(poa: &Poa, table: HashMap<ObjectId, String>) -> Result<Account, PoaError> {
    let poa = poa.create("table", PoaPolicies::new().user_ids().servant_manager())?;
    poa.set_servant_activator(FromTable(table))?;
    poa.create_reference_with_id("0004")
}

/// Finds a servant for each request.
struct ForEachRequest(HashMap<ObjectId, String>);

impl ServantLocator for ForEachRequest {
    type Cookie = ();

    fn preinvoke(
        &self,
        _: &Poa,
        id: &ObjectId,
        _operation: &str,
    ) -> Result<(AnyServant, ()), ServantManagerError> {
        let owner = self.0.get(id).ok_or_else(no_such_account)?;
        let account = MyAccount::new(&id.to_string(), owner, Currency::Eur);
        Ok((AnyServant::of::<Account, _>(Arc::new(account)), ()))
    }
}

/// A POA whose objects have a servant only during a request.
pub fn located(poa: &Poa, table: HashMap<ObjectId, String>) -> Result<Account, PoaError> {
    let policies = PoaPolicies::new().user_ids().non_retain().servant_manager();
    let poa = poa.create("located", policies)?;
    poa.set_servant_locator(ForEachRequest(table))?;
    poa.create_reference_with_id("0005")
}

/// Requests wait while their POA manager is in the holding state.
pub fn maintenance(orb: &Orb) -> Result<Poa, PoaError> {
    let manager = orb.create_poa_manager();
    let poa = orb.root_poa().create_with_manager("late", PoaPolicies::new(), manager.clone())?;
    assert_eq!(manager.state(), ManagerState::Holding);
    // ... activate servants, load data ...
    manager.activate()?;
    Ok(poa)
}

/// A POA manager with an id, which other parts of the program find.
pub fn named_manager(orb: &Orb) -> Result<(), PoaError> {
    let managers = orb.root_poa().manager_factory()?;
    let control = managers.create("control", &Policies::new())?;
    orb.root_poa().create_with_manager("operator", PoaPolicies::new(), control)?;
    managers.find("control").map_or(Ok(()), |control| control.activate())
}

/// A reference to an object that has no servant yet.
pub fn promise(poa: &Poa) -> Result<Account, PoaError> {
    poa.create_reference_with_id("0003")
}

#[cfg(test)]
mod tests {
    use zorb::Interface;

    use super::*;

    #[test]
    fn adapters_do_what_the_book_says() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let (named, account) = persistent(&orb).unwrap();
        assert_eq!(account.owner().unwrap(), "Ada");
        shared(&orb.root_poa()).unwrap();
        assert_eq!(maintenance(&orb).unwrap().manager().state(), ManagerState::Active);
        named_manager(&orb).unwrap();
        let manager = orb.root_poa().find("operator").unwrap().manager();
        assert_eq!((manager.id(), manager.state()), ("control", ManagerState::Active));
        let table = HashMap::from([("0004".into(), "Barbara".to_owned())]);
        assert_eq!(accounts(&orb.root_poa(), table).unwrap().owner().unwrap(), "Barbara");
        let table = HashMap::from([("0005".into(), "Edsger".to_owned())]);
        assert_eq!(located(&orb.root_poa(), table).unwrap().owner().unwrap(), "Edsger");
        let promised = promise(&named).unwrap();
        assert!(!promised.as_object().locate().unwrap());
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn persistent_references_survive_a_restart() {
        // Its own address, so that no other test takes the port before the restart.
        let first = Orb::builder().without_environment().listen("iiop://127.0.0.2:0");
        let first = first.build().unwrap();
        let endpoint = first.endpoints().remove(0);
        let (_, account) = persistent(&first).unwrap();
        let kept = account.as_object().to_ior_string();
        first.shutdown(true).unwrap();

        let second = Orb::builder().without_environment().listen(endpoint).build().unwrap();
        persistent(&second).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let account: Account = client.resolve(&kept).unwrap();
        assert_eq!(account.owner().unwrap(), "Ada");
        client.shutdown(true).unwrap();
        second.shutdown(true).unwrap();
    }
}
