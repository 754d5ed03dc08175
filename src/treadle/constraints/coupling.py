"""Couplings: the position of one joint is a polynomial of another's (gear, repeater, mimic)."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.model.attachments import Coupling

__all__ = ["coupling_residual"]


def coupling_residual(q: Sequence[Scalar], coupling: Coupling) -> Scalar:
    """q of the joint less the polynomial of q of its source."""
    source = 0.0 if coupling.source_q is None else q[coupling.source_q]
    value: Scalar = 0.0
    for coefficient in reversed(coupling.coefficients):
        value = value * source + coefficient
    return q[coupling.q] - value
