//! The stubs and skeletons of single operations and of services.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::record::LEVEL;
use super::{Octets, Setting, expect_success, object, omniorb};

/// The operations of Param_Test, by their files in `tests/stubsize-parts/idl`, and whether they have types of their own.
const OPERATIONS: [(&str, bool); 7] = [
    ("short", false),
    ("unbounded_string", false),
    ("fixed_struct", true),
    ("strseq", true),
    ("var_struct", true),
    ("nested_struct", true),
    ("struct_sequence", true),
];

/// Services of the literature's table whose IDL is in `idl`.
const OUR_SERVICES: [(&str, &[&str]); 2] =
    [("Naming", &["CosNaming.idl"]), ("Scheduling", &["RtecScheduler.idl"])];

/// Those whose IDL is with that of single operations.
const WRITTEN_SERVICES: [(&str, &[&str]); 2] =
    [("A/V", &["AVStreams.idl"]), ("Logging", &["Logger.idl"])];
/// The one that includes IDL of [`OTHERS`].
const AUDIO_AND_VIDEO: &str = "A/V";

/// Services whose IDL omniORB has, and where.
const OTHER_SERVICES: [(&str, &[&str]); 4] = [
    ("Trading", &["CosTrading.idl"]),
    ("Property", &["CosPropertyService.idl"]),
    ("Events", &["CosEventComm.idl", "CosEventChannelAdmin.idl"]),
    ("LifeCycle", &["CosLifeCycle.idl"]),
];
pub(super) const OTHERS: &str = "/usr/share/idl/omniORB/COS";
const PARTS: &str = "tests/stubsize-parts/idl";

/// Limits of interpretive code in percent of compiled code, at opt-level z.
const STUB_PERCENT: i64 = 45;
const SKELETON_PERCENT: i64 = 80;
/// All services have 26.
const SERVICES_PERCENT: i64 = 30;

/// An operation or a service.
struct Subject {
    name: &'static str,
    files: Vec<PathBuf>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operation, and whether it has types of its own.
    Operation(bool),
    Service,
}

/// The octets of a part: compiled and interpretive.
pub(super) type Pair = [i64; 2];

/// The sizes of an operation or a service.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Structs, sequences, operations.
    pub(super) counts: [i64; 3],
    pub(super) stubs: Pair,
    pub(super) skeletons: Pair,
    /// Stubs and skeletons of omniORB, if it is installed.
    pub(super) omniorb: Option<i64>,
}

/// The sizes at an optimization level.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) level: String,
    /// The toolchain, unless it is that of this build.
    pub(super) toolchain: Option<String>,
    pub(super) parts: Vec<Part>,
}

fn subjects(root: &Path) -> Vec<Subject> {
    let operation = |(name, has_types): &(&'static str, bool)| Subject {
        name,
        files: vec![root.join(PARTS).join(format!("{name}.idl"))],
        kind: Kind::Operation(*has_types),
    };
    let service = |folder: PathBuf| {
        move |(name, files): &(&'static str, &[&str])| Subject {
            name,
            files: files.iter().map(|file| folder.join(file)).collect(),
            kind: Kind::Service,
        }
    };
    let mut all: Vec<Subject> = OPERATIONS.iter().map(operation).collect();
    all.extend(OUR_SERVICES.iter().map(service(root.join("idl"))));
    let others = OTHER_SERVICES.iter().map(service(PathBuf::from(OTHERS)));
    all.extend(others.filter(|subject| subject.files.iter().all(|file| file.exists())));
    // After the service whose IDL they include: omniORB's compiler has then written its header.
    let written = WRITTEN_SERVICES.iter().map(service(root.join(PARTS)));
    let has_others = Path::new(OTHERS).exists();
    all.extend(written.filter(|subject| has_others || subject.name != AUDIO_AND_VIDEO));
    all
}

pub(super) fn measure(setting: &Setting<'_>) -> io::Result<Parts> {
    let subjects = subjects(setting.root);
    // Each of the two compilers takes one processor at a time.
    let (parts, omniorb) = std::thread::scope(|scope| {
        let omniorb = scope.spawn(|| by_omniorb(setting, &subjects));
        (by_zorb(setting, &subjects), omniorb.join())
    });
    let omniorb = omniorb.map_err(|_| io::Error::other("omniORB's sizes: a panic"))??;
    let parts = parts?.into_iter().zip(omniorb);
    let parts = parts.map(|(part, omniorb)| Part { omniorb, ..part }).collect();
    let toolchain = setting.toolchain.map(str::to_owned);
    Ok(Parts { level: setting.level.to_owned(), toolchain, parts })
}

/// The octets of omniORB's stubs and skeletons of each.
fn by_omniorb(setting: &Setting<'_>, subjects: &[Subject]) -> io::Result<Vec<Option<i64>>> {
    let Setting { root, level, .. } = *setting;
    let one = |subject: &Subject| {
        let files: Vec<&Path> = subject.files.iter().map(PathBuf::as_path).collect();
        Ok(omniorb::sizes(root, level, &files)?.as_ref().map(sum))
    };
    subjects.iter().map(one).collect()
}

/// Their parts without those of omniORB.
fn by_zorb(setting: &Setting<'_>, subjects: &[Subject]) -> io::Result<Vec<Part>> {
    let nothing = build(setting, &[], ["compiled", "client"])?;
    subjects.iter().map(|subject| measure_one(setting, nothing, subject)).collect()
}

fn measure_one(setting: &Setting<'_>, nothing: i64, subject: &Subject) -> io::Result<Part> {
    let of = |engine: &str, role: &str| build(setting, &subject.files, [engine, role]);
    let servant = of("compiled", "servant")?;
    let counts = std::fs::read_to_string(counts_file(setting))?;
    let counts: Vec<i64> = counts.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    Ok(Part {
        name: subject.name,
        kind: subject.kind,
        counts: counts.try_into().map_err(|_| io::Error::other("the counts are not three"))?,
        stubs: [of("compiled", "client")? - nothing, of("interpretive", "client")? - nothing],
        skeletons: [of("compiled", "server")? - servant, of("interpretive", "server")? - servant],
        omniorb: None,
    })
}

fn sum(octets: &Octets) -> i64 {
    octets.iter().sum()
}

fn counts_file(setting: &Setting<'_>) -> PathBuf {
    setting.target().join("counts")
}

/// The octets of the object code of the files' part.
fn build(setting: &Setting<'_>, files: &[PathBuf], [engine, role]: [&str; 2]) -> io::Result<i64> {
    let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let object = setting.folder().join("part.o");
    let mut cargo = setting.cargo("rustc");
    cargo.args(["--package=zorb-stubsize-parts", "--bin=stubsize-part"]);
    // One codegen unit is one object file.
    cargo.args(["--config", "profile.stubsize.package.zorb-stubsize-parts.codegen-units=1"]);
    cargo.env("STUBSIZE_FILES", files.join(":")).env("STUBSIZE_ENGINE", engine);
    cargo.env("STUBSIZE_INCLUDE", OTHERS);
    cargo.env("STUBSIZE_ROLE", role).env("STUBSIZE_COUNTS", counts_file(setting));
    cargo.args(["--", &format!("--emit=obj={}", object.display())]);
    expect_success("cargo", cargo.status()?.success())?;
    Ok(sum(&object::sizes(&object)?))
}

/// Interpretive code in percent of compiled code.
pub(super) fn percent([compiled, interpretive]: Pair) -> f64 {
    100.0 * interpretive as f64 / compiled.max(1) as f64
}

fn is_above([compiled, interpretive]: Pair, limit: i64) -> bool {
    100 * interpretive > limit * compiled
}

impl Parts {
    /// The stubs and skeletons of all services.
    pub(super) fn services(&self) -> Pair {
        let services = self.parts.iter().filter(|part| part.kind == Kind::Service);
        services.fold([0, 0], |[compiled, interpretive], part| {
            [
                compiled + part.stubs[0] + part.skeletons[0],
                interpretive + part.stubs[1] + part.skeletons[1],
            ]
        })
    }

    /// Reports what exceeds its limit at opt-level z.
    pub(super) fn above_limits(&self) -> Vec<String> {
        if self.level != LEVEL || self.toolchain.is_some() {
            return Vec::new();
        }
        let limited = self.parts.iter().filter(|part| part.kind == Kind::Operation(true));
        let pairs = limited.flat_map(|part| {
            let Part { name, stubs, skeletons, .. } = part;
            [
                (format!("stubs of {name}"), *stubs, STUB_PERCENT),
                (format!("skeletons of {name}"), *skeletons, SKELETON_PERCENT),
            ]
        });
        let all = ("stubs and skeletons of services".to_owned(), self.services(), SERVICES_PERCENT);
        let above = pairs.chain([all]).filter(|(_, pair, limit)| is_above(*pair, *limit));
        let faults = above.map(|(what, pair, limit)| {
            let percent = percent(pair);
            format!("interpretive {what}: {percent:.1} % of compiled, and the limit is {limit} %")
        });
        faults.collect()
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let by = self.toolchain.as_ref().map_or_else(String::new, |name| format!(", by {name}"));
        writeln!(out, "\nopt-level {}{by}, octets of object code", self.level)?;
        let both = format!("{:>11}{:>13}{:>9}", "compiled", "interpretive", "share");
        writeln!(out, "{:<47}{:>33}{:>33}", "", "stubs", "skeletons")?;
        writeln!(
            out,
            "{:<18}{:>8}{:>10}{:>11}{both}{both}{:>10}",
            "", "structs", "sequences", "operations", "omniORB"
        )?;
        for part in &self.parts {
            let [structs, sequences, operations] = part.counts;
            write!(out, "{:<18}{structs:>8}{sequences:>10}{operations:>11}", part.name)?;
            for pair in [part.stubs, part.skeletons] {
                let [compiled, interpretive] = pair;
                write!(out, "{compiled:>11}{interpretive:>13}{:>7.1} %", percent(pair))?;
            }
            let omniorb = part.omniorb.map_or_else(String::new, |octets| octets.to_string());
            writeln!(out, "{omniorb:>10}")?;
        }
        let services = self.services();
        let [compiled, interpretive] = services;
        let percent = percent(services);
        let holds = if is_above(services, SERVICES_PERCENT) { "NO" } else { "yes" };
        writeln!(
            out,
            "all services: compiled {compiled}, interpretive {interpretive}, {percent:.1} %; at most \
             {SERVICES_PERCENT} %: {holds}"
        )
    }

    pub(super) fn as_json(&self) -> Vec<String> {
        let one = |part: &Part| {
            let Part { name, counts: [structs, sequences, operations], .. } = part;
            let pair = |[compiled, interpretive]: Pair| {
                format!("{{\"compiled\": {compiled}, \"interpretive\": {interpretive}}}")
            };
            let omniorb = part.omniorb.map_or_else(|| "null".to_owned(), |it| it.to_string());
            let toolchain = self.toolchain.as_ref();
            let toolchain = toolchain.map_or_else(|| "null".to_owned(), |it| format!("{it:?}"));
            format!(
                "{{\"opt_level\": \"{}\", \"toolchain\": {toolchain}, \"part\": \"{name}\", \"structs\": {structs}, \
                 \"sequences\": {sequences}, \"operations\": {operations}, \"stubs\": {}, \
                 \"skeletons\": {}, \"omniorb\": {omniorb}}}",
                self.level,
                pair(part.stubs),
                pair(part.skeletons),
            )
        };
        self.parts.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: Kind, stubs: Pair, skeletons: Pair) -> Part {
        Part { name: "x", kind, counts: [0; 3], stubs, skeletons, omniorb: None }
    }

    #[test]
    fn shares_have_limits() {
        let faults = |kind, stubs, skeletons| {
            let parts = vec![part(kind, stubs, skeletons)];
            Parts { level: "z".to_owned(), toolchain: None, parts }.above_limits().len()
        };
        assert_eq!(faults(Kind::Operation(true), [100, 45], [100, 80]), 0);
        assert_eq!(faults(Kind::Operation(true), [100, 46], [100, 81]), 2);
        assert_eq!(faults(Kind::Operation(false), [100, 99], [100, 99]), 0);
        assert_eq!(faults(Kind::Service, [100, 30], [100, 30]), 0);
        assert_eq!(faults(Kind::Service, [100, 30], [100, 31]), 1);
    }

    #[test]
    fn other_levels_and_compilers_have_no_limits() {
        for (level, toolchain) in [("3", None), ("z", Some("other".to_owned()))] {
            let parts = vec![part(Kind::Operation(true), [1, 1], [1, 1])];
            assert!(Parts { level: level.to_owned(), toolchain, parts }.above_limits().is_empty());
        }
    }

    #[test]
    fn the_idl_of_each_operation_exists() {
        let root = crate::root();
        let operations = subjects(&root).into_iter().take(OPERATIONS.len());
        for file in operations.flat_map(|subject| subject.files) {
            assert!(file.exists(), "{}", file.display());
        }
    }
}
