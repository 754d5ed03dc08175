"""A spring for each way: F = K x^n / e while the bodies approach, e K x^n while they part.

Hunt and Crossley's 1 + c v / v0 is replaced by its mean over each phase, weighed by the spring's work: with
v = v0 sqrt(1 - u), u = (x / deepest)^(n+1), that mean is 1 + 2/3 c at first and 1 - 2/3 c e on the way back.
The speeds v0 and e v0 at the same depth ask for a ratio of e^2 between the two,

    1 - 2/3 c e = e^2 (1 + 2/3 c)    =>    2/3 c = (1 - e) / e    =>    1/e and e

Each phase is then an Emden-Fowler equation, m x'' + C K x^n = 0, and the restitution is exactly e. Between
the two the force passes over within a small speed, so that bodies at rest are held: they creep by less than
that speed towards the middle of the two springs.
"""

from __future__ import annotations

from treadle.contact.laws.flores import LEAST
from treadle.contact.laws.law import Touch, power
from treadle.graph import Scalar, clip, maximum

__all__ = ["emden_fowler"]

#: Speed, as a share of the impact's, within which one spring passes over into the other.
_SMALL = 1e-5


def emden_fowler(touch: Touch) -> Scalar:
    """A stiff spring in, a soft spring out."""
    e = maximum(touch.restitution, LEAST)
    way = clip(touch.rate / (_SMALL * touch.speed), -1.0, 1.0)
    return touch.stiffness * power(touch) * (0.5 * (1.0 / e + e) + 0.5 * (1.0 / e - e) * way)
