"""Every ABSA file format, one file each; `read` recognises them by content."""

from aspectlab.readers.format import Format
from aspectlab.readers.formats import READERS
from aspectlab.readers.reading import read, sniff, write
from aspectlab.readers.source import Head, Source

__all__ = ["READERS", "Format", "Head", "Source", "read", "sniff", "write"]
