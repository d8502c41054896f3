use zorb_testkit::Scripted;

use super::*;

/// A handler that keeps waiting or not, and expects no other calls.
struct IdleHandler(bool);

impl Side for IdleHandler {
    fn inspect(&mut self, _: &MessageHeader, _: &[u8], _: bool) -> Result<Verdict, Ending> {
        Ok(Verdict::Drop)
    }

    fn send(&mut self, _: &[u8], _: bool) -> io::Result<()> {
        Ok(())
    }

    fn keeps_waiting(&self) -> bool {
        self.0
    }
}

#[test]
fn silence_ends_a_direction_unless_something_is_awaited() {
    let run = |keeps_waiting| {
        // Three receive timeouts, then the end of the stream.
        let silent = Scripted::new(
            |nth| if nth > 3 { Ok(0) } else { Err(io::ErrorKind::TimedOut.into()) },
            |_| Ok(None),
        );
        let (wait, limit) = (WaitPolicy::default(), Some(Duration::from_secs(1)));
        Relay::new(&silent, Framing(None), 1000, wait, limit).run(&mut IdleHandler(keeps_waiting))
    };
    assert!(matches!(run(false), Ending::Idle));
    assert!(matches!(run(true), Ending::End));
}

#[test]
fn an_empty_large_buffer_is_freed() {
    let budget = Arc::new(MessageBudget::new(LARGE_BUFFER_SIZE));
    let used = Arc::clone(&budget);
    // The buffer is empty and large; nothing arrives soon, nor later.
    let silent = Scripted::new(
        move |nth| match nth {
            1 if used.used() > 0 => Err(io::ErrorKind::TimedOut.into()),
            2 if used.used() == 0 => Ok(0),
            _ => Err(io::ErrorKind::Other.into()),
        },
        |_| Ok(None),
    );
    let mut relay =
        Relay::new(&silent, Framing(None), 1000, WaitPolicy::default(), None).with_budget(&budget);
    assert!(relay.grow(LARGE_BUFFER_SIZE));
    assert!(matches!(relay.run(&mut IdleHandler(true)), Ending::End));
    assert_eq!(relay.buffer.capacity(), BUFFER_SIZE);
}

#[test]
fn a_buffer_that_the_system_cannot_provide_ends_no_process() {
    let silent = Scripted::new(|_| Ok(0), |_| Ok(None));
    let mut relay = Relay::new(&silent, Framing(None), 1000, WaitPolicy::default(), None);
    assert!(relay.grow(BUFFER_SIZE + 1) && !relay.grow(isize::MAX as usize));
    assert_eq!(relay.buffer.len(), BUFFER_SIZE + 1);
}
