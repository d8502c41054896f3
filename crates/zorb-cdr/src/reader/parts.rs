//! Messages in several parts with an alignment base each: GIOP 1.1 fragments.

use super::trial::{End, Trial};
use super::{CdrReader, padding};
use crate::{CdrErrorKind, CdrResult, Number};

impl<'a> CdrReader<'a> {
    /// The same reader over several parts with an alignment base each, as GIOP 1.1 fragments are: the
    /// octet at each position of `parts` (ascending) is `origin` octets after the alignment base. A run
    /// of numbers, such as those of a sequence, is aligned once and continues across parts: see
    /// [`read_in_parts`](Self::read_in_parts).
    #[inline]
    #[must_use]
    pub fn with_parts(mut self, parts: &'a [u32], origin: usize) -> Self {
        self.set_parts(parts, origin);
        self
    }

    /// [`with_parts`](Self::with_parts) in place.
    #[inline]
    pub fn set_parts(&mut self, parts: &'a [u32], origin: usize) {
        self.parts = parts;
        self.part_origin = origin;
    }

    /// Whether all octets have one alignment base: there are no [parts](Self::with_parts).
    pub fn is_evenly_aligned(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether the numbers of a sequence or array are aligned in each [part](Self::with_parts): see
    /// [`read_in_parts`](Self::read_in_parts).
    pub fn is_aligned_per_part(&self) -> bool {
        self.aligned_per_part
    }

    /// Reads a message that may have several [parts](Self::with_parts).
    ///
    /// The standard aligns the data of each GIOP 1.1 fragment separately, so a sender pads numbers of 8 octets
    /// at its start; omniORB aligns the numbers of a sequence or array only once. The octets do not show which.
    /// So `read`, which begins at the same octet each time, attempts both, and then reads the message in the way
    /// that fits better: which
    ///
    /// 1. ends, without octets left;
    /// 2. finds only zeros where it skips padding behind the first part;
    /// 3. finds fewer numbers there that are typical of reading 4 octets beside the number: subnormal `double`s,
    ///    and multiples of 2³²;
    /// 4. is that of the standard.
    ///
    /// In an attempt, [`expect_end`](Self::expect_end) and [`end_attempt`](Self::end_attempt) return errors, which
    /// `read` passes on before it has other effects. What it returns without calling them is final.
    ///
    /// # Errors
    /// Those of the last `read`, which is that of numbers aligned once if both attempts fail.
    #[cold]
    pub fn read_in_parts<T, E>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.parts.is_empty() {
            return read(self);
        }
        let start = Self { aligned_per_part: false, trial: Trial::NONE, ..self.clone() };
        let mut fits = [Trial::NONE.fit(); 2];
        for (aligned_per_part, fit) in [false, true].into_iter().zip(&mut fits) {
            *self = Self { aligned_per_part, trial: Trial::new(End::Open), ..start.clone() };
            let read = read(self);
            if read.is_ok() {
                self.trial = Trial::NONE;
                return read;
            }
            *fit = self.trial.fit();
        }
        let [once, per_part] = fits;
        let aligned_per_part = per_part >= once && per_part.0 > End::Open;
        *self = Self { aligned_per_part, ..start };
        read(self)
    }

    /// Ends values behind which a message may have others.
    ///
    /// # Errors
    /// `ExtraOctets` if this is an attempt of [`read_in_parts`](Self::read_in_parts).
    pub fn end_attempt(&mut self, what: &'static str) -> CdrResult<()> {
        if !self.trial.is_on() {
            return Ok(());
        }
        self.trial.end = if self.remaining() == 0 { End::Whole } else { End::Left };
        Err(self.error(CdrErrorKind::ExtraOctets, what))
    }

    #[cold]
    pub(super) fn aligned_in_part(&mut self, alignment: usize) -> usize {
        let aligned = self.next_in_part(alignment);
        if let Some(&first) = self.parts.first() {
            let skipped = self.buffer.get(self.position.max(first as usize)..aligned);
            self.trial.has_odd_padding |=
                skipped.unwrap_or_default().iter().any(|&octet| octet != 0);
        }
        aligned
    }

    fn next_in_part(&self, alignment: usize) -> usize {
        let mut position = self.position;
        let begun = self.parts.partition_point(|&part| part as usize <= position);
        let (before, after) = self.parts.split_at_checked(begun).unwrap_or_default();
        let mut offset = match before.last() {
            Some(&part) => self.part_origin + (position - part as usize),
            None => self.offset(),
        };
        for &part in after {
            let aligned = position + padding(offset, alignment);
            if aligned < part as usize {
                return aligned;
            }
            // The value begins in the next part, or in a later one.
            position = part as usize;
            offset = self.part_origin;
        }
        position + padding(offset, alignment)
    }

    /// Takes notes of the last numbers read, which have 8 octets each: see [`read_in_parts`](Self::read_in_parts).
    #[cold]
    pub(crate) fn note_numbers(&mut self, octets: &[u8], is_float: bool) {
        if !self.trial.is_on() {
            return;
        }
        let (numbers, _) = octets.as_chunks::<8>();
        for number in numbers {
            let number = u64::from_octets(*number, self.order);
            let is_odd = match is_float {
                true => f64::from_bits(number).is_subnormal(),
                false => number != 0 && number.trailing_zeros() >= u32::BITS,
            };
            self.trial.odd_numbers = self.trial.odd_numbers.saturating_add(u16::from(is_odd));
        }
    }
}
