use std::collections::HashSet;

use super::*;

#[test]
fn a_url_comes_apart_and_together() {
    let endpoint: Endpoint = "IIOP://[::1]:2809".parse().unwrap();
    assert_eq!(endpoint.scheme(), "iiop");
    assert_eq!(endpoint.address(), "[::1]:2809");
    assert_eq!(endpoint.to_string(), "iiop://[::1]:2809");
    assert_eq!(format!("{endpoint:?}"), "Endpoint(iiop://[::1]:2809)");
    assert_eq!(endpoint.to_string().parse::<Endpoint>().unwrap(), endpoint);
}

#[test]
fn equality_and_hash_are_the_texts() {
    let a = Endpoint::new("iiop", "host:1").unwrap();
    let b: Endpoint = "iiop://host:1".parse().unwrap();
    let other = Endpoint::new("uiop", "host:1").unwrap();
    let set: HashSet<Endpoint> = [a.clone(), b.clone(), other.clone()].into();
    assert_eq!(set.len(), 2);
    assert!(set.contains(&a));
    assert_ne!(a, other);
}

#[test]
fn two_level_schemes_are_schemes() {
    assert_eq!("lite+iiop://h:1".parse::<Endpoint>().unwrap().scheme(), "lite+iiop");
}

#[test]
fn bad_text_is_refused_with_its_reason() {
    for (text, reason) in [
        ("host:2809", "'://'"),
        ("://host", "scheme"),
        ("1iop://host", "scheme"),
        ("ii op://host", "scheme"),
        ("iiop://ho st", "space"),
        ("iiop://host\n", "space"),
        ("ïiop://host", "scheme"),
    ] {
        let error = text.parse::<Endpoint>().unwrap_err();
        assert!(error.to_string().contains(reason), "{text:?} gave: {error}");
    }
    let long = format!("iiop://{}", "h".repeat(MAX_URL_LEN));
    let error = long.parse::<Endpoint>().unwrap_err();
    assert!(error.reason().contains("longer"), "{error}");
    assert!(error.text().len() < 100, "the message stays short");
}

#[test]
fn an_empty_address_is_the_transports_business() {
    let endpoint: Endpoint = "iiop://".parse().unwrap();
    assert_eq!(endpoint.address(), "");
}
