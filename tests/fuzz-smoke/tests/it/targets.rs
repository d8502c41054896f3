//! The targets that stay on one thread.

use zorb_fuzz_smoke::corpus::seeds;
use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::nano::WireOctets;
use zorb_fuzz_smoke::targets::{
    AllocationBound, TARGETS, Target, arq, av, cdr, certificate, connection, corbaloc, dump,
    dynamic, engines, giop, idl, ior, json, miop, nano, omninames, options, repository, ring,
    schedule, sctp, short, stored_servers, type_code, usage, value, views, ziop, zstd,
};
use zorb_giop::{MessageFormat, MessageHeader, ReplyStatus};

fn check(target: &Target, least_seeds: usize, mutants: usize) {
    let report = run(target, mutants, Counted::ThisThread);
    println!("{}: {report:?}", target.name);
    assert!(report.seeds >= least_seeds, "{} seeds: some are missing", report.seeds);
}

#[test]
fn cdr_bodies_do_no_harm() {
    check(&cdr::TARGET, 40, 8000);
}

#[test]
fn type_codes_and_anys_do_no_harm() {
    check(&type_code::TARGET, 30, 8000);
}

#[test]
fn values_of_valuetypes_do_no_harm() {
    check(&value::TARGET, 14, 8000);
}

#[test]
fn both_engines_do_the_same() {
    check(&engines::TARGET, 77, 20_000);
}

#[test]
fn values_in_place_are_the_same() {
    check(&views::TARGET, 16, 20_000);
}

#[test]
fn values_taken_apart_do_no_harm() {
    check(&dynamic::TARGET, 44, 4000);
}

#[test]
fn values_in_json_do_no_harm() {
    check(&json::TARGET, 81, 10_000);
}

#[test]
fn stored_repositories_do_no_harm() {
    check(&repository::TARGET, 4, 8000);
}

#[test]
fn dumps_of_stores_do_no_harm() {
    check(&dump::TARGET, 5, 8000);
}

#[test]
fn usage_files_do_no_harm() {
    check(&usage::TARGET, 4, 8000);
}

#[test]
fn data_files_of_omninames_do_no_harm() {
    check(&omninames::TARGET, 4, 8000);
}

#[test]
fn stored_servers_do_no_harm() {
    check(&stored_servers::TARGET, 4, 8000);
}

#[test]
fn giop_messages_do_no_harm() {
    check(&giop::TARGET, 140, 8000);
}

#[test]
fn datagrams_do_no_harm() {
    check(&miop::TARGET, 4, 20_000);
}

#[test]
fn datagrams_of_reliable_streams_do_no_harm() {
    check(&arq::TARGET, 7, 20_000);
}

#[test]
fn packets_of_sctp_do_no_harm() {
    check(&sctp::TARGET, 8, 4000);
}

#[test]
fn every_request_of_a_client_connection_ends_once() {
    check(&connection::TARGET, 13, 20_000);
}

#[test]
fn short_messages_do_no_harm() {
    check(&short::TARGET, 8, 20_000);
}

#[test]
fn frames_of_audio_and_video_are_harmless() {
    check(&av::TARGET, 3, 20_000);
}

#[test]
fn writes_of_peers_to_shared_memory_are_harmless() {
    check(&ring::TARGET, 19, 2000);
}

#[test]
fn compressed_messages_do_no_harm() {
    check(&ziop::TARGET, 12, 10_000);
}

#[test]
fn references_do_no_harm() {
    check(&ior::TARGET, 20, 8000);
}

#[test]
fn urls_do_no_harm() {
    check(&corbaloc::TARGET, 40, 20_000);
}

#[test]
fn the_small_orb_survives_its_peers() {
    let corpus = seeds(nano::TARGET.name);
    for seed in corpus.iter().filter(|seed| !seed.name.starts_with("found-")) {
        let (_, is_good) = nano::outcome(&seed.octets);
        // Answers that the client accepts, and references that it can use.
        assert!(is_good, "{}", seed.name);
    }
    check(&nano::TARGET, 15, 20_000);
}

/// Sends what a connection of another target carries to the small ORB's server, in both protocols and as a datagram, and
/// to its client, as the answer to its request.
fn send_to_the_small_orb(octets: &[u8]) {
    let size = u16::try_from(octets.len()).unwrap_or(u16::MAX).to_le_bytes();
    for first in [&[nano::SERVER][..], &[nano::LITE], &[nano::DATAGRAMS, size[0], size[1]]] {
        nano::outcome(&[first, octets].concat());
    }
    let answer = nano::answering(octets);
    for call in 0..nano::CALLS {
        nano::outcome(&[&[call], &answer[..]].concat());
    }
}

#[test]
fn the_small_orb_survives_the_inputs_of_all_targets() {
    let parse: fn(&[u8]) = |octets| {
        nano::outcome(&[&[nano::REFERENCE], octets].concat());
    };
    let all: fn(&[u8]) = send_to_the_small_orb;
    let after_first: fn(&[u8]) = |input| send_to_the_small_orb(&WireOctets::AfterFirst.take(input));
    let received: fn(&[u8]) = |input| send_to_the_small_orb(&WireOctets::Received.take(input));
    // A server for each way to send the input, and a client for each call.
    let many = 3 + u64::from(nano::CALLS);
    let AllocationBound { per_octet, constant } = nano::TARGET.allocation;
    let allocation = AllocationBound { per_octet: many * per_octet, constant: many * constant };
    let near = ["giop", "server", "connection", "client", "miop", "ior", "corbaloc"];
    for Target { name, .. } in TARGETS.iter().copied() {
        let run = match WireOctets::of(name) {
            _ if ["ior", "corbaloc"].contains(&name) => parse,
            WireOctets::All => all,
            WireOctets::AfterFirst => after_first,
            WireOctets::Received => received,
        };
        let mutants = if near.contains(&name) { 1000 } else { 100 };
        check(&Target { name, run, allocation, ..nano::TARGET }, 1, mutants);
    }
}

/// The status of the first reply in what a server has written.
fn status(answer: &[u8]) -> Option<ReplyStatus> {
    let header = MessageHeader::parse_prefix(answer).ok()??;
    let reply = MessageFormat::Giop(header.version).read_reply_start(answer, &header);
    Some(reply.ok()?.status)
}

#[test]
fn calls_of_the_other_targets_reach_the_small_orb() {
    let operations = ["level", "set_level", "note", "scalars", "text", "octets", "object", "echo"];
    let (mut served, mut taken) = (0, 0);
    // The references in them are of a protocol that it does not have.
    let has_reference = |name: &str| ["-object-", "-echo-"].iter().any(|part| name.contains(part));
    for seed in seeds("server").iter().filter(|seed| seed.name.starts_with("call-")) {
        let of = |operation: &&str| seed.name.starts_with(&format!("call-{operation}-"));
        if !operations.iter().any(of) || seed.name.ends_with("-fragments") {
            continue;
        }
        let octets = WireOctets::of("server").take(&seed.octets);
        let (answer, _) = nano::outcome(&[&[nano::SERVER], &*octets].concat());
        let expected = match seed.name.contains("oneway") {
            true => None,
            false if has_reference(&seed.name) => Some(ReplyStatus::SystemException),
            false => Some(ReplyStatus::NoException),
        };
        assert_eq!(status(&answer), expected, "{}", seed.name);
        served += 1;
    }
    for seed in seeds("client").iter().filter(|seed| seed.name.starts_with("result-")) {
        let Some(number) = nano::number_of(seed.octets[0]) else { continue };
        let answer = nano::answering(&WireOctets::of("client").take(&seed.octets));
        let (_, is_good) = nano::outcome(&[&[number], &answer[..]].concat());
        assert_eq!(is_good, !has_reference(&seed.name), "{}", seed.name);
        taken += 1;
    }
    assert!(served >= 24 && taken >= 7, "{served} calls are served, {taken} replies taken");
}

#[test]
fn certificates_do_no_harm() {
    check(&certificate::TARGET, 6, 20_000);
}

#[test]
fn idl_files_do_no_harm() {
    check(&idl::TARGET, 80, 1500);
}

#[test]
fn options_do_no_harm() {
    check(&options::TARGET, 10, 4000);
}

#[test]
fn task_sets_do_no_harm() {
    check(&schedule::TARGET, 10, 3000);
}

/// Found while the `ior` target was written: the size of a device is 0, so a limit on sizes let it in.
#[test]
fn a_url_of_a_file_without_an_end_is_refused() {
    let orb = zorb_core::Orb::builder().without_environment().build().expect("an ORB");
    let error = orb.string_to_object("file:///dev/zero").expect_err("no reference");
    assert!(format!("{error:?} {error}").contains("not a regular file"), "{error}");
    assert!(orb.string_to_object("file:///dev").is_err());
}

#[test]
fn every_corpus_has_inputs_that_libfuzzer_found() {
    for target in TARGETS {
        let seeds = zorb_fuzz_smoke::corpus::seeds(target.name);
        let found = seeds.iter().filter(|seed| seed.name.starts_with("found-")).count();
        assert!((1..=40).contains(&found), "{}: {found}", target.name);
    }
}

#[test]
fn every_target_has_a_name_of_its_own_and_a_corpus() {
    let mut names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    for name in &names {
        assert!(!zorb_fuzz_smoke::corpus::seeds(name).is_empty(), "{name} has no seeds");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TARGETS.len());
}

#[test]
fn messages_compressed_by_zstandard_do_no_harm() {
    check(&zstd::TARGET, 14, 1500);
}
