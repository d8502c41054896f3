//! Authorities, and a folder for each party: `ca.pem` is who it trusts, `own.pem` what it shows,
//! certificate and key.

use std::path::PathBuf;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use tempfile::TempDir;

use super::LISTED;

/// The folders of all parties; they go with this.
pub(super) struct Folders {
    folder: TempDir,
}

type Authority = CertifiedIssuer<'static, KeyPair>;

impl Folders {
    /// New certificates of two authorities for:
    ///
    /// * `server` and `client`, who trust one another;
    /// * `unlisted`, which is another client of the same authority;
    /// * `stranger`, whose certificate is the other authority's;
    /// * `suspicious`, who trusts the other authority alone.
    pub(super) fn new() -> Result<Self, String> {
        let folders = Self { folder: tempfile::tempdir().map_err(|error| error.to_string())? };
        folders.fill().map_err(|error| error.to_string())?;
        Ok(folders)
    }

    /// The folder of this party.
    pub(super) fn path(&self, party: &str) -> PathBuf {
        self.folder.path().join(party)
    }

    fn fill(&self) -> Result<(), Box<dyn std::error::Error>> {
        let (known, other) = (authority("known")?, authority("other")?);
        for (party, roots, issuer, name) in [
            ("server", &known, &known, "server.example.com"),
            ("client", &known, &known, LISTED),
            ("unlisted", &known, &known, "unlisted.example.com"),
            ("stranger", &known, &other, LISTED),
            ("suspicious", &other, &known, LISTED),
        ] {
            let folder = self.path(party);
            std::fs::create_dir(&folder)?;
            std::fs::write(folder.join("ca.pem"), roots.pem())?;
            std::fs::write(folder.join("own.pem"), signed(party, name, issuer)?)?;
        }
        Ok(())
    }
}

fn params(name: &str, alternatives: &[&str]) -> Result<CertificateParams, rcgen::Error> {
    let alternatives: Vec<_> = alternatives.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(alternatives)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}

fn authority(name: &str) -> Result<Authority, rcgen::Error> {
    let mut params = params(name, &[])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

/// A certificate for this machine and `host`, and its key. Every party is client and server.
fn signed(name: &str, host: &str, authority: &Authority) -> Result<String, rcgen::Error> {
    let mut params = params(name, &["localhost", "127.0.0.1", host])?;
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, authority)?;
    Ok(certificate.pem() + &key.serialize_pem())
}
