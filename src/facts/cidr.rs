//! Which addresses are in a range, as `10.244.0.0/16` writes it?

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use super::family::Family;

/// A range of addresses: `spec.loadBalancerSourceRanges`, `spec.podCIDRs`, `--cluster-cidr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cidr {
    address: IpAddr,
    length: u8,
}

/// A text that is no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write an address and a length, as 10.244.0.0/16")]
pub struct NotACidr;

/// The bits of an address, the first one highest.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl Cidr {
    /// The range of all addresses that share the first `length` bits with this one; `None` where the family has fewer bits.
    #[must_use]
    pub fn new(address: IpAddr, length: u8) -> Option<Self> {
        let most = if address.is_ipv4() { 32 } else { 128 };
        (length <= most).then_some(Self { address, length })
    }

    /// The range of one address.
    #[must_use]
    pub const fn one(address: IpAddr) -> Self {
        let length = if address.is_ipv4() { 32 } else { 128 };
        Self { address, length }
    }

    /// The family of its addresses.
    #[must_use]
    pub const fn family(self) -> Family {
        Family::of(self.address)
    }

    /// Every address of its family is in it.
    #[must_use]
    pub const fn is_all(self) -> bool {
        self.length == 0
    }

    fn mask(self) -> u128 {
        u128::MAX
            .checked_shl(128 - u32::from(self.length))
            .unwrap_or(0)
    }

    /// Is this address in it?
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        self.family() == Family::of(address)
            && bits(self.address) & self.mask() == bits(address) & self.mask()
    }

    /// Is every address of the other range in it?
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.length <= other.length && self.contains(other.address)
    }

    /// Is any address in both?
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    /// Its first address, with the number added; it may lie behind the range's end.
    #[must_use]
    pub fn nth(self, number: u16) -> IpAddr {
        let first = bits(self.address) & self.mask();
        match self.address {
            IpAddr::V4(_) => {
                let first = u32::try_from(first >> 96).unwrap_or(u32::MAX);
                IpAddr::V4(first.saturating_add(number.into()).into())
            }
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(first.saturating_add(number.into()))),
        }
    }
}

impl FromStr for Cidr {
    type Err = NotACidr;

    fn from_str(text: &str) -> Result<Self, NotACidr> {
        let (address, length) = text.trim().split_once('/').ok_or(NotACidr)?;
        let address = address.parse().map_err(|_| NotACidr)?;
        let length = length.parse().map_err(|_| NotACidr)?;
        Self::new(address, length).ok_or(NotACidr)
    }
}

impl std::fmt::Display for Cidr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

/// The ranges of a list such as `--cluster-cidr` takes; what is no range is left out.
#[must_use]
pub fn list(text: &str) -> Vec<Cidr> {
    text.split(',')
        .filter_map(|cidr| cidr.parse().ok())
        .collect()
}

/// An address as kube-proxy reads one (`netutils.ParseIPSloppy`): leading zeros are decimal, and an IPv4 address that is mapped into
/// IPv6 is the IPv4 address.
#[must_use]
pub fn address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    let parts: Option<Vec<&str>> = text
        .split('.')
        .map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| match part.trim_start_matches('0') {
                "" => "0",
                number => number,
            })
        })
        .collect();
    parts?.join(".").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(text: &str) -> Cidr {
        text.parse().expect("a range")
    }

    #[test]
    fn a_range_holds_its_addresses_and_none_of_the_other_family() {
        let range = cidr("203.0.113.0/24");
        for (address, within) in [
            ("203.0.113.0", true),
            ("203.0.113.255", true),
            ("203.0.114.0", false),
            ("2001:db8::1", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(range.contains(address), within, "{address}");
        }
        assert!(cidr("0.0.0.0/0").contains(range.nth(7)));
        assert!(cidr("::/0").is_all() && !cidr("::/0").contains(range.nth(7)));
        assert!(cidr("fd00:10:244:1::/64").contains("fd00:10:244:1::b".parse().expect("one")));
    }

    #[test]
    fn ranges_cover_and_overlap() {
        let (all, some) = (cidr("10.128.0.0/9"), cidr("10.244.1.0/24"));
        assert!(all.covers(some) && !some.covers(all) && some.overlaps(all));
        assert!(!all.overlaps(cidr("10.0.0.0/9")));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for wrong in [
            "10.244.0.0",
            "10.244.0.0/33",
            "pods/16",
            "10.0.0.0/x",
            "/8",
            "",
        ] {
            assert!(wrong.parse::<Cidr>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_read_as_kube_proxy_reads_them() {
        let read = |text| address(text).map(|address| address.to_string());
        assert_eq!(read("010.130.050.009").as_deref(), Some("10.130.50.9"));
        assert_eq!(read("::ffff:10.130.50.7").as_deref(), Some("10.130.50.7"));
        assert_eq!(read("000.0.0.1").as_deref(), Some("0.0.0.1"));
        for wrong in ["10.1.2", "10.1.2.256", "10..1.2", "a.b.c.d", ""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
