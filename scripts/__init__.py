"""Programs for those who work on Caseworker: generators of documentation, measures of the tree."""
