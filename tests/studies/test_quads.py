"""Corpora of many domains: what is left out, and what each example is told."""

from quads import ONE_DOMAIN, Source, as_corpus, collect, domain_of, keep_labelled

from aspectlab.data import Example, Polarity, Quad, Term

BOOKS = Source("memd", "books", "books.json")
FASHION = Source("dmaste", "fashion", "fashion.txt")
CLOTHING = Source("memd", "clothing", "clothing.json")


def examples(source: Source, *texts: str) -> list[Example]:
    return [Example(f"{source.name}-{n}", text, style=source.style) for n, text in enumerate(texts)]


def test_left_out_domain_is_left_out_of_every_data_set() -> None:
    corpora = {
        BOOKS: (examples(BOOKS, "A gripping plot."), []),
        FASHION: (examples(FASHION, "The hem came loose."), []),
        CLOTHING: (examples(CLOTHING, "Soft wool, warm too."), examples(CLOTHING, "Runs small.")),
    }
    parts = collect(corpora, [], {"fashion"})
    assert [example.text for example in parts["train"]] == ["A gripping plot."]
    assert parts["dev"] == []
    assert [e.text for e in parts["unseen-memd-clothing"]] == ["Soft wool, warm too.", "Runs small."]
    assert [e.text for e in parts["unseen-dmaste-fashion"]] == ["The hem came loose."]


def test_clothing_and_fashion_are_one_domain() -> None:
    assert {domain_of(source) for source in (FASHION, CLOTHING)} == {"fashion"}
    assert set(ONE_DOMAIN) == {"clothing"}


def test_train_holds_no_text_of_dev_test_or_left_out_parts_whatever_its_case_and_marks() -> None:
    corpora = {
        BOOKS: (
            examples(BOOKS, "a gripping plot!", "THE HEM CAME LOOSE", "Soft wool , warm too", "Dull prose."),
            examples(BOOKS, "A gripping plot."),
        ),
        FASHION: (examples(FASHION, "The hem came loose."), []),
    }
    parts = collect(corpora, ["Soft wool, warm too."], {"fashion"})
    assert [example.text for example in parts["train"]] == ["Dull prose."]


def test_text_stands_once_in_a_style_and_in_several_styles() -> None:
    corpora = {
        BOOKS: (examples(BOOKS, "Dull prose.", "Dull prose."), []),
        FASHION: (examples(FASHION, "Dull prose."), []),
    }
    train = collect(corpora, [], set())["train"]
    assert [(example.text, example.style) for example in train] == [
        ("Dull prose.", "memd"),
        ("Dull prose.", "dmaste"),
    ]


def test_joined_contractions_keep_the_style_of_their_source() -> None:
    train = collect({BOOKS: (examples(BOOKS, "I do n't mind ."), [])}, [], set())["train"]
    assert [(example.text, example.style) for example in train] == [
        ("I do n't mind .", "memd"),
        ("I don't mind .", "memd"),
    ]


def test_corpus_tells_equal_ids_apart() -> None:
    corpus = as_corpus("train", [Example("1", "Dull prose."), Example("1", "Fine prose.")])
    assert [example.id for example in corpus] == ["1", "1-2"]


def test_labelled_texts_without_opinions_stay_only_where_a_data_set_has_such() -> None:
    praise = (Quad(None, None, Term("Lovely"), Polarity.POSITIVE),)
    train = [Example("1", "Lovely.", praise, style=style) for style in ("memd", "aste")]
    train.append(Example("2", "We went on Monday.", style="aste"))
    labelled = [Example(style, "Another text.", style=style) for style in ("memd", "aste")]
    labelled.append(Example("full", "Lovely as well.", praise, style="memd"))
    assert [example.id for example in keep_labelled(labelled, train)] == ["aste", "full"]
