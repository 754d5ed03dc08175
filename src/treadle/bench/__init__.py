"""Benchmarks against peers, each as a ratio that is measured in one run on one machine.

A table is one file with a function that measures one machine and returns an `Outcome`. Peers are
imported only where they are measured, and a missing one costs its rows and gives a note.
"""
