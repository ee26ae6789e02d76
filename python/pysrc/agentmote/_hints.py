"""Type hints as descriptors.

Nothing is checked here: the core checks each call by the descriptor, which is
the one that it advertises. What stands here is the way from a hint to the
descriptor, and from the plain values of a checked call to those of the hint.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from agentmote._content import PARTS

MAX_LENGTH = 65535
"""The longest text and list that a descriptor can ask for; it is no limit of
its own, so it is not advertised."""

Convert = Optional[Callable[[Any], Any]]
Plain = Dict[str, Any]


@dataclass(frozen=True)
class Range:
    """The smallest and the largest value of a number; None is no bound."""

    min: Optional[float] = None
    max: Optional[float] = None


@dataclass(frozen=True)
class Length:
    """How many characters a text has, or how many elements a list: 0 to
    65535; a `max` of 65535 is no bound."""

    min: int = 0
    max: int = MAX_LENGTH


@dataclass(frozen=True)
class Unit:
    """The unit of a number, such as ``deg`` or ``ms``. It is advertised at the
    end of the description."""

    name: str


@dataclass(frozen=True)
class Header:
    """The name behind ``Mcp-Param-`` of the HTTP header in which a client
    repeats the value (M-073). For booleans, integers and texts."""

    name: str


@dataclass(frozen=True)
class Hint:
    """What a hint says."""

    type: Tuple[Any, ...]
    unit: str = ""
    description: str = ""
    header: Optional[str] = None
    load: Convert = None
    """Makes the value of the hint from a plain one."""
    dump: Convert = None
    """Makes a plain value from that of the hint."""


@dataclass(frozen=True)
class Member:
    """A parameter of a tool, or a member of an object."""

    plain: Plain
    load: Convert
    dump: Convert


def origin_of(hint: Any) -> Any:
    return typing.get_origin(hint)


def is_union(hint: Any) -> bool:
    kind = typing.get_origin(hint)
    return kind is Union or kind is getattr(types, "UnionType", Union)


def without_none(hint: Any) -> Tuple[Any, bool]:
    """The hint without ``None``, and whether it had one."""
    if origin_of(hint) is typing.Annotated:
        inner, had = without_none(typing.get_args(hint)[0])
        if had:
            return typing.Annotated[(inner, *hint.__metadata__)], True
        return hint, False
    if not is_union(hint):
        return hint, False
    rest = tuple(arg for arg in typing.get_args(hint) if arg is not type(None))
    if len(rest) == len(typing.get_args(hint)):
        return hint, False
    return (rest[0] if len(rest) == 1 else Union[rest]), True


def is_model(hint: Any) -> bool:
    """Whether it is a model of pydantic, which need not be installed."""
    return (
        inspect.isclass(hint)
        and hasattr(hint, "model_validate")
        and hasattr(hint, "model_fields")
    )


def is_object(hint: Any) -> bool:
    """Whether values of the hint are objects with known members."""
    if origin_of(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    return inspect.isclass(hint) and (
        dataclasses.is_dataclass(hint) or is_typed_dict(hint) or is_model(hint)
    )


def is_typed_dict(hint: Any) -> bool:
    return inspect.isclass(hint) and hasattr(hint, "__required_keys__")


def describe(hint: Any, where: str, seen: Tuple[Any, ...] = ()) -> Hint:
    """The descriptor of a hint. `where` names its place for an error."""
    if origin_of(hint) is typing.Annotated:
        inner, *notes = typing.get_args(hint)
        found = describe(inner, where, seen)
        for note in notes:
            found = narrowed(found, note, where)
        return found
    name = getattr(origin_of(hint), "_name", None)
    if name in ("Required", "NotRequired", "ReadOnly"):
        return describe(typing.get_args(hint)[0], where, seen)
    if hint is bool:
        return Hint(("boolean",))
    if hint is int:
        return Hint(("integer", None, None))
    if hint is float:
        return Hint(("number", None, None))
    if hint is str:
        return Hint(("string", 0, MAX_LENGTH))
    if origin_of(hint) is typing.Literal:
        return literal(hint, where)
    if inspect.isclass(hint) and issubclass(hint, enum.Enum):
        return choice_of(hint, where)
    if is_object(hint):
        if any(hint is outer for outer in seen):
            raise TypeError(f"{where}: {hint.__name__} contains itself")
        return object_of(hint, where, (*seen, hint))
    if origin_of(hint) in (list, tuple, collections.abc.Sequence):
        return list_of(hint, where, seen)
    if hint in (list, tuple):
        raise TypeError(f"{where}: say of what, as in list[int]")
    if is_union(hint):
        raise TypeError(
            f"{where}: {hint} is a choice of types, which a tool cannot offer"
        )
    if hint in (dict, Any, object) or origin_of(hint) in (dict, collections.abc.Mapping):
        raise TypeError(
            f"{where}: {hint} says not what is in it; use a dataclass or a TypedDict"
        )
    raise TypeError(f"{where}: no JSON type for {hint!r}")


def bound(value: Any, kind: str, where: str) -> Any:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{where}: {value!r} is no number")
    if kind == "integer":
        if int(value) != value:
            raise TypeError(f"{where}: the bound {value!r} is no whole number")
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{where}: the bound {value!r} is beyond 64 bits")
        return int(value)
    return float(value)


def size(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{where}: the length {value!r} is no int")
    if not 0 <= value <= MAX_LENGTH:
        raise ValueError(f"{where}: the length {value} is not within 0 to {MAX_LENGTH}")
    return value


def narrowed(hint: Hint, note: Any, where: str) -> Hint:
    """The hint with one note of its ``Annotated``."""
    kind = hint.type[0]
    change = dataclasses.replace
    if isinstance(note, str):
        return change(hint, description=note)
    if isinstance(note, Unit):
        return change(hint, unit=note.name)
    if isinstance(note, Header):
        return change(hint, header=note.name)
    if isinstance(note, Range):
        if kind not in ("integer", "number"):
            raise TypeError(f"{where}: Range is for numbers, not for {kind}")
        ends = bound(note.min, kind, where), bound(note.max, kind, where)
        return change(hint, type=(kind, *ends))
    if isinstance(note, Length):
        if kind == "string":
            return change(hint, type=(kind, size(note.min, where), size(note.max, where)))
        if kind == "array":
            ends = size(note.min, where), size(note.max, where)
            return change(hint, type=(kind, hint.type[1], *ends))
        raise TypeError(f"{where}: Length is for texts and lists, not for {kind}")
    return constrained(hint, note, where)


def constrained(hint: Hint, note: Any, where: str) -> Hint:
    """The hint with a note as `annotated_types` and pydantic write them."""
    kind = hint.type[0]
    change = dataclasses.replace
    for inner in getattr(note, "metadata", None) or ():
        hint = constrained(hint, inner, where)
    text = getattr(note, "description", None)
    if isinstance(text, str) and text:
        hint = change(hint, description=text)
    low, high = getattr(note, "ge", None), getattr(note, "le", None)
    above, below = getattr(note, "gt", None), getattr(note, "lt", None)
    if above is not None or below is not None:
        if kind != "integer":
            raise TypeError(f"{where}: an open bound is only for int; use ge and le")
        low = low if above is None else int(above) + 1
        high = high if below is None else int(below) - 1
    if (low is not None or high is not None) and kind in ("integer", "number"):
        ends = (
            hint.type[1] if low is None else bound(low, kind, where),
            hint.type[2] if high is None else bound(high, kind, where),
        )
        hint = change(hint, type=(kind, *ends))
    least, most = getattr(note, "min_length", None), getattr(note, "max_length", None)
    if (least is not None or most is not None) and kind in ("string", "array"):
        ends = (
            hint.type[-2] if least is None else size(least, where),
            hint.type[-1] if most is None else size(most, where),
        )
        hint = change(hint, type=(*hint.type[:-2], *ends))
    for unsupported in ("multiple_of", "pattern"):
        if getattr(note, unsupported, None) is not None:
            raise TypeError(f"{where}: {unsupported} is not supported")
    return hint


def literal(hint: Any, where: str) -> Hint:
    values = typing.get_args(hint)
    if all(isinstance(value, str) for value in values):
        return Hint(("choice", list(values)))
    numbers = sorted(
        value for value in values if isinstance(value, int) and not isinstance(value, bool)
    )
    if len(numbers) == len(values):
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            return Hint(("integer", numbers[0], numbers[-1]))
        raise TypeError(f"{where}: numbers of a Literal must follow one another")
    raise TypeError(f"{where}: a Literal is of texts, or of numbers")


def choice_of(hint: Any, where: str) -> Hint:
    """An enum: by its values if they are texts, else by its names."""
    members = list(hint)
    if not members:
        raise TypeError(f"{where}: {hint.__name__} has no members")
    if all(isinstance(member.value, str) for member in members):
        texts = {member.value: member for member in members}
    else:
        texts = {member.name: member for member in members}
    names = {member: text for text, member in texts.items()}

    def dump(value: Any) -> Any:
        return names.get(value, value)

    return Hint(("choice", list(texts)), load=texts.__getitem__, dump=dump)


def list_of(hint: Any, where: str, seen: Tuple[Any, ...]) -> Hint:
    args = typing.get_args(hint)
    made: Callable[[Any], Any] = list
    least, most = 0, MAX_LENGTH
    if origin_of(hint) is tuple:
        made = tuple
        if len(args) != 2 or args[1] is not Ellipsis:
            if len(set(args)) != 1:
                raise TypeError(f"{where}: the elements of {hint} are not of one type")
            least = most = len(args)
    inner = describe(args[0], where, seen)
    load, dump = inner.load, inner.dump

    def load_all(values: Any) -> Any:
        return made(values if load is None else map(load, values))

    def dump_all(values: Any) -> Any:
        return list(values if dump is None else map(dump, values))

    needs_load = load is not None or made is not list
    return Hint(
        ("array", inner.type, least, most),
        unit="",
        load=load_all if needs_load else None,
        dump=dump_all,
    )


def object_of(hint: Any, where: str, seen: Tuple[Any, ...]) -> Hint:
    members = members_of(hint, where, seen)
    plain = [member.plain for member in members.values()]
    loads = {name: member.load for name, member in members.items() if member.load}
    dumps = {name: member.dump for name, member in members.items() if member.dump}

    def loaded(value: Plain) -> Plain:
        return {
            name: loads[name](member) if name in loads else member
            for name, member in value.items()
        }

    def dump_members(pairs: Any) -> Plain:
        return {
            name: dumps[name](member) if name in dumps else member
            for name, member in pairs
            if member is not None
        }

    if is_model(hint):
        return Hint(
            ("object", plain),
            load=hint.model_validate,
            dump=lambda value: (
                value.model_dump(mode="json", exclude_none=True)
                if hasattr(value, "model_dump")
                else value
            ),
        )
    if is_typed_dict(hint):
        return Hint(
            ("object", plain),
            load=loaded if loads else None,
            dump=lambda value: (
                dump_members(value.items()) if isinstance(value, dict) else value
            ),
        )
    names = list(members)
    return Hint(
        ("object", plain),
        load=lambda value: hint(**loaded(value)),
        dump=lambda value: (
            dump_members((name, getattr(value, name)) for name in names)
            if isinstance(value, hint)
            else value
        ),
    )


def members_of(hint: Any, where: str, seen: Tuple[Any, ...] = ()) -> Dict[str, Member]:
    """The members of a dataclass, a TypedDict or a model."""
    words = argument_words(hint.__doc__ or "")
    found: Dict[str, Member] = {}
    if is_model(hint):
        for name, field in hint.model_fields.items():
            place = f"{where}.{name}"
            inner = field.annotation
            default = inspect.Parameter.empty
            required = field.is_required()
            if not required and field.default_factory is None:
                default = field.default
            alias = field.alias or name
            # Model constraints stand beside the hint, not in it.
            found[alias] = member(
                alias, inner, default, required, place, words.get(name, ""), seen, (field,)
            )
        return found
    try:
        hints = typing.get_type_hints(hint, include_extras=True)
    except NameError as error:
        raise TypeError(f"{where}: {error}") from None
    if is_typed_dict(hint):
        for name, inner in hints.items():
            required = name in hint.__required_keys__
            found[name] = member(
                name,
                inner,
                inspect.Parameter.empty,
                required,
                f"{where}.{name}",
                words.get(name, ""),
                seen,
            )
        return found
    for field in dataclasses.fields(hint):
        if not field.init:
            continue
        default = (
            inspect.Parameter.empty
            if field.default is dataclasses.MISSING
            else field.default
        )
        required = (
            field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING
        )
        found[field.name] = member(
            field.name,
            hints[field.name],
            default,
            required,
            f"{where}.{field.name}",
            words.get(field.name, ""),
            seen,
        )
    return found


def member(
    name: str,
    hint: Any,
    default: Any,
    required: bool,
    where: str,
    words: str,
    seen: Tuple[Any, ...] = (),
    notes: Tuple[Any, ...] = (),
) -> Member:
    """One parameter or member. Without a default it is required, unless
    `required` says no."""
    inner, optional = without_none(hint)
    if optional and default is inspect.Parameter.empty and required:
        # A result may leave it out; a call must have a default to do so.
        required = False
    found = describe(inner, where, seen)
    for note in notes:
        found = constrained(found, note, where)
    plain_default: Any = None
    if default is not inspect.Parameter.empty:
        required = False
        if default is not None:
            plain_default = found.dump(default) if found.dump else default
        elif not optional:
            raise TypeError(f"{where}: the default None is not of type {inner!r}")
        if isinstance(plain_default, (list, dict)):
            # The core advertises no such default; Python's own stands.
            plain_default = None
    return Member(
        {
            "name": name,
            "description": found.description or words,
            "type": found.type,
            "unit": found.unit,
            "required": required,
            "default": plain_default,
            "header": found.header,
        },
        found.load,
        found.dump,
    )


def for_result(plain: Plain) -> Plain:
    """A member of a result: without defaults and headers, at any depth."""
    return {
        **plain,
        "default": None,
        "header": None,
        "type": type_for_result(plain["type"]),
    }


def type_for_result(of: Tuple[Any, ...]) -> Tuple[Any, ...]:
    if of[0] == "array":
        return ("array", type_for_result(of[1]), *of[2:])
    if of[0] == "object":
        return ("object", [for_result(member) for member in of[1]])
    return of


_SECTION = re.compile(r"^(Args|Arguments|Parameters|Attributes):\s*$")
_ENTRY = re.compile(r"^\*{0,2}(\w+)(?:\s*\([^)]*\))?:\s*(.*)$")
_FIELD = re.compile(r"^:param(?:\s+\w+)?\s+(\w+):\s*(.*)$")
_OTHER = re.compile(r"^(Returns?|Raises|Yields?|Examples?|Notes?):\s*$")


def summary(doc: str) -> str:
    """The words of a docstring before its sections, on one line each
    paragraph."""
    lines: List[str] = []
    for line in inspect.cleandoc(doc).splitlines():
        if _SECTION.match(line) or _OTHER.match(line) or line.startswith(":"):
            break
        lines.append(line.strip())
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def argument_words(doc: str) -> Dict[str, str]:
    """What a docstring says of each argument: in a section ``Args:``, or
    behind ``:param name:``."""
    found: Dict[str, str] = {}
    current: Optional[str] = None
    inside = False
    indent = 0
    for line in inspect.cleandoc(doc).splitlines():
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        field = _FIELD.match(text)
        if field:
            current, found[field[1]] = field[1], field[2]
            inside, indent = False, depth
        elif _SECTION.match(line):
            inside, current, indent = True, None, 0
        elif not text:
            current = current if inside else None
        elif inside and depth == 0:
            inside, current = False, None
        elif inside and (indent == 0 or depth == indent):
            entry = _ENTRY.match(text)
            indent = depth
            current = entry[1] if entry else None
            if entry:
                found[entry[1]] = entry[2]
        elif current is not None:
            found[current] = f"{found[current]} {text}".strip()
    return found


def plain_result(value: Any) -> Any:
    """A result whose function has no hint for it, as plain data or parts."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value if not isinstance(value, enum.Enum) else value.value
    if isinstance(value, PARTS):
        return (value._part(),)
    if isinstance(value, (list, tuple)) and any(is_part(part) for part in elements(value)):
        parts: List[Tuple[Any, ...]] = []
        for part in elements(value):
            if isinstance(part, PARTS):
                parts.append(part._part())
            elif isinstance(part, str):
                parts.append(("text", part))
            else:
                raise TypeError(
                    f"beside other parts of a result stands {part!r}, which is none"
                )
        return tuple(parts)
    return plain_data(value)


def is_part(value: Any) -> bool:
    return isinstance(value, PARTS)


def elements(value: Any) -> List[Any]:
    return list(value)


def pairs(value: Any) -> List[Tuple[Any, Any]]:
    return list(value.items())


def plain_data(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value if isinstance(value.value, str) else value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain_data(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    dump: Any = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    if isinstance(value, dict):
        return {key: plain_data(member) for key, member in pairs(value)}
    if isinstance(value, (list, tuple)):
        return [plain_data(element) for element in elements(value)]
    return value
