//! An authority that signs certificates for tests.
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};

/// An authority.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM.
pub struct Certified {
    pub certificate: String,
    pub key: String,
    pub der: Vec<u8>,
}

fn params(name: &str, alternatives: &[&str]) -> CertificateParams {
    let alternatives: Vec<_> = alternatives.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(alternatives).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "Zorb, tests");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = params(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        Self { issuer: CertifiedIssuer::self_signed(params, key).unwrap() }
    }

    /// Its own certificate.
    pub fn certificate(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for `name` with these alternative names, host names and addresses.
    pub fn signs(&self, name: &str, alternatives: &[&str]) -> Certified {
        self.sign(params(name, alternatives))
    }

    /// A certificate for this machine, valid until the end of 1999.
    pub fn signs_outdated(&self, name: &str) -> Certified {
        let mut params = params(name, &["localhost", "127.0.0.1"]);
        params.not_before = date_time_ymd(1990, 1, 1);
        params.not_after = date_time_ymd(1999, 12, 31);
        self.sign(params)
    }

    fn sign(&self, mut params: CertificateParams) -> Certified {
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let der = certificate.der().to_vec();
        Certified { certificate: certificate.pem(), key: key.serialize_pem(), der }
    }

    /// A certificate for this machine.
    pub fn server(&self) -> Certified {
        self.signs("server", &["localhost", "127.0.0.1", "::1"])
    }

    /// A certificate for a client.
    pub fn client(&self) -> Certified {
        self.signs("console", &["console.example.com"])
    }

    pub fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join("ca.pem");
        std::fs::write(&path, self.certificate()).unwrap();
        path
    }
}

impl Certified {
    /// Writes both files; returns the paths of the certificate and the key.
    pub fn write(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let paths = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
        std::fs::write(&paths.0, &self.certificate).unwrap();
        std::fs::write(&paths.1, &self.key).unwrap();
        paths
    }
}
