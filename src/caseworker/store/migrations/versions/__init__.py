"""The revisions. A released one is never edited: a change is a new file."""
