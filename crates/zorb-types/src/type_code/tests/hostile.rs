//! Hostile TypeCodes: cycles, bad indirections, deep nesting, exponential expansion.

use super::*;

/// Writes a complex TypeCode of `kind` whose encapsulation `body` fills.
fn complex(
    writer: &mut CdrWriter<'_>,
    kind: TcKind,
    body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
) -> CdrResult<()> {
    writer.write_u32(kind as u32);
    writer.write_encapsulation(body)
}

fn indirect(writer: &mut CdrWriter<'_>, offset: i32) {
    writer.write_u32(crate::type_code::kind::INDIRECTION);
    writer.write_i32(offset);
}

#[test]
fn types_that_consist_only_of_themselves_are_refused() {
    // Kind, length, order and padding: the offset is 16 octets after the kind.
    for kind in [TcKind::Sequence, TcKind::Array] {
        let kind_of_error = refused(|writer| {
            complex(writer, kind, |inner| {
                indirect(inner, -16);
                inner.write_u32(4);
                Ok(())
            })
        });
        assert_eq!(kind_of_error, CdrErrorKind::BadTypeCode, "{kind:?}");
    }
    for kind in [TcKind::Alias, TcKind::ValueBox] {
        let kind_of_error = refused(|writer| {
            complex(writer, kind, |inner| {
                inner.write_latin1("")?;
                inner.write_latin1("")?;
                indirect(inner, -32);
                Ok(())
            })
        });
        assert_eq!(kind_of_error, CdrErrorKind::BadTypeCode, "{kind:?}");
    }
}

#[test]
fn a_sequence_may_be_recursive_through_a_struct() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Little);
    complex(&mut writer, TcKind::Sequence, |inner| {
        complex(inner, TcKind::Struct, |inner| {
            inner.write_latin1("IDL:S:1.0")?;
            inner.write_latin1("S")?;
            inner.write_u32(1);
            inner.write_latin1("m")?;
            // The encapsulations start at 8 and 20 of the stream.
            let here = 20 + inner.offset().next_multiple_of(4) + 4;
            indirect(inner, -i32::try_from(here).unwrap());
            Ok(())
        })?;
        inner.write_u32(0);
        Ok(())
    })
    .unwrap();
    let sequence = read(&buffer, ByteOrder::Little, 0).unwrap();
    let member = sequence.content_type().and_then(|element| element.member_type(0));
    assert_eq!(member.as_ref(), Ok(&sequence));
    // It is written again, so that the indirection leads to the struct.
    let written = write(&sequence, ByteOrder::Little, 0);
    assert!(written.len() > buffer.len());
    assert_eq!(read(&written, ByteOrder::Little, 0).as_ref(), Ok(&sequence));
}

#[test]
fn bad_indirections_are_refused() {
    for offset in [0, 4, -4, -8, -12, -20, i32::MIN, i32::MAX] {
        let error = refused(|writer| {
            complex(writer, TcKind::Sequence, |inner| {
                indirect(inner, offset);
                inner.write_u32(0);
                Ok(())
            })
        });
        assert_eq!(error, CdrErrorKind::BadTypeCode, "{offset}");
    }
    let alone = refused(|writer| {
        indirect(writer, -4);
        Ok(())
    });
    assert_eq!(alone, CdrErrorKind::BadTypeCode);
}

#[test]
fn an_indirection_stays_inside_its_type_code() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
    TypeCode::write(&TypeCode::from(color()), &mut writer).unwrap();
    writer.align(4);
    let second = writer.offset();
    complex(&mut writer, TcKind::Sequence, |inner| {
        indirect(inner, -i32::try_from(second + 16).unwrap());
        inner.write_u32(0);
        Ok(())
    })
    .unwrap();
    let mut reader = CdrReader::new(&buffer, ByteOrder::Big);
    assert!(TypeCode::read(&mut reader).is_ok());
    assert_eq!(TypeCode::read(&mut reader).unwrap_err().kind, CdrErrorKind::BadTypeCode);
}

#[test]
fn a_union_with_many_cases_finds_the_first_one_of_a_label() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
    let cases = [(5, 3), (-7, 2), (5, 2), (9, 10), (9, 3)];
    complex(&mut writer, TcKind::Union, |inner| {
        inner.write_latin1("")?;
        inner.write_latin1("")?;
        inner.write_u32(TcKind::Long as u32);
        inner.write_i32(3);
        inner.write_count(cases.len(), "cases")?;
        for (label, kind) in cases {
            inner.write_i32(label);
            inner.write_latin1("")?;
            inner.write_u32(kind);
        }
        Ok(())
    })
    .unwrap();
    let union = read(&buffer, ByteOrder::Big, 0).unwrap();
    let kind = |label| union.member_type(union.case_of(label).unwrap().unwrap()).unwrap().kind();
    assert_eq!(kind(5), TcKind::Long);
    assert_eq!(kind(-7), TcKind::Short);
    assert_eq!(kind(9), TcKind::Long);
    assert_eq!(kind(0), TcKind::Octet);
}

#[test]
fn malformed_parameters_are_refused() {
    use CdrErrorKind::{BadTypeCode, LengthBeyondEnd};
    assert_eq!(
        refused(|writer| {
            writer.write_u32(37);
            Ok(())
        }),
        BadTypeCode
    );
    for digits in [0, 32, u16::MAX] {
        let error = refused(|writer| {
            writer.write_u32(TcKind::Fixed as u32);
            writer.write_u16(digits);
            writer.write_i16(0);
            Ok(())
        });
        assert_eq!(error, BadTypeCode, "{digits}");
    }
    for element in [TcKind::Null, TcKind::Void] {
        let error = refused(|writer| {
            complex(writer, TcKind::Sequence, |inner| {
                inner.write_u32(element as u32);
                inner.write_u32(0);
                Ok(())
            })
        });
        assert_eq!(error, BadTypeCode, "{element:?}");
    }
    for (discriminator, default_index, error) in [
        (TcKind::Double, -1, BadTypeCode),
        (TcKind::Any, -1, BadTypeCode),
        (TcKind::Long, 0, BadTypeCode),
        (TcKind::Long, i32::MAX, BadTypeCode),
    ] {
        let found = refused(|writer| {
            complex(writer, TcKind::Union, |inner| {
                inner.write_latin1("")?;
                inner.write_latin1("")?;
                inner.write_u32(discriminator as u32);
                inner.write_i32(default_index);
                inner.write_u32(0);
                Ok(())
            })
        });
        assert_eq!(found, error, "{discriminator:?} {default_index}");
    }
    for kind in [TcKind::Struct, TcKind::Enum, TcKind::Except] {
        let error = refused(|writer| {
            complex(writer, kind, |inner| {
                inner.write_latin1("")?;
                inner.write_latin1("")?;
                inner.write_u32(u32::MAX);
                Ok(())
            })
        });
        assert_eq!(error, LengthBeyondEnd, "{kind:?}");
    }
}

#[test]
fn a_valuetype_inherits_only_from_valuetypes() {
    for base in [TcKind::Long, TcKind::TypeCode, TcKind::Void] {
        let error = refused(|writer| {
            complex(writer, TcKind::Value, |inner| {
                inner.write_latin1("IDL:V:1.0")?;
                inner.write_latin1("V")?;
                inner.write_i16(0);
                inner.write_u32(base as u32);
                inner.write_u32(0);
                Ok(())
            })
        });
        assert_eq!(error, CdrErrorKind::BadTypeCode, "{base:?}");
    }
}

#[test]
fn types_without_octets_cannot_be_elements() {
    for kind in [TcKind::Sequence, TcKind::Array] {
        let error = refused(|writer| {
            complex(writer, kind, |inner| {
                complex(inner, TcKind::Struct, |inner| {
                    inner.write_latin1("")?;
                    inner.write_latin1("")?;
                    inner.write_u32(0);
                    Ok(())
                })?;
                inner.write_u32(1_000_000);
                Ok(())
            })
        });
        assert_eq!(error, CdrErrorKind::BadTypeCode, "{kind:?}");
    }
}

#[test]
fn nesting_has_a_limit() {
    fn nested(depth: usize, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if depth == 0 {
            writer.write_u32(TcKind::Long as u32);
            return Ok(());
        }
        complex(writer, TcKind::Sequence, |inner| {
            nested(depth - 1, inner)?;
            inner.write_u32(0);
            Ok(())
        })
    }
    let mut buffer = Vec::new();
    nested(128, &mut CdrWriter::new(&mut buffer, ByteOrder::Big)).unwrap();
    assert!(read(&buffer, ByteOrder::Big, 0).is_ok());
    assert_eq!(refused(|writer| nested(129, writer)), CdrErrorKind::TooDeep);
}

/// A struct of ten structs of ten structs ..., all but the first indirections: very many members in few
/// octets.
fn laughs(writer: &mut CdrWriter<'_>, levels: u32, leaf: u32, base: usize) -> CdrResult<()> {
    let position = (base + writer.offset()).next_multiple_of(4);
    complex(writer, TcKind::Struct, |inner| {
        inner.write_latin1("")?;
        inner.write_latin1("")?;
        inner.write_u32(10);
        inner.write_latin1("")?;
        let inner_base = position + 8;
        inner.align(4);
        let first = inner_base + inner.offset();
        if levels == 0 {
            inner.write_u32(leaf);
        } else {
            laughs(inner, levels - 1, leaf, inner_base)?;
        }
        for _ in 1..10 {
            inner.write_latin1("")?;
            if levels == 0 {
                inner.write_u32(leaf);
            } else {
                inner.align(4);
                let here = inner_base + inner.offset() + 4;
                indirect(inner, -i32::try_from(here - first).unwrap());
            }
        }
        Ok(())
    })
}

#[test]
fn the_cost_of_repeated_types_is_linear_in_the_octets() {
    let mut buffer = Vec::new();
    laughs(&mut CdrWriter::new(&mut buffer, ByteOrder::Big), 20, 3, 0).unwrap();
    let one = read(&buffer, ByteOrder::Big, 0).unwrap();
    let other = read(&buffer, ByteOrder::Big, 0).unwrap();
    assert!(one.equivalent(&other));
    assert_eq!(one, other);
    assert_eq!(write(&one, ByteOrder::Big, 0), buffer);
    // A value would have 10^21 longs.
    let mut any = buffer.clone();
    any.extend([0; 4000]);
    assert!(Any::read(&mut CdrReader::new(&any, ByteOrder::Big)).is_err());
    assert!(one.to_string().len() < 200);
}
