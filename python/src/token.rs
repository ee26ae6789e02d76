//! Bearer tokens, and who brings them.

use std::cell::RefCell;
use std::sync::Arc;

use agentmote::a2a;
use agentmote::policy::Presented;
use agentmote::task::Principal;
use agentmote::tool::Caller;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sha2::{Digest as _, Sha256};
use subtle::{ConditionallySelectable as _, ConstantTimeEq as _};

/// The tokens that open a connection: each as its digest, with the scopes of
/// who brings it. The tokens themselves are not kept.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<([u8; 32], u32)>);

thread_local! {
    /// The tokens of the connection that this thread works for: the core's
    /// check is a plain function.
    static OURS: RefCell<Option<Arc<Tokens>>> = const { RefCell::new(None) };
}

impl Tokens {
    /// The tokens with their scopes.
    pub(crate) fn new(given: Vec<(String, u32)>) -> PyResult<Self> {
        if given.iter().any(|(token, _)| token.is_empty()) {
            return Err(PyValueError::new_err("the token is empty"));
        }
        let digest = |token: &str| Sha256::digest(token.as_bytes()).into();
        let list = given
            .iter()
            .map(|(token, scopes)| (digest(token), *scopes))
            .collect();
        Ok(Self(list))
    }

    /// Makes these the tokens of this thread.
    pub(crate) fn enter(tokens: Option<&Arc<Self>>) {
        OURS.with_borrow_mut(|ours| *ours = tokens.cloned());
    }

    /// Who brings a token. Takes the same time whichever it is.
    fn caller(&self, token: &[u8]) -> Option<Caller> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let (mut found, mut scopes) = (0u32, 0u32);
        // Numbers from 1 on: 0 is nobody.
        for (number, (want, of)) in (1..).zip(&self.0) {
            let same = want.ct_eq(&digest);
            found.conditional_assign(&number, same);
            scopes.conditional_assign(of, same);
        }
        (found != 0).then_some(Caller { id: found, scopes })
    }
}

/// The check of the core: whose token this is.
pub(crate) fn opens(token: &[u8]) -> Option<Caller> {
    OURS.with_borrow(|ours| ours.as_ref()?.caller(token))
}

/// The check of the core for an agent: who shows this. A connection without
/// tokens is open to all, who are then one caller.
pub(crate) fn shown(credential: Presented<'_>) -> Option<a2a::Caller<'static>> {
    OURS.with_borrow(|ours| {
        let Some(tokens) = ours else {
            return Some(caller(0, u32::MAX));
        };
        let token = match credential {
            Presented::Bearer(token) | Presented::ApiKey(token) => token,
            Presented::None => b"",
        };
        let found = tokens.caller(token)?;
        Some(caller(found.id, found.scopes))
    })
}

fn caller(id: u32, scopes: u32) -> a2a::Caller<'static> {
    a2a::Caller {
        principal: Principal {
            id,
            tenant: 0,
            scopes,
        },
        tenant: "",
        known: id != 0,
    }
}
