"""Elementary functions written inline as LLVM IR.

Only IEEE operations, explicit fused multiply-adds and bit operations are used, in a fixed order, without
branches or calls, so the bits do not depend on the number of lanes. Polynomials are minimax fits. Errors
are measured against exact values, in units in the last place (ulp). NaN gives NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from treadle.native.block import Block, Pack

__all__ = ["atan2", "cos", "exp", "in_double", "log", "power", "sin", "sincos", "tanh"]

Function = TypeVar("Function", bound=Callable[..., Any])

# adding it rounds a float below 2^51 to an integer k and leaves k, in two's complement, in the low bits
SHIFTER = 1.5 * 2.0**52

SIGN_BIT = -(1 << 63)
MANTISSA_MASK = (1 << 52) - 1
BITS_OF_ONE = 0x3FF0000000000000
BITS_OF_SQRT_HALF = 0x3FE6A09E667F3BCD
BITS_OF_2_TO_52 = 0x4330000000000000
INFINITY = float("inf")
NAN = float("nan")

TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
LOG2_E = 1.4426950408889634
LN_2 = (0.6931471805599453, 2.3190468138462996e-17)
# the high part has 42 bits, so that its product with an exponent is exact
LN_2_SHORT = (0.6931471805598903, 5.497923018708371e-14)
TWELFTH = (0.08333333333333333, 4.625929269271485e-18)

# fmt: off
# sin r = r + r z S(z) with z = r^2, |r| <= pi/4: relative error 2^-57.9
SIN = (
    -0.1666666666666663, 0.00833333333332184, -0.00019841269829358525, 2.7557313538509287e-06,
    -2.5050734387597583e-08, 1.5895433135121394e-10,
)
# cos r = 1 - z/2 + z^2 C(z) with z = r^2, |r| <= pi/4: relative error 2^-63.9
COS = (
    0.041666666666666595, -0.0013888888888873338, 2.480158728899748e-05, -2.755731421529894e-07,
    2.0875705114918794e-09, -1.135873276909043e-11,
)
# e^r - 1 = r + r^2 E(r), |r| <= ln(2)/2: relative error 2^-59.7
EXP = (
    0.5, 0.16666666666666677, 0.04166666666666651, 0.008333333333321723, 0.001388888888896172,
    0.00019841269885895692, 2.4801587173567562e-05, 2.7557244439194716e-06, 2.7557401904724596e-07,
    2.5108957769314087e-08, 2.0875527239895575e-09,
)
# log m = u (1 + v/12 + v^2 L(v)) with u = 2 (m - 1)/(m + 1), v = u^2, sqrt(1/2) <= m <= sqrt(2):
# relative error 2^-73.5
LOG = (
    0.012499999999999994, 0.00223214285714405, 0.0004340277776912062, 8.877841232415572e-05,
    1.877997855124974e-05, 4.069904927163095e-06, 8.90791439425927e-07, 2.2853365417433769e-07,
)
# atan q = q + q z A(z) with z = q^2, 0 <= q <= 1: relative error 2^-57.5
ATAN = (
    -0.3333333333333307, 0.19999999999951748, -0.14285714282587975, 0.1111111100733832,
    -0.0909090700773018, 0.0769227988809583, -0.06666404416640015, 0.05880529769013329,
    -0.05253526614791079, 0.047223478354598926, -0.0421924232341941, 0.036643137324279464,
    -0.029905716214466433, 0.021987044787270826, -0.013902550371406738, 0.00719786697036823,
    -0.002885599998472953, 0.0008315561436228365, -0.00015221038089167048, 1.3229923570840335e-05,
)
# fmt: on


def _in_vector_registers(function: Function) -> Function:
    """Compute a single lane as two equal ones.

    LLVM turns selects between scalars into jumps and moves the bits of scalars to the integer registers
    and back; between vectors it does neither.
    """

    @functools.wraps(function)
    def widened(block: Block, *operands: str) -> Any:
        if block.lanes > 1:
            return function(block, *operands)
        pair = Pack(block, 2)
        result = function(pair, *[pair.join([x]) for x in operands])
        return tuple(pair.part(x, 0) for x in result) if isinstance(result, tuple) else pair.part(result, 0)

    return cast("Function", widened)


def in_double(block: Block, function: Callable[..., Any], *operands: str) -> Any:
    """A function of this file on values of any precision; it computes in double."""
    if block.element == "double":
        return function(block, *operands)
    wide = Pack(block, block.lanes, "double")
    result = function(wide, *[wide.emit(f"fpext {block.real} {x} to {wide.real}") for x in operands])
    narrow = [
        block.emit(f"fptrunc {wide.real} {x} to {block.real}")
        for x in (result if isinstance(result, tuple) else (result,))
    ]
    return tuple(narrow) if isinstance(result, tuple) else narrow[0]


@_in_vector_registers
def sincos(block: Block, x: str) -> tuple[str, str]:
    """Sine and cosine of one angle.

    x = k pi/2 + r with k = round(2 x/pi), pi/2 in three parts and r in two, so that results close to 0
    are as accurate as any. Error below 1.25 ulp for |x| <= 1e9; far beyond, the results mean nothing.
    sin(-0) is +0.
    """
    constant = block.constant
    shifted = block.fma(x, constant(TWO_OVER_PI), constant(SHIFTER))
    k = block.binary("fsub", shifted, constant(SHIFTER))
    # the first step is exact, and what the second one rounds off goes into the tail
    first = block.fma(k, constant(-HALF_PI[0]), x)
    second, second_low = _two_product(block, k, constant(HALF_PI[1]))
    third = block.fma(k, constant(HALF_PI[2]), second_low)
    r = block.binary("fsub", first, second)
    tail = block.binary("fsub", block.binary("fsub", first, r), second)
    tail = block.binary("fsub", tail, third)

    z = block.binary("fmul", r, r)
    cubic = block.fma(block.binary("fmul", r, z), _polynomial(block, z, SIN), tail)
    sine = block.binary("fadd", r, cubic)
    cosine = block.fma(z, block.fma(z, _polynomial(block, z, COS), constant(-0.5)), constant(1.0))

    # an odd k exchanges the two; bit 1 of k negates the sine, bit 1 of k + 1 the cosine
    bits = block.to_bits(shifted)
    odd = block.emit(f"trunc {block.integer} {bits} to {block.boolean}")
    bit_0 = block.integer_binary("shl", bits, block.integer_constant(63))
    bit_1 = block.integer_binary("shl", bits, block.integer_constant(62))
    sine_sign = block.integer_binary("and", bit_1, block.integer_constant(SIGN_BIT))
    cosine_sign = block.integer_binary("xor", sine_sign, bit_0)
    return (
        _flip_sign(block, block.select(odd, cosine, sine), sine_sign),
        _flip_sign(block, block.select(odd, sine, cosine), cosine_sign),
    )


def sin(block: Block, x: str) -> str:
    """Sine, see `sincos`."""
    return sincos(block, x)[0]


def cos(block: Block, x: str) -> str:
    """Cosine, see `sincos`."""
    return sincos(block, x)[1]


@_in_vector_registers
def exp(block: Block, x: str) -> str:
    """Exponential, through subnormals to 0 and up to infinity.

    e^x = 2^k e^r with k = round(x/ln 2), r = x - k ln 2. Error below 0.8 ulp.
    """
    return _exponential(block, x, block.constant(0.0))


@_in_vector_registers
def log(block: Block, x: str) -> str:
    """Natural logarithm: -inf at 0 and NaN below.

    log x = k ln 2 + log m with x = 2^k m, sqrt(1/2) <= m < sqrt(2). Error below 0.51 ulp.
    """
    high, low = _logarithm(block, x)
    negative = block.compare("olt", x, block.constant(0.0))
    return block.select(negative, block.constant(NAN), block.binary("fadd", high, low))


@_in_vector_registers
def atan2(block: Block, y: str, x: str) -> str:
    """Angle of the point (x, y) in [-pi, pi], with signed zeros and infinities as in C.

    With q the smaller of |x|, |y| over the larger, the angle from the positive x axis is atan q,
    pi/2 - atan q, pi/2 + atan q or pi - atan q, and has the sign of y. Error below 1.1 ulp, and below
    1.5 ulp where an argument is subnormal or the larger is above 2^1023.
    """
    constant = block.constant
    zero, one = constant(0.0), constant(1.0)
    width, height = block.intrinsic("fabs", x), block.intrinsic("fabs", y)
    steep = block.compare("ogt", height, width)
    backward = block.integer_compare("slt", block.to_bits(x), block.integer_constant(0))
    small = block.select(steep, width, height)
    large = block.select(steep, height, width)

    # 0/0 is taken as 0 and inf/inf as 1
    large = block.select(block.compare("oeq", large, zero), one, large)
    equal = block.compare("oeq", small, large)
    q = block.select(equal, one, block.binary("fdiv", small, large))

    # atan(q + d) = atan q + d/(1 + q^2), where d = remainder/large is what the division rounded off
    z = block.binary("fmul", q, q)
    remainder = block.fma(block.negate(q), large, small)
    tail = _finite_or_zero(block, block.binary("fdiv", remainder, block.fma(large, z, large)))
    slope = block.fma(z, _polynomial(block, z, ATAN[1:]), constant(ATAN[0]))
    tail = block.fma(block.binary("fmul", q, z), slope, tail)

    quarters = block.select(steep, one, block.select(backward, constant(2.0), zero))
    sign = block.select(block.boolean_binary("xor", steep, backward), constant(-1.0), one)
    base = block.binary("fmul", quarters, constant(HALF_PI[0]))
    tail = block.fma(sign, tail, block.binary("fmul", quarters, constant(HALF_PI[1])))
    high, low = _fast_two_sum(block, base, block.binary("fmul", sign, q))
    angle = block.binary("fadd", high, block.binary("fadd", low, tail))
    return block.intrinsic("copysign", angle, y)


@_in_vector_registers
def tanh(block: Block, x: str) -> str:
    """Hyperbolic tangent.

    tanh x = -w/(2 + w) with w = e^(-2x) - 1 for x >= 0, and odd. Error below 0.95 ulp.
    """
    argument = block.binary("fmul", block.intrinsic("fabs", x), block.constant(-2.0))
    # beyond, tanh is 1
    argument = _at_least(block, argument, -40.0)
    shifted, r, tail = _reduced_exponential(block, argument, block.constant(0.0))
    scale = _power_of_two(block, block.to_bits(shifted))
    # w = scale (1 + r + tail) - 1
    whole, whole_low = _fast_two_sum(block, block.constant(-1.0), scale)
    high, low = _fast_two_sum(block, whole, block.binary("fmul", scale, r))
    low = block.binary("fadd", low, whole_low)
    w, w_low = _fast_two_sum(block, high, block.fma(scale, tail, low))
    denominator, denominator_low = _fast_two_sum(block, block.constant(2.0), w)
    denominator_low = block.binary("fadd", denominator_low, w_low)
    ratio, ratio_low = _divide(block, w, w_low, denominator, denominator_low)
    return block.intrinsic("copysign", block.binary("fadd", ratio, ratio_low), x)


@_in_vector_registers
def power(block: Block, x: str, y: str) -> str:
    """x to the power y, with the zeros, infinities and negative bases of C.

    x^y = e^(y log x) with log x and the product in two parts. NaN for a negative base to a fractional
    power and, unlike in C, wherever x or y is NaN. Error below 1 ulp.
    """
    constant, compare = block.constant, block.compare
    both, either = (functools.partial(block.boolean_binary, name) for name in ("and", "or"))
    zero = constant(0.0)
    magnitude = block.intrinsic("fabs", x)
    high, low = _logarithm(block, magnitude)
    exponent = block.binary("fmul", y, high)
    tail = block.fma(y, low, block.fma(y, high, block.negate(exponent)))
    is_one = either(compare("oeq", y, zero), compare("oeq", magnitude, constant(1.0)))
    exponent = block.select(is_one, zero, exponent)
    result = _exponential(block, exponent, _finite_or_zero(block, tail))

    half = block.binary("fmul", y, constant(0.5))
    fractional = compare("one", block.intrinsic("floor", y), y)
    keeps_positive = either(fractional, compare("oeq", block.intrinsic("floor", half), half))
    result = block.select(keeps_positive, result, block.intrinsic("copysign", result, x))

    finite_negative = both(compare("olt", x, zero), compare("ogt", x, constant(-INFINITY)))
    undefined = either(both(finite_negative, fractional), compare("uno", x, y))
    return block.select(undefined, constant(NAN), result)


def _polynomial(block: Block, x: str, coefficients: Sequence[float]) -> str:
    """c0 + c1 x + c2 x^2 + ...: neighbours are joined in pairs until three are left, then Horner."""
    terms = [block.constant(c) for c in coefficients]
    step = x
    while len(terms) > 3:
        joined = [block.fma(step, b, a) for a, b in zip(terms[0::2], terms[1::2])]
        terms = joined + terms[2 * len(joined) :]
        step = block.binary("fmul", step, step)
    result = terms.pop()
    while terms:
        result = block.fma(step, result, terms.pop())
    return result


def _exponential(block: Block, x: str, tail: str) -> str:
    """e^(x + tail) for a tail of rounding size."""
    x = _at_least(block, x, -746.0)
    limit = block.constant(710.0)
    x = block.select(block.compare("ogt", x, limit), limit, x)
    shifted, r, tail = _reduced_exponential(block, x, tail)
    high, low = _fast_two_sum(block, block.constant(1.0), r)
    result = block.binary("fadd", high, block.binary("fadd", low, tail))
    # 2^k in two factors, as k runs from -1076 to 1024; the bits above k are shifted out
    k = block.to_bits(shifted)
    half = block.integer_binary("lshr", k, block.integer_constant(1))
    rest = block.integer_binary("sub", k, half)
    result = block.binary("fmul", result, _power_of_two(block, half))
    return block.binary("fmul", result, _power_of_two(block, rest))


def _reduced_exponential(block: Block, x: str, tail: str) -> tuple[str, str, str]:
    """(k + SHIFTER, r, s) with e^(x + tail) = 2^k (1 + r + s), r exact and s the smaller."""
    shifted = block.fma(x, block.constant(LOG2_E), block.constant(SHIFTER))
    k = block.binary("fsub", shifted, block.constant(SHIFTER))
    r = block.fma(k, block.constant(-LN_2[0]), x)
    tail = block.fma(k, block.constant(-LN_2[1]), tail)
    rounded = block.binary("fadd", r, tail)
    square = block.binary("fmul", rounded, rounded)
    return shifted, r, block.fma(square, _polynomial(block, rounded, EXP), tail)


def _logarithm(block: Block, x: str) -> tuple[str, str]:
    """log x for x >= 0 in two parts, relative error below 2^-63."""
    constant, integer = block.constant, block.integer_constant
    one = constant(1.0)
    # a subnormal is scaled by 2^54
    subnormal = block.compare("olt", x, constant(2.0**-1022))
    scaled = block.select(subnormal, block.binary("fmul", x, constant(2.0**54)), x)
    bias = block.select(subnormal, constant(2.0**52 + 1023 + 54), constant(2.0**52 + 1023))
    bits = block.integer_binary("add", block.to_bits(scaled), integer(BITS_OF_ONE - BITS_OF_SQRT_HALF))
    biased = block.integer_binary("lshr", bits, integer(52))
    biased = block.from_bits(block.integer_binary("or", biased, integer(BITS_OF_2_TO_52)))
    k = block.binary("fsub", biased, bias)
    mantissa = block.integer_binary("and", bits, integer(MANTISSA_MASK))
    m = block.from_bits(block.integer_binary("add", mantissa, integer(BITS_OF_SQRT_HALF)))

    # u + u_low = 2 (m - 1)/(m + 1)
    numerator = block.binary("fsub", m, one)
    numerator = block.binary("fadd", numerator, numerator)
    denominator, denominator_low = _fast_two_sum(block, one, m)
    u, u_low = _divide(block, numerator, constant(0.0), denominator, denominator_low)

    # t + t_low = v/12 + v^2 L(v) with v + v_low = u^2
    v, v_low = _two_product(block, u, u)
    v_low = block.fma(block.binary("fadd", u, u), u_low, v_low)
    series = block.binary("fmul", v, _polynomial(block, v, LOG))
    factor, factor_low = _fast_two_sum(block, constant(TWELFTH[0]), series)
    factor_low = block.binary("fadd", factor_low, constant(TWELFTH[1]))
    t, t_low = _two_product(block, v, factor)
    t_low = block.fma(v, factor_low, block.fma(v_low, factor, t_low))

    # log x = k ln 2 + u + u t
    product, product_low = _two_product(block, u, t)
    product_low = block.fma(u, t_low, block.fma(u_low, t, product_low))
    high, low = _fast_two_sum(block, u, product)
    low = block.binary("fadd", low, block.binary("fadd", product_low, u_low))
    high, middle = _fast_two_sum(block, block.binary("fmul", k, constant(LN_2_SHORT[0])), high)
    low = block.binary("fadd", middle, block.fma(k, constant(LN_2_SHORT[1]), low))

    high = block.select(block.compare("olt", x, constant(INFINITY)), high, x)
    return block.select(block.compare("oeq", x, constant(0.0)), constant(-INFINITY), high), low


def _power_of_two(block: Block, k: str) -> str:
    """2^k for a normal result, of the low 12 bits of an integer k."""
    exponent = block.integer_binary("shl", k, block.integer_constant(52))
    return block.from_bits(block.integer_binary("add", exponent, block.integer_constant(BITS_OF_ONE)))


def _fast_two_sum(block: Block, a: str, b: str) -> tuple[str, str]:
    """a + b as a rounded sum and its error, for a = 0 or an exponent of a not below that of b."""
    total = block.binary("fadd", a, b)
    return total, block.binary("fadd", block.binary("fsub", a, total), b)


def _two_product(block: Block, a: str, b: str) -> tuple[str, str]:
    """The product a b as a rounded product and its error."""
    product = block.binary("fmul", a, b)
    return product, block.fma(a, b, block.negate(product))


def _divide(block: Block, n: str, n_low: str, d: str, d_low: str) -> tuple[str, str]:
    """(n + n_low)/(d + d_low) in two parts, for d near 1."""
    inverse = block.binary("fdiv", block.constant(1.0), d)
    quotient = block.binary("fmul", n, inverse)
    negative = block.negate(quotient)
    remainder = block.binary("fadd", block.fma(negative, d, n), block.fma(negative, d_low, n_low))
    return quotient, block.binary("fmul", remainder, inverse)


def _flip_sign(block: Block, x: str, sign: str) -> str:
    return block.from_bits(block.integer_binary("xor", block.to_bits(x), sign))


def _at_least(block: Block, x: str, bound: float) -> str:
    limit = block.constant(bound)
    return block.select(block.compare("olt", x, limit), limit, x)


def _finite_or_zero(block: Block, tail: str) -> str:
    """The tail of a product or quotient, or 0 where an infinity made it meaningless."""
    small = block.compare("olt", block.intrinsic("fabs", tail), block.constant(2.0**-20))
    return block.select(small, tail, block.constant(0.0))
