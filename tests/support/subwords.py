"""Small sub-word vocabularies of the kinds that transformers have."""

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from aspectlab.encodings import Subwords

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "@", "#"]
PIECES += ["caf", "##e", "was", "good", "so", "##up", "."]


def build_wordpiece(max_length: int = 64) -> Subwords:
    """Build an uncased WordPiece vocabulary that strips accents, as BERT's does."""
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token=PIECES[1]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(PIECES[:5])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return Subwords(tokenizer, max_length)


def build_byte_level(max_length: int = 64, *, trim_offsets: bool = True) -> Subwords:
    """Build a vocabulary over bytes, as RoBERTa's is: a blank belongs to the word behind it."""
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    names += ["[CLS]", "[SEP]", "[PAD]"]  # namesakes that MPNet's vocabulary holds but does not use
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(names[:5])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=trim_offsets, add_prefix_space=False
    )
    return Subwords(tokenizer, max_length)


def build_metaspace(max_length: int = 64) -> Subwords:
    """Build a vocabulary of whole words with the blank before them, as SentencePiece cuts them."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "▁so": 1, "▁up": 2}, unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return Subwords(tokenizer, max_length)
