"""The transforms against unicodedata itself, and where peers go wrong."""

import random
import sys
import unicodedata

import pytest

from leakladder.normalize import (
    ROW_STEPS,
    ROW_STEPS_ARTICLES,
    STEP_NAMES,
    Form,
    apply_steps,
    compose,
    fold,
    fold_column,
    transform_name,
)

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1)]


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        pytest.param("L1", "e\u0301", "\u00e9", id="a letter and its mark compose"),
        pytest.param("L1", "\ufb01", "\ufb01", id="canonical form keeps a ligature"),
        pytest.param("L3", "\ufb01\u00bd\u2167", "fi1\u20442VIII", id="compatibility fold"),
        pytest.param("L4", "Straße \u03a3", "strasse \u03c3", id="casefold is not lower"),
        pytest.param("L4", "\u0130", "i\u0307", id="dotted capital I"),
        pytest.param("L8", "The-end; $1.50+2=x_y", "Theend $150+2=xy", id="symbols stay"),
        pytest.param("L8", "“a” \u2013 b… «c»", "a  b c", id="punctuation beyond ASCII"),
        pytest.param("L9", "the cat ate a bone, an ant", " cat ate  bone,  ant", id="articles"),
        pytest.param("L9", "theend bathe an-a", "theend bathe an-a", id="no article in a word"),
        pytest.param("L10", "\t a \u00a0\u2003b\n\u0085c ", "a b c", id="any whitespace"),
        pytest.param("L10", "a\u200bb\u00adc", "a\u200bb\u00adc", id="format characters stay"),
    ],
)
def test_step(step: str, text: str, expected: str) -> None:
    assert apply_steps(text, [step]) == expected


@pytest.mark.parametrize(
    ("text", "plain", "articles"),
    [
        pytest.param("  The Cat's  PAJAMAS!", "the cats pajamas", "cats pajamas", id="usual"),
        pytest.param("The-end", "theend", "theend", id="no article after punctuation is gone"),
        pytest.param("?!", "", "", id="nothing is left"),
        pytest.param("1.5 -5", "15 5", "15 5", id="signs and points go"),
        pytest.param("a", "a", "", id="an article alone"),
    ],
)
def test_the_rows_rung(text: str, plain: str, articles: str) -> None:
    assert apply_steps(text, ROW_STEPS) == plain
    assert apply_steps(text, ROW_STEPS_ARTICLES) == articles


def test_names() -> None:
    assert transform_name(ROW_STEPS) == "L1+L3+L4+L8+L10"
    assert transform_name(ROW_STEPS_ARTICLES) == "L1+L3+L4+L8+L9+L10"
    assert set(STEP_NAMES) == set(ROW_STEPS_ARTICLES)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(ValueError, match="no step 'L2'"):
        apply_steps("a", ["L2"])
    with pytest.raises(ValueError, match="no step 'L2'"):
        fold_column(["a"], ["L2"])


def test_only_category_p_is_removed() -> None:
    kept = apply_steps("".join(EVERY_CHARACTER), ["L8"])
    assert kept == "".join(c for c in EVERY_CHARACTER if unicodedata.category(c)[0] != "P")


def test_fold_is_l1_l3_l4_for_every_character() -> None:
    for char in EVERY_CHARACTER:
        canonical = unicodedata.normalize("NFC", char)
        assert fold(char) == unicodedata.normalize("NFKC", canonical).casefold()


MARKS = "\u0301\u0323\u0345\u0f73\uff9e\u0344\u1d165\u0334\u0e48\u3099"


@pytest.mark.parametrize("seed", range(300))
def test_fold_and_compose_agree_with_unicodedata_on_runs_of_marks(seed: int) -> None:
    draw = random.Random(seed)
    few = draw.sample(MARKS, draw.randrange(1, 4))
    pieces = []
    for _ in range(draw.randrange(1, 4)):
        pieces.append(draw.choice(["a", "\u00e9", "\u1e69", "\uac00", " ", "\u304b", ""]))
        pieces += draw.choices(few, k=draw.choice([0, 3, 31, 32, 33, 90]))
    text = "".join(pieces)
    forms: tuple[Form, Form] = ("NFC", "NFKC")
    for form in forms:
        assert compose(form, text) == unicodedata.normalize(form, text)
    canonical = unicodedata.normalize("NFC", text)
    assert fold(text) == unicodedata.normalize("NFKC", canonical).casefold()


def test_a_million_marks_of_two_classes_end() -> None:
    folded = fold("a" + "\u0301\u0323" * 500_000)
    assert folded == "\u1ea1" + "\u0323" * 499_999 + "\u0301" * 500_000


@pytest.mark.parametrize("steps", [ROW_STEPS, ROW_STEPS_ARTICLES, ("L1",), ("L10", "L4"), ()])
@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([], id="no rows"),
        pytest.param(["", "The Cat", " "], id="ASCII"),
        pytest.param(["e\u0301", "\u0301e", "A  “the”  ½"], id="marks stay in their row"),
        pytest.param(["The\x1ea", "B\x1e", ""], id="texts that hold the separator"),
        pytest.param(["the", "a", "an", "the end"], id="articles at the borders of rows"),
    ],
)
def test_a_column_folds_as_its_texts_do(texts: list[str], steps: tuple[str, ...]) -> None:
    assert fold_column(texts, steps) == [apply_steps(text, steps) for text in texts]


def test_a_column_of_many_rows_keeps_its_order() -> None:
    texts = [f"Row {number}!" for number in range(120_000)]
    assert fold_column(texts, ROW_STEPS) == [f"row {number}" for number in range(120_000)]
