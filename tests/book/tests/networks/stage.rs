//! Networks of hosts that are namespaces of this machine.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

/// Starts a shell that may create namespaces, in ones of its own; whatever it starts ends with it.
fn isolated(script: &str) -> Command {
    let mut command = Command::new("unshare");
    let of_its_own = ["--user", "--map-root-user", "--mount", "--net", "--pid"];
    command.args(of_its_own).args(["--fork", "--kill-child", "--mount-proc"]);
    command.args(["sh", "-e", "-c", script]).stdin(Stdio::null());
    command
}

/// Why there are no such networks here.
pub(crate) fn missing() -> Option<String> {
    let script = "mount -t tmpfs tmpfs /run
        ip netns add one
        ip link add name here type veth peer name there netns one
        ip netns exec one nft add table ip nat";
    match isolated(script).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("no network namespaces: {}", said.lines().next().unwrap_or_default()))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

/// The script that creates a network.
pub(crate) struct Stage(String);

impl Stage {
    /// Hosts without links, with these names.
    pub(crate) fn new(hosts: &str) -> Self {
        let start = "mount -t tmpfs tmpfs /run";
        let mut stage = Self(format!("{start}\n"));
        for host in hosts.split(' ') {
            stage.add(&format!("ip netns add {host}\nip -n {host} link set lo up"));
        }
        stage
    }

    fn add(&mut self, lines: &str) {
        writeln!(self.0, "{lines}").unwrap();
    }

    /// Links two hosts. Each end is an interface and its address.
    pub(crate) fn link(mut self, host: &str, end: &str, other: &str, other_end: &str) -> Self {
        let ends = [(host, end), (other, other_end)].map(|(host, end)| {
            let (interface, address) = end.split_once(' ').unwrap();
            (host, interface, address)
        });
        let [(_, first, _), (_, second, _)] = ends;
        self.add(&format!(
            "ip link add name {first} netns {host} type veth peer name {second} netns {other}"
        ));
        for (host, interface, address) in ends {
            // Nobody else has the address, so the host need not ask.
            let nodad = if address.contains(':') { "nodad" } else { "" };
            self.add(&format!("ip -n {host} addr add {address} dev {interface} {nodad}"));
            self.add(&format!("ip -n {host} link set {interface} up"));
        }
        self
    }

    pub(crate) fn route(mut self, host: &str, route: &str) -> Self {
        self.add(&format!("ip -n {host} route add {route}"));
        self
    }

    /// Makes a host forward packets, and gives it rules.
    pub(crate) fn forwards(mut self, host: &str, rules: &str) -> Self {
        self.add(&format!("ip netns exec {host} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'"));
        self.add(&format!("ip netns exec {host} nft -f - <<'END'\n{rules}\nEND"));
        self
    }

    /// Starts the server on the host `server` with this configuration file, and a client on each of the hosts `clients`;
    /// returns the endpoints of the server, and what each client says.
    pub(crate) fn try_out(&self, toml: &str, clients: &str) -> Vec<String> {
        let call = format!(
            "for client in {clients}; do
              ip netns exec \"$client\" env ROLE=client REFERENCE=\"$reference\" \"$PROGRAM\"
            done"
        );
        let said = self.run(toml, "server", &call);
        assert_eq!(said.len(), 1 + clients.split(' ').count(), "{said:?}");
        said
    }

    /// The same with one-way calls of one client. If it has sent them, the last line is what the server hears.
    pub(crate) fn try_out_one_way(&self, toml: &str, client: &str) -> Vec<String> {
        let send = format!(
            "said=$(ip netns exec {client} env ROLE='one-way client' REFERENCE=\"$reference\" \"$PROGRAM\")
            echo \"$said\"
            if [ \"$said\" = called ]; then
              read -r heard <&3
              echo \"$heard\"
            fi"
        );
        self.run(toml, "one-way server", &send)
    }

    /// Starts a server that calls its clients on the host `server`, and on the host `client` one with this configuration
    /// file and role; returns what that says.
    pub(crate) fn try_out_watching(&self, toml: &str, client: &str, role: &str) -> String {
        let watch = format!(
            "cat > /run/client.toml <<'END'\n{toml}\nEND
            ip netns exec {client} env ROLE='{role}' ZORB_CONFIG=/run/client.toml \\
              REFERENCE=\"$reference\" \"$PROGRAM\""
        );
        let said = self.run("listen_endpoints = [\"iiop://:2809\"]", "watched server", &watch);
        assert_eq!(said.len(), 2, "{said:?}");
        said[1].clone()
    }

    /// Starts the server with a role, and runs the script `calls`; returns the endpoints of the server, and what the script
    /// says.
    fn run(&self, toml: &str, role: &str, calls: &str) -> Vec<String> {
        let network = &self.0;
        let script = format!(
            "{network}
            printf '%s' \"$CONFIGURATION\" > /run/zorb.toml
            mkfifo /run/said
            ip netns exec server env ROLE='{role}' ZORB_CONFIG=/run/zorb.toml \"$PROGRAM\" > /run/said &
            exec 3< /run/said
            read -r endpoints <&3
            read -r reference <&3
            echo \"$endpoints\"
            {calls}"
        );
        let mut command = isolated(&script);
        let program = std::env::current_exe().unwrap();
        command.env("CONFIGURATION", toml).env("PROGRAM", program);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{errors}\n{script}");
        said.lines().map(str::to_owned).collect()
    }
}
