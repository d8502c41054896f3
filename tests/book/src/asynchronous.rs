//! Calls without waiting.

use zorb::{Error, Pending, PollableSet};

zorb::include_idl!("clock_ami");
use clock::Teller;
use clock::teller::SecondsSinceMidnightError;

/// The time in each of these zones.
pub fn all_zones(clock: &Teller, zones: &[&str]) -> Vec<Result<u32, SecondsSinceMidnightError>> {
    // All requests are on their way before the first reply is taken.
    let pending: Vec<_> =
        zones.iter().map(|zone| clock.send_seconds_since_midnight(zone)).collect();
    pending.into_iter().map(Pending::wait).collect()
}

/// The difference between the times in two zones.
pub async fn difference(clock: &Teller, zones: [&str; 2]) -> Result<i64, Error> {
    let [first, second] = zones.map(|zone| clock.send_seconds_since_midnight(zone));
    Ok(i64::from(first.await?) - i64::from(second.await?))
}

/// The times of several clocks in one zone.
pub fn ask_all(clocks: &[Teller], zone: &str) -> Vec<Pending<u32, SecondsSinceMidnightError>> {
    Teller::send_seconds_since_midnight_to_all(clocks, zone)
}

/// The time of the clock that answers first. The other calls are cancelled.
pub fn quickest(clocks: &[Teller], zone: &str) -> Result<Option<u32>, Error> {
    let mut pending: PollableSet<_, _> = ask_all(clocks, zone).into_iter().collect();
    match pending.wait()? {
        Some((_, seconds)) => Ok(Some(seconds?)),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::time::Duration;

    use zorb::Orb;

    use super::clock::{TellerServant, UnknownZone};
    use super::*;

    type AnyError = Box<dyn std::error::Error + Send + Sync>;

    async fn first_call(clock: &Teller) -> Result<u32, AnyError> {
        let clock = clock.clone();
        let send = move || clock.send_seconds_since_midnight("UTC");
        let pending = tokio::task::spawn_blocking(send).await?;
        Ok(tokio::time::timeout(Duration::from_secs(1), pending).await??)
    }

    /// Knows one zone.
    struct Noon;

    impl TellerServant for Noon {
        fn seconds_since_midnight(&self, zone: &str) -> Result<u32, SecondsSinceMidnightError> {
            match zone {
                "UTC" => Ok(43_200),
                other => Err(UnknownZone { zone: other.to_owned() }.into()),
            }
        }
    }

    /// A server with a servant, and a reference of another ORB.
    fn served(servant: impl TellerServant) -> (Orb, Orb, Teller) {
        let orb = || Orb::builder().without_environment();
        let server = orb().listen("iiop://127.0.0.1:0").build().unwrap();
        let teller: Teller = server.root_poa().activate(servant).unwrap();
        let client = orb().build().unwrap();
        let there = client.resolve(&zorb::Interface::to_ior_string(&teller)).unwrap();
        (server, client, there)
    }

    fn tokio_runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_calls() {
        let (_server, _client, clock) = served(Noon);
        let results = all_zones(&clock, &["UTC", "moon", "UTC"]);
        assert!(matches!(results[1], Err(SecondsSinceMidnightError::UnknownZone(_))));
        assert_eq!([&results[0], &results[2]].map(|it| *it.as_ref().unwrap()), [43_200; 2]);
    }

    #[test]
    fn many_clocks_are_asked_at_once() {
        let (_server, _client, clock) = served(Noon);
        let clocks = vec![clock; 10];
        let times = ask_all(&clocks, "UTC").into_iter().map(Pending::wait);
        assert_eq!(times.map(Result::unwrap).collect::<Vec<_>>(), [43_200; 10]);
    }

    #[test]
    fn the_clock_that_answers_first_is_enough() {
        let (go, wait) = mpsc::channel();
        let (_slow, _other, slow) = served(Slow(wait.into()));
        let (_server, _client, clock) = served(Noon);
        assert_eq!(quickest(&[slow, clock], "UTC").unwrap(), Some(43_200));
        assert_eq!(quickest(&[], "UTC").unwrap(), None);
        drop(go);
    }

    #[test]
    fn calls_are_awaited_in_tasks_of_tokio() {
        let (_server, _client, clock) = served(Noon);
        let runtime = tokio_runtime();
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let clock = clock.clone();
                runtime.spawn(async move {
                    first_call(&clock).await.unwrap();
                    difference(&clock, ["UTC", "UTC"]).await.unwrap()
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(runtime.block_on(task).unwrap(), 0);
        }
    }

    #[test]
    fn calls_are_awaited_in_smol() {
        let (_server, _client, clock) = served(Noon);
        let executor = smol::Executor::new();
        let task = executor.spawn(async { difference(&clock, ["UTC", "moon"]).await });
        smol::block_on(executor.run(async { task.await.unwrap_err() }));
    }

    /// Answers when it is told to.
    struct Slow(std::sync::Mutex<mpsc::Receiver<()>>);

    impl TellerServant for Slow {
        fn seconds_since_midnight(&self, _: &str) -> Result<u32, SecondsSinceMidnightError> {
            let _ = self.0.lock().unwrap().recv();
            Ok(7)
        }
    }

    #[test]
    fn a_timeout_of_tokio_ends_a_call_while_the_servant_is_busy() {
        let (go, wait) = mpsc::channel();
        let (_server, _client, clock) = served(Slow(wait.into()));
        tokio_runtime().block_on(async {
            let pending = clock.send_seconds_since_midnight("UTC");
            let kept = clock.send_seconds_since_midnight("UTC");
            tokio::time::timeout(Duration::from_millis(50), pending).await.unwrap_err();
            // The servant has answered neither; the other call goes on.
            drop(go);
            assert_eq!(kept.await.unwrap(), 7);
        });
    }

    /// Reads a GIOP 1.2 message; returns its type and the id of its request.
    fn read_message(stream: &mut TcpStream) -> (u8, u32) {
        let mut header = [0; 12];
        stream.read_exact(&mut header).unwrap();
        let is_little = header[6] & 1 == 1;
        let ulong = |octets: &[u8]| {
            let octets = octets.try_into().unwrap();
            if is_little { u32::from_le_bytes(octets) } else { u32::from_be_bytes(octets) }
        };
        let mut body = vec![0; ulong(&header[8..]) as usize];
        stream.read_exact(&mut body).unwrap();
        (header[7], ulong(&body[..4]))
    }

    #[test]
    fn a_timeout_of_tokio_cancels_the_request() {
        const REQUEST: u8 = 0;
        const CANCEL_REQUEST: u8 = 2;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("corbaloc:iiop:1.2@{}/clock", listener.local_addr().unwrap());
        let client = Orb::builder().without_environment().build().unwrap();
        let clock: Teller = client.string_to_object(&url).unwrap().unwrap().unchecked_narrow();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let (cancelled, kept) = (read_message(&mut stream), read_message(&mut stream));
            assert_eq!((cancelled.0, kept.0), (REQUEST, REQUEST));
            // It answers nothing before it is told that one of the calls has ended.
            assert_eq!(read_message(&mut stream), (CANCEL_REQUEST, cancelled.1));
            // The id, the status NO_EXCEPTION, no contexts; then the result, the ulong 7.
            let parts = [&b"GIOP\x01\x02\0\x01\0\0\0\x10"[..], &kept.1.to_be_bytes()];
            let rest = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];
            stream.write_all(&[&parts.concat()[..], &rest].concat()).unwrap();
        });
        tokio_runtime().block_on(async {
            let pending = clock.send_seconds_since_midnight("UTC");
            let kept = clock.send_seconds_since_midnight("UTC");
            tokio::time::timeout(Duration::from_millis(50), pending).await.unwrap_err();
            assert_eq!(kept.await.unwrap(), 7, "the connection carries the other call");
        });
        server.join().unwrap();
    }
}
