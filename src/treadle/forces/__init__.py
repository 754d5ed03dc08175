"""Forces on joints and bodies, one kind per file."""
