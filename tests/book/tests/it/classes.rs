//! The table of QoS classes agrees with the code.

use std::fmt::Write as _;
use std::time::Duration;

use crate::support::made::check;
use zorb::giop::ProfileTag;
use zorb::rt::{Qos, QosClass, expand};

fn octets(count: u32) -> String {
    match count {
        count if count % (1 << 20) == 0 => format!("{} MiB", count >> 20),
        count if count % (1 << 10) == 0 => format!("{} KiB", count >> 10),
        count => format!("{count} octets"),
    }
}

fn protocol(profile: ProfileTag) -> &'static str {
    match profile {
        ProfileTag::INTERNET_IOP => "iiop",
        ProfileTag::TAO_UIOP => "uiop",
        ProfileTag::TAO_SHMIOP => "shmiop",
        ProfileTag::TAO_DIOP => "diop",
        other => panic!("{other}"),
    }
}

fn time(limit: Option<Duration>) -> String {
    limit.map_or_else(|| "none".to_owned(), |limit| format!("{limit:?}"))
}

#[test]
fn the_classes_expand_as_the_book_says() {
    let ms = Duration::from_millis;
    let control = Qos::new(QosClass::LowLatencyTransaction);
    let media = Qos::new(QosClass::ContinuousMedia);
    let stream = Qos::new(QosClass::HighBandwidthStream);
    let asked = [
        ("control loop: 100/s, 64 octets, 2 ms", control.rate(100).size(64).deadline(ms(2))),
        ("alarm: 1/s, 256 octets, 50 ms", control.size(256).deadline(ms(50))),
        ("audio: 50/s, 1,400 octets, 1 % loss", media.rate(50).size(1400).loss(10)),
        ("video: 25/s, 200 KiB, 80 ms", media.rate(25).size(200 << 10).deadline(ms(80))),
        ("camera: 30/s, 6 MiB, 100 ms", stream.rate(30).size(6 << 20).deadline(ms(100))),
        ("radar: 200/s, 64 KiB, 20 ms", stream.rate(200).size(64 << 10).deadline(ms(20))),
        ("upload: 1 MiB", Qos::new(QosClass::BulkData).size(1 << 20)),
    ];
    let mut made = String::from(
        "| Calls | Class | Priority | Threads | Queued | DSCP | Buffers | Protocols | Private connection | One-way calls \
         | Timeout: call, sending |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (calls, qos) in asked {
        let expansion = expand(&qos);
        let properties = expansion.protocols[0].properties.unwrap();
        let threads = match expansion.dynamic_threads {
            0 => expansion.threads.to_string(),
            more => format!("{} + {more}", expansion.threads),
        };
        let waiting =
            expansion.buffering.map_or_else(|| "0".to_owned(), |b| b.max_requests.to_string());
        let protocols: Vec<&str> =
            expansion.protocols.iter().map(|choice| protocol(choice.profile)).collect();
        let _ = writeln!(
            made,
            "| {calls} | {} | {} | {threads} | {waiting} | {} | {} | {} | {} | {:?} | {}, {} |",
            qos.class,
            expansion.priority.value(),
            properties.dscp.unwrap(),
            octets(properties.send_buffer.unwrap()),
            protocols.join(", "),
            if expansion.private { "yes" } else { "no" },
            expansion.sync_scope,
            time(expansion.round_trip),
            time(expansion.request),
        );
    }
    check("docs/src/realtime.md", "classes", &made);
}
