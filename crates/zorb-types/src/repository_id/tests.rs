use alloc::string::ToString;

use super::{BadRepositoryId, RepositoryId, RepositoryIdFormat};

#[test]
fn well_formed_ids_show_their_format() {
    for (id, format) in [
        ("IDL:omg.org/CORBA/Object:1.0", RepositoryIdFormat::Idl),
        ("IDL:Leaf:65535.0", RepositoryIdFormat::Idl),
        ("RMI:java.util.Hashtable:C03324C0EA357270:13BB0F25214AE4B8", RepositoryIdFormat::Rmi),
        ("RMI:[I:0000000000000000", RepositoryIdFormat::Rmi),
        ("DCE:700dc518-0110-11ce-ac8f-0800090b5d3e:1", RepositoryIdFormat::Dce),
        ("LOCAL:anything at all", RepositoryIdFormat::Local),
    ] {
        assert_eq!(RepositoryId::check(id), Ok(format), "{id}");
        assert_eq!(RepositoryId::parse(id).unwrap().to_string(), id);
    }
}

#[test]
fn malformed_ids_are_refused_with_the_violated_rule() {
    for (id, rule) in [
        ("", BadRepositoryId::UnknownFormat),
        ("Leaf", BadRepositoryId::UnknownFormat),
        ("idl:Leaf:1.0", BadRepositoryId::UnknownFormat),
        ("IDL:Leaf", BadRepositoryId::BadVersion),
        ("IDL:Leaf:1", BadRepositoryId::BadVersion),
        ("IDL:Leaf:1.+2", BadRepositoryId::BadVersion),
        ("IDL:Leaf:65536.0", BadRepositoryId::BadVersion),
        ("IDL::1.0", BadRepositoryId::BadName),
        ("IDL:a//b:1.0", BadRepositoryId::BadName),
        ("IDL:a b:1.0", BadRepositoryId::BadName),
        ("RMI::0000000000000000", BadRepositoryId::BadName),
        ("RMI:C", BadRepositoryId::BadNumber),
        ("RMI:C:0000000000000000:0000000000000000:1", BadRepositoryId::BadNumber),
        ("DCE:700dc518-0110-11ce-ac8f-0800090b5d3e", BadRepositoryId::BadVersion),
        ("DCE:700dc518-0110-11ce-ac8f:1", BadRepositoryId::BadNumber),
    ] {
        assert_eq!(RepositoryId::parse(id), Err(rule), "{id}");
    }
}

#[test]
fn parts_of_an_idl_id() {
    let id = RepositoryId::from_static("IDL:omg.org/CosNaming/NamingContext/NotFound:1.2");
    assert_eq!(id.scoped_name(), Some("omg.org/CosNaming/NamingContext/NotFound"));
    assert_eq!(id.simple_name(), Some("NotFound"));
    assert_eq!(id.version(), Some((1, 2)));
    assert_eq!(RepositoryId::from_static("LOCAL:x").version(), None);
}
