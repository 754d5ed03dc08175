"""Couplings: the position of one joint is a polynomial of another's, and linear in those of further joints.

Gears, repeaters and mimic joints have one source; differentials and planetary gears have several.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.model.attachments import Coupling

__all__ = ["coupling_residual"]


def coupling_residual(q: Sequence[Scalar], coupling: Coupling) -> Scalar:
    """q of the joint less the polynomial of q of its source and the terms of further joints."""
    source = 0.0 if coupling.source_q is None else q[coupling.source_q]
    value: Scalar = 0.0
    for coefficient in reversed(coupling.coefficients):
        value = value * source + coefficient
    for _, ratio, place, _ in coupling.terms:
        value = value + ratio * q[place]
    return q[coupling.q] - value
