"""Motions of arms: inverse kinematics, timing within limits, and trajectories."""
