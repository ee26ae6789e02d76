//! Which wire a request speaks (section 21), and what it asks for.

use super::code::Fault;
use crate::json::Text;

/// A wire: the same tasks in other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// A2A 1.x: `SendMessage`, `TASK_STATE_WORKING`.
    V1,
    /// A2A 0.3: `message/send`, `working`, `kind`.
    V03,
}

/// What is asked for, on either wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Send,
    Stream,
    Get,
    /// 1.x alone (V-019).
    List,
    Cancel,
    Subscribe,
    /// All of push notification, which is not served.
    Push,
    ExtendedCard,
}

impl Method {
    /// Whether it is answered with a stream of events.
    pub(super) const fn streams(self) -> bool {
        matches!(self, Self::Stream | Self::Subscribe)
    }
}

/// The names of each wire (A-044, section 19), exact in their case.
pub(super) const NAMES: &[(&str, Wire, Method)] = &[
    ("SendMessage", Wire::V1, Method::Send),
    ("GetTask", Wire::V1, Method::Get),
    ("CancelTask", Wire::V1, Method::Cancel),
    ("ListTasks", Wire::V1, Method::List),
    ("SendStreamingMessage", Wire::V1, Method::Stream),
    ("SubscribeToTask", Wire::V1, Method::Subscribe),
    ("GetExtendedAgentCard", Wire::V1, Method::ExtendedCard),
    ("CreateTaskPushNotificationConfig", Wire::V1, Method::Push),
    ("GetTaskPushNotificationConfig", Wire::V1, Method::Push),
    ("ListTaskPushNotificationConfigs", Wire::V1, Method::Push),
    ("DeleteTaskPushNotificationConfig", Wire::V1, Method::Push),
    ("message/send", Wire::V03, Method::Send),
    ("tasks/get", Wire::V03, Method::Get),
    ("tasks/cancel", Wire::V03, Method::Cancel),
    ("message/stream", Wire::V03, Method::Stream),
    ("tasks/resubscribe", Wire::V03, Method::Subscribe),
    (
        "agent/getAuthenticatedExtendedCard",
        Wire::V03,
        Method::ExtendedCard,
    ),
    ("tasks/pushNotificationConfig/set", Wire::V03, Method::Push),
    ("tasks/pushNotificationConfig/get", Wire::V03, Method::Push),
    ("tasks/pushNotificationConfig/list", Wire::V03, Method::Push),
    (
        "tasks/pushNotificationConfig/delete",
        Wire::V03,
        Method::Push,
    ),
];

/// What the header may say and still be served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Versions {
    /// A 1.x method without a header is served (D-004).
    pub(super) lenient: bool,
    /// 1.1 and later count as 1.0.
    pub(super) any_minor: bool,
}

/// The name of the method picks the wire, and the header must fit it (D-001
/// to D-005). A name that is on no wire is refused first: the order of A-086.
///
/// # Errors
/// What does not fit, and the wire to say it on.
pub(super) fn choose(
    name: Text<'_>,
    header: Option<&[u8]>,
    versions: Versions,
) -> Result<(Wire, Method), (Wire, Fault)> {
    let &(_, wire, method) = NAMES
        .iter()
        .find(|(known, _, _)| name.is(known))
        .ok_or((Wire::V1, Fault::Method))?;
    let said = match header.unwrap_or(b"").trim_ascii() {
        // Missing or empty means 0.3.
        b"" => None,
        value => Some(version(value, versions).ok_or((wire, Fault::Version))?),
    };
    match (wire, said) {
        (Wire::V1, Some(Wire::V1)) | (Wire::V03, None | Some(Wire::V03)) => Ok((wire, method)),
        (Wire::V1, None) if versions.lenient => Ok((wire, method)),
        (Wire::V1, _) => Err((wire, Fault::Version)),
        // That name does not exist in 1.0 (D-005).
        (Wire::V03, Some(Wire::V1)) => Err((wire, Fault::Method)),
    }
}

/// The wire of `Major.Minor`; what follows a second point is ignored.
fn version(value: &[u8], versions: Versions) -> Option<Wire> {
    let mut parts = value.split(|&byte| byte == b'.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if let Some(patch) = parts.next()
        && (!digits(patch) || parts.next().is_some())
    {
        return None;
    }
    match (major, minor) {
        (b"0", b"3") => Some(Wire::V03),
        (b"1", b"0") => Some(Wire::V1),
        (b"1", minor) if versions.any_minor && digits(minor) => Some(Wire::V1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(name: &str, header: Option<&str>, versions: Versions) -> Result<Wire, Fault> {
        let name = Text::checked(name.as_bytes());
        let chosen = choose(name, header.map(str::as_bytes), versions);
        chosen.map(|(wire, _)| wire).map_err(|(_, fault)| fault)
    }

    const STRICT: Versions = Versions {
        lenient: false,
        any_minor: false,
    };

    /// D-001 to D-006, A-080 to A-085, C-74.
    #[test]
    fn the_method_picks_the_wire_and_the_header_must_fit() {
        let new = |header| chosen("ListTasks", header, STRICT);
        for fine in ["1.0", "1.0.9", " 1.0 "] {
            assert_eq!(new(Some(fine)), Ok(Wire::V1), "{fine}");
        }
        for wrong in [
            "2.0", "0.3", "1.1", "99.0", "1", "1.", "1.0.", "1.0.x", "1.0.0.0", "v1.0", "1.00",
            "01.0", "1.0,1.0",
        ] {
            assert_eq!(new(Some(wrong)), Err(Fault::Version), "{wrong}");
        }
        assert_eq!(new(None), Err(Fault::Version));
        assert_eq!(new(Some("")), Err(Fault::Version));
        let old = |header| chosen("message/send", header, STRICT);
        for fine in [None, Some(""), Some("0.3"), Some("0.3.0")] {
            assert_eq!(old(fine), Ok(Wire::V03), "{fine:?}");
        }
        assert_eq!(old(Some("1.0")), Err(Fault::Method));
        assert_eq!(old(Some("0.2")), Err(Fault::Version));
        for unknown in ["sendmessage", "tasks/list", "SendMessage ", ""] {
            let got = chosen(unknown, Some("99.0"), STRICT);
            assert_eq!(got, Err(Fault::Method), "{unknown}");
        }
        let lenient = Versions {
            lenient: true,
            any_minor: true,
        };
        assert_eq!(chosen("ListTasks", None, lenient), Ok(Wire::V1));
        assert_eq!(chosen("ListTasks", Some("1.7"), lenient), Ok(Wire::V1));
        let odd = chosen("ListTasks", Some("1.x"), lenient);
        assert_eq!(odd, Err(Fault::Version));
    }
}
