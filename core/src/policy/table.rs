//! The table of credentials, in RAM: entries come and go while the device
//! runs.

use core::fmt;

use super::digest;
use crate::limits::CREDENTIALS;
use crate::time::Instant;

/// A secret of which only the digest is kept, and what it opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Credential {
    /// Its name, unique in the table: what events call it by, and what
    /// revokes it. It is shown, so it must not be secret.
    pub name: &'static str,
    /// SHA-256 of the secret, as it stands behind `Bearer ` or in
    /// `X-API-Key`. A secret should have 128 random bits or more: nobody can
    /// then find it from its digest or by trying.
    pub digest: [u8; 32],
    /// Whose it is: a number of the application's choice. All credentials of
    /// one caller have the same, and no two tenants share one.
    pub id: u32,
    /// For whom he asks: a number of the application's choice.
    pub tenant: u32,
    /// The tenant's name on the wire of A2A; empty for none.
    pub tenant_name: &'static str,
    /// What it may do: bits of the application's choice.
    pub scopes: u32,
    /// From when on it is good no longer; `None` for never.
    pub expires: Option<Instant>,
}

impl Credential {
    /// A credential of this caller that never expires, without a tenant and
    /// without a scope.
    pub const fn new(name: &'static str, digest: [u8; 32], id: u32) -> Self {
        Self {
            name,
            digest,
            id,
            tenant: 0,
            tenant_name: "",
            scopes: 0,
            expires: None,
        }
    }
}

impl Credential {
    /// The credential of this secret, of which only the digest is kept, as
    /// [`new`](Self::new) has it.
    pub fn of_secret(name: &'static str, secret: &[u8], id: u32) -> Self {
        Self::new(name, digest::of(secret), id)
    }
}

// The digest stays out of logs.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("name", &self.name)
            .field("id", &self.id)
            .field("tenant", &self.tenant)
            .field("scopes", &self.scopes)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// By what a caller is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Authority {
    /// By nothing: nobody asked, or what was shown is not known.
    None,
    /// By where he is: the other end of a line, or anybody where the server
    /// is open to all.
    Place,
    /// By a credential of the table, of this name.
    Credential(&'static str),
    /// By what the guard has found, under this name.
    Guard(&'static str),
    /// By none: the device does it for one who has asked before.
    Device,
}

/// Who asks, once it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The caller.
    pub id: u32,
    /// The tenant for whom he asks.
    pub tenant: u32,
    /// The tenant's name on the wire; empty for none.
    pub tenant_name: &'static str,
    /// What he may do, a bit each.
    pub scopes: u32,
    /// By what he is known.
    pub by: Authority,
    /// The entry of the table that it comes from; 0 for none.
    pub(super) serial: u32,
}

/// Who asks, as far as it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Doer {
    pub(crate) id: u32,
    pub(crate) tenant: u32,
    pub(crate) by: Authority,
}

impl Doer {
    /// Nobody who is known.
    pub(crate) const NOBODY: Self = Self {
        id: 0,
        tenant: 0,
        by: Authority::None,
    };
}

impl Grant {
    /// What of it is written down.
    pub(crate) const fn doer(&self) -> Doer {
        Doer {
            id: self.id,
            tenant: self.tenant,
            by: self.by,
        }
    }

    /// A caller whom a guard has found to be who he says, under a name that
    /// events show.
    pub const fn verified(name: &'static str, id: u32, tenant: u32, scopes: u32) -> Self {
        Self {
            id,
            tenant,
            tenant_name: "",
            scopes,
            by: Authority::Guard(name),
            serial: 0,
        }
    }

    /// A caller who is known by where he is.
    pub(crate) const fn of_place(id: u32, scopes: u32) -> Self {
        Self {
            id,
            tenant: 0,
            tenant_name: "",
            scopes,
            by: Authority::Place,
            serial: 0,
        }
    }

    /// Whether it is known who he is, not only where.
    pub fn is_known(&self) -> bool {
        matches!(self.by, Authority::Credential(_) | Authority::Guard(_))
    }
}

/// Why a credential was not added; the table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddError {
    /// There are [`CREDENTIALS`] of them.
    Full,
    /// There is one of that name.
    Name,
    /// There is one with that digest.
    Digest,
    /// Its caller is known under another tenant.
    Tenant,
}

impl AddError {
    /// What is wrong, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Full => "the table of credentials is full",
            Self::Name => "there is a credential of that name",
            Self::Digest => "another credential has the same secret",
            Self::Tenant => "the caller belongs to another tenant",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    credential: Credential,
    /// Unlike that of any other entry there was; 0 for a free place.
    serial: u32,
}

const FREE: Slot = Slot {
    credential: Credential::new("", [0; 32], 0),
    serial: 0,
};

/// The credentials of a device: at most [`CREDENTIALS`].
#[derive(Clone, Debug)]
pub struct Credentials {
    slots: [Slot; CREDENTIALS],
    last: u32,
}

impl Default for Credentials {
    fn default() -> Self {
        Self::new()
    }
}

impl Credentials {
    /// None: nobody is let in.
    pub const fn new() -> Self {
        Self {
            slots: [FREE; CREDENTIALS],
            last: 0,
        }
    }

    fn live(&self) -> impl Iterator<Item = &Credential> {
        let slots = self.slots.iter().filter(|slot| slot.serial != 0);
        slots.map(|slot| &slot.credential)
    }

    /// How many there are, expired ones among them.
    pub fn len(&self) -> usize {
        self.live().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one. To rotate a secret with an overlap, add the new one under
    /// another name, and [`revoke`](Self::revoke) the old one later.
    ///
    /// # Errors
    /// See [`AddError`]; the table is as it was.
    pub fn add(&mut self, new: Credential) -> Result<(), AddError> {
        for old in self.live() {
            if old.name == new.name {
                return Err(AddError::Name);
            }
            if digest::differs(&old.digest, &new.digest) == 0 {
                return Err(AddError::Digest);
            }
            if old.id == new.id && old.tenant != new.tenant {
                return Err(AddError::Tenant);
            }
        }
        let serial = self.next();
        let mut places = self.slots.iter_mut();
        let Some(place) = places.find(|slot| slot.serial == 0) else {
            return Err(AddError::Full);
        };
        *place = Slot {
            credential: new,
            serial,
        };
        Ok(())
    }

    /// Takes one back: requests whose last byte has not come get 401, streams
    /// that it opened and connections that wait for a task are closed, the
    /// rest of a batch is not begun. Calls and tasks that it began go on.
    /// Whether there was one of that name.
    pub fn revoke(&mut self, name: &str) -> bool {
        let mut gone = false;
        for slot in &mut self.slots {
            if slot.serial != 0 && slot.credential.name == name {
                *slot = FREE;
                gone = true;
            }
        }
        gone
    }

    /// Gives the credential of that name another secret; the old one is good
    /// no longer. Whether there is one, and nobody else has that secret.
    pub fn rotate(&mut self, name: &str, new: [u8; 32]) -> bool {
        if self
            .live()
            .any(|one| digest::differs(&one.digest, &new) == 0)
        {
            return false;
        }
        let serial = self.next();
        let mut slots = self.slots.iter_mut();
        let found = slots.find(|slot| slot.serial != 0 && slot.credential.name == name);
        let Some(slot) = found else {
            return false;
        };
        slot.credential.digest = new;
        slot.serial = serial;
        true
    }

    /// Becomes what `new` has: a credential that is the same in both stays,
    /// with the streams that it has opened, every other is taken back or
    /// added.
    pub fn replace(&mut self, new: &Self) {
        let mut next = self.last;
        let mut slots = new.slots;
        for slot in slots.iter_mut().filter(|slot| slot.serial != 0) {
            let mut old = self.slots.iter().filter(|old| old.serial != 0);
            slot.serial = match old.find(|old| old.credential == slot.credential) {
                Some(old) => old.serial,
                None => {
                    next = next.checked_add(1).unwrap_or(1);
                    next
                }
            };
        }
        self.slots = slots;
        self.last = next;
    }

    /// Takes all of them back.
    pub fn clear(&mut self) {
        self.slots = [FREE; CREDENTIALS];
    }

    fn next(&mut self) -> u32 {
        self.last = self.last.checked_add(1).unwrap_or(1);
        self.last
    }

    /// Whose secret this is. Every place of the table is looked at, free ones
    /// too, each in the same time; one that has expired is found as little as
    /// one that was never there.
    pub(super) fn find(&self, secret: &[u8], now: Instant) -> Option<Grant> {
        let shown = digest::of(secret);
        let mut found = None;
        for slot in &self.slots {
            // One condition: two would let the time tell which one failed.
            let differs = digest::differs(&slot.credential.digest, &shown);
            let bad = u8::from(!slot.is_good(now));
            if core::hint::black_box(differs | bad) == 0 {
                let Credential {
                    name,
                    id,
                    tenant,
                    tenant_name,
                    scopes,
                    ..
                } = slot.credential;
                found = Some(Grant {
                    id,
                    tenant,
                    tenant_name,
                    scopes,
                    by: Authority::Credential(name),
                    serial: slot.serial,
                });
            }
        }
        found
    }

    /// Whether a caller is known here under another tenant: then his sessions
    /// and tasks would be another's.
    pub(super) fn clashes(&self, grant: &Grant) -> bool {
        self.live()
            .any(|one| one.id == grant.id && one.tenant != grant.tenant)
    }

    /// Whether what a request was granted is still good: its credential is
    /// there, and has not expired.
    pub(super) fn holds(&self, grant: &Grant, now: Instant) -> bool {
        grant.serial == 0
            || self
                .slots
                .iter()
                .any(|slot| slot.serial == grant.serial && slot.is_good(now))
    }
}

impl Slot {
    fn is_good(&self, now: Instant) -> bool {
        let expired = self.credential.expires.is_some_and(|end| end <= now);
        (self.serial != 0) & !expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_millis(1000);

    fn key(name: &'static str, secret: &str, id: u32, tenant: u32) -> Credential {
        Credential {
            tenant,
            ..Credential::of_secret(name, secret.as_bytes(), id)
        }
    }

    #[test]
    fn a_table_refuses_what_would_make_two_callers_one() {
        let mut table = Credentials::new();
        assert_eq!(table.add(key("a", "one", 1, 1)), Ok(()));
        assert_eq!(table.add(key("a", "two", 2, 1)), Err(AddError::Name));
        assert_eq!(table.add(key("b", "one", 2, 1)), Err(AddError::Digest));
        assert_eq!(table.add(key("b", "two", 1, 2)), Err(AddError::Tenant));
        assert_eq!(table.add(key("b", "two", 1, 1)), Ok(()));
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn a_full_table_is_an_answer() {
        const NAMES: [&str; CREDENTIALS] = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let mut table = Credentials::new();
        for name in NAMES {
            assert_eq!(table.add(key(name, name, 1, 1)), Ok(()));
        }
        assert_eq!(table.add(key("z", "z", 1, 1)), Err(AddError::Full));
        assert!(table.revoke("c"));
        assert_eq!(table.add(key("z", "z", 1, 1)), Ok(()));
    }

    #[test]
    fn revoked_expired_and_unknown_are_the_same() {
        let mut table = Credentials::new();
        let mut old = key("old", "old", 1, 1);
        old.expires = Some(NOW);
        assert_eq!(table.add(old), Ok(()));
        assert_eq!(table.add(key("new", "new", 2, 1)), Ok(()));
        let before = Instant::from_millis(999);
        let grant = table.find(b"old", before).expect("not expired yet");
        assert!(table.holds(&grant, before));
        assert!(!table.holds(&grant, NOW));
        assert_eq!(table.find(b"old", NOW), None);
        assert_eq!(table.find(b"nobody's", NOW), None);
        let grant = table.find(b"new", NOW).expect("known");
        assert_eq!((grant.id, grant.by), (2, Authority::Credential("new")));
        assert!(table.rotate("new", digest::of(b"newer")));
        assert!(!table.holds(&grant, NOW));
        assert_eq!(table.find(b"new", NOW), None);
        assert!(table.find(b"newer", NOW).is_some());
        assert!(!table.rotate("new", digest::of(b"old")));
        assert!(!table.rotate("none", digest::of(b"x")));
        assert!(table.revoke("new") && !table.revoke("new"));
        assert_eq!(table.find(b"newer", NOW), None);
    }

    #[test]
    fn a_free_place_is_nobodys() {
        // No secret has a digest of zeros that anybody knows; a table that
        // compared free places would still be open to it.
        let table = Credentials::new();
        assert_eq!(table.find(b"", NOW), None);
        assert!(table.is_empty());
    }

    #[test]
    fn a_digest_is_not_shown() {
        let shown = std::format!("{:?}", key("a", "one", 1, 1));
        assert!(shown.starts_with("Credential { name: \"a\""), "{shown}");
        assert!(!shown.contains("digest"), "{shown}");
    }

    extern crate std;
}
