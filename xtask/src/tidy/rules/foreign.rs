//! The project speaks of itself alone: no path of the machine it was written on, no registry's host.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "foreign",
    why: "no path of somebody's workplace and no package registry's host in a committed file",
    excusable: false,
    check,
};

/// Top folders of workplaces, put together here so that this file holds none of them.
const FOLDERS: [&str; 3] = ["work", "root", "farm"];

/// Registry hosts as (name, domain), for the same reason.
const HOSTS: [(&str, &str); 10] = [
    ("crates", "io"),
    ("pypi", "org"),
    ("files.pythonhosted", "org"),
    ("registry.npmjs", "org"),
    ("proxy.golang", "org"),
    ("repo.maven.apache", "org"),
    ("repo1.maven", "org"),
    ("deb.debian", "org"),
    ("security.debian", "org"),
    ("snapshot.debian", "org"),
];

fn check(tree: &Tree) -> Vec<Finding> {
    let folders: Vec<String> = FOLDERS.iter().map(|name| format!("/{name}/")).collect();
    let hosts: Vec<String> =
        HOSTS.iter().map(|(name, domain)| format!("{name}.{domain}")).collect();
    let mut findings = Vec::new();
    // Cargo writes its registry into the lock file; nobody edits that.
    for file in tree.files().iter().filter(|file| !file.path.ends_with("Cargo.lock")) {
        for (index, line) in file.text.lines().enumerate() {
            let mut find =
                |needle: &String, standing: fn(&str, usize, usize) -> bool, what: &str| {
                    let mut places = line.match_indices(needle.as_str());
                    if places.any(|(at, _)| standing(line, at, needle.len())) {
                        findings.push(Finding::new(&file.path, index + 1, what));
                    }
                };
            for folder in &folders {
                find(folder, starts_a_path, "write a path relative to the project");
            }
            for host in &hosts {
                find(host, is_whole_host, "leave the registry's host to the package manager");
            }
        }
    }
    findings
}

/// Nothing before the slash that would make it the middle of another path or address.
fn starts_a_path(line: &str, at: usize, _: usize) -> bool {
    let before = line[..at].chars().next_back();
    !before.is_some_and(|c| c.is_alphanumeric() || "._-~/*}$)>".contains(c))
}

fn is_whole_host(line: &str, at: usize, length: usize) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + length..].chars().next();
    !before.is_some_and(|c| c.is_alphanumeric() || c == '-')
        && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    fn hits(text: &str) -> usize {
        places(&RULE, &[("docs/a.md", text)]).len()
    }

    #[test]
    fn absolute_paths_of_workplaces_fire() {
        for folder in FOLDERS {
            assert_eq!(hits(&format!("see /{folder}/main")), 1);
            assert_eq!(hits(&format!("a\nb = \"/{folder}/x\"")), 1);
            assert_eq!(hits(&format!("docs/{folder}/a.md, ../{folder}/b, $HOME/{folder}/c")), 0);
        }
    }

    #[test]
    fn registry_hosts_fire() {
        for (name, domain) in HOSTS {
            assert_eq!(hits(&format!("get it from https://{name}.{domain}/x")), 1);
        }
        let (name, domain) = HOSTS[0];
        assert_eq!(hits(&format!("my{name}.{domain}")), 0);
        assert_eq!(hits(&format!("{name}.{domain}_x")), 0);
    }

    #[test]
    fn the_lock_file_is_cargos() {
        let (name, domain) = HOSTS[0];
        let text = format!("{name}.{domain}");
        assert!(places(&RULE, &[("Cargo.lock", &text)]).is_empty());
    }
}
