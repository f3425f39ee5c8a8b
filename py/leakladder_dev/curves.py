"""GELU and e^x as polynomials of single multiplications and additions, which no machine fuses.

Each is in units in which its highest factor is 1, so that this factor costs no multiplication;
the layers before and after take the units over.
"""

from collections.abc import Sequence


def monic(factors: Sequence[float], first: int = 0, step: int = 1) -> tuple[float, list[float]]:
    """Rewrite a polynomial in units of its own.

    Args:
        factors: Of x^first, x^(first + step) and so on; the last one positive.
        first: The lowest power.
        step: From one power to the next.

    Returns:
        The unit u, and the factors in u x without the last one, which is 1.
    """
    powers = range(first, first + step * len(factors), step)
    unit = factors[-1] ** (1 / powers[-1])
    return unit, [factor / unit**power for factor, power in zip(factors, powers, strict=True)][
        :-1
    ]


# The normal distribution function less one half, in odd powers; flat beyond the edges. GELU
# made of it is off by 0.0011 at most.
GELU_EDGE = 3.4
GELU_UNIT, GELU_FACTORS = monic(
    (0.3943071, -0.0598363149, 0.00672080442, -0.000416199196, 1.05992405e-05), 1, 2
)

# Twice e^(x / 16) for x from -12 to 0: its 16th power is 2^16 e^x.
EXP_EDGE = 12.0
EXP_UNIT, EXP_FACTORS = monic([
    2 * f / 16**at for at, f in enumerate((1.0, 0.99941612, 0.49132755, 0.13254134))
])
