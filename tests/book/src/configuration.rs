//! Setting options.

use std::time::Duration;

use zorb::Orb;

/// Options in the program, below those of its arguments.
pub fn in_the_program() -> Result<Orb, zorb::Error> {
    Orb::builder()
        .listen("iiop://127.0.0.1:0")
        .round_trip_timeout(Duration::from_secs(5))
        .option("MaxConnections", "200")
        .build()
}

/// What holds, and why.
pub fn effective(orb: &Orb) -> String {
    let options = orb.options();
    format!("{:?} from {}", options.round_trip_timeout, options.origin("RoundTripTimeout"))
}

#[cfg(test)]
mod tests {
    use zorb::options::{Options, Origin, TABLE};

    use super::*;

    #[test]
    fn the_builder_sets_options() {
        let orb = in_the_program().unwrap();
        assert_eq!(effective(&orb), "Some(5s) from builder");
        assert_eq!(orb.options().max_connections, 200);
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn the_file_about_protocols_is_taken() {
        let page = include_str!("../../../docs/src/configuration.md");
        let (_, rest) = page.split_once("## Which protocols").unwrap();
        let (_, rest) = rest.split_once("```toml\n").unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        let mut options = Options::default();
        options.take_toml(text, "zorb.toml").unwrap();
        let set = TABLE.iter().filter(|spec| options.origin(spec.name) != Origin::Default);
        let orb = set.fold(Orb::builder().without_environment(), |builder, spec| {
            builder.option(spec.name, options.value(spec))
        });
        let orb = orb.build().unwrap();
        let protocols = orb.protocols().protocols();
        let schemes: Vec<_> = protocols.iter().map(|protocol| protocol.scheme()).collect();
        assert_eq!(schemes, ["uiop", "iiop", "lite+iiop"]);
    }

    #[test]
    fn a_file_like_the_one_in_the_book_is_understood() {
        let page = include_str!("../../../docs/src/configuration.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let (file, _) = rest.split_once("```").unwrap();
        let mut options = Options::default();
        options.take_toml(file, "zorb.toml").unwrap();
        assert_eq!(options.listen_endpoints, ["iiop://0.0.0.0:2809"]);
        assert_eq!(options.round_trip_timeout, Some(Duration::from_secs(5)));
        assert_eq!(options.init_refs.len(), 1);
        assert_eq!(options.origin("MaxConnections"), Origin::File("zorb.toml".to_owned()));
    }
}
