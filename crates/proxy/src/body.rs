//! How far a request's body goes: what lies behind it is no part of the request, and is never passed on.

/// Most hexadecimal digits of a chunk's size: a body of 2^60 bytes has an end.
const MOST_DIGITS: u8 = 15;
/// Most bytes of a chunk's extension and of the trailer, each.
const MOST_EXTRA: u16 = 4 << 10;

/// What is left of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Length(u64),
    Chunked(Chunk),
}

/// Where in a chunked body we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// In the digits of a size: how many were read, and their value.
    Size(u8, u64),
    /// In an extension of the size line.
    Extension {
        size: u64,
        read: u16,
    },
    /// The LF that ends the size line.
    SizeEnd(u64),
    Data(u64),
    /// CR, then LF behind the data.
    DataEnd,
    DataEndLf,
    /// In the trailer: at the beginning of a line, inside of one, at its LF.
    Trailer {
        read: u16,
        line: Line,
    },
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Begins,
    Goes,
    Ends,
    /// The LF of the empty line that ends it all.
    Last,
}

/// A chunked body that is not written as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadChunk;

impl Body {
    pub const fn length(bytes: u64) -> Self {
        Self::Length(bytes)
    }

    pub const fn chunked() -> Self {
        Self::Chunked(Chunk::Size(0, 0))
    }

    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(Chunk::Over))
    }

    /// How many of these bytes are of the body.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, BadChunk> {
        match self {
            Self::Length(left) => {
                let taken = usize::try_from(*left)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                *left -= taken as u64;
                Ok(taken)
            }
            Self::Chunked(chunk) => chunk.take(bytes),
        }
    }
}

impl Chunk {
    fn take(&mut self, bytes: &[u8]) -> Result<usize, BadChunk> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at).filter(|_| *self != Self::Over) {
            if let Self::Data(left) = self {
                let there = (bytes.len() - at) as u64;
                let taken = (*left).min(there);
                at += usize::try_from(taken).unwrap_or(usize::MAX);
                *left -= taken;
                if *left == 0 {
                    *self = Self::DataEnd;
                }
                continue;
            }
            *self = self.next(*byte)?;
            at += 1;
        }
        Ok(at)
    }

    fn next(self, byte: u8) -> Result<Self, BadChunk> {
        let digit = char::from(byte).to_digit(16);
        match (self, byte, digit) {
            (Self::Size(digits, value), _, Some(digit)) if digits < MOST_DIGITS => {
                Ok(Self::Size(digits + 1, value << 4 | u64::from(digit)))
            }
            (Self::Size(1.., size), b'\r', _) => Ok(Self::SizeEnd(size)),
            (Self::Size(1.., size), b';', _) => Ok(Self::Extension { size, read: 0 }),
            (Self::Extension { size, .. }, b'\r', _) => Ok(Self::SizeEnd(size)),
            (Self::Extension { size, read }, b'\t' | b' '..=b'~', _) if read < MOST_EXTRA => {
                Ok(Self::Extension {
                    size,
                    read: read + 1,
                })
            }
            (Self::SizeEnd(0), b'\n', _) => Ok(Self::Trailer {
                read: 0,
                line: Line::Begins,
            }),
            (Self::SizeEnd(size), b'\n', _) => Ok(Self::Data(size)),
            (Self::DataEnd, b'\r', _) => Ok(Self::DataEndLf),
            (Self::DataEndLf, b'\n', _) => Ok(Self::Size(0, 0)),
            (Self::Trailer { read, line }, byte, _) if read < MOST_EXTRA => {
                line.next(read + 1, byte)
            }
            _ => Err(BadChunk),
        }
    }
}

impl Line {
    fn next(self, read: u16, byte: u8) -> Result<Chunk, BadChunk> {
        let line = match (self, byte) {
            (Self::Begins, b'\r') => Self::Last,
            (Self::Goes, b'\r') => Self::Ends,
            (Self::Begins | Self::Goes, b'\t' | b' '..=b'~' | 0x80..) => Self::Goes,
            (Self::Ends, b'\n') => Self::Begins,
            (Self::Last, b'\n') => return Ok(Chunk::Over),
            _ => return Err(BadChunk),
        };
        Ok(Chunk::Trailer { read, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cnf_08_a_body_ends_where_its_length_says() {
        let mut body = Body::length(5);
        assert_eq!(body.take(b"ab"), Ok(2));
        assert_eq!(body.take(b"cdeGET http://other/"), Ok(3));
        assert!(body.is_over());
        assert_eq!(body.take(b"more"), Ok(0));
    }

    #[test]
    fn cnf_08_chunks_end_at_their_last_empty_line() {
        for (text, rest) in [
            ("0\r\n\r\n", "GET"),
            ("3\r\nabc\r\n0\r\n\r\n", ""),
            ("a;x=\"y\"\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n", "POST /"),
            ("00\r\n\r\n", "0\r\n\r\n"),
        ] {
            let whole = format!("{text}{rest}");
            let mut body = Body::chunked();
            assert_eq!(body.take(whole.as_bytes()), Ok(text.len()), "{text:?}");
            assert!(body.is_over());
        }
        for text in [
            "\r\n",
            "x\r\n",
            "3\nabc",
            "3\r\nabcd",
            "3\r\nabc0",
            "-1\r\n",
            "+3\r\nabc",
            " 3\r\nabc",
            "3 \r\nabc",
            "0x3\r\nabc",
            "1234567890123456\r\n",
            "0\r\n\n",
            "0\r\nA: b\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
        ] {
            assert_eq!(
                Body::chunked().take(text.as_bytes()),
                Err(BadChunk),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn cnf_08_pieces_are_read_as_the_whole(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..6),
            rest in proptest::collection::vec(any::<u8>(), 0..20),
            step in 1usize..9,
        ) {
            let mut text = Vec::new();
            for chunk in &chunks {
                text.extend(format!("{:x}\r\n", chunk.len()).bytes());
                text.extend(chunk);
                text.extend(b"\r\n");
            }
            text.extend(b"0\r\n\r\n");
            let length = text.len();
            text.extend(&rest);
            let (mut body, mut taken) = (Body::chunked(), 0);
            for piece in text.chunks(step) {
                taken += body.take(piece).unwrap();
            }
            prop_assert!(body.is_over());
            prop_assert_eq!(taken, length);
        }
    }
}
