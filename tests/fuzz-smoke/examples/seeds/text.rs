//! URLs and options, written by hand.

use crate::seed;

const URLS: [(&str, &str); 44] = [
    ("short", "corbaloc::host/key"),
    ("iiop", "corbaloc:iiop:host/key"),
    ("version", "corbaloc:iiop:1.2@host:2809/NameService"),
    ("version-1.1", "corbaloc::1.1@host/key"),
    ("version-high", "corbaloc::255.255@host/key"),
    ("version-broken", "corbaloc::1.@host/key"),
    ("no-host", "corbaloc::/key"),
    ("only-port", "corbaloc:::1234/key"),
    ("port-0", "corbaloc::host:0/key"),
    ("port-high", "corbaloc::host:65536/key"),
    ("port-long", "corbaloc::host:00000000000000000000002809/key"),
    ("no-key", "corbaloc::host"),
    ("empty-key", "corbaloc::host/"),
    ("ipv6", "corbaloc::1.2@[::1]:2809/key"),
    ("ipv6-zone", "corbaloc::[fe80::1%25eth0]:1/key"),
    ("ipv6-open", "corbaloc::[::1/key"),
    ("several", "corbaloc::a:1,:b:2,iiop:1.2@c:3,ssliop:d:4/key"),
    ("comma-last", "corbaloc::a,/key"),
    ("ssliop", "corbaloc:ssliop:1.2@host:684/key"),
    ("vendor", "corbaloc:uiop:1.2@/tmp/x|key"),
    ("vendor-shmiop", "corbaloc:shmiop:1.0@host:1/key"),
    ("rir", "corbaloc:rir:/NameService"),
    ("rir-default", "corbaloc:rir:"),
    ("rir-and-more", "corbaloc:rir:,:host/key"),
    ("escapes", "corbaloc::host/a%20b%2Fc%00%ff"),
    ("escape-broken", "corbaloc::host/a%2"),
    ("escape-no-hex", "corbaloc::host/%zz"),
    ("every-mark", "corbaloc::host/;/?:@&=+$,-_.!~*'()"),
    ("not-ascii", "corbaloc::h\u{f6}st/k\u{20ac}y"),
    ("capitals", "CORBALOC:IIOP:Host/Key"),
    ("name", "corbaname::host/NameService#a/b.c"),
    ("name-default-key", "corbaname::host#a"),
    ("name-rir", "corbaname:rir:#x.y/z"),
    ("name-empty", "corbaname::host#"),
    ("name-none", "corbaname::host"),
    ("name-escaped", "corbaname::host:1/K#a%20b/c.d%5C.e"),
    ("name-dots", "corbaname:rir:#a..b"),
    ("file", "file:///tmp/x%20y.ior"),
    ("file-host", "file://host/x"),
    ("file-short", "file:/x"),
    ("address", "[::1]:2809"),
    ("string-name", "a\\.b.kind/c\\/d/.only-kind"),
    ("http", "http://host/x"),
    ("nothing", ""),
];

const OPTIONS: [(&str, &str); 14] = [
    (
        "all.toml",
        "id = \"fuzz\"\nlisten_endpoints = [\"iiop://:0\", \"iiop://[::1]:1\"]\n\
         default_init_ref = \"corbaloc::host\"\nconnect_timeout = 500\nround_trip_timeout = 1000\n\
         max_message_size = 65536\nmax_connections = 10\nmax_connections_per_endpoint = 2\n\
         max_threads_per_connection = 4\nmax_held_requests = 8\nmax_forwards = 3\n\
         stall_takeover = 20\n[init_ref]\nNameService = \"corbaloc::host/NameService\"\n",
    ),
    ("strings.toml", "max_forwards = \"7\"\nlisten_endpoints = \"iiop://a:1;iiop://b:2\"\n"),
    ("zero.toml", "round_trip_timeout = 0\nmax_held_requests = 0\n"),
    ("too-large.toml", "max_connections = 9223372036854775807\n"),
    ("negative.toml", "max_connections = -1\n"),
    ("wrong-form.toml", "connect_timeout = [1, 2]\n"),
    ("unknown.toml", "listen_endpoint = \"iiop://:0\"\n"),
    ("date.toml", "id = 1979-05-27T07:32:00Z\n"),
    ("twice.toml", "id = \"a\"\nid = \"b\"\n"),
    ("tables.toml", "[[init_ref]]\na = \"b\"\n[init_ref.c]\nd = 1\n"),
    (
        "arguments",
        "program\n-ORBInitRef\nNameService=corbaloc::host/NameService\n-ORBListenEndpoints\n\
         iiop://:0;iiop://h:1\n--other\n-ORBNoProprietaryActivation\n-ORBServerId\nx\n\
         -ORBDefaultInitRef\ncorbaloc::host\n-ORBmaxforwards\n5\n-ORBId\nfuzz\n",
    ),
    ("arguments-missing", "-ORBMaxForwards"),
    ("arguments-no-name", "-ORBInitRef\n=x\n"),
    (
        "environment",
        "ZORB_CONNECT_TIMEOUT=5\nZORB_INIT_REF=A=corbaloc::h/A;B=corbaloc::h/B\nZORB_CONFIG=x\n\
         ZORB_MAX_FORWARDS=many\nPATH=/bin\n",
    ),
];

/// Task sets; the operations of `a` and `b` are put behind.
const SCHEDULES: [(&str, &str); 8] = [
    ("rms.toml", ""),
    ("dm.toml", "[system]\nstrategy = \"dm\"\npriorities = [3, 3]\noverhead = \"5 us\"\n"),
    ("edf.toml", "[system]\nstrategy = \"edf\"\n"),
    ("edf-preemptive.toml", "[system]\nstrategy = \"edf\"\npreemptive = true\n"),
    ("mlf.toml", "[system]\nstrategy = \"mlf\"\nprocessors = 2\n"),
    ("muf.toml", "[system]\nstrategy = \"muf\"\nprocessors = 3\n"),
    ("processors.toml", "[system]\nprocessors = 1024\n"),
    ("unknown.toml", "[system]\nspeed = 3\n"),
];

const OPERATIONS: &str = "\
[[operation]]\nname = \"a\"\nworst = \"1 ms\"\nperiod = \"5 ms\"\ncriticality = \"high\"\n\
calls = [{ operation = \"c\", times = 2 }, { operation = \"b\", way = \"one\" }]\n\
[[operation]]\nname = \"b\"\nworst = \"0.5 ms\"\ntype = \"conjunction\"\n\
[[operation]]\nname = \"c\"\nworst = \"100 us\"\n\
[[operation]]\nname = \"d\"\nworst = \"2 ms\"\nperiod = \"20 ms\"\ndeadline = \"30 ms\"\n\
jitter = \"1 ms\"\nblocking = \"3 us\"\nthreads = 2\nimportance = \"low\"\n\
calls = [{ operation = \"b\", way = \"one\" }]\n";

/// A data file of omniNames.
const OMNINAMES: &[u8] = include_bytes!("../../../../crates/zorb-naming/tests/data/omninames.dat");

fn omninames() {
    const ROOT: &str = "create 4e616d6553657276696365\n";
    seed("omninames", "omninames.dat", OMNINAMES);
    seed("omninames", "cut.dat", OMNINAMES.get(..3000).unwrap_or_default());
    seed("omninames", "empty.dat", format!("port 2809\npersistent 00\n{ROOT}"));
    seed("omninames", "nil.dat", format!("{ROOT}bind IOR:00 a\\ b \\\\ nobject IOR:00\n"));
}

fn usage_files() {
    const HEAD: &str = "zorb-usage 1\n# One of 16 calls and requests is counted.\n";
    let shop = "90 0 IDL:Shop/Till:1.0 sell\n7 3 IDL:Shop/Till:1.0 _get_total\n0 4 - close\n";
    seed("usage", "shop.usage", format!("{HEAD}{shop}"));
    let even: String = (0..40).map(|number| format!("5 5 IDL:A:1.0 op{number}\n")).collect();
    seed("usage", "even.usage", format!("{HEAD}{even}"));
    let most = format!("{0} {0} IDL:A:1.0 a\n", u64::MAX);
    seed("usage", "most.usage", format!("{HEAD}{most}{most}1 0 IDL:A:1.0 b\n"));
    seed("usage", "none.usage", HEAD);
}

fn schedules() {
    for (name, system) in SCHEDULES {
        seed("schedule", name, format!("{system}{OPERATIONS}"));
    }
    let hog =
        "[[operation]]\nname = \"hog\"\nworst = \"9 s\"\nperiod = \"9 s\"\nthreads = 4294967295\n";
    seed("schedule", "threads.toml", hog);
    let circle = OPERATIONS
        .replace("worst = \"100 us\"\n", "worst = \"100 us\"\ncalls = [{ operation = \"a\" }]\n");
    seed("schedule", "circle.toml", circle);
    let table = "[[queue]]\nnumber = 0\npriority = 9\ndispatching = \"static\"\n[[operation]]\n\
                 name = \"a\"\npriority = 9\nqueue = 0\nsubpriority = 1\nprocessor = 0\n";
    seed("schedule", "table.toml", table);
}

pub(crate) fn write() {
    schedules();
    omninames();
    usage_files();
    for (name, text) in URLS {
        seed("corbaloc", name, text);
    }
    let many = vec![":h"; 70].join(",");
    seed("corbaloc", "many-addresses", format!("corbaloc:{many}/key"));
    for (name, text) in OPTIONS {
        seed("options", name, text);
    }
    seed("options", "deep-arrays.toml", format!("id = {}", "[".repeat(300)));
    seed("options", "deep-tables.toml", format!("id = {}1", "{a=".repeat(300)));
    seed("options", "deep-key.toml", format!("[{}a]\n", "a.".repeat(300)));
    seed("ior", "nil.txt", format!("IOR:{}", "0".repeat(24)));
    seed("ior", "odd.txt", "IOR:0");
    seed("ior", "many-profiles.txt", "ior:00000000000000010000000000ffffffff");
}
