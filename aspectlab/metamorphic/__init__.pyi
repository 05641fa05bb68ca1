from aspectlab.metamorphic.cases import (
    Case as Case,
    Group as Group,
    generate as generate,
    group_cases as group_cases,
    is_followup as is_followup,
    label_fully as label_fully,
)
from aspectlab.metamorphic.context import (
    MASK as MASK,
    Draft as Draft,
    RelationContext as RelationContext,
    TaggedExample as TaggedExample,
    TargetTriplet as TargetTriplet,
)
from aspectlab.metamorphic.model_answers import (
    AnswerFault as AnswerFault,
    ModelAnswer as ModelAnswer,
    Predict as Predict,
    ask_once as ask_once,
    mask_by as mask_by,
    put_mask as put_mask,
    read_answers as read_answers,
)
from aspectlab.metamorphic.mutant_report import write_mutants as write_mutants
from aspectlab.metamorphic.mutants import (
    MutantComparison as MutantComparison,
    MutantRun as MutantRun,
    Outcomes as Outcomes,
    PassCriterion as PassCriterion,
    Rates as Rates,
    compare_outcomes as compare_outcomes,
    compare_relations as compare_relations,
    find_criterion as find_criterion,
    find_outcomes as find_outcomes,
    join_runs as join_runs,
    read_mutant_runs as read_mutant_runs,
    run_to_dict as run_to_dict,
    warn_of_weakness as warn_of_weakness,
)
from aspectlab.metamorphic.relations import (
    ELEMENTS as ELEMENTS,
    RELATIONS as RELATIONS,
    Relation as Relation,
    concerns as concerns,
)
from aspectlab.metamorphic.report import write_violations as write_violations
from aspectlab.metamorphic.violations import (
    TESTED as TESTED,
    CaseVerdict as CaseVerdict,
    Failure as Failure,
    Findings as Findings,
    RelationCounts as RelationCounts,
    ViolationTable as ViolationTable,
    measure_violations as measure_violations,
    summarise as summarise,
)
