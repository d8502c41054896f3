//! Ending an ORB in order.

use zorb::Orb;

/// Serves until `stop` returns, then lets running requests finish.
pub fn serve_until(orb: &Orb, stop: impl FnOnce() + Send) -> Result<(), zorb::Error> {
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| {
            stop();
            orb.shutdown(true)
        });
        orb.run()?;
        ending.join().unwrap_or(Ok(()))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn an_orb_ends_when_it_is_told() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let (sender, receiver) = channel::<()>();
        drop(sender);
        serve_until(&orb, move || assert!(receiver.recv().is_err())).unwrap();
    }
}
