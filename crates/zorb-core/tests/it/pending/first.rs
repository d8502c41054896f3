//! The first calls of several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use super::send_twice;
use crate::support::{Echo, server};
use zorb_core::Orb;
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport};
use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Stream, Transport};

/// Counts the connections. None opens while the lock is locked.
#[derive(Debug)]
struct Counting {
    opened: Arc<AtomicUsize>,
    closed: Arc<Mutex<()>>,
}

impl Around for Counting {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        drop(self.closed.lock().unwrap());
        inner.connect(endpoint, options)
    }
}

#[test]
fn the_first_calls_of_several_threads_open_one_connection() {
    const THREADS: i32 = 8;
    let (_server, echo) = server();
    let (opened, closed) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<()>>::default());
    let counting = Counting { opened: Arc::clone(&opened), closed: Arc::clone(&closed) };
    let protocol = Arc::new(WithTransport::new(IiopProtocol::new(), counting));
    let orb = Orb::builder().without_environment().protocol(protocol).build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let together = Barrier::new(usize::try_from(THREADS).unwrap() + 1);
    let locked = closed.lock().unwrap();
    std::thread::scope(|scope| {
        let call = |value: i32| {
            let (there, together) = (&there, &together);
            scope.spawn(move || {
                together.wait();
                send_twice(there.object(), value).wait().unwrap()
            })
        };
        let threads: Vec<_> = (0..THREADS).map(call).collect();
        together.wait();
        // One thread connects; the others wait for it, or find its connection.
        drop(locked);
        for (value, thread) in (0..).zip(threads) {
            assert_eq!(thread.join().unwrap(), 2 * value);
        }
    });
    assert_eq!(opened.load(Ordering::SeqCst), 1);
}
