"""The page and the pictures of the mutant protocol, after Figures 4 and 6 of the MATO paper."""
