//! Errors, and what to do about them.

use std::time::Duration;

use zorb::{CompletionStatus, Interface, Phase, SystemExceptionKind};

use crate::quickstart::clock::{Teller, teller};

/// What a program can decide by.
pub fn decide(teller: &Teller) -> String {
    use teller::SecondsSinceMidnightError as Failed;
    match teller.seconds_since_midnight("UTC") {
        Ok(seconds) => format!("{seconds} s"),
        Err(Failed::UnknownZone(unknown)) => format!("no zone {}", unknown.zone),
        Err(Failed::System(exception)) => match (exception.kind, exception.completed) {
            (SystemExceptionKind::ObjectNotExist, _) => "the object is gone for good".to_owned(),
            (_, CompletionStatus::No) => "it did not happen: try again".to_owned(),
            (_, _) => "it may have happened: look before trying again".to_owned(),
        },
    }
}

/// A call with a time limit of its own.
pub fn in_a_hurry(teller: &Teller) -> Result<u32, zorb::Error> {
    let object = teller.as_object().with_timeout(Duration::from_millis(200));
    let teller: Teller = object.unchecked_narrow();
    Ok(teller.seconds_since_midnight("UTC")?)
}

/// Where a step failed.
pub fn explain(error: &zorb::Error) -> String {
    let phase = error.phase();
    let exception = error.system_exception().map(|exception| exception.to_string());
    let mut text = format!("{phase:?}: {}", exception.unwrap_or_default());
    if phase == Phase::Connect {
        text.push_str(" (is the server up?)");
    }
    text
}

#[cfg(test)]
mod tests {
    use zorb::Orb;

    use super::*;
    use crate::quickstart::MyTeller;

    #[test]
    fn failures_tell_their_story() {
        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let there: Teller = client.resolve(&teller.as_object().to_ior_string()).unwrap();
        assert!(decide(&there).ends_with(" s"));
        assert!(in_a_hurry(&there).unwrap() < 86_400);

        server.root_poa().deactivate(&server.root_poa().id_of(&teller).unwrap()).unwrap();
        assert_eq!(decide(&there), "the object is gone for good");

        server.shutdown(true).unwrap();
        assert_eq!(decide(&there), "it did not happen: try again");
        let error = in_a_hurry(&there).unwrap_err();
        assert!(explain(&error).starts_with("Connect: TRANSIENT"), "{error}");
        client.shutdown(true).unwrap();
    }
}
