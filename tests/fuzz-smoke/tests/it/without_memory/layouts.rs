//! Types that are compiled without memory.

use zorb::Any;
use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader};
use zorb_os::alloc::refuse_above;
use zorb_testkit::in_own_process;
use zorb_types::Layout;

use super::LARGE;
use super::parts::values;

#[test]
fn a_type_is_compiled_again_when_there_is_memory() {
    let name = "without_memory::layouts::a_type_is_compiled_again_when_there_is_memory";
    in_own_process(name, || {
        let mut refused = 0;
        for (name, code, octets) in values() {
            refuse_above(LARGE);
            let layout = Layout::of(&code);
            let reader = || CdrReader::new(&octets, ByteOrder::NATIVE);
            let without = layout.skip(&mut reader());
            refuse_above(usize::MAX);
            if without.map_err(|error| error.kind) != Err(CdrErrorKind::OutOfMemory) {
                continue;
            }
            // Some of the values are malformed.
            let fresh = Layout::of(&code);
            let read = Any::read_with(&layout, &mut reader());
            refused += u32::from(read.is_ok());
            assert_eq!(read, Any::read_with(&fresh, &mut reader()), "{name}");
            let equal = |layout: &Layout| layout.equal(&mut reader(), &mut reader());
            assert_eq!(equal(&layout), equal(&fresh), "{name}");
            assert_eq!(layout.skip(&mut reader()), fresh.skip(&mut reader()), "{name}");
        }
        assert!(refused > 1, "{refused}");
    });
}
