//! Request interceptors: a trace id in every request, and a count in every reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb::giop::ServiceId;
use zorb::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
};
use zorb::{Orb, SystemException};

/// The service id of the trace id; the OMG assigns these numbers.
const TRACE: ServiceId = ServiceId(0x5452_4143);

/// Numbers the requests of a client.
#[derive(Debug, Default)]
struct Numbering {
    last: AtomicU64,
}

impl ClientRequestInterceptor for Numbering {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        info.add_request_service_context(TRACE, &number.to_be_bytes(), false)
    }
}

/// The service id of the number of requests that a server has answered.
const ANSWERED: ServiceId = ServiceId(0x414e_5357);

/// Prints what a server says about itself.
#[derive(Debug, Default)]
struct Monitor {
    answered: AtomicU64,
}

impl ClientRequestInterceptor for Monitor {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let answered = info.reply_service_context(ANSWERED);
        if let Some(answered) = answered.and_then(|octets| octets.try_into().ok()) {
            self.answered.store(u64::from_be_bytes(answered), Ordering::Relaxed);
        }
        Ok(())
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let raised = info.outcome().and_then(|outcome| outcome.exception_id());
        println!("{} raised {raised:?}", info.operation());
        Ok(())
    }
}

/// Tells clients how many requests a server has answered.
#[derive(Debug, Default)]
struct Statistics {
    answered: AtomicU64,
}

impl ServerRequestInterceptor for Statistics {
    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let answered = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
        info.add_reply_service_context(ANSWERED, &answered.to_be_bytes(), false)
    }
}

/// Logs each request with the client's number.
#[derive(Debug)]
struct RequestLog;

impl ServerRequestInterceptor for RequestLog {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let number = info.request_service_context(TRACE);
        let number = number.and_then(|octets| Some(u64::from_be_bytes(octets.try_into().ok()?)));
        let operation = info.operation().to_owned();
        let outcome = info.proceed();
        println!("request {number:?}, {operation}: {outcome:?}");
        outcome
    }
}

/// Numbers all requests of an ORB from now on.
pub fn number_requests(orb: &Orb) {
    let numbering = Arc::new(Numbering::default());
    orb.add_client_request_interceptor("numbering", move |_| Some(numbering.clone()));
}

/// Logs the requests for objects of the adapters that are created from now on.
pub fn log_requests(orb: &Orb) {
    orb.add_server_request_interceptor("log", |_| Some(Arc::new(RequestLog)));
}

/// Counts the replies of the adapters that are created from now on.
pub fn count_replies(orb: &Orb) {
    let statistics = Arc::new(Statistics::default());
    orb.add_server_request_interceptor("statistics", move |_| Some(statistics.clone()));
}

/// Watches the replies to all requests of an ORB from now on.
pub fn watch_replies(orb: &Orb) {
    let monitor = Arc::new(Monitor::default());
    orb.add_client_request_interceptor("monitor", move |_| Some(monitor.clone()));
}

#[cfg(test)]
mod tests {
    use zorb::Interface;

    use super::*;
    use crate::quickstart::MyTeller;
    use crate::quickstart::clock::Teller;

    #[test]
    fn replies_are_counted() {
        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        count_replies(&server);
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let monitor = Arc::new(Monitor::default());
        let of_factory = Arc::clone(&monitor);
        client.add_client_request_interceptor("monitor", move |_| Some(of_factory.clone()));
        let there = client.string_to_object(&teller.as_object().to_ior_string()).unwrap().unwrap();
        let there: Teller = there.unchecked_narrow();
        for call in 1..=2 {
            there.seconds_since_midnight("UTC").unwrap();
            assert_eq!(monitor.answered.load(Ordering::Relaxed), call);
        }
        there.seconds_since_midnight("nowhere").unwrap_err();
        assert_eq!(monitor.answered.load(Ordering::Relaxed), 2);
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }

    #[test]
    fn requests_are_numbered() {
        #[derive(Debug)]
        struct Expecting(AtomicU64);

        impl ServerRequestInterceptor for Expecting {
            fn around_upcall(
                &self,
                info: &mut ServerRequestInfo<'_>,
            ) -> Result<(), SystemException> {
                let number = info.request_service_context(TRACE).unwrap().try_into().unwrap();
                self.0.store(u64::from_be_bytes(number), Ordering::Relaxed);
                info.proceed()
            }
        }

        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        log_requests(&server);
        let seen = Arc::new(Expecting(AtomicU64::new(0)));
        let expecting = Arc::clone(&seen);
        server.add_server_request_interceptor("expecting", move |_| Some(expecting.clone()));
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        number_requests(&client);
        let there = client.string_to_object(&teller.as_object().to_ior_string()).unwrap().unwrap();
        let there: Teller = there.unchecked_narrow();
        for call in 1..=2 {
            there.seconds_since_midnight("UTC").unwrap();
            assert_eq!(seen.0.load(Ordering::Relaxed), call);
        }
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
