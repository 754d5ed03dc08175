"""Elementary functions of exported C source: those of the machine code where multiply-adds are fast.

`sincos` is that of `native.elementary`, with the same constants in the same order. A processor without fused
multiply-adds (FP_FAST_FMA of C99) takes the functions of <math.h>, where `fma` would be a slow call.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.native.elementary import COS, HALF_PI, SHIFTER, SIN, TWO_OVER_PI

__all__ = ["SINCOS", "c_elementary"]

#: Name of the function in C.
SINCOS = "treadle_sincos"

_SOURCE = """#include <stdint.h>
#include <string.h>

/* The sine and the cosine of x, for |x| up to 1e9. */
static inline void {name}(double x, double *sine, double *cosine)
{{
#if defined FP_FAST_FMA || defined __FMA__ || defined __ARM_FEATURE_FMA
    /* x = k pi/2 + r, and r in two parts */
    const double shifted = fma(x, {two_over_pi}, {shifter});
    const double k = shifted - {shifter};
    const double first = fma(k, -{half_pi[0]}, x);
    const double second = k * {half_pi[1]};
    const double third = fma(k, {half_pi[2]}, fma(k, {half_pi[1]}, -second));
    const double r = first - second;
    const double tail = first - r - second - third;
    const double z = r * r;
    const double zz = z * z;
    const double s = r + fma(r * z, {sin}, tail);
    const double c = fma(z, fma(z, {cos}, -0.5), 1.0);
    /* an odd k exchanges the two; bit 1 of k negates the sine, bit 1 of k + 1 the cosine */
    uint64_t bits, sine_bits, cosine_bits;
    memcpy(&bits, &shifted, sizeof bits);
    const double odd_sine = bits & 1 ? c : s;
    const double odd_cosine = bits & 1 ? s : c;
    memcpy(&sine_bits, &odd_sine, sizeof bits);
    memcpy(&cosine_bits, &odd_cosine, sizeof bits);
    sine_bits ^= (bits & 2) << 62;
    cosine_bits ^= ((bits + 1) & 2) << 62;
    memcpy(sine, &sine_bits, sizeof bits);
    memcpy(cosine, &cosine_bits, sizeof bits);
#else
    *sine = sin(x);
    *cosine = cos(x);
#endif
}}
"""


def c_elementary(source: str) -> str:
    """The functions that a source calls, to stand before it and behind <math.h>."""
    if f"{SINCOS}(" not in source:
        return ""
    return _SOURCE.format(
        name=SINCOS,
        two_over_pi=repr(TWO_OVER_PI),
        shifter=repr(SHIFTER),
        half_pi=[repr(x) for x in HALF_PI],
        sin=_polynomial(SIN),
        cos=_polynomial(COS),
    )


def _polynomial(coefficients: Sequence[float]) -> str:
    """Six terms: pairs in z, then Horner in z^2, as in `native.elementary`."""
    a, b, c = (
        f"fma(z, {high!r}, {low!r})" for low, high in zip(coefficients[::2], coefficients[1::2], strict=True)
    )
    return f"fma(zz, fma(zz, {c}, {b}), {a})"
