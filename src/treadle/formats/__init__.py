"""Files that describe machines. A new format is its file and a line in `load.FORMATS`."""

from treadle.formats.load import load, load_spec

__all__ = ["load", "load_spec"]
