//! A message, decided: which era it speaks, whether it is right, and what it
//! asks for. Nothing has happened yet.

use super::code::Fault;
use super::device::{Device, Who};
#[cfg(feature = "input")]
use super::input::{self, Retry};
use super::pages::List;
#[cfg(feature = "prompts")]
use super::prompts;
use super::reply::{Body, Reply};
#[cfg(feature = "resources")]
use super::resources;
use super::revision::{Method, Version};
#[cfg(feature = "subscriptions")]
use super::subscriptions::Sources;
#[cfg(feature = "tasks")]
use super::tasks::{EXTENSION, TaskPlan, TaskWish};
use super::tools;
use crate::buf::{Sink, Span};
use crate::json::{Kind, Reader, Reason, Text, Value};
#[cfg(feature = "prompts")]
use crate::prompt;
#[cfg(feature = "resources")]
use crate::resource;
use crate::rpc::{self, Message};
use crate::tool::Capabilities;
#[cfg(feature = "logging")]
use crate::tool::Level;
#[cfg(feature = "tasks")]
use crate::tool::TaskSupport;

/// What `initialize` agreed on for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub version: Version,
    pub client: Capabilities,
}

#[cfg(all(feature = "sessions", feature = "http"))]
impl Session {
    /// In one byte.
    pub(crate) fn pack(self) -> u8 {
        let Capabilities {
            elicitation,
            sampling,
            roots,
        } = self.client;
        self.version as u8
            | u8::from(elicitation) << 4
            | u8::from(sampling) << 5
            | u8::from(roots) << 6
    }

    /// What [`pack`](Self::pack) has made a byte of.
    pub(crate) fn unpack(byte: u8) -> Option<Self> {
        let version = Version::ALL
            .into_iter()
            .find(|version| *version as u8 == byte & 0x0F)?;
        Some(Self {
            version,
            client: Capabilities {
                elicitation: byte & 0x10 != 0,
                sampling: byte & 0x20 != 0,
                roots: byte & 0x40 != 0,
            },
        })
    }
}

/// The protocol's headers of an HTTP request, white space around the values
/// already gone.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Headers<'a> {
    pub version: Option<&'a [u8]>,
    pub method: Option<&'a [u8]>,
    pub name: Option<&'a [u8]>,
    /// The name of one of the three that stands twice.
    pub twice: Option<&'static str>,
    /// The whole head, for `Mcp-Param-` headers.
    pub head: &'a crate::frame::http::Head,
    pub bytes: &'a [u8],
    /// The session that the request names, if it is a good one.
    #[cfg(feature = "sessions")]
    pub session: Option<Session>,
}

/// How the message came.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing<'a> {
    /// As a line; with what the line agreed on, if it did.
    Line(Option<Session>),
    /// As a POST.
    #[cfg(feature = "http")]
    Http(Headers<'a>),
    /// So that the lifetime is used in every build.
    #[cfg(not(feature = "http"))]
    #[allow(dead_code)]
    Never(&'a core::convert::Infallible),
}

impl Framing<'_> {
    /// Whether what `initialize` agreed on is known.
    fn remembers(&self) -> bool {
        match self {
            Self::Line(_) => true,
            #[cfg(feature = "http")]
            Self::Http(headers) => headers.agreed().is_some(),
            #[cfg(not(feature = "http"))]
            Self::Never(_) => false,
        }
    }
}

/// A call that may begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPlan {
    /// The id, as it was written.
    pub id: Span,
    pub version: Version,
    /// Place of the tool in the catalog.
    pub tool: u8,
    /// The `arguments` object; empty if there was none.
    pub arguments: Span,
    /// The progress token, as it was written; empty if there was none.
    pub token: Span,
    #[cfg(feature = "input")]
    pub retry: Retry,
    /// The least serious message that the client asked for with this call.
    #[cfg(feature = "logging")]
    pub level: Option<Level>,
    /// Whether the call becomes a task.
    #[cfg(feature = "tasks")]
    pub task: bool,
}

/// What a message comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decision {
    /// No answer: a notification, or a response that nobody waits for.
    Nothing,
    /// The client gives up a request; its id, as it was written.
    Cancel(Span),
    /// The client of the legacy era answers a question: the id, as it was
    /// written, and the result; empty for an error.
    #[cfg(feature = "input")]
    Response(Span, Span),
    /// The line now speaks what was agreed on, and this is the answer.
    Open(Session, Reply),
    /// An answer that needs no work.
    Answer(Reply),
    /// An answer whose body the application has still to fill.
    #[cfg(any(feature = "resources", feature = "prompts"))]
    Work(Reply),
    /// A call, found right but for its arguments.
    Call(CallPlan),
    /// A wish about a task.
    #[cfg(feature = "tasks")]
    Task(TaskPlan),
    /// The client of the legacy era wants messages from this level on; the
    /// answer.
    #[cfg(feature = "logging")]
    SetLevel(Level, Reply),
    /// The client of the modern era listens to these sources from now on;
    /// the id of its request.
    #[cfg(feature = "subscriptions")]
    Listen(Span, Sources),
    /// The client of the legacy era subscribes to these sources, or no
    /// longer; the answer.
    #[cfg(feature = "subscriptions")]
    Subscribe(Sources, bool, Reply),
}

#[cfg(all(feature = "sessions", feature = "http"))]
impl Decision {
    /// The id of what needs the session that it names: a message of the
    /// legacy era other than `initialize`.
    ///
    /// `modern` tells what the headers of a message without an answer say.
    pub(crate) fn legacy(&self, modern: bool) -> Option<Span> {
        let (id, version) = match self {
            Self::Nothing | Self::Cancel(_) => return (!modern).then_some(Span::EMPTY),
            #[cfg(feature = "input")]
            Self::Response(..) => return (!modern).then_some(Span::EMPTY),
            Self::Open(..) => return None,
            #[cfg(feature = "tasks")]
            Self::Task(_) => return None,
            Self::Answer(reply) => (reply.id, reply.version),
            #[cfg(any(feature = "resources", feature = "prompts"))]
            Self::Work(reply) => (reply.id, reply.version),
            Self::Call(plan) => (plan.id, plan.version),
            #[cfg(feature = "logging")]
            Self::SetLevel(_, reply) => (reply.id, reply.version),
            #[cfg(feature = "subscriptions")]
            Self::Listen(..) => return None,
            #[cfg(feature = "subscriptions")]
            Self::Subscribe(_, _, reply) => (reply.id, reply.version),
        };
        (!version.is_modern()).then_some(id)
    }
}

/// Decides one message. Spans of the decision lie in `buf`, which holds the
/// message and, over HTTP, its head.
pub(crate) fn decide<App>(
    device: &Device<App>,
    who: Who,
    buf: &[u8],
    text: &[u8],
    framing: Framing<'_>,
) -> Decision {
    let refuse = |id: &[u8], modern, fault| {
        Decision::Answer(Reply {
            id: Span::of(buf, id),
            version: if modern {
                Version::V2026_07_28
            } else {
                Version::NEWEST_LEGACY
            },
            body: Body::Fault(fault),
        })
    };
    let mut params = Params::default();
    let message = match rpc::read(text, |reader| params.read(reader)) {
        Ok(Ok(message)) => message,
        Ok(Err(refused)) => return refuse(refused.id, false, Fault::Invalid(refused.why)),
        Err(error) => return refuse(&[], false, Fault::Parse(error)),
    };
    let (id, method) = match message {
        Message::Request { id, method } => (id, method),
        Message::Notification { method } => return notification(buf, method, &params),
        // Nothing was asked of a client that speaks the modern era (M-056).
        Message::Response { .. } if modern_by_header(&framing) => {
            return refuse(&[], true, Fault::Invalid("a response to nothing"));
        }
        #[cfg(feature = "input")]
        Message::Response {
            id: Some(id),
            result,
        } => {
            let result = result.map_or(Span::EMPTY, |result| Span::of(buf, result.raw()));
            return Decision::Response(Span::of(buf, id), result);
        }
        Message::Response { .. } => return Decision::Nothing,
    };
    let modern = params.meta.version.is_some() || modern_by_header(&framing);
    let request = Request {
        who,
        buf,
        id,
        method,
        params: &params,
    };
    let result = if modern {
        request.modern(device, &framing)
    } else {
        request.legacy(device, &framing)
    };
    result.unwrap_or_else(|fault| refuse(id, modern, fault))
}

/// A version header that names no legacy revision makes a request modern
/// even if its body does not (M-166).
fn modern_by_header(framing: &Framing<'_>) -> bool {
    match framing {
        #[cfg(feature = "http")]
        Framing::Http(headers) => headers
            .version
            .is_some_and(|name| Version::of_bytes(name).is_none_or(Version::is_modern)),
        _ => false,
    }
}

fn notification(buf: &[u8], method: Text<'_>, params: &Params<'_>) -> Decision {
    match params.request {
        Some(id) if method.is("notifications/cancelled") && params.fault.is_none() => {
            Decision::Cancel(Span::of(buf, id.raw()))
        }
        _ => Decision::Nothing,
    }
}

/// The members of `params` that the protocol knows. Each of them acts, so
/// none may stand twice.
#[derive(Clone, Copy, Default)]
struct Params<'a> {
    name: Option<Value<'a>>,
    arguments: Option<Value<'a>>,
    cursor: Option<Value<'a>>,
    #[cfg(feature = "resources")]
    uri: Option<Value<'a>>,
    /// Of `subscriptions/listen`.
    #[cfg(feature = "subscriptions")]
    notifications: Option<Value<'a>>,
    /// `ref` of `completion/complete`.
    #[cfg(feature = "prompts")]
    reference: Option<Value<'a>>,
    #[cfg(feature = "prompts")]
    argument: Option<Value<'a>>,
    /// Of `logging/setLevel`.
    #[cfg(feature = "logging")]
    level: Option<Value<'a>>,
    #[cfg(feature = "input")]
    responses: Option<Value<'a>>,
    #[cfg(feature = "input")]
    state: Option<Value<'a>>,
    #[cfg(feature = "tasks")]
    task: Option<Value<'a>>,
    /// Of `initialize`.
    version: Option<Value<'a>>,
    /// Of `initialize`.
    client: Option<Value<'a>>,
    /// Of `notifications/cancelled`.
    request: Option<Value<'a>>,
    meta: Meta<'a>,
    /// What is wrong with the shape of it.
    fault: Option<Fault>,
}

/// The members of `_meta` that the protocol knows.
#[derive(Clone, Copy, Default)]
struct Meta<'a> {
    version: Option<Value<'a>>,
    client: Option<Value<'a>>,
    token: Option<Value<'a>>,
    #[cfg(feature = "logging")]
    level: Option<Value<'a>>,
    /// One of them stands twice.
    twice: bool,
}

pub(super) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
#[cfg(feature = "logging")]
const META_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const META_CLIENT: &str = "io.modelcontextprotocol/clientCapabilities";

impl<'a> Params<'a> {
    fn read(&mut self, reader: &mut Reader<'a>) -> Result<(), Reason> {
        if reader.first() != Some(b'{') {
            self.fault = Some(Fault::Shape("params must be an object"));
            return Ok(());
        }
        let mut twice = false;
        let mut meta = None;
        reader.open()?;
        while let Some(name) = reader.name()? {
            let place = if name.is("name") {
                &mut self.name
            } else if name.is("arguments") {
                &mut self.arguments
            } else if name.is("_meta") {
                twice |= meta.is_some();
                let object = reader.first() == Some(b'{');
                meta = Some(object);
                if object {
                    self.meta.read(reader)?;
                }
                continue;
            } else if name.is("cursor") {
                &mut self.cursor
            } else if name.is("protocolVersion") {
                &mut self.version
            } else if name.is("capabilities") {
                &mut self.client
            } else if name.is("requestId") {
                &mut self.request
            } else if let Some(place) = self.more(name) {
                place
            } else {
                continue;
            };
            twice |= place.replace(reader.value()?).is_some();
        }
        if twice {
            self.fault = Some(Fault::Shape("a member of params stands twice"));
        } else if meta == Some(false) {
            self.fault = Some(Fault::Shape("_meta must be an object"));
        } else if self.meta.twice {
            self.fault = Some(Fault::Shape("a member of _meta stands twice"));
        }
        Ok(())
    }
}

impl<'a> Params<'a> {
    /// The place of a member that only some builds know.
    fn more(&mut self, name: Text<'_>) -> Option<&mut Option<Value<'a>>> {
        #[cfg(feature = "resources")]
        if name.is("uri") {
            return Some(&mut self.uri);
        }
        #[cfg(feature = "subscriptions")]
        if name.is("notifications") {
            return Some(&mut self.notifications);
        }
        #[cfg(feature = "prompts")]
        if name.is("ref") {
            return Some(&mut self.reference);
        } else if name.is("argument") {
            return Some(&mut self.argument);
        }
        #[cfg(feature = "logging")]
        if name.is("level") {
            return Some(&mut self.level);
        }
        #[cfg(feature = "input")]
        if name.is("inputResponses") {
            return Some(&mut self.responses);
        } else if name.is("requestState") {
            return Some(&mut self.state);
        }
        #[cfg(feature = "tasks")]
        if name.is("taskId") {
            return Some(&mut self.task);
        }
        let _ = name;
        None
    }
}

impl<'a> Meta<'a> {
    fn read(&mut self, reader: &mut Reader<'a>) -> Result<(), Reason> {
        reader.open()?;
        while let Some(name) = reader.name()? {
            #[cfg(feature = "logging")]
            if name.is(META_LEVEL) {
                self.twice |= self.level.replace(reader.value()?).is_some();
                continue;
            }
            let place = if name.is(META_VERSION) {
                &mut self.version
            } else if name.is(META_CLIENT) {
                &mut self.client
            } else if name.is("progressToken") {
                &mut self.token
            } else {
                continue;
            };
            self.twice |= place.replace(reader.value()?).is_some();
        }
        Ok(())
    }
}

struct Request<'a> {
    who: Who,
    buf: &'a [u8],
    id: &'a [u8],
    method: Text<'a>,
    params: &'a Params<'a>,
}

impl<'a> Request<'a> {
    fn span(&self, part: &[u8]) -> Span {
        Span::of(self.buf, part)
    }

    fn answer(&self, version: Version, body: Body) -> Decision {
        Decision::Answer(Reply {
            id: self.span(self.id),
            version,
            body,
        })
    }

    /// The order of section F: each step is refused before the next is
    /// looked at.
    fn modern<App>(&self, device: &Device<App>, framing: &Framing<'_>) -> Result<Decision, Fault> {
        #[cfg(feature = "http")]
        if let Framing::Http(headers) = framing {
            let body = self.params.meta.version.and_then(Value::as_text);
            super::http::version(self.buf, headers, body)?;
        }
        self.shape()?;
        let version = self
            .params
            .meta
            .version
            .and_then(Value::as_text)
            .ok_or(Fault::Meta(META_VERSION))?;
        let client = self
            .params
            .meta
            .client
            .filter(|client| client.kind() == Kind::Object)
            .ok_or(Fault::Meta(META_CLIENT))?;
        let version = match Version::of(version) {
            Some(version) if version.is_modern() => version,
            _ => return Err(Fault::Version(self.span(version.raw()))),
        };
        #[cfg(feature = "http")]
        if let Framing::Http(headers) = framing {
            super::http::method(self.buf, headers, self.method)?;
            if let Some(named) = self.named() {
                super::http::name(self.buf, headers, named.and_then(Value::as_text))?;
            }
        }
        let method = self.find(device, true)?;
        #[cfg(feature = "tasks")]
        if method.is_of_tasks() {
            return self.task(method, client);
        }
        self.serve(device, framing, version, method, Some(capabilities(client)))
    }

    /// A wish about a task (M-162): who has not declared the extension is
    /// told so before anything else.
    #[cfg(feature = "tasks")]
    fn task(&self, method: Method, client: Value<'_>) -> Result<Decision, Fault> {
        if !takes_tasks(client) {
            return Err(Fault::NoTasks);
        }
        let task = self
            .params
            .task
            .and_then(Value::as_text)
            .ok_or(Fault::Params("taskId must be a string"))?;
        let what = match method {
            Method::TasksGet => TaskWish::Get,
            Method::TasksCancel => TaskWish::Cancel,
            _ => {
                let responses = input::responses(self.params.responses)?;
                if responses.is_empty() {
                    return Err(Fault::Params("inputResponses is missing"));
                }
                TaskWish::Update(self.span(responses))
            }
        };
        Ok(Decision::Task(TaskPlan {
            id: self.span(self.id),
            task: self.span(task.raw()),
            what,
        }))
    }

    /// Whether a call of this tool becomes a task, if it may be served at all
    /// (M-161).
    #[cfg(feature = "tasks")]
    fn becomes_task(&self, version: Version, support: TaskSupport) -> Result<bool, Fault> {
        let takes = version.is_modern() && self.who.tasks;
        let takes = takes && self.params.meta.client.is_some_and(takes_tasks);
        match support {
            TaskSupport::Forbidden => Ok(false),
            TaskSupport::Optional => Ok(takes),
            TaskSupport::Required | TaskSupport::AfterInput if takes => Ok(true),
            // The code of the missing extension is one of the modern era.
            _ if !version.is_modern() => Err(Fault::Params(
                "this tool works as a task only, which this protocol version does not have",
            )),
            TaskSupport::Required | TaskSupport::AfterInput => Err(Fault::NoTasks),
        }
    }

    fn legacy<App>(&self, device: &Device<App>, framing: &Framing<'_>) -> Result<Decision, Fault> {
        let session = match framing {
            Framing::Line(session) => *session,
            #[cfg(feature = "http")]
            Framing::Http(headers) => Some(Session {
                version: headers
                    .version
                    .and_then(Version::of_bytes)
                    .unwrap_or(headers.untold()),
                client: headers
                    .agreed()
                    .map_or(Capabilities::NONE, |session| session.client),
            }),
            #[cfg(not(feature = "http"))]
            Framing::Never(never) => match **never {},
        };
        let method = self.find(device, false)?;
        self.shape()?;
        match (method, session) {
            (Method::Initialize, _) => self.initialize(),
            (Method::Ping, _) => Ok(self.answer(Version::NEWEST_LEGACY, Body::Empty)),
            (_, None) => Err(Fault::Unopened),
            (_, Some(session)) => {
                // Without a session to remember them, the capabilities of an
                // HTTP client are not known here (M-026).
                let known = framing.remembers().then_some(session.client);
                self.serve(device, framing, session.version, method, known)
            }
        }
    }

    /// What of it belongs to questions; a legacy client does not call anew.
    #[cfg(feature = "input")]
    fn retry(&self, version: Version, client: Option<Capabilities>) -> Result<Retry, Fault> {
        let client = client.unwrap_or(Capabilities::NONE);
        if !version.is_modern() {
            return Ok(Retry {
                client,
                principal: self.who.id,
                ..Retry::NONE
            });
        }
        Ok(Retry {
            responses: self.span(input::responses(self.params.responses)?),
            state: self.span(input::state(self.params.state)?),
            client,
            principal: self.who.id,
        })
    }

    fn shape(&self) -> Result<(), Fault> {
        self.params.fault.map_or(Ok(()), Err)
    }

    /// The method, if the era has it and the device has something to serve
    /// with it.
    fn find<App>(&self, device: &Device<App>, modern: bool) -> Result<Method, Fault> {
        Method::of(self.method, modern)
            .filter(|method| device.serves(*method))
            .filter(|method| self.allows(*method))
            .ok_or(Fault::Method(self.span(self.method.raw())))
    }

    /// Whether the connection serves the method.
    #[cfg(feature = "tasks")]
    fn allows(&self, method: Method) -> bool {
        self.who.tasks || !method.is_of_tasks()
    }

    #[cfg(not(feature = "tasks"))]
    const fn allows(&self, _: Method) -> bool {
        true
    }

    /// What `Mcp-Name` repeats, for a method that has it (M-065).
    #[cfg(feature = "http")]
    fn named(&self) -> Option<Option<Value<'a>>> {
        #[cfg(feature = "resources")]
        if self.method.is("resources/read") {
            return Some(self.params.uri);
        }
        #[cfg(feature = "prompts")]
        if self.method.is("prompts/get") {
            return Some(self.params.name);
        }
        #[cfg(feature = "tasks")]
        if self.who.tasks && Method::of(self.method, true).is_some_and(Method::is_of_tasks) {
            return Some(self.params.task);
        }
        self.method.is("tools/call").then_some(self.params.name)
    }

    /// The handshake: the same version back if it is a legacy one that is
    /// spoken, else the newest legacy one (M-178).
    fn initialize(&self) -> Result<Decision, Fault> {
        let asked = self
            .params
            .version
            .and_then(Value::as_text)
            .ok_or(Fault::Params("protocolVersion must be a string"))?;
        let version = Version::of(asked)
            .filter(|version| !version.is_modern())
            .unwrap_or(Version::NEWEST_LEGACY);
        let client = self.params.client.map_or(Capabilities::NONE, capabilities);
        // A revision asks nobody what it does not know.
        #[cfg(feature = "input")]
        let client = Capabilities {
            elicitation: client.elicitation && version.has_structured(),
            ..client
        };
        let reply = Reply {
            id: self.span(self.id),
            version,
            body: Body::Initialize { told: true },
        };
        Ok(Decision::Open(Session { version, client }, reply))
    }

    fn serve<App>(
        &self,
        device: &Device<App>,
        framing: &Framing<'_>,
        version: Version,
        method: Method,
        client: Option<Capabilities>,
    ) -> Result<Decision, Fault> {
        match method {
            Method::ToolsCall => self
                .call(device, framing, version, client)
                .map(Decision::Call),
            Method::ToolsList => {
                let shown = self.who.shown;
                let (from, to) = self.page(&tools::tools(device, version, shown))?;
                Ok(self.answer(version, Body::Tools { from, to, shown }))
            }
            #[cfg(feature = "resources")]
            Method::ResourcesList => {
                let sight = self.who.sight;
                let (from, to) = self.page(&resources::resources(device, version, sight))?;
                Ok(self.answer(version, Body::Resources { from, to, sight }))
            }
            #[cfg(feature = "resources")]
            Method::TemplatesList => {
                let sight = self.who.sight;
                let (from, to) = self.page(&resources::templates(device, version, sight))?;
                Ok(self.answer(version, Body::Templates { from, to, sight }))
            }
            #[cfg(feature = "resources")]
            Method::ResourcesRead => {
                let uri = self.uri()?;
                let at = self.resource(device, uri);
                let uri = self.span(uri.raw());
                let at = at.ok_or(Fault::Resource {
                    uri,
                    modern: version.is_modern(),
                })?;
                Ok(self.work(version, Body::Contents { at, uri }))
            }
            #[cfg(feature = "logging")]
            Method::SetLevel => Ok(Decision::SetLevel(
                level_of(self.params.level)?,
                Reply {
                    id: self.span(self.id),
                    version,
                    body: Body::Empty,
                },
            )),
            #[cfg(feature = "subscriptions")]
            Method::Listen => {
                let sources = device.wanted(self.params.notifications, self.who.sight)?;
                Ok(Decision::Listen(self.span(self.id), sources))
            }
            #[cfg(feature = "subscriptions")]
            Method::Subscribe | Method::Unsubscribe => {
                let uri = self.uri()?;
                let found = self.resource(device, uri);
                let at = found.ok_or(Fault::Resource {
                    uri: self.span(uri.raw()),
                    modern: false,
                })?;
                let source = device
                    .source(at)
                    .ok_or(Fault::Params("the resource cannot be subscribed to"))?;
                let reply = Reply {
                    id: self.span(self.id),
                    version,
                    body: Body::Empty,
                };
                let on = method == Method::Subscribe;
                Ok(Decision::Subscribe(Sources::one(source), on, reply))
            }
            #[cfg(feature = "prompts")]
            Method::PromptsList => {
                let sight = self.who.sight;
                let (from, to) = self.page(&prompts::prompts(device, version, sight))?;
                Ok(self.answer(version, Body::Prompts { from, to, sight }))
            }
            #[cfg(feature = "prompts")]
            Method::PromptsGet => self.prompt(device, version, client),
            #[cfg(feature = "prompts")]
            Method::Complete => self.complete(device, version),
            Method::Discover => Ok(self.answer(
                version,
                Body::Discover {
                    #[cfg(feature = "tasks")]
                    tasks: self.who.tasks,
                },
            )),
            Method::Ping | Method::Initialize => Ok(self.answer(version, Body::Empty)),
            #[cfg(feature = "tasks")]
            Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => Err(Fault::NoTasks),
        }
    }

    #[cfg(feature = "resources")]
    fn uri(&self) -> Result<Text<'a>, Fault> {
        self.params
            .uri
            .and_then(Value::as_text)
            .ok_or(Fault::Params("uri must be a string"))
    }

    /// Where the resource of that URI stands, for who asks.
    #[cfg(feature = "resources")]
    fn resource<App>(&self, device: &Device<App>, uri: Text<'_>) -> Option<resource::At> {
        resource::find(device.resources, device.templates, uri, self.who.sight)
    }

    /// The page of a list that is asked for.
    fn page<W: Fn(&mut Sink<'_>, u8)>(&self, list: &List<W>) -> Result<(u8, u8), Fault> {
        let from = match self.params.cursor {
            None => 0,
            Some(cursor) => cursor
                .as_text()
                .and_then(|cursor| list.page_of(cursor))
                .ok_or(Fault::Cursor)?,
        };
        Ok((from, list.page_end(from)))
    }

    #[cfg(any(feature = "resources", feature = "prompts"))]
    fn work(&self, version: Version, body: Body) -> Decision {
        Decision::Work(Reply {
            id: self.span(self.id),
            version,
            body,
        })
    }

    #[cfg(feature = "prompts")]
    fn prompt<App>(
        &self,
        device: &Device<App>,
        version: Version,
        client: Option<Capabilities>,
    ) -> Result<Decision, Fault> {
        #[cfg(not(feature = "input"))]
        let _ = client;
        let name = self
            .params
            .name
            .and_then(Value::as_text)
            .ok_or(Fault::Params("name must be a string"))?;
        let at = device
            .find_prompt(name, self.who.sight)
            .ok_or(Fault::Prompt(self.span(name.raw())))?;
        let arguments = match self.params.arguments {
            None => None,
            Some(value) if value.kind() == Kind::Object => Some(value),
            Some(_) => return Err(Fault::Params("arguments must be an object")),
        };
        if let Some(prompt) = device.prompt(at) {
            prompt::check(prompt, arguments)?;
        }
        let arguments = arguments.map_or(Span::EMPTY, |value| self.span(value.raw()));
        Ok(self.work(
            version,
            Body::Messages {
                at,
                arguments,
                #[cfg(feature = "input")]
                retry: self.retry(version, client)?,
            },
        ))
    }

    #[cfg(feature = "prompts")]
    fn complete<App>(&self, device: &Device<App>, version: Version) -> Result<Decision, Fault> {
        let member = |of: Option<Value<'a>>, name, why| {
            of.and_then(|of| of.member(name))
                .and_then(Value::as_text)
                .ok_or(Fault::Params(why))
        };
        let (reference, argument) = (self.params.reference, self.params.argument);
        let kind = member(reference, "type", "ref.type must be a string")?;
        let name = member(argument, "name", "argument.name must be a string")?;
        let value = member(argument, "value", "argument.value must be a string")?;
        let values = if kind.is("ref/prompt") {
            let prompt = member(reference, "name", "ref.name must be a string")?;
            let at = device
                .find_prompt(prompt, self.who.sight)
                .ok_or(Fault::Prompt(self.span(prompt.raw())))?;
            let arguments = device.prompt(at).map_or(&[][..], |prompt| prompt.arguments);
            let argument = arguments.iter().find(|one| name.is(one.name));
            argument.map(|argument| argument.values)
        } else {
            #[cfg(feature = "resources")]
            if kind.is("ref/resource") {
                let uri = member(reference, "uri", "ref.uri must be a string")?;
                let mut templates = device.templates.iter();
                let template = templates
                    .find(|one| uri.is(one.uri) && self.who.sight.has(one.needs()))
                    .ok_or(Fault::Resource {
                        uri: self.span(uri.raw()),
                        modern: version.is_modern(),
                    })?;
                let values = template.completion(name);
                return self.completion(version, values, value);
            }
            return Err(Fault::Params("ref.type must be ref/prompt or ref/resource"));
        };
        self.completion(version, values, value)
    }

    #[cfg(feature = "prompts")]
    fn completion(
        &self,
        version: Version,
        values: Option<&'static [&'static str]>,
        typed: Text<'_>,
    ) -> Result<Decision, Fault> {
        let values = values.ok_or(Fault::Params("an argument is not known"))?;
        let typed = self.span(typed.raw());
        Ok(self.answer(version, Body::Completion { values, typed }))
    }

    fn call<App>(
        &self,
        device: &Device<App>,
        framing: &Framing<'_>,
        version: Version,
        client: Option<Capabilities>,
    ) -> Result<CallPlan, Fault> {
        let name = self
            .params
            .name
            .and_then(Value::as_text)
            .ok_or(Fault::Params("name must be a string"))?;
        let arguments = match self.params.arguments {
            None => None,
            Some(value) if value.kind() == Kind::Object => Some(value),
            Some(_) => return Err(Fault::Params("arguments must be an object")),
        };
        let token = match self.params.meta.token {
            None => &[][..],
            Some(token) => token_of(token)?,
        };
        let at = device
            .tools
            .find(name)
            .filter(|at| self.who.shown.has(*at))
            .ok_or(Fault::Tool(self.span(name.raw())))?;
        let Some(entry) = device.tools.get(at) else {
            return Err(Fault::Internal("no such tool"));
        };
        #[cfg(feature = "http")]
        if let (Framing::Http(headers), true) = (framing, version.is_modern()) {
            super::http::params(&entry.tool, headers, arguments)?;
        }
        #[cfg(not(feature = "http"))]
        let _ = framing;
        if let Some(client) = client {
            let missing = entry.tool.requires.missing(client);
            if !missing.is_none() {
                return Err(Fault::Capability(missing));
            }
        }
        Ok(CallPlan {
            id: self.span(self.id),
            version,
            #[cfg(feature = "tasks")]
            task: self.becomes_task(version, entry.tool.task)?,
            tool: at,
            arguments: arguments.map_or(Span::EMPTY, |value| self.span(value.raw())),
            token: self.span(token),
            #[cfg(feature = "input")]
            retry: self.retry(version, client)?,
            #[cfg(feature = "logging")]
            level: match self.params.meta.level {
                Some(level) if version.is_modern() && device.logs => Some(level_of(Some(level))?),
                _ => None,
            },
        })
    }
}

/// A progress token (M-126) is what an id may be.
fn token_of(token: Value<'_>) -> Result<&[u8], Fault> {
    rpc::id_of(token).map_err(|_| {
        Fault::Params("progressToken must be a string or an integer of at most 64 bytes")
    })
}

/// The level of that name (M-133).
#[cfg(feature = "logging")]
fn level_of(name: Option<Value<'_>>) -> Result<Level, Fault> {
    let name = name.and_then(Value::as_text);
    name.and_then(|name| Level::ALL.into_iter().find(|level| name.is(level.name())))
        .ok_or(Fault::Params(
            "the level must be debug, info, notice, warning, error, critical, alert or emergency",
        ))
}

/// Whether a client declares the extension of tasks with its request.
#[cfg(feature = "tasks")]
fn takes_tasks(client: Value<'_>) -> bool {
    let settings = client
        .member("extensions")
        .and_then(|extensions| extensions.member(EXTENSION));
    settings.is_some_and(|settings| settings.kind() == Kind::Object)
}

/// What a client declares. One that names the URL mode of elicitation alone
/// cannot fill in a form (M-146).
fn capabilities(client: Value<'_>) -> Capabilities {
    let mut found = Capabilities::NONE;
    for (name, value) in client.members() {
        let there = value.kind() == Kind::Object;
        if name.is("elicitation") {
            #[cfg(feature = "input")]
            let there = there && (value.member("url").is_none() || value.member("form").is_some());
            found.elicitation = there;
        } else if name.is("sampling") {
            found.sampling = there;
        } else if name.is("roots") {
            found.roots = there;
        }
    }
    found
}
