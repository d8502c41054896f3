use zorb_transport::conformance::Scripted;

use super::*;

/// Waits on or not, and never is asked anything else.
struct Patience(bool);

impl Side for Patience {
    fn judge(&mut self, _: &MessageHeader, _: &[u8], _: bool) -> Result<Verdict, Ending> {
        Ok(Verdict::Drop)
    }

    fn send(&mut self, _: &[u8], _: bool) -> io::Result<()> {
        Ok(())
    }

    fn waits_on(&self) -> bool {
        self.0
    }
}

#[test]
fn silence_ends_a_direction_unless_something_is_awaited() {
    let run = |patient| {
        // Nothing for three waits, and then the end.
        let silent = Scripted::new(
            |nth| if nth > 3 { Ok(0) } else { Err(io::ErrorKind::TimedOut.into()) },
            |_| Ok(None),
        );
        let wait = (WaitPolicy::default(), Some(Duration::from_secs(1)));
        Relay::new(&silent, Framing(None), 1000, wait).run(&mut Patience(patient))
    };
    assert!(matches!(run(false), Ending::Idle));
    assert!(matches!(run(true), Ending::End));
}
