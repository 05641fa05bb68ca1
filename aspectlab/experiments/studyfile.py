"""Parse a study file (TOML); every mistake is noted, and what is sound is kept."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aspectlab.errors import ConfigError
from aspectlab.experiments.study import (
    SELECTION,
    VARIANTS,
    AdversarialConfig,
    CleaningOptions,
    CorpusConfig,
    CorpusFile,
    EncoderConfig,
    ModelConfig,
    RelationsConfig,
    SharedTests,
    Splitting,
    Study,
)
from aspectlab.experiments.toml_table import PathResolver, TomlTable
from aspectlab.metrics import METRICS
from aspectlab.readers import READERS
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS
from aspectlab.untrusted import parse_toml, read_file

_MOST_VARIANTS = 100


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What the protocol says of all corpora."""

    reading: CleaningOptions
    drop_shared: bool
    shared_tests: SharedTests


def read_study(path: Path, *, data: Path | None = None) -> tuple[Study, list[str]]:
    """Read a study file; gives the study and what is wrong with it. `data` is what ${DATA} stands for."""
    problems: list[str] = []
    top = TomlTable(path.name, "", _parse(path), problems)
    names = {} if data is None else {"DATA": str(data.absolute())}
    paths = PathResolver(path.parent, names, problems)
    _read_paths(top.table("paths"), paths)
    protocol = top.table("protocol")
    usual = _Defaults(
        reading=_read_reading(protocol, CleaningOptions()),
        drop_shared=protocol.flag("drop_shared", False),
        shared_tests=_read_shared_tests(protocol, SharedTests.REFUSE),
    )
    notices: list[str] = []
    corpora = {
        name: _read_corpus(table, name, paths, usual, notices)
        for name, table in _named_tables(top.table("corpora"))
    }
    study = Study(
        name=top.text("name", path.stem),
        path=path,
        corpora={name: corpus for name, corpus in corpora.items() if corpus},
        models=tuple(_read_models(top, paths, list(corpora))),
        seeds=top.seeds("seeds", (1,)),
        splitting=_read_splitting(protocol),
        threads=protocol.whole("threads", 1, least=1),
        task=top.text("task") or None,
        metrics=top.texts("metrics"),
        also=top.texts("also"),
        keep_models=top.flag("keep_models", False),
        notices=notices,
    )
    _check_names(top, study, corpora)
    top.text("about")
    top.close()
    protocol.close()
    return study, problems


def _parse(path: Path) -> object:
    try:
        return parse_toml(read_file(path).decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except ValueError as error:
        raise ConfigError(f"{path}: found no TOML: {error}; correct the line") from None


def _check_names(top: TomlTable, study: Study, corpora: Mapping[str, object]) -> None:
    top.choose("task", [study.task] if study.task else [], "task", TASKS)
    top.choose("metrics", study.metrics, "metric", METRICS)
    top.choose("also", study.also, "task", TASKS)
    _refuse_misplaced(top, "mato", "[[models]]")
    _refuse_misplaced(top, "adversarial", "[corpora.NAME]")
    _refuse_misplaced(top, "others", "[corpora.NAME]")
    if not corpora:
        top.problems.append(f"{top.where()}: found no corpus: expected a table [corpora.NAME] at least")
    if top.raw("models") in (None, []):
        top.problems.append(f"{top.where()}: found no model: expected a table [[models]] at least")


def _read_paths(table: TomlTable, paths: PathResolver) -> None:
    for name in table.names:
        # --data goes before a DATA in the file, so that a study can name a usual place
        if name != "DATA" or name not in paths.names:
            paths.names[name] = paths.fill(table.where(name), table.text(name))
        table.raw(name)


def _named_tables(parent: TomlTable) -> Iterator[tuple[str, TomlTable]]:
    for name in parent.names:
        yield name, parent.table(name)


def _read_splitting(protocol: TomlTable) -> Splitting:
    selection = protocol.text("selection", SELECTION)
    if selection != SELECTION:
        protocol.complain("selection", selection, f"{SELECTION!r}: no test set may choose an epoch")
    return Splitting(
        splits=protocol.whole("splits", 5, least=1),
        dev=protocol.share("dev", 0.1),
        seed=protocol.whole("split_seed", 1, least=0),
    )


def _read_reading(table: TomlTable, default: CleaningOptions) -> CleaningOptions:
    return CleaningOptions(
        deduplicate=table.flag("deduplicate", default.deduplicate),
        keep_conflict=table.flag("keep_conflict", default.keep_conflict),
        drop_implicit=table.flag("drop_implicit", default.drop_implicit),
        join_records=table.flag("join_records", default.join_records),
    )


def _read_shared_tests(table: TomlTable, default: SharedTests) -> SharedTests:
    found = table.text("shared_tests", default)
    if found in list(SharedTests):
        return SharedTests(found)
    table.complain("shared_tests", found, f"one of {', '.join(SharedTests)}")
    return default


def _read_corpus(
    table: TomlTable, name: str, paths: PathResolver, usual: _Defaults, notices: list[str]
) -> CorpusConfig | None:
    reading = _read_reading(table, usual.reading)
    form = _read_format(table)
    tests = _read_tests(table, paths, reading, notices)
    train, dev = (_read_file(table, part, paths, form, reading) for part in ("train", "dev"))
    splits = tuple(paths.find(table.where("splits"), text) for text in table.texts("splits"))
    shared = table.flag("drop_shared", usual.drop_shared)
    shared_tests = _read_shared_tests(table, usual.shared_tests)
    adversarial = _read_adversarial(table, paths, reading)
    others = _read_others(table, paths, reading)
    relations = _read_relations(table, paths)
    table.problems += [f"{table.where('splits')}: {p} is missing" for p in splits if not p.is_file()]
    if dev and splits:
        table.problems.append(f"{table.where()}: found both dev and splits: expected one of them")
    if "train" not in table:
        table.problems.append(f"{table.where()}: found no train: expected train = FILE")
    table.close()
    present = tuple(path for path in splits if path.is_file())
    if not train:
        return None
    return CorpusConfig(
        name, train, dev, present, tests, shared, adversarial, shared_tests, others, relations
    )


def _read_adversarial(
    table: TomlTable, paths: PathResolver, reading: CleaningOptions
) -> AdversarialConfig | None:
    """Read `adversarial`: names of strategies, or a table with more to say."""
    is_table = isinstance(table.raw("adversarial"), dict)
    strategies = () if is_table else table.texts("adversarial")
    if not is_table and not strategies:
        return None
    variants = VARIANTS["arts"]()
    known = variants.strategies
    if not is_table:
        table.choose("adversarial", strategies, "strategy", known)
        return AdversarialConfig(strategies)
    own = table.table("adversarial")
    strategies = own.texts("strategies")
    own.choose("strategies", strategies, "strategy", known)
    if not strategies:
        own.problems.append(f"{own.where()}: found no strategies: expected some of {', '.join(known)}")
    ratio, opinions = own.raw("ratio"), _read_file(own, "opinions", paths, None, reading)
    if ratio is not None and (not isinstance(ratio, int | float) or not 0 < ratio < _MOST_VARIANTS):
        own.complain("ratio", ratio, "variants per aspect, such as 0.5 or 2")
        ratio = None
    phrases = own.text("aspect_phrases", "template")
    try:
        variants.check_phrases(phrases)
    except ConfigError as error:
        own.problems.append(f"{own.where('aspect_phrases')}: {error}")
    own.close()
    return AdversarialConfig(strategies, ratio, opinions, phrases)


def _read_relations(table: TomlTable, paths: PathResolver) -> RelationsConfig | None:
    """Read `relations`: the follow-ups of a test set, and how many candidates of a replacement count."""
    if "relations" not in table:
        return None
    own = table.table("relations")
    if "file" not in own:
        own.problems.append(f"{own.where()}: found no file: expected file = PATH")
    # follow-ups of one source may have one text
    found = _read_file(own, "file", paths, None, CleaningOptions(deduplicate=False, keep_conflict=True))
    candidates = own.whole("candidates", 10, least=1)
    own.close()
    return RelationsConfig(found, candidates) if found else None


def _read_format(table: TomlTable) -> str | None:
    name = table.text("format") or None
    table.choose("format", [name] if name else [], "format", READERS)
    return name if name in READERS else None


def _read_others(table: TomlTable, paths: PathResolver, reading: CleaningOptions) -> tuple[CorpusFile, ...]:
    found = (_find_file(table, "others", text, paths, None, reading) for text in table.texts("others"))
    return tuple(filter(None, found))


def _read_file(
    table: TomlTable, key: str, paths: PathResolver, form: str | None, reading: CleaningOptions
) -> CorpusFile | None:
    text = table.text(key)
    if not text:
        _refuse_empty(table, key)
        return None
    return _find_file(table, key, text, paths, form, reading)


def _find_file(
    table: TomlTable, key: str, text: str, paths: PathResolver, form: str | None, reading: CleaningOptions
) -> CorpusFile | None:
    before = len(table.problems)
    path = paths.find(table.where(key), text)
    if len(table.problems) > before:
        return None
    if path.is_file():
        return CorpusFile(path, form, reading)
    table.problems.append(f"{table.where(key)}: {path} is missing: {_nearest_file(path)}")
    return None


def _read_tests(
    table: TomlTable, paths: PathResolver, reading: CleaningOptions, notices: list[str]
) -> dict[str, CorpusFile]:
    """Read all of `tests`; a corpus on which nothing would be measured is a mistake."""
    under = table.table("tests")
    before = len(table.problems)
    tests = {part: _read_test(under, part, paths, reading, notices) for part in under.names}
    if not tests:
        table.problems.append(f"{table.where()}: found no test set: expected tests.NAME = FILE")
    elif not any(tests.values()) and len(table.problems) == before:
        table.problems.append(f"{under.where()}: every test set is missing: expected one file at least")
    return {part: test for part, test in tests.items() if test}


def _read_test(
    tests: TomlTable, name: str, paths: PathResolver, reading: CleaningOptions, notices: list[str]
) -> CorpusFile | None:
    """Read `tests.NAME`: a path, or a table with a path and how this one file is read."""
    if not name.replace("-", "").replace("_", "").isalnum():
        tests.complain(name, name, "a name of letters, digits, - and _, since a file will bear it")
    if isinstance(tests.raw(name), str):
        return _read_file(tests, name, paths, None, reading)
    table = tests.table(name)
    is_optional = table.flag("optional", False)
    form, own = _read_format(table), _read_reading(table, reading)
    if "file" not in table:
        table.problems.append(f"{table.where()}: found no file: expected file = PATH")
    text = table.text("file")
    table.close()
    if is_optional and text and not (path := paths.find(table.where("file"), text)).is_file():
        notices.append(f"{table.where('file')}: {path} is missing: this test set is left out")
        return None
    return _read_file(table, "file", paths, form, own)


def _refuse_empty(table: TomlTable, key: str) -> None:
    """Refuse a path without a letter: taken for an absent key, it would leave its file out unseen."""
    if table.raw(key) == "":
        table.complain(key, "", "a path")


def _nearest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path.parent} is no folder; check the path, or give --data"
    beside = sorted(other.name for other in path.parent.iterdir() if other.is_file())
    return suggest(path.name, beside[:20]) if beside else "its folder is empty"


def _read_models(top: TomlTable, paths: PathResolver, corpora: list[str]) -> Iterator[ModelConfig]:
    for table in top.tables("models"):
        name = table.text("name")
        if not name:
            table.problems.append(f"{table.where()}: found no name: expected name = MODEL")
        for key in ("corpora", "encoders"):
            if table.raw(key) == []:
                table.complain(key, [], "at least one, or no such key")
        wanted = table.texts("corpora")
        table.choose("corpora", wanted, "corpus", corpora)
        encoders = _read_encoders(table, paths)
        recipe = table.text("recipe", "ours")
        own = name if recipe == "ours" else f"{name}+{recipe}"
        label = table.text("label", f"{own}+mato" if table.raw("mato") is True else own)
        settings, vary = table.raw("settings"), table.table("vary")
        if settings is not None and not isinstance(settings, dict):
            table.complain("settings", settings, "a table of settings")
        with_mato = table.flag("mato", False)
        seeds = table.seeds("seeds", ())
        splits = table.whole("splits", 1, least=1) if "splits" in table else None
        _refuse_misplaced(table, "adversarial", "[corpora.NAME]")
        table.close()
        fixed = {**(settings if isinstance(settings, dict) else {}), **({"mato": True} if with_mato else {})}
        for change in _vary(vary):
            words = "".join(f" {key}={value}" for key, value in change.items())
            yield ModelConfig(
                where=table.where(),
                name=name,
                label=label + words,
                encoders=encoders,
                settings={**fixed, **change},
                corpora=wanted or tuple(corpora),
                seeds=seeds,
                splits=splits,
                recipe=recipe,
            )


def _read_encoders(table: TomlTable, paths: PathResolver) -> tuple[EncoderConfig, ...]:
    """Read `encoder` or `encoders`; a table gives the one encoder another name in the rows."""
    if "encoder" in table and "encoders" in table:
        table.problems.append(f"{table.where()}: found both encoder and encoders: expected one of them")
    if isinstance(table.raw("encoder"), dict):
        own = table.table("encoder")
        name = own.text("name")
        if not name:
            own.problems.append(f"{own.where()}: found no name: expected name = ENCODER")
        label = own.text("label", name)
        own.close()
        return (EncoderConfig(label, _find_encoder(paths, own, name)),) if name else ()
    names = table.texts("encoders") or tuple(filter(None, [table.text("encoder")]))
    table.raw("encoder")
    return tuple(EncoderConfig(text, _find_encoder(paths, table, text)) for text in names)


def _vary(table: TomlTable) -> Iterator[dict[str, object]]:
    """Return every combination of the values that the settings are to take."""
    lists: dict[str, list[object]] = {}
    for key in table.names:
        found = table.raw(key)
        if isinstance(found, list) and found:
            lists[key] = found
        else:
            table.complain(key, found, "a list of values")
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _find_encoder(paths: PathResolver, table: TomlTable, text: str) -> str:
    """Turn a path into one from here; a name stays."""
    kind, colon, rest = text.partition(":")
    file = rest if colon and kind == "vectors" else text
    path = paths.find(table.where("encoder"), file)
    if not path.exists() or file == "glove50":
        return text
    return f"vectors:{path}" if file is rest else str(path)


def _refuse_misplaced(table: TomlTable, key: str, owner: str) -> None:
    """Refuse a key that belongs to another table."""
    if key in table:
        table.raw(key)
        table.problems.append(f"{table.where(key)}: expected it in a table {owner}")
