"""The test language of the scenarios: what people do, what time does, and what we expect.

Temporal, the store, git and the sandbox are real; the agent and Slack are stand-ins.
"""
