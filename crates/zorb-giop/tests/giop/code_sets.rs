//! Negotiation of code sets.

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, CharSet, WideForm, WideSet};
use zorb_giop::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetContext, CodeSetError, CodeSetId, GiopVersion,
    TaggedComponent, negotiate, text_coding,
};

fn component(native: CodeSetId, conversions: &[CodeSetId]) -> CodeSetComponent {
    CodeSetComponent { native, conversions: conversions.to_vec() }
}

fn chosen(client: CodeSetComponent, server: CodeSetComponent) -> Result<CodeSetId, CodeSetError> {
    let wide = component(CodeSetId::UTF_16, &[]);
    let client = CodeSetComponentInfo { for_char: client, for_wchar: wide.clone() };
    let server = CodeSetComponentInfo { for_char: server, for_wchar: wide };
    negotiate(&client, &server).map(|context| {
        assert_eq!(context.wchar_data, CodeSetId::UTF_16);
        context.char_data
    })
}

const LATIN: CodeSetId = CodeSetId::ISO_8859_1;
const UTF_8: CodeSetId = CodeSetId::UTF_8;
const GREEK: CodeSetId = CodeSetId::ISO_8859_7;
const EURO: CodeSetId = CodeSetId::ISO_8859_15;

#[test]
fn the_rules_apply_in_order() {
    let same = chosen(component(LATIN, &[UTF_8]), component(LATIN, &[UTF_8]));
    assert_eq!(same, Ok(LATIN));
    let client_converts = chosen(component(GREEK, &[LATIN]), component(LATIN, &[GREEK]));
    assert_eq!(client_converts, Ok(LATIN));
    let nothing_lost = chosen(component(UTF_8, &[LATIN]), component(LATIN, &[UTF_8]));
    assert_eq!(nothing_lost, Ok(UTF_8));
    let no_choice = chosen(component(UTF_8, &[LATIN]), component(LATIN, &[]));
    assert_eq!(no_choice, Ok(LATIN));
    let server_converts = chosen(component(UTF_8, &[GREEK]), component(LATIN, &[UTF_8]));
    assert_eq!(server_converts, Ok(UTF_8));
    let both = chosen(component(GREEK, &[EURO, UTF_8]), component(LATIN, &[UTF_8, EURO]));
    assert_eq!(both, Ok(UTF_8), "the server's order counts");
    let fallback = chosen(component(UTF_8, &[]), component(CodeSetId::UCS_4_LEVEL_3, &[]));
    assert_eq!(fallback, Ok(UTF_8));
    let none = chosen(component(GREEK, &[]), component(EURO, &[]));
    assert_eq!(none, Err(CodeSetError::Incompatible { server: EURO }));
}

#[test]
fn a_server_without_wide_text_is_accepted() {
    let zorb = CodeSetComponentInfo::zorb();
    let server = CodeSetComponentInfo {
        for_char: component(LATIN, &[]),
        for_wchar: component(CodeSetId::NONE, &[]),
    };
    let context = negotiate(&zorb, &server).expect("compatible");
    assert_eq!(context, CodeSetContext { char_data: LATIN, wchar_data: CodeSetId::NONE });
}

#[test]
fn zorb_negotiates_with_other_orbs() {
    let zorb = CodeSetComponentInfo::zorb();
    let itself = negotiate(&zorb, &zorb).expect("compatible");
    assert_eq!(itself, CodeSetContext { char_data: UTF_8, wchar_data: CodeSetId::UTF_16 });
    // omniORB's and JacORB's components as captured.
    let omniorb = "01000000010001000100000001000105090101000100000009010100";
    let jacorb = "000000000501000100000002000100010001000f00010109000000020501000100010100";
    for (hex, expected) in [(omniorb, UTF_8), (jacorb, UTF_8)] {
        let data = crate::support::hex(hex);
        let component = TaggedComponent { tag: zorb_giop::ComponentTag::CODE_SETS, data };
        let server: CodeSetComponentInfo = component.body().expect("well formed").expect("there");
        let context = negotiate(&zorb, &server).expect("compatible");
        assert_eq!(context, CodeSetContext { char_data: expected, ..itself });
        let order = if hex.starts_with("01") { ByteOrder::Little } else { ByteOrder::Big };
        let again = TaggedComponent::with_body(&server, order).expect("writable");
        assert_eq!(again, component);
        // With Zorb as the server.
        negotiate(&server, &zorb)
            .and_then(|context| text_coding(context, GiopVersion::V1_2))
            .expect("a coding that Zorb has");
    }
}

#[test]
fn contexts_survive_a_round_trip() {
    let context = CodeSetContext { char_data: UTF_8, wchar_data: CodeSetId::UCS_2_LEVEL_1 };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        assert_eq!(CodeSetContext::decode(&context.encode(order)), Ok(context));
        assert_eq!(*context.service_context(order).data, context.encode(order));
    }
    assert!(CodeSetContext::decode(&[]).is_err());
    assert!(CodeSetContext::decode(&context.encode(ByteOrder::Big)[..11]).is_err());
}

#[test]
fn the_encoding_of_wide_text_depends_on_the_version() {
    let context = CodeSetContext { char_data: UTF_8, wchar_data: CodeSetId::UCS_2_LEVEL_1 };
    let coding = |version| text_coding(context, version).expect("known sets");
    let old = coding(GiopVersion::V1_0);
    assert_eq!((old.char_set, old.wide_set), (CharSet::Latin1, None));
    assert_eq!(old.wide_form, WideForm::Absent);
    let middle = coding(GiopVersion::V1_1);
    assert_eq!((middle.wide_set, middle.wide_form), (Some(WideSet::Ucs2), WideForm::Units));
    assert_eq!(coding(GiopVersion::V1_2).wide_form, WideForm::Octets);
    let ascii = CodeSetContext { char_data: CodeSetId::ISO_646_IRV, wchar_data: CodeSetId::NONE };
    let ascii = text_coding(ascii, GiopVersion::V1_2).expect("known");
    assert_eq!((ascii.char_set, ascii.wide_set), (CharSet::Latin1, None));
    for wrong in [
        CodeSetContext { char_data: GREEK, wchar_data: CodeSetId::NONE },
        CodeSetContext { char_data: UTF_8, wchar_data: CodeSetId::UCS_4_LEVEL_1 },
    ] {
        assert!(matches!(
            text_coding(wrong, GiopVersion::V1_2),
            Err(CodeSetError::NotSupported(_))
        ));
    }
}

#[test]
fn code_sets_print_their_names() {
    assert_eq!(CodeSetId::UTF_16.to_string(), "UTF-16");
    assert_eq!(CodeSetId(7).to_string(), "code set 0x00000007");
}

#[test]
fn latin_1_may_be_the_native_set() {
    let latin1 = CodeSetComponentInfo::with_native_char(CodeSetId::ISO_8859_1);
    assert_eq!(latin1.for_char.native, CodeSetId::ISO_8859_1);
    assert_eq!(latin1.for_char.conversions, [CodeSetId::UTF_8, CodeSetId::ISO_646_IRV]);
    let context = negotiate(&latin1, &latin1).expect("compatible");
    assert_eq!(context.char_data, CodeSetId::ISO_8859_1);
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let text = text_coding(context, version).expect("supported");
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big).with_text(text);
        writer.write_char('\u{fc}').expect("one octet");
        writer.write_str("\u{fc}", 1).expect("one octet");
        assert_eq!(octets, b"\xfc\0\0\0\0\0\0\x02\xfc\0");
        let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_text(text);
        assert_eq!(reader.read_char(), Ok('\u{fc}'));
    }
    // With a peer whose native set is UTF-8, no character is lost in strings.
    for (client, server) in
        [(&latin1, &CodeSetComponentInfo::zorb()), (&CodeSetComponentInfo::zorb(), &latin1)]
    {
        let context = negotiate(client, server).expect("compatible");
        assert_eq!(context.char_data, CodeSetId::UTF_8);
    }
}
