//! Service contexts that interceptors add to requests.

use std::sync::{Arc, Mutex};

use crate::support::{Echo, Servant, builder};
use zorb_core::Orb;
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
};
use zorb_giop::ServiceId;
use zorb_types::{SystemException, minor};

const FIRST: ServiceId = ServiceId(0x5a52_4230);
const SECOND: ServiceId = ServiceId(0x5a52_4231);

/// Adds these contexts to every request, in this order.
#[derive(Clone, Debug)]
struct Adds(Vec<(ServiceId, Vec<u8>, bool)>);

impl ClientRequestInterceptor for Adds {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.iter().try_for_each(|(id, data, replace)| {
            info.add_request_service_context(*id, data, *replace)
        })
    }
}

/// Stores the two contexts of the last request.
#[derive(Clone, Debug, Default)]
struct Stores(Arc<Mutex<[Option<Vec<u8>>; 2]>>);

impl ServerRequestInterceptor for Stores {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let received = [FIRST, SECOND].map(|id| Some(info.request_service_context(id)?.to_vec()));
        *self.0.lock().unwrap() = received;
        info.proceed()
    }
}

/// A server that stores what it receives.
fn storing() -> (Orb, Echo, Stores) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let stores = Stores::default();
    let of_factory = stores.clone();
    orb.add_server_request_interceptor("stores", move |_| Some(Arc::new(of_factory.clone())));
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo, stores)
}

fn call_with(orb: &Orb, echo: &Echo, adds: Adds) -> Result<i32, SystemException> {
    orb.add_client_request_interceptor("adds", move |_| Some(Arc::new(adds.clone())));
    orb.resolve::<Echo>(&echo.object().to_ior_string()).unwrap().twice(2)
}

#[test]
fn requests_carry_contexts_of_any_size() {
    let (server, echo, stores) = storing();
    let client = builder().build().unwrap();
    for orb in [&client, &server] {
        for size in [0, 1, 72, 73, 100_000] {
            let (first, second) = (vec![1; size], vec![2; size / 2]);
            let adds = vec![(FIRST, first.clone(), false), (SECOND, second.clone(), false)];
            assert_eq!(call_with(orb, &echo, Adds(adds)), Ok(4));
            assert_eq!(*stores.0.lock().unwrap(), [Some(first), Some(second)]);
        }
    }
}

#[test]
fn a_context_is_replaced_only_on_demand() {
    let (_server, echo, stores) = storing();
    let client = builder().build().unwrap();
    let adds = |replace| Adds(vec![(FIRST, vec![1; 80], false), (FIRST, vec![2], replace)]);
    assert_eq!(call_with(&client, &echo, adds(true)), Ok(4));
    assert_eq!(*stores.0.lock().unwrap(), [Some(vec![2]), None]);
    let exception = call_with(&client, &echo, adds(false)).unwrap_err();
    assert_eq!(exception.minor, minor::bad_inv_order::CONTEXT_EXISTS);
}
