"""Work on material: surfaces and tool paths, grinding, and what is identified and tuned with it."""
