"""Contact: laws of the force between two surfaces, and what materials make of them."""
