"""Float weights to 8 bits: scales, smoothing, and the corrections that go with them.

Every operation here is elementwise or exact in integers, so that the asset's bytes do not
depend on the machine that builds it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakladder_dev.weights import Floats

Bytes = npt.NDArray[np.uint8]
MIDDLE = 128
SMALLEST = np.float32(1e-5)


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """One linear layer, its input smoothed and its weights in 8 bits.

    With x = step * (q - zero) the smoothed input of a token, the output is
    step * ((q - zero) @ (weight - 128)) * scale + bias.

    Attributes:
        weight: [in, out], unsigned; 128 stands for 0. Unsigned because x86 without VNNI
            saturates in u8 x s8 products (two neighbours are added in 16 bits).
        scale: [out], what one unit of a weight is worth.
        bias: [out].
        zero: The byte that stands for 0 in the input.
    """

    weight: Bytes
    scale: Floats
    bias: Floats
    zero: int


def smoothing(maxima: Floats, weight: Floats) -> Floats:
    """Return the divisor of each input channel that shares the range out between both factors.

    Args:
        maxima: [in], largest size of the channel over the calibration texts.
        weight: [in, out], the float weights the channel is multiplied with.

    Source:
        SmoothQuant (arXiv:2211.10438), equation 4, with alpha 0.5.
    """
    heaviest = np.maximum(np.abs(weight).max(1), SMALLEST)
    shares: Floats = np.sqrt(np.maximum(maxima, SMALLEST) / heaviest)
    return shares


def quantize_linear(weight: Floats, bias: Floats, zero: int = MIDDLE) -> Linear:
    """Quantize [in, out] weights per output channel, symmetric around 0."""
    scale = np.abs(weight).max(0) / np.float32(127)
    units = np.rint(weight / scale).astype(np.int32)
    return Linear((units + MIDDLE).astype(np.uint8), scale, bias, zero)


def quantize_rows(table: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Quantize vectors per row, symmetric around 0, to units and [rows, 1] scales."""
    scale = np.abs(table).max(1, keepdims=True) / np.float32(127)
    return np.rint(table / scale).astype(np.int8), scale
