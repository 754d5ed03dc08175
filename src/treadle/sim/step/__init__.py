"""Steps of machines with contact. Importing a module of this package imports Numba."""
