"""1k - plain text: one document a line, or the whole file as one document."""

from collections.abc import Iterator

from leakladder.read.info import Reading
from leakladder.read.jsonl import TEXT_FIELD
from leakladder.read.lines import Block, cut_lines, decode, has_places, split_blocks
from leakladder.results import Row


def read_text(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    r"""Read documents that end at "\n" or "\r\n" and nowhere else; the field is named "text".

    Lines of white space are counted as blank. With the option `whole_text` the file is one row,
    line ends as they stand.

    Args:
        chunks: What `lines.strip_bom` gives out.
        reading: The file being read.

    Yields:
        The rows of one block at a time.
    """
    if reading.options.whole_text:
        yield from _read_whole(chunks, reading)
        return
    for block in split_blocks(chunks, reading):
        yield _read_block(block, reading)


def _read_whole(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    blocks = list(split_blocks(chunks, reading))
    if not blocks:
        return
    text = "".join(decode(block, reading) for block in blocks)
    start, stop = blocks[0].start, blocks[-1].start + len(blocks[-1].raw)
    reading.count_rows(1)
    if has_places(reading):
        yield [Row(0, 1, start, stop, {TEXT_FIELD: text})]
    else:
        yield [Row(0, 1, None, None, {TEXT_FIELD: text})]


def _read_block(block: Block, reading: Reading) -> list[Row]:
    index = reading.info.rows
    rows: list[Row] = []
    for text, number, start, stop in cut_lines(block, decode(block, reading), reading):
        if not text or text.isspace():
            reading.info.blank_lines += 1
            continue
        rows.append(Row(index, number, start, stop, {TEXT_FIELD: text}))
        index += 1
    reading.count_rows(len(rows))
    return rows
