"""A GitHub of our own: one state in memory and on real git, served as REST, git over HTTP and webhooks.

It ships for `caseworker demo github`, and the tests run against it. It knows nothing of the rest of Caseworker.
"""
