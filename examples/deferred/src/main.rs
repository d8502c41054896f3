//! Two servants that answer later: one awaits a database on tokio, the other leaves its requests to a thread. None of
//! them blocks a thread of the ORB.
#![allow(clippy::print_stdout, reason = "a program's output")]

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, mpsc};

use tokio::sync::{mpsc as channel, oneshot};
use weather::station::TemperatureError;
use weather::{Station, StationAsyncServant, StationDeferredServant, UnknownPlace};
use zorb::Orb;
use zorb::poa::{AsyncServant, DeferredServant, Response};

zorb::include_idl!("weather");

/// A question to the database, and where its answer goes.
type Query = (String, oneshot::Sender<Option<f64>>);

/// The client of a database: a task of tokio that answers queries.
#[derive(Clone)]
struct Database(channel::Sender<Query>);

impl Database {
    fn start(runtime: &tokio::runtime::Runtime) -> Self {
        let (sender, mut queries) = channel::channel::<Query>(16);
        runtime.spawn(async move {
            let table = HashMap::from([("Bergen".to_owned(), 11.5), ("Cairo".to_owned(), 35.0)]);
            while let Some((place, answer)) = queries.recv().await {
                // It fails if nobody waits any more.
                let _ = answer.send(table.get(&place).copied());
            }
        });
        Self(sender)
    }

    async fn temperature(&self, place: &str) -> Option<f64> {
        let (sender, answer) = oneshot::channel();
        self.0.send((place.to_owned(), sender)).await.ok()?;
        answer.await.ok().flatten()
    }
}

/// A weather station that looks temperatures up.
struct Lookup {
    database: Database,
}

impl StationAsyncServant for Lookup {
    async fn temperature(self: Arc<Self>, place: String) -> Result<f64, TemperatureError> {
        match self.database.temperature(&place).await {
            Some(temperature) => Ok(temperature),
            None => Err(UnknownPlace { place })?,
        }
    }
}

/// The same without futures: another thread answers.
struct Queue {
    questions: mpsc::Sender<(String, Response<f64, TemperatureError>)>,
}

impl StationDeferredServant for Queue {
    fn temperature(&self, place: &str, response: Response<f64, TemperatureError>) {
        // If nobody takes it, the response is dropped, and the client gets TRANSIENT.
        let _ = self.questions.send((place.to_owned(), response));
    }
}

fn answer_questions() -> Queue {
    let (questions, asked) = mpsc::channel::<(String, Response<f64, TemperatureError>)>();
    std::thread::spawn(move || {
        for (place, response) in asked {
            match &*place {
                "Bergen" => response.send(Ok(11.5)),
                _ => response.raise(UnknownPlace { place }),
            }
        }
    });
    Queue { questions }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let poa = orb.root_poa();

    let lookup = Lookup { database: Database::start(&runtime) };
    let tokio = runtime.handle().clone();
    let servant = AsyncServant::new(lookup, move |task| drop(tokio.spawn(task)));
    let awaiting: Station = poa.activate(servant)?;
    let queueing: Station = poa.activate(DeferredServant::new(answer_questions()))?;

    let client = Orb::new()?;
    for station in [awaiting, queueing] {
        let station: Station = client.resolve(&station.as_ref().to_ior_string())?;
        for place in ["Bergen", "Atlantis"] {
            match station.temperature(place) {
                Ok(temperature) => println!("{place}: {temperature} °C"),
                Err(TemperatureError::UnknownPlace(unknown)) => {
                    println!("{}: unknown", unknown.place)
                }
                Err(TemperatureError::System(error)) => return Err(error.into()),
            }
        }
    }
    orb.shutdown(true)?;
    Ok(())
}
