//! Who may call: two tenants of one lab, by the digests of their secrets.

use agentmote::policy::{Credential, Policy};
use agentmote::server::Server;
use bench_arm::Arm;
use bench_arm::policy::{AGENT, DRIVE, Guarded, RULES, TOOLS};

/// The secrets are `key-of-ann`, `key-of-bob` and `key-of-eve`, as in the
/// tests. A product has digests of long random ones, and can take them from
/// where it is configured.
const CREDENTIALS: [Credential; 3] = [
    Credential {
        tenant: 1,
        tenant_name: "lab-a",
        scopes: TOOLS | AGENT | DRIVE,
        ..Credential::new(
            "ann",
            digest(b"ca64daa8b294dc4835d29ca02a6a47427ebc6a225ea3ac2e15f8417fb6601db2"),
            1,
        )
    },
    Credential {
        tenant: 2,
        tenant_name: "lab-b",
        scopes: TOOLS | AGENT | DRIVE,
        ..Credential::new(
            "bob",
            digest(b"808a1d81b5de08d72083995df738947d519d230a20c236003268f0f4b65ee475"),
            2,
        )
    },
    Credential {
        tenant: 1,
        tenant_name: "lab-a",
        scopes: TOOLS | AGENT,
        ..Credential::new(
            "eve",
            digest(b"c8fab31a2dfb22d9ca0982ba68eaa017a4b1c0d9d1c1f5a973b486833c855c98"),
            3,
        )
    },
];

/// A policy that knows nobody yet.
pub(crate) const fn policy() -> Policy<Arm> {
    Policy::new::<Guarded>(RULES)
}

/// Puts it in front of a server, with those callers.
pub(crate) fn guard(server: &mut Server<Arm>, policy: &'static mut Policy<Arm>) {
    for credential in CREDENTIALS {
        // There is room for them, and no two are alike.
        let _ = policy.credentials.add(credential);
    }
    server.set_policy(policy);
}

/// A digest from its digits.
const fn digest(hex: &[u8; 64]) -> [u8; 32] {
    let mut digest = [0; 32];
    let mut i = 0;
    while i < 32 {
        digest[i] = digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]);
        i += 1;
    }
    digest
}

const fn digit(digit: u8) -> u8 {
    match digit {
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'0',
    }
}
