//! `zorb store`: checks, dumps and restores the stores of services.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use zorb_store::dump::Contents;
use zorb_store::maintenance::{self, Checked, DumpFile, Info, Restored};

use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen::{self, GOOD, WARNING, counted, paint};

/// Check, dump and restore the stores of services
///
/// A store is the folder that a service's `--store` names. The service must not be running, except for
/// `info`; it writes dumps beside its data itself.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb store info /var/lib/naming
  zorb store check /var/lib/naming --json
  zorb store dump /var/lib/naming --to naming.jsonl
  zorb store restore /var/lib/naming
  zorb store restore /var/lib/naming-2 --from naming.jsonl")]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    Info(FolderArgs),
    Check(CheckArgs),
    Dump(DumpArgs),
    Restore(RestoreArgs),
}

/// Show the size of a store and its dumps, and the process that has it open
#[derive(Args, Debug)]
#[command(after_help = "Example:
  zorb store info /var/lib/naming")]
struct FolderArgs {
    #[command(flatten)]
    folder: Folder,
}

/// Read a whole store and its dumps, and verify all checksums
///
/// Repairs the effects of a crash. Exit status 1 if the store or a dump is damaged.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  zorb store check /var/lib/naming")]
struct CheckArgs {
    #[command(flatten)]
    folder: Folder,
}

/// Write all entries of a store as text
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb store dump /var/lib/naming
  zorb store dump /var/lib/naming --to -")]
struct DumpArgs {
    #[command(flatten)]
    folder: Folder,
    /// File for the dump; `-` for standard output; default: beside the data, as the last dump
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    to: Option<PathBuf>,
}

/// Replace the contents of a store with those of a dump
///
/// Uses the last dump beside the data that is whole. The replaced file is kept as `replaced.redb`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb store restore /var/lib/naming
  zorb store restore /var/lib/naming --from naming.jsonl")]
struct RestoreArgs {
    #[command(flatten)]
    folder: Folder,
    /// Dump to use instead of those beside the data
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct Folder {
    /// Folder of the store
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// JSON output
    #[arg(long)]
    json: bool,
}

impl Folder {
    fn print(&self, json: &Value, text: &str) -> Result<(), Failure> {
        if self.json { screen::print_json(json) } else { screen::print(text) }
    }
}

pub(crate) fn run(args: &StoreArgs) -> Outcome {
    match &args.command {
        StoreCommand::Info(args) => {
            let info = maintenance::info(&args.folder.path)?;
            args.folder.print(&info_json(&info), &info_text(&info))?;
            Ok(OK)
        }
        StoreCommand::Check(args) => {
            let checked = maintenance::check(&args.folder.path)?;
            args.folder.print(&checked_json(&checked), &checked_text(&checked))?;
            let whole = checked.dumps.iter().all(|(_, contents)| contents.is_ok());
            Ok(if whole { OK } else { FAILED })
        }
        StoreCommand::Dump(args) => dump(args),
        StoreCommand::Restore(args) => {
            let restored = maintenance::restore(&args.folder.path, args.from.as_deref())?;
            args.folder.print(&restored_json(&restored), &restored_text(&restored))?;
            Ok(OK)
        }
    }
}

fn dump(args: &DumpArgs) -> Outcome {
    let path = &args.folder.path;
    let Some(to) = &args.to else {
        let contents = maintenance::dump(path, None)?;
        args.folder
            .print(&contents_json(contents), &format!("dumped {}\n", contents_text(contents)))?;
        return Ok(OK);
    };
    if screen::is_standard(to) {
        maintenance::dump(path, Some(&mut io::stdout().lock()))?;
        return Ok(OK);
    }
    let contents = write(path, to)?;
    screen::print_stderr(&format!("dumped {} to {}", contents_text(contents), to.display()));
    Ok(OK)
}

fn write(path: &Path, to: &Path) -> Result<Contents, Failure> {
    let failed = |error: io::Error| Failure::new(format!("{}: {error}", to.display()));
    // Nothing is created if there is no store.
    maintenance::info(path)?;
    // A device or a pipe is written to directly; of a file, an earlier dump stays until the new one is whole.
    let is_replaced = to.metadata().map_or(true, |known| known.is_file());
    let mut written = to.as_os_str().to_owned();
    if is_replaced {
        written.push(".new");
    }
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&written)
        .map_err(failed)?;
    let dumped = maintenance::dump(path, Some(&mut file)).map_err(Failure::from);
    let stored = dumped.and_then(|contents| {
        if is_replaced {
            file.sync_all().and_then(|()| fs::rename(&written, to)).map_err(failed)?;
        }
        Ok(contents)
    });
    if stored.is_err() && is_replaced {
        let _ = fs::remove_file(&written);
    }
    stored
}

fn info_text(info: &Info) -> String {
    let mut text = match info.octets {
        Some(octets) => format!("data: {}\n", counted_octets(octets)),
        None => format!("data: {}\n", paint(WARNING, "missing")),
    };
    text += &match info.process {
        Some(0) => "open in another process\n".to_owned(),
        Some(process) => format!("open in process {process}\n"),
        None => "not open\n".to_owned(),
    };
    for dump in &info.dumps {
        let _ = writeln!(text, "{}", dump_text(dump));
    }
    text
}

fn info_json(info: &Info) -> Value {
    let dumps: Vec<Value> = info.dumps.iter().map(dump_json).collect();
    json!({ "octets": info.octets, "process": info.process, "dumps": dumps })
}

fn checked_text(checked: &Checked) -> String {
    let mut text = format!("{}: {}\n", paint(GOOD, "whole"), counted_octets(checked.octets));
    if checked.recovered {
        text += "recovered from a crash\n";
    }
    for (name, table) in &checked.tables {
        let entries = counted_entries(table.entries);
        let _ = writeln!(
            text,
            "table {}: {entries}, {}",
            screen::visible(name),
            counted_octets(table.octets)
        );
    }
    for (service, version) in &checked.schemas {
        let _ = writeln!(text, "schema of {}: version {version}", screen::visible(service));
    }
    for (dump, contents) in &checked.dumps {
        let state = match contents {
            Ok(contents) => {
                format!("{}, {}", paint(GOOD, "whole"), counted_entries(contents.entries))
            }
            Err(error) => format!("{}: {error}", paint(WARNING, "broken")),
        };
        let _ = writeln!(text, "{}: {state}", dump_text(dump));
    }
    text
}

fn checked_json(checked: &Checked) -> Value {
    let table = |(name, table): (&String, &maintenance::Table)| json!({ "name": name, "entries": table.entries, "octets": table.octets });
    let dump = |(dump, contents): &(DumpFile, Result<Contents, zorb_store::StoreError>)| {
        let mut value = dump_json(dump);
        match contents {
            Ok(contents) => value["entries"] = contents.entries.into(),
            Err(error) => value["error"] = error.to_string().into(),
        }
        value
    };
    json!({
        "octets": checked.octets,
        "recovered": checked.recovered,
        "tables": checked.tables.iter().map(table).collect::<Vec<_>>(),
        "schemas": checked.schemas,
        "dumps": checked.dumps.iter().map(dump).collect::<Vec<_>>(),
    })
}

fn restored_text(restored: &Restored) -> String {
    let mut text = String::new();
    for skipped in &restored.skipped {
        let _ = writeln!(text, "{} {skipped}", paint(WARNING, "skipped"));
    }
    let contents = contents_text(restored.contents);
    let _ = writeln!(text, "restored {contents} from {}", restored.dump.display());
    if let Some(replaced) = &restored.replaced {
        let _ = writeln!(text, "the replaced file is {}", replaced.display());
    }
    text
}

fn restored_json(restored: &Restored) -> Value {
    let mut value = contents_json(restored.contents);
    value["dump"] = restored.dump.display().to_string().into();
    value["replaced"] = restored.replaced.as_ref().map(|path| path.display().to_string()).into();
    value["skipped"] = restored.skipped.iter().map(ToString::to_string).collect::<Vec<_>>().into();
    value
}

fn contents_text(contents: Contents) -> String {
    format!("{}, {}", counted_entries(contents.entries), counted_octets(contents.octets))
}

fn contents_json(contents: Contents) -> Value {
    json!({ "entries": contents.entries, "octets": contents.octets })
}

fn dump_text(dump: &DumpFile) -> String {
    let age = dump.time.and_then(|time| SystemTime::now().duration_since(time).ok());
    let age = age.map_or(String::new(), |age| format!(", {} s old", age.as_secs()));
    format!("dump {}: {}{age}", dump.path.display(), counted_octets(dump.octets))
}

fn dump_json(dump: &DumpFile) -> Value {
    let time = dump.time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    json!({
        "path": dump.path.display().to_string(),
        "octets": dump.octets,
        "unix_time": time.map(|time| time.as_secs()),
    })
}

fn counted_octets(octets: u64) -> String {
    counted(usize::try_from(octets).unwrap_or(usize::MAX), "octet")
}

fn counted_entries(entries: u64) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        entries => format!("{entries} entries"),
    }
}
