"""Two thousand damaged files, each made from its number alone."""

import random

SEEDS: dict[str, bytes] = {
    "a.jsonl": b'{"id": 1, "q": "What is x?", "n": 1.50}\n\n'
    b'{"id": 2, "q": "caf\xc3\xa9 \\ud83d\\ude00"}\n'
    b'{"id": 3, "q": null, "c": ["a", {"b": true}]}\r\n"plain"\n',
    "b.json": b'[\n {"id": 1, "q": "a, b"},\n {"id": 2, "q": "c\\"d"},\n "text"\n]\n',
    "c.json": b'{"version": 1, "data": [{"q": "a"}, {"q": "\xe2\x80\xa8"}]}',
    "d.json": b'{"question": ["a", "b"], "answer": [1, 2e3]}',
    "e.csv": b"id,question,answer\n"
    b'1,"What, then?",a\n2,"two\nlines ""here""",b\n\n3,c,\xc3\xa9\n',
    "f.csv": b'id;text\r\n1;a\r\n2;"b;c"\r\n',
    "g.tsv": b'id\ttext\n1\ta b\n2\t"c\td"\n',
    "h.csv": b"What is it?,one,two,A\nWhat else?,three,four,B\n",
    "i.txt": b"first line, here\nsecond\n\n  third\xe2\x80\xa9 still third\r\n",
    "j.csv": b"text\na|b\nc;d\n",
    "k.jsonl": b"\xef\xbb\xbf" + b'{"q": "a"}\n' * 4,
    "l.jsonl": b'{"q": "' + b"x" * 600 + b'"}\n{"q": [[[[]]]]}\n',
}
BITS = b',;|\t"\n\r{}[]:\\ 0a\xc3\xe9\x00\xff'
EXTENSIONS = (".jsonl", ".json", ".csv", ".tsv", ".txt", "", ".parquet", ".md")
VARIANTS = 2_000


def damage(number: int) -> tuple[str, bytes]:
    """Make variant `number`: one to three changes to one of the seeds."""
    chance = random.Random(number)
    name = chance.choice(sorted(SEEDS))
    data = bytearray(SEEDS[name])
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(8):
            case 0:
                del data[at:]
            case 1 if data:
                data[at] ^= 1 << chance.randrange(8)
            case 2 if data:
                data[at] = chance.choice(BITS)
            case 3:
                data.insert(at, chance.choice(BITS))
            case 4:
                del data[at : at + chance.randint(1, 5)]
            case 5:
                old, new = chance.sample(list(b',;|\t"'), 2)
                data = bytearray(bytes(data).replace(bytes([old]), bytes([new])))
            case 6:
                data[at:at] = data[at : at + chance.randint(1, 20)]
            case _:
                name = name.split(".")[0] + chance.choice(EXTENSIONS)
    return name, bytes(data)
