//! What a machine can promise to real-time threads.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use zorb_os::priority::{self, Schedule};

#[cfg(test)]
mod tests;

/// How well something is set up for real-time threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Calls are late now and then because of it.
    Limited,
    /// Priorities do not hold.
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

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, in a word.
    pub subject: &'static str,
    /// How well it is set up.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// What to do about it; `None` where nothing is to be done.
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

/// Looks at what this machine lets this process do, and at how it is set up for real-time threads:
/// permissions, kernel, throttling, memory, processors. Tries what can be tried on a thread of its own,
/// and changes nothing.
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
        Ok(Ok(())) => (Verdict::Good, format!("threads may be SCHED_FIFO {level}")),
        Ok(Err(error)) => (Verdict::Bad, format!("threads may not be SCHED_FIFO {level}: {error}")),
        Err(_) => (Verdict::Bad, "a thread to try it on ended early".to_owned()),
    };
    let advice = "give the program CAP_SYS_NICE (setcap cap_sys_nice+ep), or its user a limit rtprio \
                  of 89 in /etc/security/limits.conf";
    Finding::new("priorities", verdict, found, advice)
}

/// The files by which a system tells of itself.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn text(&self, path: &str) -> Option<String> {
        let path = self.root.join(Path::new(path));
        Some(fs::read_to_string(path).ok()?.trim().to_owned())
    }

    /// The one of several words that stands between two marks.
    fn chosen(&self, path: &str, left: char, right: char) -> Option<String> {
        let text = self.text(path)?;
        let (_, rest) = text.split_once(left)?;
        Some(rest.split_once(right)?.0.to_owned())
    }

    fn throttling(&self) -> Finding {
        let number = |name: &str| -> Option<i64> {
            self.text(&format!("proc/sys/kernel/sched_rt_{name}_us"))?.parse().ok()
        };
        let (verdict, found) = match (number("runtime"), number("period")) {
            (Some(-1), _) => (Verdict::Good, "real-time threads are never stopped".to_owned()),
            (Some(runtime), Some(period)) => {
                let found = format!("real-time threads get {runtime} of each {period} us");
                (Verdict::Limited, found)
            }
            _ => (Verdict::Limited, "the system does not tell".to_owned()),
        };
        let advice = "keep real-time threads well below that share of a processor, or write -1 to \
                      /proc/sys/kernel/sched_rt_runtime_us on a machine that can be reset";
        Finding::new("throttling", verdict, found, advice)
    }

    /// From Linux 6.12 on the threads that share the processor have a server of their own, which
    /// takes its part of each period although real-time threads would run.
    fn fair_server(&self) -> Finding {
        let knob = |name: &str| {
            let micros = self.text(&format!("sys/kernel/debug/sched/fair_server/cpu0/{name}"))?;
            Some(micros.parse::<u64>().ok()? / 1000)
        };
        let (verdict, found) = match (knob("runtime"), knob("period")) {
            (Some(0), _) => (Verdict::Good, "turned off".to_owned()),
            (Some(runtime), Some(period)) => {
                let found = format!("other threads get {runtime} of each {period} us regardless");
                (Verdict::Limited, found)
            }
            _ if self.release().is_some_and(|release| release >= (6, 12)) => {
                let found = "cannot be read; 50 of each 1000 ms by default".to_owned();
                (Verdict::Limited, found)
            }
            _ => (Verdict::Good, "none in this kernel".to_owned()),
        };
        let advice = "keep real-time threads below 95 % of a processor, or write 0 to \
                      /sys/kernel/debug/sched/fair_server/cpu*/runtime on a machine that can be reset";
        Finding::new("fair server", verdict, found, advice)
    }

    /// The kernel's version, as far as it is two numbers.
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
            () if self.chosen("sys/kernel/debug/sched/preempt", '(', ')')
                == Some("full".to_owned()) =>
            {
                (Verdict::Limited, "preemptible (preempt=full), not PREEMPT_RT")
            }
            () if version.contains("PREEMPT_DYNAMIC") => {
                (Verdict::Limited, "preemption chosen at its start, not PREEMPT_RT")
            }
            () if version.contains("PREEMPT") => (Verdict::Limited, "preemptible, not PREEMPT_RT"),
            () => (Verdict::Limited, "not preemptible"),
        };
        let advice = "a kernel with PREEMPT_RT bounds how long a thread waits for the kernel; without \
                      one, boot with preempt=full where the kernel takes it";
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
            (Verdict::Good, "all memory may be locked (CAP_IPC_LOCK)".to_owned())
        } else if limit == "unlimited" {
            (Verdict::Good, "all memory may be locked (no limit)".to_owned())
        } else {
            (Verdict::Limited, format!("{limit} octets of memory may be locked"))
        };
        let advice = "give the program CAP_IPC_LOCK, or its user a limit memlock of unlimited";
        Finding::new("memory locking", verdict, found, advice)
    }

    fn swapping(&self) -> Finding {
        let areas = self.text("proc/swaps").map_or(0, |text| text.lines().skip(1).count());
        let (verdict, found) = match areas {
            0 => (Verdict::Good, "no memory is swapped out".to_owned()),
            count => (Verdict::Limited, format!("{count} swap areas are in use")),
        };
        let advice = "lock memory (lock_memory of RtOrbBuilder), or turn swapping off (swapoff -a)";
        Finding::new("swapping", verdict, found, advice)
    }

    fn huge_pages(&self) -> Finding {
        let chosen = self.chosen("sys/kernel/mm/transparent_hugepage/enabled", '[', ']');
        let (verdict, found) = match chosen.as_deref() {
            Some("always") => (Verdict::Limited, "made of any memory in the background"),
            Some(_) => (Verdict::Good, "made where programs ask for them"),
            None => (Verdict::Good, "not made by this kernel"),
        };
        let advice = "write madvise to /sys/kernel/mm/transparent_hugepage/enabled";
        Finding::new("huge pages", verdict, found, advice)
    }

    fn governor(&self) -> Finding {
        let governor = self.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
        let (verdict, found) = match governor.as_deref() {
            None => (Verdict::Good, "processors do not change their speed here".to_owned()),
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
            Some(isolated) => (Verdict::Good, format!("{online}, of which isolated {isolated}")),
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
            "find out why the kernel does not trust the processors' counter (dmesg | grep tsc)";
        Finding::new("clock", verdict, source, advice)
    }

    fn hypervisor(&self) -> Finding {
        let flags = self.text("proc/cpuinfo").unwrap_or_default();
        let is_guest = flags
            .lines()
            .find(|line| line.starts_with("flags"))
            .is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
        let (verdict, found) = match is_guest {
            false => (Verdict::Good, "none that can be seen"),
            true => (Verdict::Limited, "this is a virtual machine"),
        };
        let advice = "its host may take processors away at any time: what is measured here holds as a \
                      comparison, not as a bound";
        Finding::new("hypervisor", verdict, found, advice)
    }
}
