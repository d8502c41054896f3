//! Lanes with a simulated clock.

mod awaited_threads;
mod closing;
mod events;
pub(crate) mod own_thread;
mod slow;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use zorb_base::connections::SlotKey;
use zorb_base::options::{Options, Origin};
use zorb_testkit::{CLOSE_CONNECTION, until};

use crate::ServerCore;
use crate::lane::{IDLE_CHECKS, Lane};
use crate::scratch::Scratch;
use crate::{LaneSettings, PoolSettings, Strategy};

/// The number of checks that found the connection in this slot idle, and whether part of a message has
/// arrived.
fn idle(lane: &Lane, slot: u64) -> Option<(u32, bool)> {
    let mut found = None;
    let mut scratch = Scratch::default();
    lane.connections.with(SlotKey::from_bits(slot), |connection| {
        found = Some(connection.idle_checks(&mut scratch))
    });
    found
}

#[test]
fn connections_that_are_idle_for_too_long_are_closed() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::SingleThread] {
        // The lane's own checks begin after this test.
        let mut options = Options::default();
        options.set("IdleTimeout", "86400000", Origin::Program).unwrap();
        let core = ServerCore::for_tests(options);
        let lane = LaneSettings {
            endpoints: vec!["iiop://127.0.0.1:0".to_owned()],
            ..LaneSettings::new(None, 1)
        };
        let settings = PoolSettings { strategy: Some(strategy), ..PoolSettings::new("test") };
        let pool = core.create_pool(PoolSettings { lanes: vec![lane], ..settings }).unwrap();
        let lane = &pool.core().lanes()[0];
        let address = pool.endpoints()[0][0].trim_start_matches("iiop://").to_owned();
        let mut scratch = Scratch::default();

        let mut silent = TcpStream::connect(&address).unwrap();
        until(|| idle(lane, 0) == Some((0, false)));
        let mut stuck = TcpStream::connect(&address).unwrap();
        until(|| idle(lane, 1) == Some((0, false)));
        for checks in 1..IDLE_CHECKS {
            lane.check_idle_connections(&mut scratch);
            assert_eq!([0, 1].map(|slot| idle(lane, slot)), [Some((checks, false)); 2]);
        }
        // Half a message.
        stuck.write_all(b"GIOP\x01\x02").unwrap();
        until(|| idle(lane, 1) == Some((0, true)));
        lane.check_idle_connections(&mut scratch);
        assert_eq!(
            [0, 1].map(|slot| idle(lane, slot)),
            [Some((IDLE_CHECKS, false)), Some((1, true))]
        );

        lane.check_idle_connections(&mut scratch);
        assert_eq!([0, 1].map(|slot| idle(lane, slot)), [None, Some((2, true))]);
        let mut last = Vec::new();
        silent.read_to_end(&mut last).unwrap();
        assert_eq!((&last[..4], last[7]), (&b"GIOP"[..], CLOSE_CONNECTION));
        for checks in 3..=IDLE_CHECKS {
            lane.check_idle_connections(&mut scratch);
            assert_eq!(idle(lane, 1), Some((checks, true)));
        }
        lane.check_idle_connections(&mut scratch);
        assert_eq!(idle(lane, 1), None);
        let mut nothing = Vec::new();
        stuck.read_to_end(&mut nothing).unwrap();
        assert_eq!(nothing, [], "no CloseConnection follows half a message");
        assert_eq!(pool.counts()[0].connections, 0);
        pool.destroy().unwrap();
    }
}

#[test]
fn destroying_a_pool_releases_everything() {
    let core = ServerCore::for_tests(Options::default());
    let lane = |strategy, priority| LaneSettings {
        endpoints: vec!["iiop://127.0.0.1:0".to_owned()],
        dynamic_threads: usize::from(strategy != Strategy::SingleThread),
        ..LaneSettings::new(Some(priority), 1)
    };
    let make = |strategy| {
        let lanes = vec![lane(strategy, 1), lane(strategy, 2)];
        let settings = PoolSettings { strategy: Some(strategy), ..PoolSettings::new("test") };
        core.create_pool(PoolSettings {
            lanes,
            borrowing: strategy == Strategy::HalfSync,
            ..settings
        })
    };
    let stays = make(Strategy::HalfSync).unwrap();
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::SingleThread] {
        let pool = make(strategy).unwrap();
        let address = pool.endpoints()[1][0].trim_start_matches("iiop://").to_owned();
        let _client = TcpStream::connect(&address).unwrap();
        until(|| pool.counts()[1].connections == 1);
        let known = Arc::downgrade(pool.core());
        assert_eq!(core.violations().len(), 4, "two lanes of each pool");
        pool.destroy().unwrap();
        pool.destroy().unwrap();
        assert_eq!((core.violations().len(), pool.violations().len()), (2, 2));
        drop(pool);
        until(|| known.upgrade().is_none());
    }
    assert!(!stays.is_destroyed());
    stays.destroy().unwrap();
}
