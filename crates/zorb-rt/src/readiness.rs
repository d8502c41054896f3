//! Checks the configuration of a machine for real-time threads.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use zorb_os::priority::{self, Schedule};

#[cfg(test)]
mod tests;

/// How suitable a setting of the machine is for real-time threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Suitable.
    Good,
    /// It delays calls occasionally.
    Limited,
    /// Priorities have no effect.
    Bad,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "good",
            Self::Limited => "limited",
            Self::Bad => "bad",
        })
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the check.
    pub subject: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The finding.
    pub found: String,
    /// How to improve it; `None` for the verdict [`Verdict::Good`].
    pub advice: Option<&'static str>,
}

impl Finding {
    fn new(
        subject: &'static str,
        verdict: Verdict,
        found: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        let advice = (verdict != Verdict::Good).then_some(advice);
        Self { subject, verdict, found: found.into(), advice }
    }
}

/// Checks whether this process may use real-time priorities, and how the machine is configured for real-time threads:
/// permissions, kernel, throttling, memory, processors. It changes nothing; what it tries, it tries on its own thread.
///
/// ```
/// for finding in zorb_rt::examine() {
///     println!("{:8} {}: {}", finding.verdict, finding.subject, finding.found);
/// }
/// ```
#[must_use]
pub fn examine() -> Vec<Finding> {
    let machine = Machine { root: PathBuf::from("/") };
    let mut findings = vec![priorities(), machine.throttling(), machine.fair_server()];
    findings.push(machine.kernel());
    findings.extend([machine.locking(), machine.swapping(), machine.huge_pages()]);
    findings.extend([machine.governor(), machine.processors(), machine.clock()]);
    findings.push(machine.hypervisor());
    findings
}

/// Whether threads can be given real-time priorities.
fn priorities() -> Finding {
    let highest = super::NativePriority::DEFAULT_MAX.0;
    let level = u8::try_from(highest).unwrap_or(1);
    let tried = std::thread::spawn(move || priority::set(Schedule::Fifo(level))).join();
    let (verdict, found) = match tried {
        Ok(Ok(())) => (Verdict::Good, format!("threads can have SCHED_FIFO {level}")),
        Ok(Err(error)) => {
            (Verdict::Bad, format!("threads cannot have SCHED_FIFO {level}: {error}"))
        }
        Err(_) => (Verdict::Bad, "the thread that tries it panicked".to_owned()),
    };
    let advice = "give the program CAP_SYS_NICE (setcap cap_sys_nice+ep), or its user a limit rtprio \
                  of 89 in /etc/security/limits.conf";
    Finding::new("priorities", verdict, found, advice)
}

/// The files that describe a system.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn text(&self, path: &str) -> Option<String> {
        let path = self.root.join(Path::new(path));
        Some(fs::read_to_string(path).ok()?.trim().to_owned())
    }

    /// The selected value in a list, which is enclosed in two delimiters.
    fn selected(&self, path: &str, left: char, right: char) -> Option<String> {
        let text = self.text(path)?;
        let (_, rest) = text.split_once(left)?;
        Some(rest.split_once(right)?.0.to_owned())
    }

    fn throttling(&self) -> Finding {
        let number = |name: &str| -> Option<i64> {
            self.text(&format!("proc/sys/kernel/sched_rt_{name}_us"))?.parse().ok()
        };
        let (verdict, found) = match (number("runtime"), number("period")) {
            (Some(-1), _) => (Verdict::Good, "real-time threads are not throttled".to_owned()),
            (Some(runtime), Some(period)) => {
                let found = format!("real-time threads get {runtime} of every {period} us");
                (Verdict::Limited, found)
            }
            _ => (Verdict::Limited, "unknown".to_owned()),
        };
        let advice = "keep real-time threads well below that share of a processor; -1 in \
                      /proc/sys/kernel/sched_rt_runtime_us removes the limit, but then a thread \
                      that loops can block the machine";
        Finding::new("throttling", verdict, found, advice)
    }

    /// Since Linux 6.12, a deadline server gives other threads a part of each period even if real-time threads are
    /// ready.
    fn fair_server(&self) -> Finding {
        let micros = |name: &str| {
            let nanos = self.text(&format!("sys/kernel/debug/sched/fair_server/cpu0/{name}"))?;
            Some(nanos.parse::<u64>().ok()? / 1000)
        };
        let (verdict, found) = match (micros("runtime"), micros("period")) {
            (Some(0), _) => (Verdict::Good, "turned off".to_owned()),
            (Some(runtime), Some(period)) => {
                let found = format!("other threads get {runtime} of every {period} us");
                (Verdict::Limited, found)
            }
            _ if self.release().is_some_and(|release| release >= (6, 12)) => {
                let found = "cannot be read; the default is 50 of every 1000 ms".to_owned();
                (Verdict::Limited, found)
            }
            _ => (Verdict::Good, "none in this kernel".to_owned()),
        };
        let advice = "keep real-time threads below 95 % of a processor; 0 in \
                      /sys/kernel/debug/sched/fair_server/cpu*/runtime removes the limit, but \
                      then a thread that loops can block the machine";
        Finding::new("fair server", verdict, found, advice)
    }

    /// The first two numbers of the kernel's version.
    fn release(&self) -> Option<(u32, u32)> {
        let version = self.text("proc/version")?;
        let mut numbers = version.split_whitespace().nth(2)?.split(['.', '-']);
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }

    fn kernel(&self) -> Finding {
        let version = self.text("proc/version").unwrap_or_default();
        let release = version.split_whitespace().nth(2).unwrap_or("unknown").to_owned();
        let is_rt = self.text("sys/kernel/realtime").as_deref() == Some("1")
            || version.contains("PREEMPT_RT");
        let (verdict, kind) = match () {
            () if is_rt => (Verdict::Good, "PREEMPT_RT"),
            () if self.selected("sys/kernel/debug/sched/preempt", '(', ')')
                == Some("full".to_owned()) =>
            {
                (Verdict::Limited, "preemptible (preempt=full), not PREEMPT_RT")
            }
            () if version.contains("PREEMPT_DYNAMIC") => {
                (Verdict::Limited, "preemption selected at boot, not PREEMPT_RT")
            }
            () if version.contains("PREEMPT") => (Verdict::Limited, "preemptible, not PREEMPT_RT"),
            () => (Verdict::Limited, "not preemptible"),
        };
        let advice = "a kernel with PREEMPT_RT bounds how long a thread waits for the kernel; without \
                      one, boot with preempt=full if the kernel supports it";
        Finding::new("kernel", verdict, format!("{release}, {kind}"), advice)
    }

    fn locking(&self) -> Finding {
        /// The bit of `CAP_IPC_LOCK`.
        const IPC_LOCK: u64 = 1 << 14;
        let status = self.text("proc/self/status").unwrap_or_default();
        let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let capabilities =
            capabilities.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        let limits = self.text("proc/self/limits").unwrap_or_default();
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"));
        let limit = limit.and_then(|rest| rest.split_whitespace().next()).unwrap_or("unknown");
        let (verdict, found) = if capabilities.is_some_and(|all| all & IPC_LOCK != 0) {
            (Verdict::Good, "all memory can be locked (CAP_IPC_LOCK)".to_owned())
        } else if limit == "unlimited" {
            (Verdict::Good, "all memory can be locked (no limit)".to_owned())
        } else {
            (Verdict::Limited, format!("{limit} octets of memory can be locked"))
        };
        let advice = "give the program CAP_IPC_LOCK, or its user a limit memlock of unlimited";
        Finding::new("memory locking", verdict, found, advice)
    }

    fn swapping(&self) -> Finding {
        let areas = self.text("proc/swaps").map_or(0, |text| text.lines().skip(1).count());
        let (verdict, found) = match areas {
            0 => (Verdict::Good, "no swap areas".to_owned()),
            count => (Verdict::Limited, format!("{count} swap areas are in use")),
        };
        let advice = "lock memory (RtOrbBuilder::lock_memory), or disable swapping (swapoff -a)";
        Finding::new("swapping", verdict, found, advice)
    }

    fn huge_pages(&self) -> Finding {
        let chosen = self.selected("sys/kernel/mm/transparent_hugepage/enabled", '[', ']');
        let (verdict, found) = match chosen.as_deref() {
            Some("always") => (Verdict::Limited, "created in the background for all memory"),
            Some(_) => (Verdict::Good, "created where programs request them"),
            None => (Verdict::Good, "not supported by this kernel"),
        };
        let advice = "write madvise to /sys/kernel/mm/transparent_hugepage/enabled";
        Finding::new("huge pages", verdict, found, advice)
    }

    fn governor(&self) -> Finding {
        let governor = self.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
        let (verdict, found) = match governor.as_deref() {
            None => (Verdict::Good, "no frequency scaling".to_owned()),
            Some("performance") => (Verdict::Good, "performance".to_owned()),
            Some(other) => (Verdict::Limited, format!("{other}: processors slow down when idle")),
        };
        let advice = "cpupower frequency-set -g performance";
        Finding::new("governor", verdict, found, advice)
    }

    fn processors(&self) -> Finding {
        let listed = |path: &str| self.text(path).filter(|list| !list.is_empty());
        let online =
            listed("sys/devices/system/cpu/online").unwrap_or_else(|| "unknown".to_owned());
        let (verdict, found) = match listed("sys/devices/system/cpu/isolated") {
            Some(isolated) => (Verdict::Good, format!("{online}, isolated: {isolated}")),
            None => (Verdict::Limited, format!("{online}, none isolated")),
        };
        let advice = "boot with isolcpus=LIST (and nohz_full=LIST), and pin lanes there with \
                      LaneBuilder::processors";
        Finding::new("processors", verdict, found, advice)
    }

    fn clock(&self) -> Finding {
        let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
        let source = self.text(path).unwrap_or_else(|| "unknown".to_owned());
        let is_fast = matches!(source.as_str(), "tsc" | "arch_sys_counter" | "kvm-clock");
        let verdict = if is_fast { Verdict::Good } else { Verdict::Limited };
        let advice =
            "find out why the kernel does not use the time stamp counter (dmesg | grep tsc)";
        Finding::new("clock", verdict, source, advice)
    }

    fn hypervisor(&self) -> Finding {
        let flags = self.text("proc/cpuinfo").unwrap_or_default();
        let is_guest = flags
            .lines()
            .find(|line| line.starts_with("flags"))
            .is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
        let (verdict, found) = match is_guest {
            false => (Verdict::Good, "none detected"),
            true => (Verdict::Limited, "this is a virtual machine"),
        };
        let advice = "the host can take processors away at any time: use measurements for comparisons, \
                      not as bounds";
        Finding::new("hypervisor", verdict, found, advice)
    }
}
