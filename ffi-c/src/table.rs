//! A table of C becomes descriptors of the core, once, in storage that the
//! caller placed. The rules are those of the core; what is checked here is
//! only what a Rust type would rule out: NULL, text that is not UTF-8, kinds
//! and numbers that there are none of.

use core::ffi::c_char;
use core::mem::{align_of, size_of};

use agentmote::limits::{PARAM_DEPTH, PARAMS};
#[cfg(feature = "prompts")]
use agentmote::prompt::{Argument, Prompt};
#[cfg(feature = "resources")]
use agentmote::resource::{Cache, Resource};
use agentmote::tool::{
    Asks, Capabilities, Decimal, Effects, Entry, Input, Literal, Param, Tool, Type,
};

#[cfg(feature = "resources")]
use crate::abi::agentmote_resource_t;
use crate::abi::{
    AGENTMOTE_ACTUATES, AGENTMOTE_ASKS, AGENTMOTE_ASKS_OPENLY, AGENTMOTE_DEFAULT,
    AGENTMOTE_DESTRUCTIVE, AGENTMOTE_IDEMPOTENT, AGENTMOTE_KIND_ARRAY, AGENTMOTE_KIND_BOOLEAN,
    AGENTMOTE_KIND_CHOICE, AGENTMOTE_KIND_INTEGER, AGENTMOTE_KIND_NUMBER, AGENTMOTE_KIND_OBJECT,
    AGENTMOTE_KIND_STRING, AGENTMOTE_NEEDS_ELICITATION, AGENTMOTE_NEEDS_ROOTS,
    AGENTMOTE_NEEDS_SAMPLING, AGENTMOTE_OPTIONAL, AGENTMOTE_POLLED, AGENTMOTE_READ_ONLY,
    AGENTMOTE_REQUIRED, agentmote_device_t, agentmote_param_t, agentmote_tool_t, items,
};
#[cfg(feature = "prompts")]
use crate::abi::{agentmote_argument_t, agentmote_prompt_t};
use crate::server::App;

/// A rule that is broken, in words.
pub(crate) type Rule = &'static str;

/// Eight bytes, of which storage is made.
pub(crate) const WORD: usize = 8;

pub(crate) const fn words<T>() -> usize {
    assert!(
        align_of::<T>() <= WORD,
        "storage stands at multiples of eight"
    );
    size_of::<T>().div_ceil(WORD)
}

/// Words of storage for one of each, as the header says. More than is needed
/// is harmless, less is an error of this build.
#[cfg(target_pointer_width = "64")]
mod sizes {
    /// Words of storage for a tool.
    pub const AGENTMOTE_TOOL_WORDS: usize = 14;
    /// Words of storage for a parameter, a member, or the element of an array.
    pub const AGENTMOTE_PARAM_WORDS: usize = 20;
    /// Words of storage for a text of a choice, or a value of an argument.
    pub const AGENTMOTE_CHOICE_WORDS: usize = 2;
    /// Words of storage for a resource.
    pub const AGENTMOTE_RESOURCE_WORDS: usize = 16;
    /// Words of storage for a prompt.
    pub const AGENTMOTE_PROMPT_WORDS: usize = 10;
    /// Words of storage for an argument of a prompt.
    pub const AGENTMOTE_ARGUMENT_WORDS: usize = 7;
    /// Words of storage for a form, without its fields.
    pub const AGENTMOTE_FORM_WORDS: usize = 5;
    /// Words of storage for what is offered for a parameter of a URI, without
    /// the values: each takes `AGENTMOTE_CHOICE_WORDS`.
    pub const AGENTMOTE_VALUES_WORDS: usize = 4;
}
#[cfg(target_pointer_width = "32")]
mod sizes {
    /// Words of storage for a tool.
    pub const AGENTMOTE_TOOL_WORDS: usize = 8;
    /// Words of storage for a parameter, a member, or the element of an array.
    pub const AGENTMOTE_PARAM_WORDS: usize = 16;
    /// Words of storage for a text of a choice, or a value of an argument.
    pub const AGENTMOTE_CHOICE_WORDS: usize = 1;
    /// Words of storage for a resource.
    pub const AGENTMOTE_RESOURCE_WORDS: usize = 9;
    /// Words of storage for a prompt.
    pub const AGENTMOTE_PROMPT_WORDS: usize = 6;
    /// Words of storage for an argument of a prompt.
    pub const AGENTMOTE_ARGUMENT_WORDS: usize = 4;
    /// Words of storage for a form, without its fields.
    pub const AGENTMOTE_FORM_WORDS: usize = 3;
    /// Words of storage for what is offered for a parameter of a URI, without
    /// the values: each takes `AGENTMOTE_CHOICE_WORDS`.
    pub const AGENTMOTE_VALUES_WORDS: usize = 2;
}
pub use sizes::*;

/// Whether the header says a size that is enough for every build, and hardly
/// more than the largest needs. If not: change it, and write the header anew.
pub(crate) const fn fits<T>(said: usize, spare: usize) {
    assert!(
        said >= words::<T>(),
        "a size of the header is too small: change it, and write the header anew"
    );
    let all = cfg!(all(
        feature = "http",
        feature = "resources",
        feature = "prompts",
        feature = "input",
        feature = "sessions",
        feature = "subscriptions",
        feature = "logging",
        feature = "scopes",
        feature = "credentials",
        feature = "a2a",
        feature = "policy"
    ));
    assert!(
        !all || said <= words::<T>() + spare,
        "a size of the header is too large"
    );
}

const _: () = {
    fits::<Entry<App>>(AGENTMOTE_TOOL_WORDS, 1);
    fits::<Param>(AGENTMOTE_PARAM_WORDS, 1);
    fits::<&str>(AGENTMOTE_CHOICE_WORDS, 0);
};
#[cfg(feature = "resources")]
const _: () = {
    fits::<Resource<App>>(AGENTMOTE_RESOURCE_WORDS, 1);
    fits::<Values>(AGENTMOTE_VALUES_WORDS, 0);
};
#[cfg(feature = "prompts")]
const _: () = {
    fits::<Prompt<App>>(AGENTMOTE_PROMPT_WORDS, 1);
    fits::<Argument>(AGENTMOTE_ARGUMENT_WORDS, 1);
};
#[cfg(feature = "input")]
const _: () = fits::<Question>(AGENTMOTE_FORM_WORDS, 1);

/// What is offered for one parameter of a URI, as the core takes it.
#[cfg(feature = "resources")]
type Values = (&'static str, &'static [&'static str]);

/// A form, and its fields to read the answer by.
#[cfg(feature = "input")]
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub(crate) form: agentmote::tool::Form,
    pub(crate) fields: &'static [Param],
}

/// A run of places for items of one type, filled from its start.
pub(crate) struct Room<T> {
    next: *mut T,
    left: usize,
}

impl<T> Room<T> {
    /// The next `count` places, each filled by `fill`.
    ///
    /// # Safety
    /// The room was made for at least that many; see [`Rooms::new`].
    pub(crate) unsafe fn fill(
        &mut self,
        count: usize,
        mut fill: impl FnMut(&mut Self, usize) -> Result<T, Rule>,
    ) -> Result<&'static [T], Rule> {
        // The tables are counted by the same walk, so this does not happen
        // unless a table changes meanwhile.
        let Some(left) = self.left.checked_sub(count) else {
            return Err("the table changes while it is read");
        };
        let start = self.next;
        self.left = left;
        // SAFETY: the places are within the room.
        self.next = unsafe { start.add(count) };
        for at in 0..count {
            let item = fill(self, at)?;
            // SAFETY: `at` is below `count`.
            unsafe { start.add(at).write(item) };
        }
        // SAFETY: all of them were just written, and nobody writes them again
        // as long as the server is open.
        Ok(unsafe { core::slice::from_raw_parts(start, count) })
    }
}

/// A rule that is broken by nobody in particular.
fn whole(rule: Rule) -> (&'static str, Rule) {
    ("", rule)
}

/// How many items of each kind a device needs.
#[derive(Default)]
pub(crate) struct Counts {
    tools: usize,
    params: usize,
    texts: usize,
    #[cfg(feature = "resources")]
    resources: usize,
    #[cfg(feature = "resources")]
    values: usize,
    #[cfg(feature = "prompts")]
    prompts: usize,
    #[cfg(feature = "prompts")]
    arguments: usize,
    #[cfg(feature = "input")]
    forms: usize,
}

impl Counts {
    /// # Safety
    /// The device is as `agentmote_init` asks for.
    pub(crate) unsafe fn of(device: &agentmote_device_t) -> Result<Self, (&'static str, Rule)> {
        // SAFETY: as the caller promises.
        let tools = unsafe { list(device.tools, device.tool_count) }.map_err(whole)?;
        let mut counts = Self {
            tools: tools.len(),
            ..Self::default()
        };
        for tool in tools {
            if cfg!(not(feature = "scopes")) && tool.scopes != 0 {
                return Err(("", "the library was built without scopes"));
            }
            // SAFETY: as the caller promises.
            let counted = unsafe {
                counts
                    .params(tool.params, tool.param_count, 1)
                    .and_then(|()| counts.params(tool.output, tool.output_count, 1))
            };
            // SAFETY: as the caller promises.
            counted.map_err(|rule| (unsafe { name(tool.name) }.unwrap_or_default(), rule))?;
        }
        #[cfg(feature = "resources")]
        {
            // SAFETY: as the caller promises.
            let resources = unsafe { list(device.resources, device.resource_count) };
            let resources = resources.map_err(whole)?;
            counts.resources = resources.len();
            for one in resources {
                // SAFETY: as the caller promises.
                let values = unsafe { list(one.values, one.value_count.into()) }.map_err(whole)?;
                counts.values = counts.values.saturating_add(values.len());
                for one in values {
                    counts.texts = counts.texts.saturating_add(one.value_count.into());
                }
            }
        }
        #[cfg(feature = "prompts")]
        {
            // SAFETY: as the caller promises.
            let prompts = unsafe { list(device.prompts, device.prompt_count) }.map_err(whole)?;
            counts.prompts = prompts.len();
            for prompt in prompts {
                // SAFETY: as the caller promises.
                let arguments = unsafe { list(prompt.arguments, prompt.argument_count.into()) };
                let arguments = arguments.map_err(whole)?;
                counts.arguments = counts.arguments.saturating_add(arguments.len());
                for argument in arguments {
                    counts.texts = counts.texts.saturating_add(argument.value_count.into());
                }
            }
        }
        #[cfg(feature = "input")]
        {
            // SAFETY: as the caller promises.
            let forms = unsafe { list(device.forms, device.form_count) }.map_err(whole)?;
            counts.forms = forms.len();
            for form in forms {
                // SAFETY: as the caller promises.
                unsafe { counts.params(form.fields, form.field_count, 1) }.map_err(whole)?;
            }
        }
        Ok(counts)
    }

    /// # Safety
    /// As for [`of`](Self::of). A table that holds itself ends at the depth.
    unsafe fn params(
        &mut self,
        params: *const agentmote_param_t,
        count: u16,
        depth: usize,
    ) -> Result<(), Rule> {
        if depth > PARAM_DEPTH + 1 {
            return Err("objects and arrays nest too deep");
        }
        if usize::from(count) > PARAMS {
            return Err("more than 16 parameters");
        }
        // SAFETY: as the caller promises.
        let params = unsafe { list(params, count.into()) }?;
        self.params = self.params.saturating_add(params.len());
        for param in params {
            match param.kind {
                AGENTMOTE_KIND_CHOICE => {
                    self.texts = self.texts.saturating_add(param.count.into());
                }
                // SAFETY: as the caller promises.
                AGENTMOTE_KIND_ARRAY => unsafe { self.params(param.members, 1, depth + 1) }?,
                AGENTMOTE_KIND_OBJECT => {
                    // SAFETY: as the caller promises.
                    unsafe { self.params(param.members, param.count, depth + 1) }?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Bytes of storage behind the server itself.
    pub(crate) fn bytes(&self) -> usize {
        let sums = [
            room::<Entry<App>>(self.tools),
            room::<Param>(self.params),
            room::<&str>(self.texts),
            #[cfg(feature = "resources")]
            room::<Resource<App>>(self.resources),
            #[cfg(feature = "resources")]
            room::<Values>(self.values),
            #[cfg(feature = "prompts")]
            room::<Prompt<App>>(self.prompts),
            #[cfg(feature = "prompts")]
            room::<Argument>(self.arguments),
            #[cfg(feature = "input")]
            room::<Question>(self.forms),
        ];
        sums.into_iter().fold(0, usize::saturating_add)
    }
}

/// Bytes of so many items, to the next multiple of eight.
pub(crate) const fn room<T>(count: usize) -> usize {
    count
        .saturating_mul(size_of::<T>())
        .saturating_add(WORD - 1)
        / WORD
        * WORD
}

/// Rooms for the items of a device.
pub(crate) struct Rooms {
    tools: Room<Entry<App>>,
    params: Room<Param>,
    texts: Room<&'static str>,
    #[cfg(feature = "resources")]
    resources: Room<Resource<App>>,
    #[cfg(feature = "resources")]
    values: Room<Values>,
    #[cfg(feature = "prompts")]
    prompts: Room<Prompt<App>>,
    #[cfg(feature = "prompts")]
    arguments: Room<Argument>,
    #[cfg(feature = "input")]
    forms: Room<Question>,
}

impl Rooms {
    /// # Safety
    /// From `start`, which stands at a multiple of eight, `counts.bytes()`
    /// bytes are free for the server.
    pub(crate) unsafe fn new(start: *mut u8, counts: &Counts) -> Self {
        let mut next = start;
        // SAFETY: as the caller promises.
        unsafe {
            Self {
                tools: take(&mut next, counts.tools),
                params: take(&mut next, counts.params),
                texts: take(&mut next, counts.texts),
                #[cfg(feature = "resources")]
                resources: take(&mut next, counts.resources),
                #[cfg(feature = "resources")]
                values: take(&mut next, counts.values),
                #[cfg(feature = "prompts")]
                prompts: take(&mut next, counts.prompts),
                #[cfg(feature = "prompts")]
                arguments: take(&mut next, counts.arguments),
                #[cfg(feature = "input")]
                forms: take(&mut next, counts.forms),
            }
        }
    }

    /// The tools; a rule that is broken comes with the tool's name.
    ///
    /// # Safety
    /// The rooms were counted for this device.
    pub(crate) unsafe fn tools(
        &mut self,
        device: &agentmote_device_t,
    ) -> Result<&'static [Entry<App>], (&'static str, Rule)> {
        // SAFETY: as the caller promises.
        let tools = unsafe { items(device.tools, device.tool_count) };
        let Self {
            tools: room,
            params,
            texts,
            ..
        } = self;
        let mut who = "";
        // SAFETY: as the caller promises.
        let filled = unsafe {
            room.fill(tools.len(), |_, at| {
                let tool = tools.get(at).ok_or("there is no such tool")?;
                who = name(tool.name)?;
                entry(tool, who, params, texts)
            })
        };
        filled.map_err(|rule| (who, rule))
    }

    /// The forms.
    ///
    /// # Safety
    /// The rooms were counted for this device.
    #[cfg(feature = "input")]
    pub(crate) unsafe fn forms(
        &mut self,
        device: &agentmote_device_t,
    ) -> Result<&'static [Question], (&'static str, Rule)> {
        // SAFETY: as the caller promises.
        let given = unsafe { items(device.forms, device.form_count) };
        let Self {
            forms: room,
            params: fields,
            texts,
            ..
        } = self;
        // SAFETY: as the caller promises.
        let filled = unsafe {
            room.fill(given.len(), |_, at| {
                let form = given.get(at).ok_or("there is no such form")?;
                let fields = params(form.fields, form.field_count, fields, texts)?;
                let form = match (form.schema.is_null(), fields) {
                    (true, _) => agentmote::tool::Form::checked(fields)?,
                    (false, []) => agentmote::tool::Form::checked_schema(name(form.schema)?)?,
                    (false, _) => return Err("a form has fields and a schema"),
                };
                Ok(Question { form, fields })
            })
        };
        filled.map_err(|rule| ("form", rule))
    }

    /// The resources and, behind them, the templates.
    ///
    /// # Safety
    /// The rooms were counted for this device.
    #[cfg(feature = "resources")]
    pub(crate) unsafe fn resources(
        &mut self,
        device: &agentmote_device_t,
    ) -> Result<[&'static [Resource<App>]; 2], (&'static str, Rule)> {
        // SAFETY: as the caller promises.
        let table = unsafe { list(device.resources, device.resource_count) }.map_err(whole)?;
        let Self {
            resources: room,
            values,
            texts,
            ..
        } = self;
        let mut lists = [&[][..]; 2];
        for (templates, place) in [false, true].into_iter().zip(&mut lists) {
            let is_right = |one: &&agentmote_resource_t| {
                // SAFETY: as the caller promises.
                let uri = unsafe { crate::abi::bytes(one.uri) }.unwrap_or(&[]);
                uri.contains(&b'{') == templates
            };
            let mut rest = table.iter().filter(is_right);
            let mut who = "";
            #[cfg(feature = "subscriptions")]
            let mut watches = crate::call::WATCHES.into_iter();
            // SAFETY: as the caller promises.
            let filled = unsafe {
                room.fill(rest.clone().count(), |_, _| {
                    let one = rest.next().ok_or("there is no such resource")?;
                    who = name(one.uri)?;
                    let offered = items(one.values, one.value_count.into());
                    let values = values.fill(offered.len(), |_, at| {
                        let one: &crate::abi::agentmote_values_t =
                            offered.get(at).ok_or("there is no such parameter")?;
                        Ok((
                            name(one.name)?,
                            choices(one.values, one.value_count, texts)?,
                        ))
                    })?;
                    Ok(Resource {
                        values,
                        title: optional(one.title)?,
                        description: optional(one.description)?,
                        mime: optional(one.mime)?,
                        cache: Cache {
                            ttl_ms: one.ttl_ms,
                            public: one.is_public != 0,
                        },
                        // A number too many is refused by the core.
                        #[cfg(feature = "subscriptions")]
                        watch: one
                            .watch
                            .map(|_| watches.next().unwrap_or(crate::call::WATCHES[0])),
                        ..Resource::new(who, name(one.name)?, crate::call::resource)
                    })
                })
            };
            *place = filled.map_err(|rule| (who, rule))?;
        }
        Ok(lists)
    }

    /// The prompts.
    ///
    /// # Safety
    /// The rooms were counted for this device.
    #[cfg(feature = "prompts")]
    pub(crate) unsafe fn prompts(
        &mut self,
        device: &agentmote_device_t,
    ) -> Result<&'static [Prompt<App>], (&'static str, Rule)> {
        // SAFETY: as the caller promises.
        let table: &[agentmote_prompt_t] = unsafe { items(device.prompts, device.prompt_count) };
        let Self {
            prompts: room,
            arguments,
            texts,
            ..
        } = self;
        let mut who = "";
        // SAFETY: as the caller promises.
        let filled = unsafe {
            room.fill(table.len(), |_, at| {
                let prompt = table.get(at).ok_or("there is no such prompt")?;
                who = name(prompt.name)?;
                let given: &[agentmote_argument_t] =
                    items(prompt.arguments, prompt.argument_count.into());
                let arguments = arguments.fill(given.len(), |_, at| {
                    let one = given.get(at).ok_or("there is no such argument")?;
                    Ok(Argument {
                        name: name(one.name)?,
                        description: optional(one.description)?,
                        required: match one.presence {
                            AGENTMOTE_REQUIRED => true,
                            AGENTMOTE_OPTIONAL => false,
                            _ => return Err("an argument is required or optional"),
                        },
                        values: choices(one.values, one.value_count, texts)?,
                    })
                })?;
                Ok(Prompt {
                    title: optional(prompt.title)?,
                    arguments,
                    ..Prompt::new(who, optional(prompt.description)?, crate::call::prompt)
                })
            })
        };
        filled.map_err(|rule| (who, rule))
    }
}

/// # Safety
/// From `next` on, so many items have room.
pub(crate) unsafe fn take<T>(next: &mut *mut u8, count: usize) -> Room<T> {
    let start = next.cast::<T>();
    // SAFETY: as the caller promises.
    *next = unsafe { next.add(room::<T>(count)) };
    Room {
        next: start,
        left: count,
    }
}

/// # Safety
/// As for [`items`].
pub(crate) unsafe fn list<T>(start: *const T, count: usize) -> Result<&'static [T], Rule> {
    if start.is_null() && count > 0 {
        return Err("a list is NULL");
    }
    // SAFETY: as the caller promises; tables stay as long as the server.
    Ok(unsafe { items(start, count) })
}

/// # Safety
/// As for [`text`](crate::abi::text).
pub(crate) unsafe fn name(given: *const c_char) -> Result<&'static str, Rule> {
    if given.is_null() {
        return Err("a name is NULL");
    }
    // SAFETY: as the caller promises; tables stay as long as the server.
    unsafe { crate::abi::text(given) }.ok_or("a text of the table is not UTF-8")
}

/// # Safety
/// As for [`text`](crate::abi::text).
pub(crate) unsafe fn optional(given: *const c_char) -> Result<&'static str, Rule> {
    if given.is_null() {
        return Ok("");
    }
    // SAFETY: as the caller promises.
    unsafe { name(given) }
}

/// # Safety
/// The table is as `agentmote_init` asks for.
unsafe fn entry(
    tool: &agentmote_tool_t,
    name: &'static str,
    room: &mut Room<Param>,
    texts: &mut Room<&'static str>,
) -> Result<Entry<App>, Rule> {
    const KNOWN: u32 = AGENTMOTE_ASKS_OPENLY * 2 - 1;
    if tool.run.is_none() {
        return Err("a tool has no handler");
    }
    if tool.flags & !KNOWN != 0 {
        return Err("a tool has a flag that there is none of");
    }
    let is = |flag: u32| tool.flags & flag != 0;
    let input = if tool.schema.is_null() {
        // SAFETY: as the caller promises.
        Input::Params(unsafe { params(tool.params, tool.param_count, room, texts) }?)
    } else if tool.param_count == 0 {
        // SAFETY: as the caller promises.
        Input::Schema(unsafe { optional(tool.schema) }?)
    } else {
        return Err("a tool has parameters and a schema");
    };
    let output = if tool.output.is_null() {
        None
    } else {
        // SAFETY: as above.
        Some(unsafe { params(tool.output, tool.output_count, room, texts) }?)
    };
    Ok(Entry {
        tool: Tool {
            // SAFETY: as above.
            title: unsafe { optional(tool.title) }?,
            input,
            output,
            effects: Effects {
                read_only: is(AGENTMOTE_READ_ONLY),
                actuates: is(AGENTMOTE_ACTUATES),
                idempotent: is(AGENTMOTE_IDEMPOTENT),
                destructive: is(AGENTMOTE_DESTRUCTIVE),
            },
            requires: Capabilities {
                elicitation: is(AGENTMOTE_NEEDS_ELICITATION),
                sampling: is(AGENTMOTE_NEEDS_SAMPLING),
                roots: is(AGENTMOTE_NEEDS_ROOTS),
            },
            polled: is(AGENTMOTE_POLLED),
            asks: match (is(AGENTMOTE_ASKS), is(AGENTMOTE_ASKS_OPENLY)) {
                (false, false) => Asks::Never,
                (true, false) => Asks::Sealed,
                (_, true) => Asks::Open,
            },
            #[cfg(feature = "scopes")]
            scopes: tool.scopes,
            // SAFETY: as above.
            ..Tool::new(name, unsafe { optional(tool.description) }?)
        },
        run: crate::call::tool,
    })
}

/// # Safety
/// The table is as `agentmote_init` asks for, and the rooms were counted for
/// it: the walk is that of [`Counts::params`], so nesting is bounded.
unsafe fn params(
    given: *const agentmote_param_t,
    count: u16,
    room: &mut Room<Param>,
    texts: &mut Room<&'static str>,
) -> Result<&'static [Param], Rule> {
    // SAFETY: as the caller promises.
    let given = unsafe { list(given, count.into()) }?;
    // SAFETY: as the caller promises.
    unsafe {
        room.fill(given.len(), |room, at| {
            param(
                given.get(at).ok_or("there is no such parameter")?,
                room,
                texts,
            )
        })
    }
}

/// # Safety
/// As for [`params`].
unsafe fn param(
    given: &agentmote_param_t,
    room: &mut Room<Param>,
    texts: &mut Room<&'static str>,
) -> Result<Param, Rule> {
    const DIGITS: Rule = "a number of a descriptor has more than 15 digits, or is none";
    let number = |value: f64| match value {
        f64::MIN => Ok(Decimal::LOWEST),
        f64::MAX => Ok(Decimal::HIGHEST),
        value => Decimal::checked(value).ok_or(DIGITS),
    };
    let ty = match given.kind {
        AGENTMOTE_KIND_BOOLEAN => Type::Boolean,
        AGENTMOTE_KIND_INTEGER => Type::Integer {
            min: given.low,
            max: given.high,
        },
        AGENTMOTE_KIND_NUMBER => Type::Number {
            min: number(given.min)?,
            max: number(given.max)?,
        },
        AGENTMOTE_KIND_STRING => {
            let [min, max] = lengths(given)?;
            Type::String { min, max }
        }
        AGENTMOTE_KIND_CHOICE => {
            // SAFETY: as the caller promises.
            Type::Choice(unsafe { choices(given.choices, given.count, texts) }?)
        }
        AGENTMOTE_KIND_ARRAY => {
            let [min, max] = lengths(given)?;
            // SAFETY: as the caller promises.
            let element = unsafe { params(given.members, 1, room, texts) }?;
            let items = element.first().map(|element| &element.ty);
            Type::Array {
                items: items.ok_or("an array has no element")?,
                min,
                max,
            }
        }
        AGENTMOTE_KIND_OBJECT => {
            // SAFETY: as the caller promises.
            Type::Object(unsafe { params(given.members, given.count, room, texts) }?)
        }
        _ => return Err("a parameter is of a kind that there is none of"),
    };
    let default = match (given.presence, given.kind) {
        (AGENTMOTE_REQUIRED | AGENTMOTE_OPTIONAL, _) => None,
        (AGENTMOTE_DEFAULT, AGENTMOTE_KIND_BOOLEAN) => Some(Literal::Boolean(given.whole != 0)),
        (AGENTMOTE_DEFAULT, AGENTMOTE_KIND_INTEGER) => Some(Literal::Integer(given.whole)),
        (AGENTMOTE_DEFAULT, AGENTMOTE_KIND_NUMBER) => Some(Literal::Number(number(given.real)?)),
        (AGENTMOTE_DEFAULT, AGENTMOTE_KIND_STRING | AGENTMOTE_KIND_CHOICE) => {
            // SAFETY: as the caller promises.
            Some(Literal::Text(unsafe { name(given.text) }?))
        }
        (AGENTMOTE_DEFAULT, _) => return Err("a default is out of range or of another type"),
        _ => return Err("a parameter is required, optional or has a default"),
    };
    // SAFETY: as the caller promises.
    let (name, description, unit) = unsafe {
        (
            name(given.name)?,
            optional(given.description)?,
            optional(given.unit)?,
        )
    };
    let header = match given.header.is_null() {
        true => None,
        // SAFETY: as the caller promises.
        false => Some(unsafe { optional(given.header) }?),
    };
    Ok(Param {
        unit,
        required: given.presence == AGENTMOTE_REQUIRED,
        default,
        header,
        ..Param::new(name, description, ty)
    })
}

/// Fewest and most characters or elements.
fn lengths(given: &agentmote_param_t) -> Result<[u16; 2], Rule> {
    match (u16::try_from(given.low), u16::try_from(given.high)) {
        (Ok(low), Ok(high)) => Ok([low, high]),
        _ => Err("a length is not between 0 and 65535"),
    }
}

/// # Safety
/// As for [`params`].
pub(crate) unsafe fn choices(
    given: *const *const c_char,
    count: u16,
    texts: &mut Room<&'static str>,
) -> Result<&'static [&'static str], Rule> {
    // SAFETY: as the caller promises.
    let given = unsafe { list(given, count.into()) }?;
    // SAFETY: as the caller promises.
    unsafe {
        texts.fill(given.len(), |_, at| {
            name(given.get(at).copied().unwrap_or(core::ptr::null()))
        })
    }
}
