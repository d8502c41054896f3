//! Certificates for peers that speak TLS.

use tempfile::TempDir;

use super::Setup;
use crate::error::Result;

/// Prefix of options for certificates.
const OF_TLS: &str = "-ORBSsliop";
/// Options that name a file, the file, and what it contains. The certificates never expire, and their key is known to everyone:
/// both peers are on this machine, and a benchmark has no secrets. The authority has no key any more.
#[cfg(feature = "tls")]
const FILES: [(&str, &str, &str); 3] = [
    ("-ORBSsliopRoots", "roots.pem", include_str!("../../certificates/roots.pem")),
    ("-ORBSsliopCertificate", "peer.pem", include_str!("../../certificates/peer.pem")),
    ("-ORBSsliopKey", "peer.key", include_str!("../../certificates/peer.key")),
];

/// Whether the setup has certificates.
pub(crate) fn has_certificates(setup: &Setup) -> bool {
    setup.orb.iter().any(|word| word.starts_with(OF_TLS))
}

/// Temporary files: a certificate authority, a certificate for this machine, and its key.
#[derive(Debug)]
pub(crate) struct Certificates {
    setup: Setup,
    /// Where they are.
    #[cfg_attr(not(feature = "tls"), allow(dead_code, reason = "nothing is put there"))]
    folder: TempDir,
}

impl Certificates {
    /// Writes them for a setup without certificates, if this build has some.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(crate) fn for_peers(setup: &Setup) -> Result<Option<Self>> {
        if has_certificates(setup) || cfg!(not(feature = "tls")) {
            return Ok(None);
        }
        let mut made = Self { setup: setup.clone(), folder: tempfile::tempdir()? };
        made.write()?;
        Ok(Some(made))
    }

    /// A setup in which both sides use and trust them.
    pub(crate) fn setup(&self) -> Setup {
        self.setup.clone()
    }

    #[cfg(feature = "tls")]
    fn write(&mut self) -> Result<()> {
        for (option, file, text) in FILES {
            let path = self.folder.path().join(file);
            std::fs::write(&path, text)?;
            self.setup.orb.extend([option.to_owned(), path.display().to_string()]);
        }
        Ok(())
    }

    #[cfg(not(feature = "tls"))]
    fn write(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(all(test, feature = "tls"))]
mod tests {
    use super::*;

    fn setup(orb: &[&str]) -> Setup {
        let orb = orb.iter().map(|word| (*word).to_owned()).collect();
        Setup { orb, ..Setup::of("--transport ssliop") }
    }

    #[test]
    fn peers_without_certificates_get_some() {
        let made = Certificates::for_peers(&setup(&["-ORBId", "x"])).unwrap().unwrap();
        let words = made.setup().orb;
        assert_eq!(words.len(), 2 + 2 * FILES.len());
        let text = |word: usize| std::fs::read_to_string(&words[word]).unwrap();
        assert!([3, 5].iter().all(|word| text(*word).contains("BEGIN CERTIFICATE")));
        assert!(text(7).contains("PRIVATE KEY"));
        let file = words[3].clone();
        drop(made);
        assert!(!std::path::Path::new(&file).exists());
        let named = setup(&["-ORBSsliopCertificate", "mine.pem"]);
        assert!(Certificates::for_peers(&named).unwrap().is_none());
    }
}
