//! Generated methods that send calls without waiting.

use zorb_core::{Context, Interface, Pending, Result};

use super::calls::{orb, seen_from};
use crate::ami::depot::store::TakeError;
use crate::ami::depot::{Cellar, CellarServant, Empty, Store, StoreServant};

struct Shelves;

impl StoreServant for Shelves {
    fn owner(&self) -> Result<String> {
        Ok("Ada".into())
    }

    fn set_owner(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn take(&self, count: i32, labels: &[String]) -> Result<(i32, Vec<String>), TakeError> {
        match count {
            1.. => Ok((count * 2, labels.iter().rev().cloned().collect())),
            left => Err(Empty { left }.into()),
        }
    }

    fn note(&self, _: &str) {}

    fn r#move(&self, to: Option<&Store>, count: i32) -> Result<()> {
        if let Some(to) = to {
            let _ = to.send_take(count, &[]).wait();
        }
        Ok(())
    }

    fn audit(&self) -> Result<()> {
        Ok(())
    }
}

impl CellarServant for Shelves {
    fn send_take(&self) -> Result<()> {
        Ok(())
    }

    fn r#where(&self, hint: &str, context: &Context) -> Result<String> {
        Ok(format!("{hint} {:?}", context.value("language")))
    }
}

#[test]
fn sent_calls_have_the_results_of_those_that_wait() {
    let (server, client) = (orb(), orb());
    let cellar: Cellar = server.root_poa().activate(Shelves).expect("a reference");
    let there = seen_from(&client, &cellar);
    let store = Store::from(there.clone());
    let labels = ["a".to_owned(), "b".to_owned()];
    let taken: Pending<(i32, Vec<String>), TakeError> = store.send_take(4, &labels);
    let moved = store.send_move(Some(&store), 3);
    let owner = store.send_owner();
    store.send_set_owner("Bea").wait().expect("it is set");
    assert_eq!(owner.wait().expect("a name"), "Ada");
    let swapped = vec!["b".to_owned(), "a".to_owned()];
    assert_eq!(taken.wait().expect("results"), (8, swapped));
    moved.wait().expect("it is moved");
    match store.send_take(0, &[]).wait() {
        Err(TakeError::Empty(empty)) => assert_eq!(empty.left, 0),
        other => panic!("{other:?}"),
    }
    // The operation has the name of the method of `take`.
    there.send_take().expect("it is called");
    assert_eq!(there.send_take_(1, &[]).wait().expect("results").0, 2);
    let context = Context::new();
    there.send_where("here", &context).wait().expect("text");
    assert!(there.as_object().is_a(Cellar::REPOSITORY_ID).expect("an answer"));
}

#[test]
fn calls_can_be_sent_to_many_objects() {
    let (server, client) = (orb(), orb());
    let cellars = [(); 3].map(|()| {
        let cellar: Cellar = server.root_poa().activate(Shelves).expect("a reference");
        seen_from(&client, &cellar)
    });
    let stores = cellars.clone().map(Store::from);
    let labels = ["a".to_owned(), "b".to_owned()];
    let taken: Vec<Pending<(i32, Vec<String>), TakeError>> =
        Store::send_take_to_all(&stores, 4, &labels);
    let taken: Vec<_> = taken.into_iter().map(|call| call.wait().expect("results").0).collect();
    assert_eq!(taken, [8; 3]);
    for refused in Store::send_take_to_all(stores.iter().rev(), 0, &[]) {
        assert!(matches!(refused.wait(), Err(TakeError::Empty(empty)) if empty.left == 0));
    }
    let noted: Vec<Result<()>> = Store::send_note_to_all(&stores, "full");
    assert_eq!(noted.into_iter().filter(Result::is_ok).count(), 3);
    let context = Context::new();
    let found = Cellar::send_where_to_all(&cellars, "here", &context);
    assert_eq!(found.into_iter().map(Pending::wait).filter(Result::is_ok).count(), 3);
}
