//! The revisions of the protocol, and what each of them has.

use crate::json::Text;

/// A revision of the protocol, older ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26: batches, annotations, audio.
    V2025_03_26,
    /// 2025-06-18: structured results, links, titles.
    V2025_06_18,
    /// 2025-11-25: the newest with a handshake.
    V2025_11_25,
    /// 2026-07-28: no handshake, no session.
    V2026_07_28,
}

impl Version {
    /// Every revision that is served, newest first: the order of
    /// `supportedVersions`.
    pub const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];
    /// The newest one that is opened by `initialize` (M-178).
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// What an HTTP request without a version header speaks (M-170, M-183).
    pub const UNTOLD: Self = Self::V2025_03_26;

    /// Its name on the wire.
    pub const fn text(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether each request stands alone and says its version (section B).
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    pub(crate) fn of(name: Text<'_>) -> Option<Self> {
        // The modern one first: it is looked up for each message.
        Self::ALL
            .into_iter()
            .find(|version| name.is(version.text()))
    }

    #[cfg(feature = "http")]
    pub(crate) fn of_bytes(name: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| name == version.text().as_bytes())
    }

    /// Whether several messages may come as one array (M-197).
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }

    /// Whether a tool may have annotations.
    pub const fn has_annotations(self) -> bool {
        self as u8 >= Self::V2025_03_26 as u8
    }

    /// Whether a result may hold sound (M-122).
    pub const fn has_audio(self) -> bool {
        self as u8 >= Self::V2025_03_26 as u8
    }

    /// Whether there are titles, output schemas, structured results and
    /// resource links (M-114, M-122, M-193).
    pub const fn has_structured(self) -> bool {
        self as u8 >= Self::V2025_06_18 as u8
    }
}

/// The methods that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Ping,
    Discover,
    ToolsList,
    ToolsCall,
    #[cfg(feature = "resources")]
    ResourcesList,
    #[cfg(feature = "resources")]
    TemplatesList,
    #[cfg(feature = "resources")]
    ResourcesRead,
    #[cfg(feature = "logging")]
    SetLevel,
    #[cfg(feature = "subscriptions")]
    Listen,
    #[cfg(feature = "subscriptions")]
    Subscribe,
    #[cfg(feature = "subscriptions")]
    Unsubscribe,
    #[cfg(feature = "prompts")]
    PromptsList,
    #[cfg(feature = "prompts")]
    PromptsGet,
    #[cfg(feature = "prompts")]
    Complete,
    #[cfg(feature = "tasks")]
    TasksGet,
    #[cfg(feature = "tasks")]
    TasksUpdate,
    #[cfg(feature = "tasks")]
    TasksCancel,
}

impl Method {
    /// Every method with its name and where it exists: in the legacy
    /// revisions, in the modern one.
    const TABLE: &'static [(Self, &'static str, bool, bool)] = &[
        (Self::ToolsCall, "tools/call", true, true),
        (Self::ToolsList, "tools/list", true, true),
        (Self::Ping, "ping", true, false),
        (Self::Discover, "server/discover", false, true),
        (Self::Initialize, "initialize", true, false),
        #[cfg(feature = "resources")]
        (Self::ResourcesRead, "resources/read", true, true),
        #[cfg(feature = "resources")]
        (Self::ResourcesList, "resources/list", true, true),
        #[cfg(feature = "resources")]
        (Self::TemplatesList, "resources/templates/list", true, true),
        #[cfg(feature = "logging")]
        (Self::SetLevel, "logging/setLevel", true, false),
        #[cfg(feature = "subscriptions")]
        (Self::Listen, "subscriptions/listen", false, true),
        #[cfg(feature = "subscriptions")]
        (Self::Subscribe, "resources/subscribe", true, false),
        #[cfg(feature = "subscriptions")]
        (Self::Unsubscribe, "resources/unsubscribe", true, false),
        #[cfg(feature = "prompts")]
        (Self::PromptsGet, "prompts/get", true, true),
        #[cfg(feature = "prompts")]
        (Self::PromptsList, "prompts/list", true, true),
        #[cfg(feature = "prompts")]
        (Self::Complete, "completion/complete", true, true),
        #[cfg(feature = "tasks")]
        (Self::TasksGet, "tasks/get", false, true),
        #[cfg(feature = "tasks")]
        (Self::TasksUpdate, "tasks/update", false, true),
        #[cfg(feature = "tasks")]
        (Self::TasksCancel, "tasks/cancel", false, true),
    ];

    /// The method of that name, if the revision has it (M-009, M-167).
    pub(crate) fn of(name: Text<'_>, modern: bool) -> Option<Self> {
        Self::TABLE
            .iter()
            .find(|(_, text, old, new)| (if modern { *new } else { *old }) && name.is(text))
            .map(|(method, ..)| *method)
    }

    /// Whether it is one of the tasks extension (M-160).
    #[cfg(feature = "tasks")]
    pub(crate) const fn is_of_tasks(self) -> bool {
        matches!(self, Self::TasksGet | Self::TasksUpdate | Self::TasksCancel)
    }
}
