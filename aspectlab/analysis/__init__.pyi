from aspectlab.analysis.adaptation import (
    Adaptation as Adaptation,
    StyleScore as StyleScore,
    choose_style as choose_style,
    count_agreement as count_agreement,
    pick_style as pick_style,
    save_adapted as save_adapted,
)
from aspectlab.analysis.aggregate import (
    Aggregate as Aggregate,
    Category as Category,
    Totals as Totals,
    aggregate_from_dict as aggregate_from_dict,
    aggregate_to_dict as aggregate_to_dict,
)
from aspectlab.analysis.assembly import categorise as categorise
from aspectlab.analysis.assign import (
    Assigner as Assigner,
    assign_opinions as assign_opinions,
)
from aspectlab.analysis.auditing import (
    AuditedCategory as AuditedCategory,
    AuditResult as AuditResult,
    as_corpus as as_corpus,
    draw_audit as draw_audit,
    score_audit as score_audit,
)
from aspectlab.analysis.auditsheet import (
    AUDIT as AUDIT,
    SHEET as SHEET,
    SHEET_PAGE as SHEET_PAGE,
    AuditedOpinion as AuditedOpinion,
    Draw as Draw,
    DrawnSentence as DrawnSentence,
    Judgement as Judgement,
    load_draw as load_draw,
    read_sheet as read_sheet,
    save_draw as save_draw,
)
from aspectlab.analysis.blocks import BlockCounts as BlockCounts
from aspectlab.analysis.evidence import join_evidence as join_evidence
from aspectlab.analysis.grouping import propose_categories as propose_categories
from aspectlab.analysis.imported import ImportedPredictor as ImportedPredictor
from aspectlab.analysis.judged import JUDGED as JUDGED, save_judged as save_judged
from aspectlab.analysis.opinions import (
    BlockEngine as BlockEngine,
    PredictorLoader as PredictorLoader,
    Result as Result,
    check_probability as check_probability,
    cluster_engine as cluster_engine,
    find_opinions as find_opinions,
    is_likely as is_likely,
)
from aspectlab.analysis.pipeline import (
    REPORT as REPORT,
    Analysis as Analysis,
    Prepared as Prepared,
    Settings as Settings,
    analyze as analyze,
    choose_taxonomy as choose_taxonomy,
    prepare as prepare,
)
from aspectlab.analysis.report import (
    REPORT_SCRIPTS as REPORT_SCRIPTS,
    REPORT_STYLES as REPORT_STYLES,
    write_opinion_report as write_opinion_report,
)
from aspectlab.analysis.taxonomy import (
    GENERAL as GENERAL,
    TAXONOMIES as TAXONOMIES,
    CategoryRule as CategoryRule,
    Taxonomy as Taxonomy,
    find_overlaps as find_overlaps,
    format_proposal as format_proposal,
    load_taxonomy as load_taxonomy,
    parse_taxonomy as parse_taxonomy,
)
