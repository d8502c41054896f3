//! Finds the option that a misspelt name probably means.

use strsim::generic_levenshtein;
use zorb_transport::OptionSpec;

/// The option whose name or key is closest to `name`; `None` if none is close.
pub(super) fn nearest(
    all: impl Iterator<Item = &'static OptionSpec>,
    name: &str,
) -> Option<&'static OptionSpec> {
    // Longer than any name.
    const MAX_NAME: usize = 64;
    let plain = plain(name);
    if plain.len() > MAX_NAME {
        return None;
    }
    let closest = all.map(|spec| (generic_levenshtein(&plain, &self::plain(spec.name)), spec));
    let (distance, spec) = closest.min_by_key(|(distance, _)| *distance)?;
    (distance <= (plain.len() / 3).max(1)).then_some(spec)
}

/// The hint for an option that other ORBs have, or that people expect.
pub(super) fn of_other_orbs(name: &str) -> Option<&'static str> {
    Some(match &*plain(name) {
        b"endpoint" | b"endpointpublish" => "did you mean ListenEndpoints?",
        b"clientcalltimeoutperiod" => "did you mean RoundTripTimeout?",
        b"giopmaxmsgsize" => "did you mean MaxMessageSize?",
        b"log" | b"loglevel" | b"debug" | b"debuglevel" | b"tracelevel" | b"logfile" => {
            "the program's subscriber of `tracing` decides what is logged; the tool `zorb` has --log"
        }
        _ => return None,
    })
}

/// The name without the differences of keys, variables and names: case and underscores.
fn plain(name: &str) -> Vec<u8> {
    name.bytes().filter(|octet| *octet != b'_').map(|octet| octet.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OrbOptions;

    #[test]
    fn misspelt_names_are_recognized() {
        let meant = |name| nearest(OrbOptions::OPTIONS.iter(), name).map(|spec| spec.name);
        assert_eq!(meant("MaxForward"), Some("MaxForwards"));
        assert_eq!(meant("CONECT_TIMEOUT"), Some("ConnectTimeout"));
        assert_eq!(meant("idle_timout"), Some("IdleTimeout"));
        assert_eq!(of_other_orbs("endPoint"), Some("did you mean ListenEndpoints?"));
        assert!(of_other_orbs("LOG").is_some_and(|hint| hint.contains("tracing")));
        assert_eq!(of_other_orbs("ListenEndpoint"), None);
        assert_eq!(meant("nonsense"), None);
        assert_eq!(meant(&"x".repeat(1000)), None);
    }
}
