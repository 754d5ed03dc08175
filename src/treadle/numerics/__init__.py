"""Small numerical methods in plain Python and NumPy, which the core has no other package for."""
