//! Ten million accounts in a table, and one default servant for all of them: no object is active, and the ORB stores
//! nothing for any.
//!
//! `cargo run --release -p accounts` calls some of them from a client and prints the memory that the ORB has used for
//! them. `-- --ids 1000` makes the table smaller; `-- --calls 1000000` calls more accounts than 20,000.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use zorb::poa::{AnyServant, ObjectId, Poa, PoaPolicies, Upcall};
use zorb::{CompletionStatus, Interface as _, Orb, SystemException, minor};

zorb::include_idl!("bank");
use bank::{Account, AccountServant};

/// The balances of all accounts. An account's object id is its index in the table, in 8 octets.
struct Table(Vec<AtomicI64>);

impl Table {
    fn balance_of(&self, id: &ObjectId) -> zorb::Result<&AtomicI64> {
        let index = id.as_bytes().try_into().map(u64::from_be_bytes);
        let entry = index.ok().and_then(|index| self.0.get(usize::try_from(index).ok()?));
        entry.ok_or_else(|| {
            let code = minor::object_not_exist::NO_MATCH;
            SystemException::object_not_exist(code, CompletionStatus::No)
        })
    }
}

impl AccountServant for Table {
    fn balance(&self, upcall: &Upcall<'_>) -> zorb::Result<i64> {
        Ok(self.balance_of(upcall.object_id())?.load(Ordering::Relaxed))
    }

    fn deposit(&self, upcall: &Upcall<'_>, amount: i64) -> zorb::Result<i64> {
        let balance = self.balance_of(upcall.object_id())?;
        Ok(balance.fetch_add(amount, Ordering::Relaxed).wrapping_add(amount))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let ids = argument("--ids", 10_000_000)?;
    let calls = argument("--calls", 20_000)?.min(ids);
    let table = Arc::new(Table((0..ids).map(|_| AtomicI64::new(100)).collect()));
    let server = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let policies = PoaPolicies::new().user_ids().multiple_ids().non_retain().default_servant();
    let poa = server.root_poa().create("accounts", policies)?;
    poa.set_servant(AnyServant::of::<Account, _>(Arc::clone(&table)))?;

    let client = Orb::new()?;
    // The first calls open the connection and fill the caches.
    deposit_spread(&poa, &client, ids, ids.min(1000))?;
    let before = resident_octets()?;
    let calls = deposit_spread(&poa, &client, ids, calls)?;
    let grown = resident_octets()?.saturating_sub(before);

    println!("ids             {ids}");
    println!("calls           {calls}, each to another account");
    println!("active objects  {}", poa.active_objects());
    println!("ORB's memory    {grown} octets more, {:.2} per id", grown as f64 / ids as f64);

    let missing = account(&poa, &client, ids)?;
    let refused = missing.balance().err().ok_or("there is no such account")?;
    println!("beyond          {:?}", refused.kind);
    client.shutdown(true)?;
    server.shutdown(true)?;
    Ok(())
}

/// The number after an argument of the program.
fn argument(name: &str, default: u64) -> Result<u64, Box<dyn Error>> {
    match std::env::args().skip_while(|argument| argument != name).nth(1) {
        Some(number) => Ok(number.parse()?),
        None => Ok(default),
    }
}

/// The client's reference to the account at `index`.
fn account(poa: &Poa, client: &Orb, index: u64) -> Result<Account, Box<dyn Error>> {
    let here: Account = poa.create_reference_with_id(ObjectId::new(index.to_be_bytes()))?;
    Ok(client.resolve(&here.as_object().to_ior_string())?)
}

/// Makes deposits to `calls` accounts, spread over the table, and returns how many were as expected.
fn deposit_spread(poa: &Poa, client: &Orb, ids: u64, calls: u64) -> Result<u64, Box<dyn Error>> {
    let step = ids / calls.max(1);
    let mut made = 0;
    for index in (0..calls).map(|call| call * step) {
        let account = account(poa, client, index)?;
        let before = account.balance()?;
        made += u64::from(account.deposit(1)? == before + 1);
    }
    Ok(made)
}

/// The memory of this process that is in use.
fn resident_octets() -> Result<u64, Box<dyn Error>> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let resident: u64 = pages.split(' ').nth(1).ok_or("no resident pages")?.parse()?;
    Ok(resident * 4096)
}
