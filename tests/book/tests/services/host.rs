//! A host that consists of namespaces of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The address of the host's network interface.
pub(crate) const ADDRESS: &str = "192.0.2.7";

/// The commands that scripts have, and folders as on a host that has just been installed.
const PRELUDE: &str = "
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /var/log
ip link set lo up
ip link add name eth0 type veth peer name eth1
ip addr add 192.0.2.7/24 dev eth0
ip link set eth0 up
ip link set eth1 up
mkfifo /run/said

# Starts a server and waits until it serves.
serve() {
  \"$@\" > /run/references 2> /run/said &
  server=$!
  exec 3< /run/said
  while read -r line <&3; do
    case \"$line\" in serving*) return 0 ;; *) echo \"$line\" >&2 ;; esac
  done
  echo \"it does not serve: $*\" >&2
  return 1
}

# Stops the server.
stop() {
  kill -TERM \"$server\"
  wait \"$server\"
}
";

/// Starts a shell with namespaces of its own; whatever it starts ends with it.
fn isolated(script: &str) -> Command {
    let mut command = Command::new("unshare");
    let of_its_own = ["--user", "--map-root-user", "--mount", "--net", "--pid"];
    command.args(of_its_own).args(["--fork", "--kill-child", "--mount-proc"]);
    command.args(["sh", "-e", "-c", script]).stdin(Stdio::null());
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("ZORB_") {
            command.env_remove(variable);
        }
    }
    command
}

/// The folder of the program `zorb`: that of the programs of these tests.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_bank-server")).parent().unwrap().to_owned()
}

/// Why there is no such host here.
pub(crate) fn missing() -> Option<String> {
    if !programs().join("zorb").is_file() {
        return Some("zorb is not built: cargo build -p zorb-cli".to_owned());
    }
    match isolated(PRELUDE).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("no namespaces: {}", said.lines().next().unwrap_or_default()))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

/// Runs a script on a new host. All its commands must succeed. Returns the lines that it says.
pub(crate) fn run(script: &str) -> Vec<String> {
    let mut command = isolated(&format!("{PRELUDE}\n{script}"));
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", programs().display()));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}\n{script}");
    said.lines().map(str::to_owned).collect()
}
