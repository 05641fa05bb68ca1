"""The data card of a corpus: its tables and pictures, on one page and as files."""
