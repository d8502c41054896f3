use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use values::archive::{Document, Report, Shelf, ShelfServant, Summed};
use zorb::{Orb, Value};

#[derive(Default)]
struct Documents(Mutex<Vec<Value<Document>>>);

impl ShelfServant for Documents {
    fn keep(&self, what: Option<&Value<Document>>) -> zorb::Result<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(what.cloned());
        Ok(())
    }

    fn all(&self) -> zorb::Result<Vec<Option<Value<Document>>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut left = kept.clone();
        while let Some(document) = left.pop() {
            if let Some(state) = document.get()
                && seen.insert(document.clone())
            {
                left.extend(state.references.iter().flatten().cloned());
                all.push(Some(document));
            }
        }
        Ok(all)
    }

    fn describe(&self, what: Option<&Value<Summed>>) -> zorb::Result<String> {
        match what {
            // Calls the summary of the most derived type.
            Some(what) => what.operations()?.summary(),
            None => Ok("nothing".to_owned()),
        }
    }
}

fn main() -> Result<(), zorb::Error> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:2810").build()?;
    // A `Report` may be passed where a `Document` or a `Summed` is expected.
    orb.register_value::<Document>();
    orb.register_value::<Report>();
    let shelf: Shelf = orb.root_poa().activate(Documents::default())?;
    orb.publish("shelf", &shelf)?;
    orb.run_until_signal()
}
