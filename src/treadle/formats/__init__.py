"""Files that describe machines. A new format is its file and a line in `load.FORMATS` or `save.WRITERS`."""

from treadle.formats.load import load, load_spec
from treadle.formats.save import save

__all__ = ["load", "load_spec", "save"]
