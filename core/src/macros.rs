//! `catalog!`, and the words in which rules of tables are written.

/// Gives `rule` back from a `const fn` unless `holds`.
macro_rules! hold {
    ($holds:expr, $rule:expr $(,)?) => {
        if $holds {
        } else {
            return Some($rule);
        }
    };
}

/// Gives the broken rule that another `const fn` has found.
macro_rules! pass {
    ($found:expr) => {
        if let Some(rule) = $found {
            return Some(rule);
        }
    };
}

/// The table of these tools, in this order, as a constant
/// `&'static [Entry<App>]`.
///
/// Each is the path of a function under `#[tool]`, or of any other type with
/// a constant `ENTRY`:
///
/// ```
/// use agentmote::catalog;
/// use agentmote::mcp::{Device, Identity};
/// use agentmote::tool::{Answer, Call, Entry, Tool};
///
/// struct Led;
/// impl Led {
///     const ENTRY: Entry<bool> = Entry {
///         tool: Tool::new("led_on", "Switch the light on."),
///         run: |led, call| {
///             *led = true;
///             call.text("on")
///         },
///     };
/// }
///
/// static DEVICE: Device<bool> = Device::new(Identity::new("lamp", "1.0.0"), catalog![Led]);
/// assert_eq!(DEVICE.tools().entries()[0].tool.name, "led_on");
/// ```
#[macro_export]
macro_rules! catalog {
    ($($tool:path),* $(,)?) => {
        &[$(<$tool>::ENTRY),*]
    };
}
