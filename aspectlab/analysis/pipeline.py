"""Analysis: from files of reviews to opinions, resumable, in memory that does not grow with the files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from aspectlab.analysis.aggregate import Aggregate, Totals, aggregate_from_dict, aggregate_to_dict
from aspectlab.analysis.assembly import assemble
from aspectlab.analysis.assign import ASSIGNMENT, Assignment, assign_opinions
from aspectlab.analysis.blocks import (
    BLOCK_FORMAT,
    Block,
    BlockCounts,
    BlockStore,
    find_broken_table,
    identify,
    is_resumable,
    make_blocks,
    read_summary,
    refuse_foreign_folder,
    seal_tables,
    write_summary,
)
from aspectlab.analysis.evidence import join_evidence
from aspectlab.analysis.insights import find_insights
from aspectlab.analysis.judged import add_audit, identify_judged, take_judged
from aspectlab.analysis.opinions import (
    BlockEngine,
    PredictorLoader,
    check_probability,
    is_likely,
    local_engine,
)
from aspectlab.analysis.survey import InputFiles, Survey, survey_reviews
from aspectlab.analysis.taxonomy import GENERAL, Taxonomy, load_taxonomy, taxonomy_of_names
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import lock_directory, remove_drafts
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.readers import (
    FOLDER,
    NOT_ANALYSED,
    OPINIONS_CSV,
    OPINIONS_PARQUET,
    SUMMARY,
    ReviewFiles,
    ReviewOptions,
    find_files,
    open_reviews,
)
from aspectlab.readers.tables import ReadCounts
from aspectlab.runtime import Predictor
from aspectlab.version import VERSION

REPORT = "report.html"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an analysis is to do, besides the model."""

    reading: ReviewOptions = field(default_factory=ReviewOptions)
    aspects: tuple[str, ...] = ()
    taxonomy: Taxonomy | None = None
    """The categories to count opinions for; the built-in ones if not given, or those of `aspects`."""

    split: bool = True
    block: int = 500
    language: str | None = "en"
    """What the model knows: reviews that are surely in another language are not analysed; None takes any."""

    min_probability: float = 0.0
    """Opinions that are less probable are in no table and no count."""

    def __post_init__(self) -> None:
        check_probability(self.min_probability)
        if self.aspects and self.taxonomy:
            raise ConfigError(
                "--aspects and --taxonomy: found both: expected one of them; leave the other out"
            )

    def choose_taxonomy(self) -> Taxonomy:
        """Return the categories to count opinions for."""
        return choose_taxonomy(self.aspects, self.taxonomy)


def choose_taxonomy(aspects: Sequence[str] | None, taxonomy: Taxonomy | None = None) -> Taxonomy:
    """Return the taxonomy that is given, that of some names, or else the built-in one.

    >>> choose_taxonomy(None).name, choose_taxonomy(["food"]).name
    ('general', 'aspects')
    """
    if taxonomy is not None:
        return taxonomy
    return taxonomy_of_names(aspects) if aspects else load_taxonomy(GENERAL)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Reviews that were opened and surveyed: what is wrong with them is known before the work begins."""

    reviews: ReviewFiles
    survey: Survey
    settings: Settings
    inputs: InputFiles

    @property
    def notices(self) -> list[str]:
        """What a user should know about the files."""
        return [*self.reviews.notices, *self.survey.notices()]


@dataclass(frozen=True, slots=True)
class _Extracted:
    """An analysis whose blocks are complete; the model is no longer needed."""

    prepared: Prepared
    store: BlockStore
    assignment: Assignment
    counts: BlockCounts
    identity: str
    model: str
    out: Path


@dataclass(frozen=True, slots=True)
class Analysis:
    """A complete analysis: what was found, and whether a part of it was done earlier."""

    aggregate: Aggregate
    resumed: bool


def prepare(paths: Sequence[Path], settings: Settings | None = None) -> Prepared:
    """Open and survey reviews."""
    chosen = settings or Settings()
    inputs = InputFiles(find_files(paths))
    reviews = open_reviews(paths, chosen.reading)
    survey = survey_reviews(reviews, chosen.language)
    if not survey.tally.reviews:
        found = "; ".join(survey.tally.skipped[:1]) or "all texts are empty"
        raise DataError(f"{paths[0]}: found no review: {found}: expected texts; name their --text-column")
    survey.refuse_foreign(paths[0], chosen.language)
    inputs.fix(reviews.paths)
    return Prepared(reviews, survey, chosen, inputs)


def load_finished(
    prepared: Prepared, predictor: Predictor, out: Path, notify: Callable[[str], None] | None = None
) -> Aggregate | None:
    """Return the aggregate of this very analysis if the folder holds it complete; `notify` hears why not."""
    record = read_summary(out)
    whole = all((out / name).exists() for name in (OPINIONS_CSV, OPINIONS_PARQUET))
    if not whole or not record or record.get("identity") != _identify_all(prepared, predictor, out):
        return None
    try:
        aggregate = aggregate_from_dict(record.get("aggregate"))
    except DataError as error:
        raise DataError(f"{out / SUMMARY}: {error}; delete the folder first") from None
    if broken := find_broken_table(out, record.get("tables"), aggregate.totals.opinions):
        if notify:
            notify(f"{out / broken}: not as the analysis wrote it: the tables are made again")
        return None
    return aggregate


def can_resume(prepared: Prepared, predictor: Predictor, out: Path) -> bool:
    """Return whether the folder holds a part of this very analysis."""
    return is_resumable(out / FOLDER, _identify_blocks(prepared, predictor))


def analyze(
    files: Prepared | Sequence[Path],
    predictor: Predictor | PredictorLoader,
    out: Path,
    settings: Settings | None = None,
    *,
    engine: BlockEngine | None = None,
    progress: ProgressCallback[BlockCounts] | None = None,
    notify: Callable[[str], None] | None = None,
    report: bool = True,
) -> Analysis:
    """Analyse reviews into `opinions.csv`, `opinions.parquet`, `analysis.json` and `report.html` in a folder.

    Interrupted at any moment and called again, it resumes with the blocks that were not complete. Files that
    were prepared have their settings already. An `engine` processes the blocks elsewhere, to the same result.
    `progress` is called before each new block and at the end, the first time with what was done earlier;
    `notify` gets what a user should know. Where `predictor` loads the model, its memory is free again when
    the tables are written.
    """
    prepared = files if isinstance(files, Prepared) else prepare(files, settings)
    refuse_foreign_folder(out, prepared.reviews.paths)
    say = notify or _ignore
    for message in (*prepared.reviews.describe_columns(), *prepared.notices):
        say(message)
    with lock_directory(out, holder="another analysis"):
        remove_drafts(out)
        model = _load(predictor)
        aggregate = load_finished(prepared, model, out, say)
        resumed = aggregate is None and can_resume(prepared, model, out)
        if aggregate is not None:
            say(f"{out}: this analysis is complete already")
        elif resumed:
            say(f"{out}: going on where the work stopped")
        if aggregate is None:
            extracted = _extract(prepared, model, out, engine, progress)
            del model
            aggregate = _finish(extracted)
        if report:
            _write_report(aggregate, prepared, out)
    return Analysis(aggregate, resumed)


def _extract(
    prepared: Prepared,
    predictor: Predictor,
    out: Path,
    engine: BlockEngine | None,
    progress: ProgressCallback[BlockCounts] | None,
) -> _Extracted:
    """Run every step that needs the model; also where an engine processes the blocks, categories do."""
    store = BlockStore(out / FOLDER, _identify_blocks(prepared, predictor))
    counts = _process_blocks(prepared, engine or local_engine(predictor), predictor.identity, store, progress)
    settings = prepared.settings
    likely = (
        opinion
        for opinion in store.opinions()
        if is_likely(opinion, settings.min_probability) and opinion.category != NOT_ANALYSED
    )
    assignment = assign_opinions(likely, predictor.embed, settings.choose_taxonomy())
    identity = _identify_all(prepared, predictor, out)
    return _Extracted(prepared, store, assignment, counts, identity, predictor.identity, out)


def _finish(extracted: _Extracted) -> Aggregate:
    """Write the tables and the summary; the blocks stay, for other categories or another minimum."""
    prepared, out = extracted.prepared, extracted.out
    prepared.inputs.refuse_change()
    tally = prepared.survey.tally
    least = prepared.settings.min_probability
    work, split = extracted.store, prepared.settings.split
    opinions, judged = take_judged(work.opinions(), prepared.reviews, out, split=split)
    more = prepared.reviews.more_columns
    collector = assemble(
        *(opinions, extracted.assignment, prepared.survey, out), work=work.folder, least=least, more=more
    )
    totals = Totals(
        reviews=tally.reviews,
        sentences=extracted.counts.sentences,
        opinions=collector.opinions,
        reviews_with_opinions=extracted.counts.reviews_with_opinions,
        empty=tally.empty,
        broken=tally.broken,
        cut=tally.cut,
        without_aspect=collector.without_aspect,
        without_opinion=collector.without_opinion,
        left_out=collector.left_out,
    )
    aggregate = Aggregate(
        title=prepared.inputs.title,
        totals=totals,
        counts=collector.counts(),
        categories=add_audit(collector.categories(), judged),
        groups=collector.groups(),
        months=collector.months(),
        ratings=collector.ratings(),
        edges=collector.edges(),
        settings=_describe_settings(prepared, extracted.model),
        notices=tuple(prepared.inputs.hide_folders(prepared.notices)),
    )
    aggregate = replace(
        aggregate, insights=find_insights(join_evidence(prepared.reviews, out, split=None), aggregate)
    )
    seals = seal_tables(out)
    prepared.inputs.refuse_change()
    write_summary(out, extracted.identity, prepared.reviews.paths, aggregate_to_dict(aggregate), seals)
    return aggregate


def _process_blocks(
    prepared: Prepared,
    engine: BlockEngine,
    identity: str,
    store: BlockStore,
    progress: ProgressCallback[BlockCounts] | None,
) -> BlockCounts:
    """Process the blocks that are not done yet, and return the counts of all."""
    done, last = BlockCounts(0, 0, 0), Block(-1, [])
    least = prepared.settings.min_probability

    def report() -> None:
        if progress:
            reviews = prepared.survey.tally.reviews
            text = f"{done.reviews:,} of {reviews:,} reviews"
            progress(Progress(done.reviews / reviews, text, done))

    def missing() -> Iterator[Block]:
        nonlocal done, last
        for last in make_blocks(prepared.reviews.read(ReadCounts()), prepared.settings.block):
            # hours of work would be lost if a change were seen at the end only; one file a block is no delay
            prepared.inputs.refuse_change(last.number)
            if store.holds(last):
                done += store.counts(last.number, least)
                continue
            report()
            yield last

    try:
        # an engine holds other machines until it is closed
        chosen = prepared.settings
        work = engine(missing(), identity=identity, split=chosen.split, language=chosen.language)
        with closing(work) as results:
            for result in results:
                store.write(result)
                done += store.counts(result.number, least)
    except DataError:
        prepared.inputs.refuse_change()  # what was written meanwhile explains what cannot be read
        raise
    prepared.inputs.compare(prepared.survey.digest, last.digest)
    store.cut(last.number + 1)
    report()
    return done


def _identify_blocks(prepared: Prepared, predictor: Predictor) -> str:
    settings = prepared.settings
    return identify(
        {
            "version": VERSION,
            "format": BLOCK_FORMAT,
            "predictor": predictor.identity,
            "split": settings.split,
            "language": settings.language,
            "block": settings.block,
            "limit": settings.reading.limit,
            "files": [
                [digest, name, file.describe(), file.day_first]
                for digest, name, file in zip(
                    prepared.inputs.hashes, prepared.reviews.names, prepared.reviews.files, strict=True
                )
            ],
            "encoding": settings.reading.encoding,
        }
    )


def _identify_all(prepared: Prepared, predictor: Predictor, out: Path) -> str:
    settings = prepared.settings
    return identify(
        {
            "blocks": _identify_blocks(prepared, predictor),
            "taxonomy": settings.choose_taxonomy().identity,
            "assignment": ASSIGNMENT,
            "min_probability": settings.min_probability,
            **identify_judged(out),
        }
    )


def _describe_settings(prepared: Prepared, model: str) -> dict[str, str]:
    """Name the settings, for the reader of the report."""
    columns = prepared.reviews.files[0].describe()
    return {
        "aspectlab": VERSION,
        "model": model,
        **{f"{role} column": name for role, name in columns.items()},
        "taxonomy": prepared.settings.choose_taxonomy().name,
        **({"aspects": ", ".join(prepared.settings.aspects)} if prepared.settings.aspects else {}),
        **({} if prepared.settings.split else {"sentences": "not split"}),
        **({"minimum probability": f"{least:g}"} if (least := prepared.settings.min_probability) else {}),
    }


def _load(predictor: Predictor | PredictorLoader) -> Predictor:
    if hasattr(predictor, "predict"):
        return cast("Predictor", predictor)
    return predictor()


def _write_report(aggregate: Aggregate, prepared: Prepared, out: Path) -> None:
    # workers of a cluster need no report
    from aspectlab.analysis.report import write_opinion_report

    evidence = join_evidence(prepared.reviews, out, split=prepared.settings.split)
    write_opinion_report(aggregate, out / REPORT, evidence)


def _ignore(message: str) -> None:
    """Drop a message that nobody asked for."""
