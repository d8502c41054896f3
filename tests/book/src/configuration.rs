//! Setting options.

use std::time::Duration;

use zorb::Orb;
use zorb::options::SetStreamOptions as _;

/// Options in the program: the operator may set others, but not a larger message.
pub fn in_the_program(arguments: &mut Vec<String>) -> Result<Orb, zorb::Error> {
    Orb::builder()
        .listen("iiop://127.0.0.1:0")
        .round_trip_timeout(Duration::from_secs(5))
        .max_connections(200)
        .no_delay(false)
        .force(|orb| orb.max_message_size(1 << 20))
        .arguments(arguments)
        .build()
}

/// What is in force, and why.
pub fn effective(orb: &Orb) -> String {
    let options = orb.options();
    format!("{:?} from {}", options.round_trip_timeout, options.origin("RoundTripTimeout"))
}

#[cfg(test)]
mod tests {
    use zorb::options::{Options, Origin};

    use super::*;

    #[test]
    fn the_program_sets_defaults_that_the_operator_overrides() {
        let mut arguments = vec!["bank".to_owned(), "--verbose".to_owned()];
        let orb = in_the_program(&mut arguments).unwrap();
        assert_eq!(effective(&orb), "Some(5s) from program");
        assert_eq!((orb.options().max_connections, orb.options().stream.no_delay), (200, false));
        orb.shutdown(true).unwrap();

        let operator = ["-ORBRoundTripTimeout", "7000", "-ORBMaxMessageSize", "4096"];
        arguments.extend(operator.map(str::to_owned));
        let orb = in_the_program(&mut arguments).unwrap();
        assert_eq!(effective(&orb), "Some(7s) from argument -ORBRoundTripTimeout");
        assert_eq!(orb.options().max_message_size, 1 << 20);
        assert_eq!(arguments, ["bank", "--verbose"]);
        let overridden = orb.options().overridden();
        let names: Vec<_> = overridden.iter().map(|overridden| overridden.name).collect();
        assert_eq!(names, ["RoundTripTimeout", "MaxMessageSize"]);
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn the_protocols_of_the_file_are_selected() {
        let page = include_str!("../../../docs/src/configuration.md");
        let (_, rest) = page.split_once("## Selecting protocols").unwrap();
        let (_, rest) = rest.split_once("```toml\n").unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        let mut options = Options::default();
        options.take_toml(text, "zorb.toml").unwrap();
        let set = options.table().filter(|spec| options.origin(spec.name) != Origin::Default);
        let orb = set.fold(Orb::builder().without_environment(), |builder, spec| {
            builder.option(spec.name, options.value(spec))
        });
        let orb = orb.build().unwrap();
        let protocols = orb.protocols().protocols();
        let schemes: Vec<_> = protocols.iter().map(|protocol| protocol.scheme()).collect();
        assert_eq!(schemes, ["uiop", "iiop", "lite+iiop"]);
    }

    #[test]
    fn the_file_of_the_book_is_valid() {
        let page = include_str!("../../../docs/src/configuration.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let (file, _) = rest.split_once("```").unwrap();
        let mut options = Options::default();
        options.take_toml(file, "zorb.toml").unwrap();
        assert_eq!(options.listen_endpoints, ["iiop://0.0.0.0:2809"]);
        assert_eq!(options.round_trip_timeout, Some(Duration::from_secs(5)));
        assert_eq!(options.init_ref.len(), 1);
        assert_eq!(options.origin("MaxConnections"), Origin::File("zorb.toml".to_owned()));
    }
}
