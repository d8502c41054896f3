//! Local interfaces, native types, and contexts.

use std::sync::{Arc, Mutex};

use zorb_core::{Context, Native};

use crate::calls::{orb, seen_from};
use crate::local::inside::{
    Cache, Entry, Failure, Handle, Index, Lost, Place, RemoteServant, Special, Stuck, Worker,
    WorkerServant, cache, index, worker,
};

#[derive(Default)]
struct Memory {
    others: Mutex<Vec<Arc<dyn Cache>>>,
}

impl Cache for Memory {
    fn size(&self) -> zorb::Result<i32> {
        Ok(i32::try_from(self.others.lock().expect("a lock").len()).unwrap_or(0))
    }

    fn look_up(&self, name: &str, h: &Handle) -> Result<cache::Data, cache::LookUpError> {
        match (name, h.0.get::<u8>()) {
            ("lost", _) => Err(Lost { what: name.into() }.into()),
            (_, None) => Err(Failure(Native::new("no handle")).into()),
            (name, Some(octet)) => Ok([name.as_bytes(), &[*octet]].concat()),
        }
    }

    fn parent(&self) -> zorb::Result<Option<Arc<dyn Cache>>> {
        Ok(self.others.lock().expect("a lock").first().cloned())
    }

    fn join(&self, other: Option<&Arc<dyn Cache>>) -> zorb::Result<()> {
        self.others.lock().expect("a lock").extend(other.cloned());
        Ok(())
    }
}

impl RemoteServant for Memory {
    fn count(&self) -> zorb::Result<i32> {
        self.size()
    }
}

impl Special for Memory {
    fn flush(&self) -> zorb::Result<Handle> {
        Ok(Handle(Native::new(9_u8)))
    }
}

impl Index for Memory {
    fn last(&self) -> zorb::Result<Entry> {
        Ok(Entry { name: "last".into(), r#where: self.parent()?, ..Entry::default() })
    }

    fn set_last(&self, value: &Entry) -> zorb::Result<()> {
        self.join(value.r#where.as_ref())
    }

    fn find(&self, e: &Entry) -> Result<Place, index::FindError> {
        match &e.r#where {
            Some(near) => Ok(Place::Near(Some(Arc::clone(near)))),
            None => Err(Stuck { held: e.clone() }.into()),
        }
    }
}

#[test]
fn local_objects_are_shared_traits() {
    let (first, second): (Arc<dyn Cache>, Arc<dyn Special>) =
        (Arc::new(Memory::default()), Arc::new(Memory::default()));
    first.join(None).expect("nothing to join");
    let as_base: Arc<dyn Cache> = second.clone();
    first.join(Some(&as_base)).expect("joined");
    assert_eq!(first.size(), Ok(1));
    assert!(Arc::ptr_eq(&first.parent().expect("an answer").expect("a parent"), &as_base));
    let handle = second.flush().expect("a handle");
    assert_eq!(first.look_up("x", &handle).expect("data"), [b'x', 9]);
    assert_eq!(second.count(), Ok(0));
    assert_eq!(format!("{first:?}"), "Cache");
    let failure = first.look_up("x", &Handle::default());
    match failure {
        Err(cache::LookUpError::Failure(failure)) => {
            assert_eq!(failure.0.get::<&str>(), Some(&"no handle"));
        }
        other => panic!("{other:?}"),
    }
    let index = Memory::default();
    let entry = Entry { r#where: Some(first), ..Entry::default() };
    assert!(matches!(index.find(&entry), Ok(Place::Near(Some(_)))));
    let stuck = index.find(&Entry::default()).expect_err("nowhere");
    assert_eq!(stuck.to_string(), "Inside::Stuck");
}

struct Diligent;

impl WorkerServant for Diligent {
    fn work(&self, amount: i32, context: &Context) -> Result<String, worker::WorkError> {
        let all: Vec<String> =
            context.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if amount == 0 { Err(Lost { what: all.join(" ") }.into()) } else { Ok(all.join(" ")) }
    }

    fn hint(&self, _context: &Context) {}
}

#[test]
fn contexts_contain_the_properties_of_the_clause() {
    let (server, client) = (orb(), orb());
    let local: Worker = server.root_poa().activate(Diligent).expect("a servant");
    let worker = seen_from(&client, &local);
    let context = Context::new()
        .with("USER", "ada")
        .with("LC_TIME", "de")
        .with("LC_ALL", "en")
        .with("PASSWORD", "secret");
    assert_eq!(worker.work(1, &context).as_deref(), Ok("LC_ALL=en LC_TIME=de USER=ada"));
    assert_eq!(worker.work(1, &Context::new()).as_deref(), Ok(""));
    assert_eq!(
        worker.work(0, &context),
        Err(Lost { what: "LC_ALL=en LC_TIME=de USER=ada".into() }.into())
    );
    assert_eq!(worker.hint(&context), Ok(()));
}
