//! Objects that get the results of calls.

use std::sync::mpsc::Sender;

use zorb::Value;
use zorb::messaging::{ExceptionHolder, ReplyHandlerServant};

zorb::include_idl!("clock_handlers");
use clock::teller::SecondsSinceMidnightError;
use clock::{AmiTellerHandler, AmiTellerHandlerServant, Teller};

/// Shows the results of calls.
#[derive(Debug)]
pub struct Shown(pub Sender<Result<u32, SecondsSinceMidnightError>>);

impl ReplyHandlerServant for Shown {}

impl AmiTellerHandlerServant for Shown {
    fn seconds_since_midnight(&self, seconds: u32) -> zorb::Result<()> {
        let _ = self.0.send(Ok(seconds));
        Ok(())
    }

    fn seconds_since_midnight_excep(
        &self,
        holder: Option<&Value<ExceptionHolder>>,
    ) -> zorb::Result<()> {
        let _ = self.0.send(Err(ExceptionHolder::exception_of(holder)));
        Ok(())
    }
}

/// Sends a call, and does not wait: the handler gets its result.
pub fn show(clock: &Teller, zone: &str, handler: &AmiTellerHandler) -> zorb::Result<()> {
    clock.sendc_seconds_since_midnight(Some(handler), zone)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use zorb::{Interface, Orb};

    use super::clock::{TellerServant, UnknownZone};
    use super::*;

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

    #[test]
    fn results_go_to_a_handler() {
        let orb =
            |builder: zorb::OrbBuilder| builder.without_environment().build().expect("an ORB");
        let server = orb(Orb::builder().listen("iiop://127.0.0.1:0"));
        let clock: Teller = server.root_poa().activate(Noon).expect("a reference");
        let client = orb(Orb::builder());
        let clock: Teller = client.resolve(&clock.as_object().to_ior_string()).expect("a clock");
        let (sender, shown) = channel();
        let handler = client.root_poa().activate(Shown(sender)).expect("a reference");
        show(&clock, "UTC", &handler).expect("few pending calls");
        assert_eq!(shown.recv().expect("a result").expect("a time"), 43_200);
        show(&clock, "nowhere", &handler).expect("few pending calls");
        let refused = shown.recv().expect("a result");
        assert!(
            matches!(refused, Err(SecondsSinceMidnightError::UnknownZone(it)) if it.zone == "nowhere")
        );
    }
}
