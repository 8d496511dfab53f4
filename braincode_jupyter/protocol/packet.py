"""The base of everything that is written down or crosses a border."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

_put = object.__setattr__


class Packet(BaseModel):
    """Frozen model with camelCase keys on the wire.

    Unknown keys are skipped on reading (the original adds its own) and never written. An absent
    value is an absent key, never ``null``.

    References
    ----------
    Braincode packet format, key casing and optional values.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        populate_by_name=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
        ser_json_inf_nan="null",
    )

    def to_wire(self) -> dict[str, object]:
        """Return the JSON object as it is written: camelCase keys, absent values left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def having(self, **values: object) -> Self:
        """Return the packet with these values; itself where it has them already.

        Parameters
        ----------
        **values : object
            By name of the field; as in `model_copy`, they are not validated.

        Returns
        -------
        Packet
            A copy only if something differs.
        """
        if all(getattr(self, name) == value for name, value in values.items()):
            return self
        return self.model_copy(update=values)

    def __copy__(self) -> Self:
        """Copy the fields, a third of the general way: views are copied for every record."""
        copied = self.__class__.__new__(self.__class__)
        _put(copied, "__dict__", self.__dict__.copy())
        _put(copied, "__pydantic_fields_set__", self.__pydantic_fields_set__.copy())
        # A packet has neither of these.
        _put(copied, "__pydantic_extra__", None)
        _put(copied, "__pydantic_private__", None)
        return copied
