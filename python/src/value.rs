//! JSON of the core as Python values, and Python values as JSON.

use std::cell::RefCell;

use agentmote::json::{Kind, Text, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyNone, PyString, PyTuple};
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

/// A checked value as Python's own.
///
/// The core has checked how deep it nests, so that the recursion is bounded.
pub(crate) fn to_python<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value.kind() {
        Kind::Null => py.None().into_bound(py),
        Kind::Boolean => PyBool::new(py, value.as_bool().unwrap_or_default())
            .to_owned()
            .into_any(),
        Kind::Number => number(py, value)?,
        Kind::String => match value.as_text() {
            Some(text) => string(py, text).into_any(),
            None => PyString::new(py, "").into_any(),
        },
        Kind::Array => {
            let list = PyList::empty(py);
            for element in value.elements() {
                list.append(to_python(py, element)?)?;
            }
            list.into_any()
        }
        Kind::Object => {
            let dict = PyDict::new(py);
            for (name, member) in value.members() {
                dict.set_item(string(py, name), to_python(py, member)?)?;
            }
            dict.into_any()
        }
    })
}

/// A whole number as `int`, any other as `float`.
fn number<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    let Some(number) = value.as_number() else {
        return Ok(py.None().into_bound(py));
    };
    let raw = number.raw();
    if !raw.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        if let Ok(whole) = number.as_i64() {
            return Ok(whole.into_pyobject(py)?.into_any());
        }
        if let Ok(whole) = number.as_u64() {
            return Ok(whole.into_pyobject(py)?.into_any());
        }
    }
    Ok(PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any())
}

/// What the type of a parameter makes of a number: `2.0` is an `int` for an
/// integer, and `2` a `float` for a number.
pub(crate) fn whole<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value.as_number() {
        Some(number) => match (number.as_i64(), number.as_u64()) {
            (Ok(whole), _) => Ok(whole.into_pyobject(py)?.into_any()),
            (_, Ok(whole)) => Ok(whole.into_pyobject(py)?.into_any()),
            _ => to_python(py, value),
        },
        None => to_python(py, value),
    }
}

/// See [`whole`].
pub(crate) fn float<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value.as_number().map(|number| number.as_f64()) {
        Some(Ok(float)) => Ok(PyFloat::new(py, float).into_any()),
        _ => to_python(py, value),
    }
}

/// A text with its escapes resolved.
pub(crate) fn string<'py>(py: Python<'py>, text: Text<'_>) -> Bound<'py, PyString> {
    match text.as_str() {
        Some(text) => PyString::new(py, text),
        None => PyString::new(py, &text.chars().collect::<String>()),
    }
}

/// A Python value that is to be written as JSON.
///
/// The core's writer keeps no words of an error, so they go to `problem`.
pub(crate) struct Plain<'a, 'py> {
    pub(crate) value: &'a Bound<'py, PyAny>,
    pub(crate) problem: &'a RefCell<String>,
}

impl<'a, 'py> Plain<'a, 'py> {
    fn inner<'b>(&self, value: &'b Bound<'py, PyAny>) -> Plain<'b, 'py>
    where
        'a: 'b,
    {
        Plain {
            value,
            problem: self.problem,
        }
    }

    fn wrong<S: Serializer>(&self, why: String) -> Result<S::Ok, S::Error> {
        *self.problem.borrow_mut() = why;
        Err(S::Error::custom("see `problem`"))
    }

    fn raised<S: Serializer>(&self, error: &PyErr) -> Result<S::Ok, S::Error> {
        self.wrong::<S>(format!("the result cannot be read: {error}"))
    }
}

impl Serialize for Plain<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let value = self.value;
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_cow() {
                Ok(text) => out.serialize_str(&text),
                Err(error) => self.raised::<S>(&error),
            };
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            return out.serialize_bool(flag.is_true());
        }
        if value.is_instance_of::<PyFloat>() {
            return match value.extract::<f64>() {
                Ok(float) => out.serialize_f64(float),
                Err(error) => self.raised::<S>(&error),
            };
        }
        if value.is_instance_of::<PyInt>() {
            if let Ok(whole) = value.extract::<i64>() {
                return out.serialize_i64(whole);
            }
            return match value.extract::<u64>() {
                Ok(whole) => out.serialize_u64(whole),
                Err(_) => self.wrong::<S>("the result has an integer beyond 64 bits".into()),
            };
        }
        if value.is_instance_of::<PyNone>() {
            return out.serialize_unit();
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let mut map = out.serialize_map(None)?;
            for (name, member) in dict.iter() {
                if !name.is_instance_of::<PyString>() {
                    *self.problem.borrow_mut() = "the result has a key that is no str".into();
                    return Err(S::Error::custom("see `problem`"));
                }
                map.serialize_entry(&self.inner(&name), &self.inner(&member))?;
            }
            return map.end();
        }
        if let Ok(list) = value.cast::<PyList>() {
            let mut seq = out.serialize_seq(None)?;
            for element in list.iter() {
                seq.serialize_element(&self.inner(&element))?;
            }
            return seq.end();
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let mut seq = out.serialize_seq(None)?;
            for element in tuple.iter() {
                seq.serialize_element(&self.inner(&element))?;
            }
            return seq.end();
        }
        let name = value.get_type().name();
        let name = name.map_or_else(|_| "value".into(), |name| name.to_string());
        self.wrong::<S>(format!("the result has a {name}, which is no JSON"))
    }
}

/// `{"result": value}`: what a result that is no object is wrapped in.
pub(crate) struct Wrapped<'a, 'py>(pub(crate) Plain<'a, 'py>);

impl Serialize for Wrapped<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(1))?;
        map.serialize_entry("result", &self.0)?;
        map.end()
    }
}
