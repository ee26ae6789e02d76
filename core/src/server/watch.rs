//! Which sources have changed, and which subscriber has heard of it.

use super::Server;
use crate::mcp::{SOURCES, Sources};
use crate::time::Instant;

/// What is known of the sources of a server, for all its subscribers.
#[derive(Debug)]
pub(crate) struct Watch {
    versions: [u32; SOURCES],
    /// When each was seen to change last: the number of that change.
    changes: [u32; SOURCES],
    /// The number of the last change.
    last: u32,
    /// When to look again; `None` before the first look.
    next: Option<Instant>,
    /// Whether the server ends its subscriptions.
    pub ending: bool,
}

impl Watch {
    pub(crate) const fn new() -> Self {
        Self {
            versions: [0; SOURCES],
            changes: [0; SOURCES],
            last: 0,
            next: None,
            ending: false,
        }
    }
}

impl<App> Server<App> {
    /// Looks whether sources have changed, if it is time to; gives when it is
    /// again.
    pub(super) fn look(&mut self, now: Instant) -> Instant {
        match self.watch.next {
            Some(next) if now < next => next,
            _ => self.look_now(now),
        }
    }

    /// Looks whether sources have changed; gives when it is time to again. A
    /// new subscriber makes it look at once: he is not told of what was
    /// before him.
    pub(super) fn look_now(&mut self, now: Instant) -> Instant {
        let versions = self.device.versions(&self.app, now);
        let watch = &mut self.watch;
        for ((known, change), version) in watch
            .versions
            .iter_mut()
            .zip(&mut watch.changes)
            .zip(versions)
        {
            // What was never looked at has not changed.
            if known != &version && watch.next.is_some() {
                watch.last = watch.last.wrapping_add(1);
                *change = watch.last;
            }
            *known = version;
        }
        let next = now.after(self.device.watch_ms);
        watch.next = Some(next);
        next
    }

    /// A subscription to these sources from now on.
    pub(super) fn subscribe(&mut self, now: Instant, sources: Sources) -> Subscription {
        self.look_now(now);
        Subscription {
            sources,
            seen: self.watch.last,
            ..Subscription::NONE
        }
    }
}

/// What one subscriber wants, and what he has heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subscription {
    sources: Sources,
    /// What has changed, and was not told.
    pending: Sources,
    /// The number of the last change that was looked at.
    seen: u32,
}

impl Subscription {
    pub(crate) const NONE: Self = Self {
        sources: Sources::NONE,
        pending: Sources::NONE,
        seen: 0,
    };

    /// What it is told of.
    pub(crate) fn sources(&self) -> Sources {
        self.sources
    }

    fn refresh(&mut self, watch: &Watch) {
        for (source, change) in (0..).zip(watch.changes) {
            let since = change.wrapping_sub(self.seen);
            // A change that was looked at lies behind, that is far ahead.
            if self.sources.has(source) && (1..=u32::MAX / 2).contains(&since) {
                self.pending = self.pending.with(Sources::one(source));
            }
        }
        self.seen = watch.last;
    }

    /// Takes these sources in, from now on.
    pub(crate) fn add(&mut self, watch: &Watch, sources: Sources) {
        self.refresh(watch);
        self.sources = self.sources.with(sources);
    }

    /// Lets these sources go.
    pub(crate) fn remove(&mut self, sources: Sources) {
        self.sources = self.sources.without(sources);
        self.pending = self.pending.without(sources);
    }

    /// The source whose change is to be told next, if there is one; it counts
    /// as told. Several changes of one source are told as one.
    pub(crate) fn next(&mut self, watch: &Watch) -> Option<u8> {
        self.refresh(watch);
        let source = self.pending.first()?;
        self.pending = self.pending.without(Sources::one(source));
        Some(source)
    }
}
