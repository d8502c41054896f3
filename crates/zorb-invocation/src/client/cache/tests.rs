use zorb_tcp::IiopProtocol;

use super::*;

#[test]
fn pools_without_a_reference_do_not_pile_up() {
    let protocol: Arc<dyn Protocol> = Arc::new(IiopProtocol::new());
    let cache = ConnectionCache::default();
    let pool = |number: usize| {
        let endpoint = Endpoint::new("iiop", &format!("host{number}:2809")).unwrap();
        let options = Options::default();
        cache.pool(&endpoint, &ConnectionClass::plain(&options), &protocol, &options)
    };
    let kept = pool(0);
    for number in 1..10 * MAX_UNUSED {
        pool(number);
    }
    assert!(cache.pools.lock().by_key.len() <= MAX_UNUSED);
    assert!(Arc::ptr_eq(&kept, &pool(0)), "one that is referred to stays");
    // The number of pools in use is not limited.
    let many: Vec<_> = (0..2 * MAX_UNUSED).map(pool).collect();
    assert!(many.iter().enumerate().all(|(number, known)| Arc::ptr_eq(known, &pool(number))));
}
