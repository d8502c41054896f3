//! A node allocates nothing after its start.

use std::convert::Infallible;

use allocation_counter::measure;
use dba_algorithm::{
    Driver, Improvement, Links, Message, Node, Outcome, Segments, Settings, Timing,
};

/// Neighbors that have the same color as the node in every cycle, and gain nothing.
struct Mirror {
    value: Option<Message>,
    improvement: Option<Message>,
}

impl Links for Mirror {
    type Error = Infallible;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Infallible> {
        segments.end_marshal();
        match *message {
            Message::Improvement { cycle, improvement } => {
                let improvement = Improvement { gain: 0, ..improvement };
                self.improvement = Some(Message::Improvement { cycle, improvement });
            }
            value => self.value = Some(value),
        }
        segments.end_send();
        Ok(())
    }
}

#[test]
fn cycles_allocate_nothing() {
    let settings =
        Settings { colors: 3, max_distance: 2, terminates: true, max_cycles: 1000, seed: 1 };
    let node = Node::new(0, &[1, 2, 3], settings);
    let links = Mirror { value: None, improvement: None };
    let mut driver = Driver::new(node, links, Segments::new(|| 0, Timing::Alternating, 100));
    let mut outcome = None;
    let counted = measure(|| {
        assert!(driver.start().is_ok());
        while outcome.is_none() {
            let links = driver.links_mut();
            let message = links.improvement.take().or_else(|| links.value.take());
            let Some(message) = message else { break };
            for id in 1..=3 {
                driver.segments_mut().end_wait();
                let Ok(delivered) = driver.deliver(id, &message);
                outcome = outcome.or(delivered);
            }
        }
    });
    assert_eq!(outcome, Some(Outcome::CycleLimit));
    assert_eq!((driver.segments().untimed().count(), driver.refused()), (488, 0));
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0));
}
