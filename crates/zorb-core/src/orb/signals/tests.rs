use signal_hook::consts::SIGURG;

use super::*;

#[test]
fn signals_are_registered_all_or_none() {
    let is_on = Arc::new(AtomicBool::new(false));
    assert!(register_all(&[SIGURG, c_int::MAX], &is_on).is_err());
    assert_eq!(Arc::strong_count(&is_on), 1, "no handler has it");
    register_all(&[SIGURG], &is_on).unwrap();
    assert_eq!(Arc::strong_count(&is_on), 2);
}
