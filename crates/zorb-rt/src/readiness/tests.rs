use super::*;

/// A machine with these files.
fn machine(name: &str, files: &[(&str, &str)]) -> Machine {
    let root = std::env::temp_dir().join(format!("zorb-rt-{}-{name}", std::process::id()));
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Machine { root }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if self.root != Path::new("/") {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

fn all(machine: &Machine) -> Vec<Finding> {
    vec![
        machine.throttling(),
        machine.fair_server(),
        machine.kernel(),
        machine.locking(),
        machine.swapping(),
        machine.huge_pages(),
        machine.governor(),
        machine.processors(),
        machine.clock(),
        machine.hypervisor(),
    ]
}

#[test]
fn a_well_configured_machine_gets_no_advice() {
    let machine = machine(
        "good",
        &[
            ("proc/sys/kernel/sched_rt_runtime_us", "-1\n"),
            ("proc/sys/kernel/sched_rt_period_us", "1000000\n"),
            ("sys/kernel/debug/sched/fair_server/cpu0/runtime", "0\n"),
            ("sys/kernel/debug/sched/fair_server/cpu0/period", "1000000000\n"),
            ("proc/version", "Linux version 6.12.1-rt5 (x) (gcc) #1 SMP PREEMPT_RT date\n"),
            ("proc/self/status", "Name:\tx\nCapEff:\t0000000000004000\n"),
            ("proc/self/limits", "Max locked memory  8388608 8388608 bytes\n"),
            ("proc/swaps", "Filename Type Size Used Priority\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/online", "0-7\n"),
            ("sys/devices/system/cpu/isolated", "4-7\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("proc/cpuinfo", "processor : 0\nflags\t\t: fpu tsc\n"),
        ],
    );
    for finding in all(&machine) {
        assert_eq!((finding.verdict, finding.advice), (Verdict::Good, None), "{finding:?}");
    }
    assert_eq!(machine.kernel().found, "6.12.1-rt5, PREEMPT_RT");
    assert_eq!(machine.processors().found, "0-7, isolated: 4-7");
}

#[test]
fn limitations_are_reported_with_advice() {
    let machine = machine(
        "limited",
        &[
            ("proc/sys/kernel/sched_rt_runtime_us", "950000\n"),
            ("proc/sys/kernel/sched_rt_period_us", "1000000\n"),
            ("proc/version", "Linux version 6.18.44+ (x) #1 SMP PREEMPT_DYNAMIC date\n"),
            ("proc/self/status", "CapEff:\t0000000000000000\n"),
            ("proc/self/limits", "Max locked memory  8388608 8388608 bytes\n"),
            ("proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
            ("sys/devices/system/cpu/isolated", "\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("proc/cpuinfo", "flags\t\t: fpu hypervisor\n"),
        ],
    );
    for finding in all(&machine) {
        assert_eq!(finding.verdict, Verdict::Limited, "{finding:?}");
        assert!(finding.advice.is_some());
    }
    assert_eq!(machine.throttling().found, "real-time threads get 950000 of every 1000000 us");
    assert_eq!(machine.fair_server().found, "cannot be read; the default is 50 of every 1000 ms");
    assert_eq!(machine.locking().found, "8388608 octets of memory can be locked");
}

#[test]
fn kernels_are_described_by_what_can_be_read() {
    let older = machine("older", &[("proc/version", "Linux version 6.6.30-1 (x) #1 SMP date\n")]);
    assert_eq!(older.fair_server().found, "none in this kernel");
    let readable = machine(
        "readable",
        &[
            ("proc/version", "Linux version 6.12.0 (x) #1 SMP PREEMPT_DYNAMIC date\n"),
            ("sys/kernel/debug/sched/fair_server/cpu0/runtime", "50000000\n"),
            ("sys/kernel/debug/sched/fair_server/cpu0/period", "1000000000\n"),
            ("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n"),
        ],
    );
    let server = readable.fair_server();
    assert_eq!(server.found, "other threads get 50000 of every 1000000 us");
    assert_eq!(server.verdict, Verdict::Limited);
    assert_eq!(readable.kernel().found, "6.12.0, preemptible (preempt=full), not PREEMPT_RT");
}

#[test]
fn a_system_without_readable_files_is_examined_too() {
    let machine = machine("silent", &[]);
    assert_eq!(all(&machine).len(), 10);
    assert_eq!(machine.kernel().found, "unknown, not preemptible");
    let here = examine();
    assert_eq!(here.len(), 11);
    assert!(
        here.iter().all(|finding| finding.verdict == Verdict::Good || finding.advice.is_some())
    );
}
