"""Studies: models x corpora x splits x seeds, carried out on local processes or on Ray, resumable."""
