//! Minor codes: a vendor's number space and a number in it.

use core::fmt;

/// A minor code: the upper 20 bits name the vendor, the lower 12 the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MinorCode(pub u32);

/// A vendor minor codeset id (VMCID): the upper 20 bits of a minor code, lower bits 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vmcid(pub u32);

impl Vmcid {
    /// The standard's own codes.
    pub const OMG: Self = Self(0x4f4d_0000);
    /// Zorb's codes: the letters `ZB`. The id is not registered with the OMG.
    pub const ZORB: Self = Self(0x5a42_0000);
    /// TAO's codes: bits 7-11 are the location, bits 0-6 the class of the operating system error.
    pub const TAO: Self = Self(0x5441_0000);
    /// omniORB's codes.
    pub const OMNIORB: Self = Self(0x4154_0000);
    /// IBM's codes.
    pub const IBM: Self = Self(0x4942_0000);
    /// Sun's codes, also those of the Java platform.
    pub const SUN: Self = Self(0x5355_0000);

    /// The vendor's name where it is a known one.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::OMG => "OMG",
            Self::ZORB => "Zorb",
            Self::TAO => "TAO",
            Self::OMNIORB => "omniORB",
            Self::IBM => "IBM",
            Self::SUN => "Sun",
            _ => return None,
        })
    }
}

impl MinorCode {
    /// No reason given.
    pub const NONE: Self = Self(0);

    const CODE_MASK: u32 = 0xfff;

    /// The standard's code `code`.
    pub const fn omg(code: u16) -> Self {
        Self::of(Vmcid::OMG, code)
    }

    /// Zorb's own code `code`.
    pub const fn zorb(code: u16) -> Self {
        Self::of(Vmcid::ZORB, code)
    }

    /// The vendor's code `code`, of which the lower 12 bits count.
    pub const fn of(vendor: Vmcid, code: u16) -> Self {
        Self(vendor.0 | (code as u32 & Self::CODE_MASK))
    }

    /// The vendor's part.
    pub const fn vmcid(self) -> Vmcid {
        Vmcid(self.0 & !Self::CODE_MASK)
    }

    /// The reason's part.
    pub const fn code(self) -> u16 {
        (self.0 & Self::CODE_MASK) as u16
    }
}

impl fmt::Display for MinorCode {
    /// Vendor and number: `OMG 2`, `Zorb 1`; `minor 0x12345678` for an unknown vendor.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vmcid().name() {
            Some(vendor) => write!(f, "{vendor} {}", self.code()),
            None if self.vmcid().0 == 0 => write!(f, "minor {}", self.0),
            None => write!(f, "minor {:#010x}", self.0),
        }
    }
}
