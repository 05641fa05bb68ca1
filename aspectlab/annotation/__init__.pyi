from aspectlab.annotation.agreement import (
    Agreement as Agreement,
    AgreementPlan as AgreementPlan,
    Level as Level,
    Worst as Worst,
    measure_agreement as measure_agreement,
)
from aspectlab.annotation.exchange import (
    FILES as FILES,
    ImportedAnnotations as ImportedAnnotations,
    make_config as make_config,
    prelabel as prelabel,
    read_annotations as read_annotations,
    read_guidelines as read_guidelines,
    render_guidelines as render_guidelines,
    write_label_studio as write_label_studio,
)
from aspectlab.annotation.panel import Panel as Panel, build_panel as build_panel, read_panel as read_panel
from aspectlab.annotation.rehearsal import (
    RehearsalConfig as RehearsalConfig,
    Round as Round,
    rehearse as rehearse,
)
from aspectlab.annotation.sampling import (
    Stratum as Stratum,
    allocate as allocate,
    balance as balance,
    draw_sample as draw_sample,
    remove_labels as remove_labels,
)
from aspectlab.annotation.sheets import (
    AnnotationSheet as AnnotationSheet,
    SheetFinding as SheetFinding,
    count_faults as count_faults,
    read_sheet as read_sheet,
)
from aspectlab.annotation.similarity import (
    Similarity as Similarity,
    Wording as Wording,
    choose_wording as choose_wording,
    load_similarity as load_similarity,
)
from aspectlab.readers.annotations import Fault as Fault
