from aspectlab.reports.corpus.card import find_others as find_others, write_card as write_card
