use std::sync::Weak;
use std::thread;

use super::*;
use crate::active_object::{DirectCalls, WeakAdapter};
use crate::hold_queue::discarded;
use crate::servants::AnyManager;

/// Is not called.
struct Unused;

impl Activator for Unused {
    fn inner(&self) -> AnyManager {
        Arc::new(())
    }

    fn incarnate(&self, _: &ObjectId) -> Result<Box<dyn Skeleton>, NoServant> {
        Err(NoServant::Refused(no_manager()))
    }

    fn etherealize(&self, _: EndedObject<'_>) {}
}

#[test]
fn an_activation_does_not_wait_during_a_shutdown() {
    let adapter: WeakAdapter = Weak::<()>::new();
    let map = Objects::new(adapter, false, DirectCalls::Never);
    let objects = ChangingObjects::new(HoldLimits {
        requests: 10,
        octets: 10,
        time: None,
        counts: Arc::default(),
    });
    assert!(objects.activator.set(Arc::new(Unused)));
    let id = ObjectId::from(&b"one"[..]);
    let find = || objects.find(id.clone(), Arrival::New, || false, &map);
    let incarnating = thread::scope(|scope| scope.spawn(find).join().unwrap());
    assert!(matches!(incarnating, Ok(Wanted::Incarnation(_))));
    let activate = || {
        let insert = |id: Option<ObjectId>| id.ok_or(PoaError::ObjectNotActive);
        objects.activate(&mut Some(id.clone()), 1, || false, &map, insert)
    };
    let Err(NotActivated::Changing(queue)) = activate() else { panic!("it does not wait") };
    objects.release();
    // Its wait ends; the object is still being incarnated.
    assert_eq!(queue.wait(std::time::Instant::now(), None), Ok(()));
    match activate() {
        Err(NotActivated::Refused(PoaError::System(exception))) => {
            assert_eq!(exception, discarded());
        }
        Err(NotActivated::Changing(_)) => panic!("it asks again and again"),
        _ => panic!("it is not refused"),
    }
    drop(incarnating);
    assert_eq!(activate().ok(), Some(id.clone()));
}
