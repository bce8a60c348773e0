//! How random a text looks.

/// Bytes that are measured; more add cost, not certainty.
const MEASURED: usize = 256;

/// Shannon entropy in bits per byte, of the first 256 bytes.
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let bytes = bytes.get(..MEASURED).unwrap_or(bytes);
    let mut counts = [0u16; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let mut weighted = 0.0;
    for byte in bytes {
        let count = counts.get_mut(usize::from(*byte)).map_or(0, std::mem::take);
        if count > 1 {
            weighted += f32::from(count) * f32::from(count).log2();
        }
    }
    let total = bytes.len().max(1) as f32;
    total.log2() - weighted / total
}

/// What kinds of bytes a value holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mix {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    pub(crate) other: usize,
}

impl Mix {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::default(), |mut mix, byte| {
            match byte {
                b'a'..=b'z' => mix.lower += 1,
                b'A'..=b'Z' => mix.upper += 1,
                b'0'..=b'9' => mix.digits += 1,
                _ => mix.other += 1,
            }
            mix
        })
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Decodes base64 (either alphabet, padding optional), at most `limit` bytes of input; `None` if it is none.
pub(crate) fn decode(text: &[u8], limit: usize) -> Option<Vec<u8>> {
    let text = text.get(..limit).unwrap_or(text);
    let body = text
        .strip_suffix(b"==")
        .or(text.strip_suffix(b"="))
        .unwrap_or(text);
    let mut out = Vec::with_capacity(body.len() * 3 / 4 + 1);
    let (mut bits, mut have) = (0u32, 0);
    for byte in body {
        bits = bits << 6 | u32::from(sextet(*byte)?);
        have += 6;
        if have >= 8 {
            have -= 8;
            out.push((bits >> have & 0xff) as u8);
        }
    }
    Some(out)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
