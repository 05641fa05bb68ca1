"""The page on opinions: what reviews praise and blame, with the evidence."""
