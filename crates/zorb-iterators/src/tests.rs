use super::*;

#[test]
fn one_that_is_used_keeps_no_other_from_being_used() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let iterators = Iterators::new(&orb, "Iterators", 2, Duration::from_secs(600)).unwrap();
    let add = |cursor| {
        let id = iterators.table().add(Arc::new(Mutex::new(cursor)), None, Instant::now());
        ObjectId::new(id.to_be_bytes())
    };
    let (first, second) = (add(1), add(2));
    let used = iterators.with(Some(&first), |one| {
        let other = iterators.with(Some(&second), |two| std::mem::replace(two, 20)).unwrap();
        // It does not wait for the end of this use either.
        assert!(iterators.exists(&first) && iterators.count() == 2);
        iterators.destroy(Some(&first)).unwrap();
        *one += other;
        *one
    });
    assert_eq!(used.unwrap(), 3);
    iterators.with(Some(&first), |_| ()).unwrap_err();
    assert_eq!(iterators.with(Some(&second), |two| *two).unwrap(), 20);
    orb.shutdown(true).unwrap();
}

#[test]
fn two_threads_use_one_iterator_in_turn() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let iterators = Iterators::new(&orb, "Iterators", 2, Duration::from_secs(600)).unwrap();
    let id = iterators.table().add(Arc::new(Mutex::new(0)), None, Instant::now());
    let id = ObjectId::new(id.to_be_bytes());
    let next = || {
        iterators.with(Some(&id), |at| {
            let before = *at;
            std::thread::yield_now();
            *at = before + 1;
            before
        })
    };
    let mut returned: Vec<u32> = std::thread::scope(|scope| {
        let each = || (0..100).map(|_| next().unwrap()).collect::<Vec<_>>();
        let threads = [scope.spawn(each), scope.spawn(each)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    returned.sort_unstable();
    assert!(returned.into_iter().eq(0..200));
    orb.shutdown(true).unwrap();
}
