//! The tables and messages of the book that are generated from the code.
//!
//! After an intended change, run once with `UPDATE_BOOK=1` and review the differences.

use std::fmt::Write as _;

use crate::support::made::check;
use crate::support::pages::read;
use zorb::options::{OptionKind, Options, Origin};
use zorb::{MinorCode, Orb, SystemExceptionKind, giop};
use zorb_book_tests::quickstart::clock::Teller;
use zorb_idl::{Code, Severity, limits};

fn octets(count: usize) -> String {
    match count {
        count if count >= 1 << 20 && count % (1 << 20) == 0 => format!("{} MiB", count >> 20),
        count if count >= 1 << 10 && count % (1 << 10) == 0 => format!("{} KiB", count >> 10),
        count => format!("{} octets", number(count)),
    }
}

fn number(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

/// The options of an ORB with every protocol, and with the services that have options.
fn options() -> Options {
    let builder = Orb::builder().without_environment();
    let builder = builder.declare(zorb_service::ServiceOptions::default());
    let builder = builder.declare(zorb_naming::server::NamingOptions::default());
    builder.declare(zorb_imr::server::ImrOptions::default()).options().unwrap()
}

#[test]
fn the_option_table_is_that_of_the_code() {
    let mut made = String::new();
    let mut owner = "";
    for spec in options().table() {
        if spec.owner != owner {
            owner = spec.owner;
            let separator = if made.is_empty() { "" } else { "\n" };
            let _ = write!(
                made,
                "{separator}### Options of {owner}\n\n\
                 | `-ORB…` | Key, variable | Default | Range | What it does |\n|---|---|---|---|---|\n"
            );
        }
        let default = match (spec.default().as_str(), spec.unit) {
            ("", _) => "none".to_owned(),
            (value, "") => value.to_owned(),
            (value, unit) => format!("{value} {unit}"),
        };
        let range = match spec.kind {
            OptionKind::List => "list, `;` or `,` between".to_owned(),
            OptionKind::NameValuePairs => "`NAME=VALUE`, repeatable".to_owned(),
            OptionKind::OneOf(words) => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            }
            kind => kind.describe(),
        };
        let (key, variable) = (spec.key, spec.variable());
        let _ = writeln!(
            made,
            "| `{}` | `{key}`, `{variable}` | {default} | {range} | {} |",
            spec.name, spec.help
        );
    }
    check("docs/src/configuration.md", "options", &made);
}

/// A fenced block of text.
fn shown(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

#[test]
fn the_report_of_an_error_is_the_one_shown() {
    let client = Orb::builder().without_environment().build().unwrap();
    // Nobody listens on port 1.
    let error = client.resolve::<Teller>("corbaloc::127.0.0.1:1/clock").unwrap_err();
    check("docs/src/errors.md", "error", &shown(&format!("{error:?}")));
    client.shutdown(true).unwrap();
}

#[test]
fn an_unknown_option_is_reported_as_in_the_book() {
    let error = Options::default().set("MaxForward", "5", Origin::Program).unwrap_err();
    check("docs/src/configuration.md", "unknown option", &shown(&format!("{error:?}")));
}

#[test]
fn an_unknown_protocol_is_reported_as_in_the_book() {
    let orb = Orb::builder().without_environment().option("Protocols", "uiop,iiop");
    let error = orb.option("ClientProtocols", "uiop,ipx").build().unwrap_err();
    check("docs/src/configuration.md", "unknown protocol", &shown(&format!("{error:?}")));
}

#[test]
fn invalid_idl_is_reported_as_in_the_book() {
    let text = read("tests/book/idl/typo.idl");
    let loader = zorb_idl::MemoryLoader::new().with("shop.idl", text);
    let compilation = zorb_idl::compile_with(&zorb_idl::Options::new(), &loader, &["shop.idl"]);
    check("docs/src/idl-compiler.md", "messages", &shown(&compilation.render()));
}

#[test]
fn the_minor_codes_are_those_of_the_code() {
    let mut made = String::from("| Exception | Code | Meaning |\n|---|---|---|\n");
    for &kind in SystemExceptionKind::ALL {
        for code in (1..256).flat_map(|code| [MinorCode::omg(code), MinorCode::zorb(code)]) {
            if let Some(words) = code.describe(kind).filter(|_| code.vmcid().name() == Some("Zorb"))
            {
                let _ = writeln!(made, "| `{kind}` | {code} (`{:#010x}`) | {words} |", code.0);
            }
        }
    }
    check("docs/src/errors.md", "minor codes", &made);
}

#[test]
fn the_diagnostics_are_those_of_the_code() {
    let mut made = String::from("| Code | Severity | Message |\n|---|---|---|\n");
    for info in Code::ALL.iter().map(|code| code.info()) {
        let severity = if info.severity == Severity::Error { "error" } else { "warning" };
        let _ = writeln!(made, "| `{}` | {severity} | {} |", info.text, info.title);
    }
    check("docs/src/idl-compiler.md", "diagnostics", &made);
}

#[test]
fn the_tolerable_faults_are_those_of_the_code() {
    let mut made = String::from("| Code | Fault |\n|---|---|\n");
    for (code, fault) in Code::TOLERABLE {
        let _ = writeln!(made, "| `{code}` | {fault} |");
    }
    check("docs/src/idl-compiler.md", "tolerable faults", &made);
}

#[test]
fn the_limits_of_the_wire_are_those_of_the_code() {
    let wire = giop::Limits::DEFAULT;
    let rows = [
        ("octets of a GIOP message, including its fragments", octets(wire.max_message_size)),
        ("fragments of a message", number(wire.max_fragments as usize)),
        ("incomplete messages of a connection", number(wire.max_partial_messages)),
        ("octets of all incomplete messages of a connection", octets(wire.max_partial_octets)),
        (
            "nesting depth of values: recursive types, anys, TypeCodes",
            number(zorb_cdr::MAX_DEPTH.into()),
        ),
        (
            "nesting depth of valuetypes, as in linked lists",
            number(zorb_cdr::MAX_VALUE_DEPTH.into()),
        ),
        (
            "types without a repository id that are repeated in a TypeCode",
            number(zorb_types::MAX_REPEATED_TYPES as usize),
        ),
        ("octets of stack for nested values", octets(zorb_cdr::MAX_VALUE_STACK)),
        ("service contexts of a message", number(giop::MAX_SERVICE_CONTEXTS)),
        ("profiles of a reference", number(giop::MAX_PROFILES)),
        ("components of a profile", number(giop::MAX_COMPONENTS)),
        ("addresses of a profile", number(zorb::transport::MAX_PROFILE_ENDPOINTS)),
        ("conversion code sets of a component", number(giop::MAX_CONVERSION_SETS)),
        (
            "cancelled requests remembered per connection; replies to earlier ones are sent",
            number(giop::MAX_CANCELLED),
        ),
        ("characters of an `IOR:`", number(giop::MAX_STRINGIFIED)),
        ("characters of any other URL", number(giop::MAX_URL)),
        ("addresses of a `corbaloc:` or `corbaname:`", number(giop::MAX_ADDRESSES)),
        ("characters of an endpoint URL", number(zorb::transport::MAX_URL_LEN)),
    ];
    let mut made = String::from("| What | Limit |\n|---|---|\n");
    for (what, most) in rows {
        let _ = writeln!(made, "| {what} | {most} |");
    }
    check("docs/src/limits.md", "wire limits", &made);
}

#[test]
fn the_limits_of_the_idl_compiler_are_those_of_the_code() {
    let rows = [
        ("a source file", octets(limits::MAX_FILE_BYTES), "E0018"),
        (
            "all files of a compilation, counted once per inclusion",
            octets(limits::MAX_TOTAL_BYTES),
            "E0018",
        ),
        ("tokens after preprocessing", number(limits::MAX_TOKENS), "E0018"),
        ("names and repository ids, total", octets(limits::MAX_NAME_BYTES), "E0018"),
        ("nested `#include`s", number(limits::MAX_INCLUDE_DEPTH), "E0003"),
        ("`#include`s, total", number(limits::MAX_INCLUDES), "E0003"),
        ("nested `#if`s", number(limits::MAX_CONDITIONAL_DEPTH), "E0006"),
        ("tokens produced by macros", number(limits::MAX_EXPANSION_TOKENS), "E0014"),
        (
            "octets produced by `#`, `##` and string concatenation",
            octets(limits::MAX_PASTED_BYTES),
            "E0014",
        ),
        ("nested macro arguments", number(limits::MAX_EXPANSION_DEPTH), "E0014"),
        ("nested modules, types and expressions", number(limits::MAX_NESTING), "E0204"),
        (
            "bases of an interface, valuetype or struct, including inherited ones",
            number(limits::MAX_ANCESTORS),
            "E0419",
        ),
        ("comparisons of inherited names", number(limits::MAX_INHERITED_NAMES), "E0419"),
        ("ports, including those of extended ports", number(limits::MAX_PORTS), "E0460"),
        ("definitions generated by template modules", number(limits::MAX_TEMPLATE_ITEMS), "E0461"),
        ("tokens reparsed for template modules", number(limits::MAX_TEMPLATE_TOKENS), "E0461"),
        ("members of an annotation", number(limits::MAX_ANNOTATION_MEMBERS), "E0464"),
        ("nested template modules", number(limits::MAX_TEMPLATE_DEPTH), "E0461"),
        (
            "elements of an array, all dimensions",
            number(limits::MAX_ARRAY_ELEMENTS as usize),
            "E0511",
        ),
        ("diagnostics shown", number(limits::MAX_DIAGNOSTICS), "E0019"),
        ("characters of a message", number(limits::MAX_MESSAGE), "truncated"),
    ];
    let mut made = String::from("| What | Limit | If exceeded |\n|---|---|---|\n");
    for (what, most, code) in rows {
        let _ = writeln!(made, "| {what} | {most} | {code} |");
    }
    check("docs/src/limits.md", "idl limits", &made);
}

#[test]
fn the_limits_that_are_options_have_their_defaults() {
    let page = read("docs/src/limits.md");
    for spec in options().table().filter(|spec| matches!(spec.kind, OptionKind::Number(..))) {
        // These are not limits but intervals, sizes, rates, priorities and hop counts.
        if spec.name.starts_with("Rt")
            || [
                "StallTakeover",
                "ReconnectDelay",
                "FailbackTime",
                "BusyWait",
                "SendBuffer",
                "ReceiveBuffer",
                "CopyThreshold",
                "Dscp",
                "MiopHops",
                "ServiceLease",
                "ImrBackOff",
                "ImrCheckInterval",
            ]
            .contains(&spec.name)
            || ["SocketPriority", "PacingRate", "Preallocate", "FragmentSize"].contains(&spec.name)
        {
            continue;
        }
        let cell = format!("| `{}` |", spec.name);
        let row = page.lines().find(|line| line.contains(&cell));
        let row = row.unwrap_or_else(|| panic!("limits.md has no row for {}", spec.name));
        let default: usize = spec.default().parse().unwrap();
        let shown = match spec.unit {
            "ms" if default == 0 => "0: none".to_owned(),
            "ms" => format!("{} s", default / 1000),
            _ if spec.name == "MaxThreads" => {
                assert_eq!(default, 0);
                "0: half of what the system permits, at most 65,536".to_owned()
            }
            _ if ["MaxBufferedOctetsPerPeer", "MaxThreadsPerPeer"].contains(&spec.name) => {
                assert_eq!(default, 0);
                "0: half".to_owned()
            }
            _ if spec.name == "MaxConnectionsPerPeer" => {
                assert_eq!(default, 0);
                "0: half of all, at most 512".to_owned()
            }
            _ if spec.name == "MaxClientConnections" => {
                assert_eq!(default, 0);
                "0: what the accepted ones leave".to_owned()
            }
            _ if spec.name == "NamingMemory" => {
                assert_eq!(default, 0);
                "0: a quarter of the memory, at most 1 GiB".to_owned()
            }
            "octets" if default == 0 => "0: a quarter of the memory".to_owned(),
            _ if spec.name == "MaxConnections" => {
                assert_eq!(default, 0);
                "0: as the process permits, at most 1,024".to_owned()
            }
            "octets" => octets(default),
            _ => number(default),
        };
        assert!(row.contains(&format!("| {shown} |")), "{shown}: {row}");
    }
}

/// Values of private constants: the line of the source and the text of the book.
#[test]
fn numbers_in_prose_are_those_of_the_code() {
    for (source, line, page, words) in [
        (
            "crates/zorb-invocation/src/client/redirections.rs",
            "const MAX_RESENDS: u32 = 3;",
            "docs/src/threads.md",
            "at most three times",
        ),
        (
            "crates/zorb-invocation/src/client/connection.rs",
            "const RECENT: Duration = Duration::from_millis(500);",
            "docs/src/threads.md",
            "half a second",
        ),
        (
            "crates/zorb-invocation/src/client/connection.rs",
            "const UNCHECKED: Duration = Duration::from_millis(20);",
            "docs/src/threads.md",
            "silent for 20 ms",
        ),
        (
            "crates/zorb-invocation/src/client/selection.rs",
            "const MAX_PROBE: Duration = Duration::from_secs(1);",
            "docs/src/threads.md",
            "for at most a second",
        ),
        (
            "crates/zorb-serving/src/own_threads.rs",
            "const FOLLOWER_LINGER: Duration = Duration::from_secs(1);",
            "docs/src/threads.md",
            "waits one second",
        ),
        (
            "crates/zorb-core/src/orb/resolve.rs",
            "const MAX_DEPTH: u32 = 8;",
            "docs/src/limits.md",
            "| files and initial references that lead to one another | 8 |",
        ),
        (
            "crates/zorb-core/src/orb/resolve.rs",
            "const MAX_FILE: u64 = 1 << 20;",
            "docs/src/limits.md",
            "| size of a file that contains a reference | 1 MiB |",
        ),
        (
            "crates/zorb-poa/src/key.rs",
            "const MAX_PATH: usize = 4096;",
            "docs/src/limits.md",
            "| names of a POA and its ancestors, total | 4 KiB |",
        ),
        (
            "crates/zorb-transport/src/resolve.rs",
            "const MAX_ADDRESSES: usize = 16;",
            "docs/src/limits.md",
            "| addresses tried per host name | 16 |",
        ),
    ] {
        assert!(read(source).contains(line), "{source}: {line}");
        assert!(read(page).contains(words), "{page}: {words}");
    }
}

#[test]
fn the_security_page_has_the_numbers_of_the_code() {
    let page = read("SECURITY.md");
    let option = |key: &str| {
        let spec = options().table().find(|spec| spec.key == key).unwrap();
        spec.default().parse::<usize>().unwrap()
    };
    let wire = giop::Limits::DEFAULT;
    for number in [
        octets(option("max_message_size")),
        format!("{} fragments", number(wire.max_fragments as usize)),
        format!("{} messages", number(wire.max_partial_messages)),
        format!("{} levels", zorb_cdr::MAX_DEPTH),
        format!("{} per endpoint", option("max_connections_per_endpoint")),
        format!("{} per connection", option("max_threads_per_connection")),
        format!("{} per call", option("max_forwards")),
        format!("{} per queue, half of them", option("max_held_requests")),
    ] {
        assert!(page.contains(&number), "SECURITY.md: {number}");
    }
    assert_eq!(option("max_message_size"), wire.max_message_size);
}
