//! E11: measures the priority of each upcall, by kind of call and hop.

use super::bed::{Bench, HIGH, Host, LOW, MEDIUM, number};
use super::finding::Finding;
use super::servant::until;
use crate::error::Result;
use crate::stubs::real_time::{Level, Worker};
use zorb::poa::PoaPolicies;

const ALL: [i16; 3] = [LOW, MEDIUM, HIGH];

/// Priority models of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// Client-propagated, with lanes.
    Propagated,
    /// Client-propagated, without lanes.
    PropagatedWithoutLanes,
    /// Server-declared: medium.
    Declared,
    /// No model.
    None,
}

/// The priorities of an upcall, expected and actual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) expected: i16,
    pub(super) corba: i16,
    pub(super) native: i16,
}

impl Hop {
    /// Whether the CORBA priority is as expected, and also the native one if priorities are `permitted`.
    pub(super) fn is_as_expected(&self, permitted: bool) -> bool {
        self.corba == self.expected && (!permitted || self.native == self.expected)
    }
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let models = [
        ("propagated, lanes", Model::Propagated),
        ("propagated, one pool", Model::PropagatedWithoutLanes),
        ("declared", Model::Declared),
    ];
    for (name, model) in models {
        let hops = hops(bench, model)?;
        let wrong = hops.iter().filter(|hop| !hop.is_as_expected(true)).count();
        finding.measure(&format!("{name} hops").replace([',', ' '], "_"), hops.len());
        finding.check(
            &format!("{name}: upcalls at another priority than expected"),
            &format!("0 of {}", hops.len()),
            wrong,
            wrong == 0 && !hops.is_empty(),
        );
    }
    let hops = hops(bench, Model::None)?;
    let wrong = hops.iter().filter(|hop| !hop.is_as_expected(true)).count();
    finding.measure("without_model_wrong", wrong);
    finding.control(
        "no priority model: upcalls at another priority than the client's",
        &format!("{} of {}", hops.len(), hops.len()),
        wrong,
        wrong == hops.len() && wrong > 0,
    );
    Ok(finding)
}

/// Two-way calls, one-way calls and nested calls from clients of each priority, through two servers.
pub(super) fn hops(bench: &Bench, model: Model) -> Result<Vec<Hop>> {
    let first = bench.server(ALL.len())?;
    let second = bench.server(0)?;
    let client = bench.client(&[])?;
    let near = object(&first, model, &client)?;
    let far = object(&second, model, &client)?;
    let mut hops = Vec::new();
    for (id, priority) in (0_i32..).zip(ALL) {
        let expected = if model == Model::Declared { MEDIUM } else { priority };
        let levels = client.at(priority, || {
            let mut levels = vec![near.ran_at()?];
            levels.extend(near.ran_through(Some(&far))?);
            near.push(id, 0)?;
            Ok(levels)
        })?;
        hops.extend(levels.iter().map(|level| hop(expected, *level)));
        let log = &first.servant.log;
        until("the one-way call is served", || log.has_ended(id))?;
        if let Some((corba, native)) = log.level(id) {
            hops.push(Hop { expected, corba, native });
        }
    }
    Ok(hops)
}

fn hop(expected: i16, level: Level) -> Hop {
    Hop { expected, corba: level.corba, native: level.real }
}

fn object(server: &Host, model: Model, client: &Host) -> Result<Worker> {
    // Nested calls are at most two deep; each lane has a thread for each.
    match model {
        Model::Propagated => {
            let pool = server.lanes(&ALL.map(|priority| (priority, 2)))?;
            server.propagated(&pool, LOW, client)
        }
        Model::PropagatedWithoutLanes => {
            let pool = server.one_pool(LOW, 2)?;
            server.propagated(&pool, LOW, client)
        }
        Model::Declared => {
            let pool = server.lanes(&[(MEDIUM, 2)])?;
            server.object(Some(&pool), server.rt.server_declared(number(MEDIUM)?), client)
        }
        Model::None => server.activate(PoaPolicies::new(), client),
    }
}
