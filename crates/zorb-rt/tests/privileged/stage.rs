//! The three threads, and the events for which they wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use zorb_os::priority::{self, Schedule};
use zorb_os::{futex, thread};

pub(crate) const HIGH: u8 = 30;
pub(crate) const MEDIUM: u8 = 20;
pub(crate) const LOW: u8 = 10;
pub(crate) const LOWEST: u8 = 5;

/// A one-shot event.
#[derive(Debug, Default)]
pub(crate) struct Word(AtomicU32);

impl Word {
    pub(crate) fn say(&self) {
        self.0.store(1, Ordering::SeqCst);
        futex::wake(&self.0);
    }

    pub(crate) fn is_said(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 1
    }

    pub(crate) fn wait(&self) {
        while !self.is_said() {
            futex::wait(&self.0, 0, None);
        }
    }
}

/// Makes the calling thread one of the three that share a processor.
pub(crate) fn enter(level: u8) {
    let last = *thread::affinity().unwrap().last().unwrap();
    thread::set_affinity(&[last]).unwrap();
    priority::set(Schedule::Fifo(level)).unwrap();
}

/// The order in which two threads reach their goals. The highest enters with `take` what the lowest is inside of; the
/// middle one only needs the processor, from when the highest is about to wait.
pub(crate) fn order_of(take: &(dyn Fn(&dyn Fn()) + Sync)) -> Vec<&'static str> {
    let order = Mutex::new(Vec::new());
    let [on_stage, inside, about_to_wait] = &[const { Word(AtomicU32::new(0)) }; 3];
    let came = |name| {
        let mut order = order.lock().unwrap();
        if !order.contains(&name) {
            order.push(name);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            enter(HIGH);
            scope.spawn(|| {
                enter(MEDIUM);
                // It runs when the highest waits, and the lowest runs when it waits itself.
                scope.spawn(|| {
                    enter(LOW);
                    on_stage.wait();
                    // The highest continues at once, on the only processor.
                    take(&|| inside.say());
                });
                on_stage.say();
                about_to_wait.wait();
                came("medium");
            });
            inside.wait();
            about_to_wait.say();
            take(&|| came("high"));
        });
    });
    order.into_inner().unwrap()
}
