"""How a repository is set up and tested: rules per ecosystem. Pure: a listing with a few contents in, a plan out."""
