use super::*;

const ALLOWED: Duration = Duration::from_millis(40);

/// A stream of 60 frames a second whose clock is far from the receiver's.
fn sent(sequence: u32) -> Stamp {
    Stamp { sequence, sent: 5_000_000_000 + u64::from(sequence) * 16_667 }
}

/// When a frame arrives that takes `transit` microseconds.
fn arrived(sequence: u32, transit: u64) -> u64 {
    u64::from(sequence) * 16_667 + 1_000_000 + transit
}

#[test]
fn an_even_stream_has_neither_jitter_nor_loss() {
    let mut receiver = Receiver::new(ALLOWED);
    for sequence in 0..5000 {
        assert_eq!(receiver.take_at(sent(sequence), arrived(sequence, 300)), Verdict::OnTime);
    }
    let report = receiver.report();
    let expected = Report { highest: 4999, received: 5000, ..Report::default() };
    assert_eq!(report, expected);
}

#[test]
fn lost_frames_are_counted_and_late_ones_are_dropped() {
    let mut receiver = Receiver::new(ALLOWED);
    for sequence in 0..1000 {
        match sequence % 10 {
            3 => {}
            7 => {
                let late = receiver.take_at(sent(sequence), arrived(sequence, 50_000));
                assert_eq!(late, Verdict::Late);
            }
            _ => assert_eq!(
                receiver.take_at(sent(sequence), arrived(sequence, 100)),
                Verdict::OnTime
            ),
        }
    }
    let report = receiver.report();
    assert_eq!((report.received, report.lost, report.late), (900, 100, 100));
    assert_eq!(report.fraction_lost, 25, "a tenth of 256");
    // The next fraction covers the frames since then.
    for sequence in 1000..1100 {
        receiver.take_at(sent(sequence), arrived(sequence, 100));
    }
    let report = receiver.report();
    assert_eq!((report.lost, report.fraction_lost), (100, 0));
}

#[test]
fn the_jitter_is_that_of_the_standard() {
    let mut receiver = Receiver::new(ALLOWED);
    // Every other frame takes 1600 µs longer.
    for sequence in 0..1000 {
        receiver.take_at(sent(sequence), arrived(sequence, u64::from(sequence % 2) * 1600));
    }
    let jitter = receiver.report().jitter;
    assert!((1590..=1600).contains(&jitter), "{jitter}");
}

#[test]
fn frames_come_in_any_order_once() {
    let mut receiver = Receiver::new(ALLOWED);
    for sequence in [5, 4, 7, 6, 10, 8, 9] {
        assert_eq!(receiver.take_at(sent(sequence), arrived(sequence, 0)), Verdict::OnTime);
        assert_eq!(receiver.take_at(sent(sequence), arrived(sequence, 0)), Verdict::Again);
    }
    let report = receiver.report();
    assert_eq!((report.highest, report.received, report.lost), (10, 7, 0));
    // So old that duplicates are not detected.
    receiver.take_at(sent(200), arrived(200, 0));
    assert_eq!(receiver.take_at(sent(100), arrived(200, 0)), Verdict::Again);
}

#[test]
fn numbers_go_round_and_clocks_may_lie() {
    let mut receiver = Receiver::new(ALLOWED);
    for step in 0..200_u32 {
        let stamp = Stamp { sequence: (u32::MAX - 99).wrapping_add(step), sent: u64::from(step) };
        assert_eq!(receiver.take_at(stamp, u64::from(step)), Verdict::OnTime);
    }
    let report = receiver.report();
    assert_eq!((report.highest, report.received, report.lost), (99, 200, 0));
    for (step, sent) in (200_u32..).zip([0, u64::MAX, 1 << 63, 1]) {
        receiver.take_at(Stamp { sequence: 99_u32.wrapping_add(step), sent }, u64::MAX / 3);
    }
    assert!(receiver.report().jitter > 0);
}
