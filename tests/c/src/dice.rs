//! Traffic that looks random.

/// Numbers that look random and are the same on every run (xorshift).
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The next one.
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n as u64).expect("below n")
    }

    /// One of these.
    pub fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// Sometimes a byte that another one stands in the place of.
pub fn spoil(dice: &mut Dice, bytes: &mut [u8]) {
    if dice.below(12) == 0 && !bytes.is_empty() {
        let at = dice.below(bytes.len());
        bytes[at] = dice.roll() as u8;
    }
}
