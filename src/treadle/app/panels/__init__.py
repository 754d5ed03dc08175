"""The panels of the page. A new one is a class in a file of its own, and a line in `treadle.app.stage`."""
