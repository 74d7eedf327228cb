"""Values that GitHub computes and nobody sets: effective rules, check results, mergeability, review decision."""
