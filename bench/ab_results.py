# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that hindsight_ab writes, read and checked."""
import json
import math
import pathlib
import statistics
from typing import NamedTuple, Optional

NOISE_IF_UNKNOWN = 0.03  # files from before the noise was recorded


class Unusable(Exception):
    """Input that no report can be made of; the text says in one sentence why."""


STRUCTS = ("S32", "S64", "S128")
WAYS = {"begin_items": 0, "small_buffers": False}  # of measuring, as heads have them; what stands for those that do not


class Case(NamedTuple):
    algorithm: str
    key: str
    value: str
    distribution: str
    n: int
    mode: str

    @property
    def types(self):
        return self.key if self.value == "-" else f"{self.key}, {self.value}"

    @property
    def family(self):
        """Structs of many bytes have a line of their own in summaries: their figures are unlike those of numbers."""
        return f"{self.algorithm}, structs" if {self.key, self.value} & set(STRUCTS) else self.algorithm

    def __str__(self):
        return f"{self.algorithm} {self.types}, {self.distribution}, {count_text(self.n)}, {self.mode}"


class Row(NamedTuple):
    case: Case
    our_ms: float
    stock_ms: float
    ratio: float  # stock / ours
    gbytes_per_s: Optional[float]
    share: Optional[float]  # of the ceiling; None if memory is not the bound
    same_bits: bool
    our_noise: float
    stock_noise: float
    bound: Optional[str]  # "copy" or "read": the rate in the head that is the ceiling


class Results(NamedTuple):
    name: str
    head: dict
    rows: dict  # Case -> Row

    @property
    def machine(self):
        threads = self.head.get("threads")
        return f"{self.head['device']}, {self.system}" + (f", {threads} threads" if threads else "")

    @property
    def system(self):
        return self.head.get("system", "CUDA")

    @property
    def cccl(self):
        """The version of the stock side."""
        number = self.head["cccl"]
        return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"

    def refuse_other_way(self, other):
        """Options of hindsight_ab that change times: rows with and without them are no pairs."""
        for name, default in WAYS.items():
            ours, theirs = (results.head.get(name, default) for results in (self, other))
            if ours != theirs:
                raise Unusable(f"{self.name} and {other.name} have different {name}: {json.dumps(ours)}, {json.dumps(theirs)}")


def count_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_positive(value):
    return is_number(value) and value > 0


def field(where, record, name, is_valid, default=None):
    """record[name]; the default, if there is one, stands in for what is absent or null."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if not is_valid(value):
        raise Unusable(f"{where}: {name} is {json.dumps(value)}" if name in record else f"{where}: no {name}")
    return value


def read_row(where, record):
    if not isinstance(record, dict):
        raise Unusable(f"{where} is not an object")

    def text(name):
        return field(where, record, name, lambda value: isinstance(value, str))

    def positive(name):
        return field(where, record, name, is_positive)

    def positive_or_none(name):
        return None if record.get(name) is None else positive(name)

    n = field(where, record, "n", lambda value: is_positive(value) and isinstance(value, int))
    return Row(
        Case(text("algorithm"), text("key"), text("value"), text("distribution"), n, text("mode")),
        positive("hindsight_ms"),
        positive("stock_ms"),
        positive("ratio"),
        positive_or_none("gbytes_per_s"),
        positive_or_none("share_of_ceiling"),
        field(where, record, "same_bits", lambda value: isinstance(value, bool)),
        field(where, record, "hindsight_noise", is_number, NOISE_IF_UNKNOWN),
        field(where, record, "stock_noise", is_number, NOISE_IF_UNKNOWN),
        record.get("ceiling"),
    )


def read(path):
    try:
        data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise Unusable(f"{path} is not JSON: {error}") from error
    head = data.get("head") if isinstance(data, dict) else None
    records = data.get("rows") if isinstance(data, dict) else None
    if not isinstance(head, dict) or not isinstance(records, list):
        raise Unusable(f"{path} was not written by hindsight_ab: it has no head and rows")
    for name in ("device", "date"):
        field(f"{path}, head", head, name, lambda value: isinstance(value, str))
    field(f"{path}, head", head, "cccl", lambda value: is_positive(value) and isinstance(value, int))
    rows = {}
    for i, record in enumerate(records):
        row = read_row(f"{path}, row {i}", record)
        if row.case in rows:
            raise Unusable(f"{path}, row {i}: {row.case} for the second time")
        rows[row.case] = row
    if not rows:
        raise Unusable(f"{path} has no rows")
    return Results(str(path), head, rows)


def beside_fastest_stock(rows, ceilings):
    """One row of several of a case: the fastest stock, the median of our times."""
    row = min(rows, key=lambda row: row.stock_ms)
    our_ms = statistics.median(row.our_ms for row in rows)
    speed = row.our_ms / our_ms
    gbytes_per_s = None if row.gbytes_per_s is None else row.gbytes_per_s * speed
    share = None if row.share is None else row.share * speed
    if share is not None and gbytes_per_s is not None and ceilings.get(row.bound):
        share = gbytes_per_s / ceilings[row.bound]
    return row._replace(our_ms=our_ms, ratio=row.stock_ms / our_ms, gbytes_per_s=gbytes_per_s, share=share, same_bits=all(row.same_bits for row in rows))


def fastest_stock(files):
    """Of each case the fastest stock, and the median of our times: programs on the same host threads, for several of Thrust's systems.
    Ours is the same code in all of them. The machine is one, too: its ceilings are the highest rates that any of them measured."""
    first = files[0]
    for other in files[1:]:
        for name in ("device", "threads", "cccl", "source_digest", "seed"):
            if first.head.get(name) != other.head.get(name):
                raise Unusable(f"{first.name} and {other.name} have different {name}: {first.head.get(name)}, {other.head.get(name)}")
        first.refuse_other_way(other)
    rates = {bound: [rate for rate in (results.head.get(f"{bound}_gbytes_per_s") for results in files) if is_positive(rate)] for bound in ("copy", "read")}
    ceilings = {bound: max(measured) for bound, measured in rates.items() if measured}
    found = {}
    for results in files:
        for case, row in results.rows.items():
            found.setdefault(case, []).append(row)
    rows = {case: beside_fastest_stock(same, ceilings) for case, same in found.items()}
    systems = [results.system for results in files]
    system = systems[0] if len(systems) == 1 else "the fastest of " + ", ".join(systems[:-1]) + " and " + systems[-1]
    head = {**first.head, "system": system, **{f"{bound}_gbytes_per_s": rate for bound, rate in ceilings.items()}}
    return first._replace(head=head, rows=rows)
