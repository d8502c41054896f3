//! Interceptors of requests that are answered later.

use super::*;
use zorb_core::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_giop::ServiceId;

/// The points at which an interceptor ran.
#[derive(Clone, Debug, Default)]
struct Witness(Arc<Mutex<Vec<String>>>);

const CONTEXT: ServiceId = ServiceId(0x5a52_4240);

impl Witness {
    fn at(&self, point: &str, info: &mut ServerRequestInfo<'_>) -> Result<()> {
        let object = info.object_id().to_string();
        assert!(!object.is_empty());
        let exception = info.outcome().and_then(|outcome| outcome.exception_id());
        let event = format!("{point} {} {}", info.operation(), exception.unwrap_or_default());
        self.0.lock().unwrap().push(event.trim_end().to_owned());
        info.add_reply_service_context(CONTEXT, point.as_bytes(), true)
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl ServerRequestInterceptor for Witness {
    fn receive_request_service_contexts(&self, info: &mut ServerRequestInfo<'_>) -> Result<()> {
        self.at("contexts", info)
    }

    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<()> {
        info.proceed()?;
        self.0.lock().unwrap().push("returned".to_owned());
        // Too late: the reply is not this thread's any more.
        assert!(info.add_reply_service_context(CONTEXT, &[], true).is_err());
        Ok(())
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<()> {
        self.at("reply", info)
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<()> {
        self.at("exception", info)
    }
}

#[test]
fn interceptors_end_a_request_when_it_is_answered() {
    let scene = Scene::new(None);
    let witness = Witness::default();
    let added = witness.clone();
    scene.orb.add_server_request_interceptor("witness", move |_| Some(Arc::new(added.clone())));
    let poa = scene.orb.root_poa().create("seen", scene.policies.clone()).unwrap();
    let (servant, asked) = asks();
    let late: Echo = poa.activate(servant).unwrap();
    let (_client, there) = client(&late);
    for late in [&late, &there] {
        thread::scope(|scope| {
            let first = call(scope, late, 1);
            let waiting = asked.recv().unwrap();
            until(|| witness.0.lock().unwrap().len() == 2);
            assert_eq!(witness.taken(), ["contexts twice", "returned"]);
            waiting.answer();
            assert_eq!(first.join().unwrap(), Ok(2));
            assert_eq!(witness.taken(), ["reply twice"]);
            let second = scope.spawn(|| late.repeat("", -1));
            asked.recv().unwrap().answer();
            second.join().unwrap().unwrap_err();
            // The upcall may return after its reply has been sent.
            until(|| witness.0.lock().unwrap().len() == 3);
            let mut events = witness.taken();
            events.sort();
            let raised = "exception repeat IDL:zorb.test/Refused:1.0";
            assert_eq!(events, ["contexts repeat", raised, "returned"]);
            let third = call(scope, late, 3);
            drop(asked.recv().unwrap());
            third.join().unwrap().unwrap_err();
            until(|| witness.0.lock().unwrap().len() == 3);
            let transient = "exception twice IDL:omg.org/CORBA/TRANSIENT:1.0".to_owned();
            assert!(witness.taken().contains(&transient));
        });
    }
}
