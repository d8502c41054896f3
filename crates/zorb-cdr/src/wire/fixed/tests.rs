use super::FixedLayout;

fn structure(members: &[FixedLayout]) -> FixedLayout {
    let members: arrayvec::ArrayVec<_, 8> = members.iter().copied().map(Some).collect();
    FixedLayout::members(&members).unwrap()
}

fn number(size: usize) -> FixedLayout {
    FixedLayout::number(size)
}

#[test]
fn sizes_include_the_padding_of_the_offset() {
    // short, char, long, octet, double
    let layout = structure(&[number(2), number(1), number(4), number(1), number(8)]);
    let sizes = [24, 23, 22, 21, 20, 27, 26, 25];
    for (offset, size) in sizes.into_iter().enumerate() {
        assert_eq!(layout.size_at(offset), size, "{offset}");
        assert_eq!((offset + size) % layout.alignment(), layout.class());
    }
    assert_eq!((layout.alignment(), layout.class(), layout.stride()), (8, 0, 24));
}

#[test]
fn all_values_of_a_run_but_the_first_have_the_stride() {
    // octet, long, short: from 0 on 10 octets, then always 8, as one octet of padding is enough
    let layout = structure(&[number(1), number(4), number(2)]);
    assert_eq!((layout.size_at(0), layout.class(), layout.stride()), (10, 2, 8));
    let array = FixedLayout::array(Some(layout), 3).unwrap();
    assert_eq!((array.size_at(0), array.size_at(2)), (10 + 16, 24));
    assert_eq!(structure(&[array]).stride(), 24);
}

#[test]
fn types_without_a_fixed_size_have_no_layout() {
    assert_eq!(FixedLayout::members(&[Some(number(4)), None]), None);
    assert_eq!(FixedLayout::members(&[]), None);
    assert_eq!(FixedLayout::members(&[Some(number(4)); 65]), None);
    assert_eq!(FixedLayout::array(None, 2), None);
    assert_eq!(FixedLayout::array(Some(number(4)), 0), None);
    assert_eq!(FixedLayout::array(Some(number(8)), usize::MAX), None);
}
