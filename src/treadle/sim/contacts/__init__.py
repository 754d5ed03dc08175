"""What can be read about the contacts of a simulation: points, sums, sensors, the course inside a step."""
