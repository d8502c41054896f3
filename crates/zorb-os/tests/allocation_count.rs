//! Tests with the counting allocator installed.

use std::hint::black_box;

use zorb_os::alloc::{AllocationCount, CountingAllocator, refuse_above};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_box_is_one_allocation_and_one_free() {
    let (boxed, used) = AllocationCount::of(|| Box::new(black_box([0_u8; 100])));
    assert_eq!((used.allocations, used.frees, used.bytes), (1, 0, 100));
    let ((), used) = AllocationCount::of(|| drop(black_box(boxed)));
    assert_eq!((used.allocations, used.frees, used.bytes), (0, 1, 0));
}

#[test]
fn work_on_the_stack_allocates_nothing() {
    let (sum, used) = AllocationCount::of(|| black_box([1_u32; 64]).iter().sum::<u32>());
    assert_eq!(sum, 64);
    assert_eq!(used, AllocationCount::default());
}

#[test]
fn a_probe_allocates_nothing_not_even_a_threads_first() {
    let ((), used) = AllocationCount::of(|| zorb_os::probe!(Begin));
    assert_eq!(used, AllocationCount::default());
}

#[test]
fn growing_counts_as_allocation_and_free() {
    let mut bytes: Vec<u8> = Vec::with_capacity(16);
    let ((), used) = AllocationCount::of(|| {
        bytes.reserve_exact(black_box(1000));
        bytes.resize(1000, 7);
    });
    assert_eq!((used.allocations, used.frees), (1, 1));
    assert_eq!(used.bytes, 1000);
    assert!(bytes.iter().all(|&byte| byte == 7));
}

#[test]
fn zeroed_memory_is_counted_and_zero() {
    let (bytes, used) = AllocationCount::of(|| black_box(vec![0_u64; 32]));
    assert_eq!((used.allocations, used.bytes), (1, 256));
    assert!(bytes.iter().all(|&word| word == 0));
}

#[test]
fn large_blocks_of_a_thread_can_be_refused() {
    refuse_above(1000);
    let mut bytes: Vec<u8> = Vec::new();
    assert!(bytes.try_reserve_exact(1001).is_err());
    assert!(bytes.try_reserve_exact(1000).is_ok());
    assert!(bytes.try_reserve_exact(1001).is_err(), "growing");
    let elsewhere = std::thread::spawn(|| Vec::<u8>::new().try_reserve_exact(1001).is_ok());
    assert!(elsewhere.join().unwrap());
    refuse_above(usize::MAX);
    assert!(bytes.try_reserve_exact(1001).is_ok());
}

#[test]
fn allocations_of_other_threads_count_only_in_the_total() {
    let total_before = AllocationCount::total();
    let (on_thread, here) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let (_, used) = AllocationCount::of(|| drop(black_box(vec![1_u8; 4096])));
            used
        });
        AllocationCount::of(|| thread.join().unwrap())
    });
    assert_eq!((on_thread.allocations, on_thread.frees, on_thread.bytes), (1, 1, 4096));
    assert!(here.bytes < 4096, "{here:?}");
    let total = AllocationCount::total().since(total_before);
    assert!(total.allocations >= 1 && total.bytes >= 4096, "{total:?}");
}
