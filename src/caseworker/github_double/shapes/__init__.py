"""JSON bodies as GitHub writes them: what each entity looks like in REST answers and webhooks."""
