from aspectlab.diskcache import TextTable as TextTable, cache_folder as cache_folder
from aspectlab.language.antonyms import (
    NEGATE as NEGATE,
    AntonymLexicon as AntonymLexicon,
    classes_of as classes_of,
    find_antonyms as find_antonyms,
    find_collocation as find_collocation,
    load_lexicon as load_lexicon,
)
from aspectlab.language.detection import (
    check_language as check_language,
    check_language_code as check_language_code,
    find_foreign as find_foreign,
    find_other_language as find_other_language,
    name_language as name_language,
)
from aspectlab.language.inflection import (
    find_lemma as find_lemma,
    fix_article as fix_article,
    inflect as inflect,
    is_plural as is_plural,
    list_lemmas as list_lemmas,
    match_case as match_case,
    word_class as word_class,
)
from aspectlab.language.parsing import (
    DEFAULT_PARSER as DEFAULT_PARSER,
    Parse as Parse,
    Parser as Parser,
    SpacyPipeline as SpacyPipeline,
    TaggedWord as TaggedWord,
    Tagger as Tagger,
    find_pipeline as find_pipeline,
    format_remedy as format_remedy,
    load_parser as load_parser,
    load_pipeline as load_pipeline,
    load_tagger as load_tagger,
)
from aspectlab.language.segmentation import (
    MAX_SENTENCE_CHARS as MAX_SENTENCE_CHARS,
    Offsets as Offsets,
    content_words as content_words,
    list_words as list_words,
    name_thing as name_thing,
    normalise_term as normalise_term,
    predict_segments as predict_segments,
    split_sentences as split_sentences,
    split_words as split_words,
    stem_word as stem_word,
    word_offsets as word_offsets,
    word_spans as word_spans,
)
from aspectlab.language.wordnet import (
    WordNet as WordNet,
    find_wordnet as find_wordnet,
    load_wordnet as load_wordnet,
)
