"""The registries that this user's own package managers are set up for: the tools are asked, outside the sandbox.

No host is named here: what a tool says, what its files say, and where an index points to for downloads is all there is.
"""
