//! Options: configuration files, arguments and environment variables.

use zorb_core::options::{OptionKind, Options, Origin};

use super::{AllocationBound, Target};

/// Text read as `zorb.toml`, as arguments (one a line) and as variables (`NAME=value` lines). A value that is accepted
/// is within its range, and its printed form is accepted, too.
pub const TARGET: Target = Target {
    name: "options",
    run,
    allocation: AllocationBound { per_octet: 2048, constant: 80 << 10 },
    words: &[
        b"-ORB",
        b"-ORBInitRef\n",
        b"-ORBListenEndpoints\n",
        b"ZORB_",
        b"init_ref",
        b"max_message_size = ",
        b"[init_ref]\n",
        b"[[a]]\n",
        b"\"\"\"",
        b"18446744073709551616",
        b"-1",
        b"=",
        b"\n",
        b";",
        b"{",
        b"[",
        b"'",
    ],
};

fn run(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    let mut options = Options::default();
    outcome(&options.take_toml(&text, "zorb.toml"));
    check(&options);
    outcome(&options.take_arguments(&mut text.lines().collect::<Vec<_>>()));
    check(&options);
    let variables = text.lines().filter_map(|line| line.split_once('='));
    outcome(&options.take_environment(variables));
    check(&options);
}

/// Errors have a message.
fn outcome<T>(outcome: &Result<T, zorb_core::Error>) {
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
        let _ = error.hint();
    }
}

fn check(options: &Options) {
    for spec in options.table() {
        let value = options.value(spec);
        // Pairs are set one by one, and an empty value cannot be set.
        if spec.kind == OptionKind::NameValuePairs || value.is_empty() {
            continue;
        }
        let mut again = Options::default();
        again.set(spec.name, &value, Origin::Program).expect("what was taken can be set");
        assert_eq!(again.value(spec), value, "{}", spec.name);
    }
    for (name, url) in &options.init_ref {
        assert!(!name.is_empty() && !url.is_empty());
    }
}
