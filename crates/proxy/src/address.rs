//! Addresses that a name of the outside must not lead to: this machine, private networks, the clouds' own services.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Azure's channel between a machine and its host: a public number for an inner service.
const AZURE_WIRE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// IPv4 blocks of the registry of special-purpose addresses (RFC 6890 and its successors) that are not the open
/// internet: first address and bits of the prefix.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network; 0.0.0.0 reaches this machine
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // carrier NAT; 100.100.100.200 is a cloud's metadata
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local; 169.254.169.254 is most clouds' metadata
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments; 192.0.0.192 is a cloud's metadata
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

/// The same for IPv6: first two segments as one number, and bits of the prefix.
const SPECIAL_V6: &[(u32, u32)] = &[
    (0x2001_0000, 23), // protocol assignments, Teredo
    (0x2001_0db8, 32), // documentation
    (0x2002_0000, 16), // 6to4: an IPv4 address in disguise
    (0x3fff_0000, 20), // documentation
];

/// Whether an address lies in the open internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = SPECIAL_V4.iter().any(|(first, bits)| {
        let mask = u32::MAX << (32 - bits);
        address.to_bits() & mask == u32::from_be_bytes(*first)
    });
    !special && address != AZURE_WIRE
}

/// Global unicast is 2000::/3. Beside it only NAT64 leads out, to the IPv4 address at its end.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    if bits >> 32 == 0x0064_ff9b << 64 {
        let inner = u32::try_from(bits & u128::from(u32::MAX)).unwrap_or_default();
        return is_public_v4(Ipv4Addr::from_bits(inner));
    }
    let front = u32::try_from(bits >> 96).unwrap_or_default();
    let special = SPECIAL_V6
        .iter()
        .any(|(first, bits)| front >> (32 - bits) == first >> (32 - bits));
    front >> 29 == 0b001 && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_08_only_the_open_internet_is_public() {
        for text in [
            "93.184.216.34",
            "8.8.8.8",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001:82a::200a",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "127.0.0.1",
            "127.255.255.255",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "198.18.0.1",
            "203.0.113.9",
            "224.0.0.251",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
