from aspectlab.campaigns.absita.system.classifier import (
    AbsitaSystem as AbsitaSystem,
    cross_validate as cross_validate,
    load_system as load_system,
    save_system as save_system,
    train_system as train_system,
)
